"""Choices by sizes as branches, where a side would do harm if it were computed in any case.

A side may read or write outside of an array, divide by zero, or shift by too much, at sizes at which the other one is
chosen. What has such a part, and nothing but choices need, is computed in the branch; all else in front of it, once for
all its users.

    before  %x = tensor.extract %a[%i - 1]; %y = arith.select %guard, %x, %0
    after   %y = scf.if %guard -> (f64) { %x = tensor.extract %a[%i - 1]; scf.yield %x } else { scf.yield %0 }
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from raising.affine.ir.affine_expr import Cond, Lin, between
from raising.affine.ir.integer_functions import DIVISIONS, SHIFTS
from raising.grammar.select.selector import Argument
from raising.grammar.terms.term import Apply, Either, Insert, Literal, Recur, Step, Term, Window, nodes

if TYPE_CHECKING:
    from raising.grammar.emit.term_builder import Builder

Facts = tuple[Cond, ...]


def kept_in_branches(roots: Sequence[Term], known: set[bytes], harmless: Callable[[Term], bool]) -> set[bytes]:
    """The nodes below `roots` that only sides of choices need, and that have to stay there; none of those `known`."""
    found: dict[bytes, frozenset[bytes]] = {}
    always = known.union(*(_needed(root, found) for root in roots))
    kept: set[bytes] = set()
    for node in nodes(tuple(roots)):
        if node.digest not in always and (any(o.digest in kept for o in node.operands) or not harmless(node)):
            kept.add(node.digest)
    return kept


def _needed(root: Term, found: dict[bytes, frozenset[bytes]]) -> frozenset[bytes]:
    """The nodes that are computed whatever is chosen: of a choice, what both sides need. `found` remembers."""
    for node in nodes((root,)):
        if node.digest not in found:
            below = [found[o.digest] for o in node.operands]
            joined = below[0] & below[1] if isinstance(node, Either) else frozenset().union(*below)
            found[node.digest] = joined | {node.digest}
    return found[root.digest]


def iterations(step: Step, resolved: Callable[[Lin], Lin]) -> Facts:
    """What holds in each iteration of a loop: its variable is between the bounds."""
    return between(step.iv, map(resolved, step.lower), map(resolved, step.upper))


def is_harmless(node: Term, facts: Facts, resolved: Callable[[Lin], Lin]) -> bool:
    """Whether a node can be computed wherever `facts` hold: it stays inside of its arrays, and is defined."""
    match node:
        case Window():
            return _is_inside(node, node.source, node.type.dims, facts, resolved)
        case Insert():
            return _is_inside(node, node.into, node.piece.type.dims, facts, resolved)
        case Apply():
            return all(_is_defined(node, instr.op, instr.args) for instr in node.body.instrs)
        case Recur():
            inside = (*facts, *iterations(node.step, resolved))
            return all(is_harmless(n, inside, resolved) for n in nodes(node.step.results))
    return True


def _is_defined(node: Apply, op: str, args: Sequence[int]) -> bool:
    if op not in DIVISIONS and op not in SHIFTS:
        return True
    by = node.inputs[args[1]] if args[1] < len(node.inputs) else None
    return isinstance(by, Literal) and by.text.isdecimal() and (op in SHIFTS or int(by.text) > 0)


def _is_inside(
    node: Window | Insert, whole: Term, dims: Sequence[Lin], facts: Facts, resolved: Callable[[Lin], Lin]
) -> bool:
    """Whether a box is inside of a tensor at all sizes at which `facts` hold and it has an element."""
    starts = [resolved(o) for o in node.offsets]
    ends = list(starts)
    counts = [resolved(d) for d in dims]
    for dim, count in zip(node.kept, counts, strict=True):
        ends[dim] = starts[dim] + (count - 1).scaled(node.strides[dim])
    extents = [resolved(d) for d in whole.type.dims]
    below = [Cond(-s - 1) for s in starts]
    above = [Cond(e - n) for e, n in zip(ends, extents, strict=True)]
    known = (*facts, *(Cond(c - 1) for c in counts))
    return not _can_hold(known, [c for c in (*below, *above) if not c.form.is_const or c.holds({})])


def _can_hold(known: Facts, alternatives: Sequence[Cond]) -> bool:
    """Whether one of some conditions can hold where all that is known does."""
    if not alternatives:
        return False
    import islpy as isl  # only here: most programs have no choice

    conds = (*known, *alternatives)
    names = {n: Lin(0, ((f"p{k}", 1),)) for k, n in enumerate(sorted({n for c in conds for n in c.form.names()}))}
    plain = [c.substitute(names.get).isl() for c in conds]
    given = " and ".join(plain[: len(known)]) or "true"
    some = " or ".join(plain[len(known) :])
    listed = ", ".join(f"p{k}" for k in range(len(names)))
    return not isl.Set(f"[{listed}] -> {{ : {given} and ({some}) }}").is_empty()


def branched(builder: Builder, term: Either, truth: str) -> Argument:
    """A choice whose sides are computed where they are chosen, in the same memory if both are new."""
    texts, kind = [], ""
    if term.type.rank and all(isinstance(side, Apply) and side.init is None for side in term.operands):
        builder.empty(term.type)
    for side, facts in ((term.yes, term.conds), (term.no, ())):
        inner = builder.branch(facts)
        (value,) = inner.build([side])
        value = inner.as_tensor(value, term.type) if term.type.rank else inner.as_scalar(value, term.type.element)
        kind = value.type
        texts.append("\n".join([*inner.lines, f"scf.yield {value.name} : {kind}"]))
    name = builder.fresh()
    builder.lines.append(f"{name} = scf.if {truth} -> ({kind}) {{\n{texts[0]}\n}} else {{\n{texts[1]}\n}}")
    return Argument(name, kind)
