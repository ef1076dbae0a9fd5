"""Simplification of a finished program: reads by maps move into their users, sums start from what is added to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from raising.grammar.terms.scalar_ops import SELECT
from raising.grammar.terms.structured_op import Body, Linear, Map, combiner, dims_of, is_projection
from raising.grammar.terms.term import Apply, TensorType, Term, Undefined, Window, nodes, rewritten_terms


def tidy(roots: tuple[Term, ...]) -> tuple[Term, ...]:
    """Equal programs with fewer operations, node by node."""
    uses = Counter(o.digest for n in nodes(roots) for o in n.operands) + Counter(r.digest for r in roots)

    def change(node: Term, term: Term) -> Term:
        if isinstance(term, Apply):
            return _without_choice(term) or _started(
                read_through(term, _is_unnamed), [uses[o.digest] == 1 for o in node.operands]
            )
        return _of_one_value(term) if isinstance(term, Window) else term

    return rewritten_terms(roots, change)


def _without_choice(term: Apply) -> Term | None:
    """The operand that a selection between equal operands selects; None if it is no such selection."""
    if len(term.body.instrs) != 1 or term.body.result != term.body.arity or term.init is not None:
        return None
    (instr,) = term.body.instrs
    if instr.op != SELECT or term.body.arity - 1 in instr.args:
        return None
    (one, first), (other, second) = ((term.inputs[k], term.maps[k]) for k in instr.args[1:])
    same = one == other and first == second == term.maps[-1]
    return one if same and one.type == term.type else None


def _is_unnamed(copy: Apply) -> bool:
    """True for a copy by a map that no named operation has."""
    return not is_projection(copy.maps[0])


def _of_one_value(term: Window) -> Term:
    """A box of a tensor whose elements are all alike, or that nobody reads, as a tensor of its own size."""
    source = term.source
    if isinstance(source, Undefined):
        return Undefined(term.type)
    if not isinstance(source, Apply) or source.init is not None or any(m for m in source.maps[:-1]):
        return term
    return Apply(term.type, source.body, (*source.maps[:-1], tuple(range(term.type.rank))), source.inputs)


def read_through(term: Apply, is_read: Callable[[Apply], bool]) -> Apply:
    """An application that reads the operands of copies in place of these copies, as far as `is_read` holds of them."""
    inputs: list[Term] = []
    maps: list[Map] = []
    for operand, m in zip(term.inputs, term.maps[:-1], strict=True):
        if isinstance(operand, Apply) and not operand.body.instrs and is_read(operand):
            place = {d: m[k] for k, d in enumerate(operand.maps[-1])}
            maps.append(tuple(_composed(e, place) for e in operand.maps[0]))
            inputs.append(operand.inputs[0])
        else:
            maps.append(m)
            inputs.append(operand)
    return _shaped(term, maps, inputs)


def _shaped(term: Apply, maps: list[Map], inputs: list[Term]) -> Apply:
    """An application with other inputs; dimensions whose extent none of them tells get a tensor for their shape."""
    whole = (*maps, term.maps[-1])
    walked = {e for m in whole for e in m if isinstance(e, int)}
    hidden = tuple(dict.fromkeys(d for m in whole for d in dims_of(m) if d not in walked))
    body = term.body
    if hidden:
        extents = term.extents()
        inputs = [*inputs, Undefined(TensorType(term.type.element, tuple(extents[d] for d in hidden)))]
        maps = [*maps, hidden]
        body = _with_unread_input(body)
    return Apply(term.type, body, (*maps, term.maps[-1]), tuple(inputs), term.init)


def _with_unread_input(body: Body) -> Body:
    """The same function of one more input, the last one, that it does not read."""

    def moved(value: int) -> int:
        return value + (value >= body.arity - 1)

    instrs = tuple(replace(i, args=tuple(map(moved, i.args))) for i in body.instrs)
    return Body(body.arity + 1, instrs, moved(body.result))


def _composed(entry: int | Linear, place: dict[int | Linear, int | Linear]) -> int | Linear:
    if isinstance(entry, int):
        return place[entry]
    sums: Counter[int] = Counter()
    for d, c in entry:
        inner = place[d]
        for dim, factor in ((inner, 1),) if isinstance(inner, int) else inner:
            sums[dim] += c * factor
    return tuple(sorted(sums.items()))


def _started(term: Apply, single: list[bool]) -> Apply:
    """a ⊕ (an accumulation by ⊕ used only here) as that accumulation started from a."""
    identity = tuple(range(term.type.rank))
    if len(term.body.instrs) != 1 or any(m != identity for m in term.maps) or len(term.inputs) != 2:
        return term
    op = term.body.instrs[0].op
    for k, other in ((0, 1), (1, 0)):
        sum_ = term.inputs[k]
        plain = isinstance(sum_, Apply) and sum_.init is None and single[k] and sum_.body.reads_output
        if isinstance(sum_, Apply) and plain and combiner(sum_.body) == op:
            return Apply(sum_.type, sum_.body, sum_.maps, sum_.inputs, term.inputs[other])
    return term
