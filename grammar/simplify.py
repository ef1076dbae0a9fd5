"""Last touches on a program: reads by maps move into their users, sums start from what is added to them."""

from __future__ import annotations

from collections import Counter

from grammar.evaluate import combiner
from grammar.meaning import Linear, Map, dims_of, is_projection
from grammar.term import Apply, Term, nodes, rebuild


def tidy(roots: tuple[Term, ...]) -> tuple[Term, ...]:
    """Equal programs with fewer operations, node by node."""
    uses = Counter(o.digest for n in nodes(roots) for o in n.operands) + Counter(r.digest for r in roots)
    new: dict[bytes, Term] = {}
    for node in nodes(roots):
        operands = tuple(new[o.digest] for o in node.operands)
        changed = any(a is not b for a, b in zip(operands, node.operands, strict=True))
        term = rebuild(node, operands) if changed else node
        single = [uses[o.digest] == 1 for o in node.operands]
        new[node.digest] = _started(_read_through(term), single) if isinstance(term, Apply) else term
    return tuple(new[r.digest] for r in roots)


def _read_through(term: Apply) -> Apply:
    """Operands that only read another tensor by a map that no named copy has are read where they are used."""
    inputs: list[Term] = []
    maps: list[Map] = []
    for operand, m in zip(term.inputs, term.maps[:-1], strict=True):
        if isinstance(operand, Apply) and not operand.body.instrs and not is_projection(operand.maps[0]):
            place = {d: m[k] for k, d in enumerate(operand.maps[-1])}
            maps.append(tuple(_composed(e, place) for e in operand.maps[0]))
            inputs.append(operand.inputs[0])
        else:
            maps.append(m)
            inputs.append(operand)
    whole = (*maps, term.maps[-1])
    walked = {e for m in whole for e in m if isinstance(e, int)}
    if not all(d in walked for m in whole for d in dims_of(m)):
        return term  # a dimension whose extent no operand would tell
    return Apply(term.type, term.body, whole, tuple(inputs), term.init)


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
