"""What accumulating statements add to their arrays, as operations that reduce over loops.

from    C[i, j] = C[i, j] + A[i, k] * B[k, j]        to    the matrix product of A and B, and one that starts from C
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raising.affine.ir.program import Compute, Store
from raising.affine.polyhedral.scop import Access, Scop
from raising.grammar.terms.scalar_ops import INVERSES, SCALARS, combiners
from raising.grammar.terms.structured_op import scalar_part
from raising.grammar.terms.term import Apply, TensorType
from raising.synth.spec.body_matching import Matcher, Way
from raising.synth.spec.loop_values import Value, agree, extents_of
from raising.synth.spec.schemes import Scheme


def accumulated(scop: Scop, write: Access, available: Sequence[Scheme], matcher: Matcher) -> Iterator[Apply]:
    """What an accumulating statement adds to its array, reduced over the loops that do not address it."""
    assert isinstance(write.node, Store)
    top = matcher.computes.get(write.node.value)
    combiner = _combiner(top)
    if top is None or combiner is None:
        return
    kept = {n for f in write.node.subscripts for n in f.names()}
    combining = [s for s in available if s.combiner == combiner]
    for name in top.args:
        ways = _direct(combining, name, matcher)
        for scheme in combining:
            if len(scheme.body.instrs) > 2:
                ways += matcher.ways(scheme, scalar_part(scheme.body)[0], name)
        start = _accumulator(scop, write, top, name, matcher.known)
        for begun in (None, start) if start is not None else (None,):
            yield from filter(None, (_contracted(scheme, args, kept, begun) for scheme, args in ways))


def _direct(schemes: Sequence[Scheme], name: str, matcher: Matcher) -> list[Way]:
    """A value as it is known, or the two operands that it is computed from, for schemes of just these operations."""
    inner, known = matcher.computes.get(name), matcher.known
    ways: list[Way] = []
    if name in known:
        ways += [(scheme, [known[name]]) for scheme in schemes if len(scheme.body.instrs) == 1]
    if inner is not None and len(inner.args) == 2 and all(a in known for a in inner.args):
        combined = (s for s in schemes if len(s.body.instrs) == 2 and inner.op in s.operations)
        ways += [(scheme, [known[a] for a in inner.args]) for scheme in combined]
    return ways


def _combiner(top: Compute | None) -> str | None:
    """The operation by which a statement accumulates: what is subtracted each time is a sum."""
    if top is None or top.op not in SCALARS:
        return None
    if SCALARS[top.op].residue == "sub":
        return next((n for n, s in SCALARS.items() if s.residue == "add" and n[-1] == top.op[-1]), None)
    return top.op if top.op in combiners() else None


def _accumulator(scop: Scop, write: Access, top: Compute, rest: str, known: Mapping[str, Value]) -> Value | None:
    """The old value that `rest` is combined with, for a combiner that the search cannot solve for it."""
    if SCALARS[top.op].residue in INVERSES:
        return None
    name = next((a for a in top.args if a != rest), rest)
    load = scop.loads.get(name)
    own = load is not None and (load.node.array, load.node.subscripts) == (write.node.array, write.node.subscripts)
    return known.get(name) if own else None


def _contracted(scheme: Scheme, args: list[Value], kept: set[str], start: Value | None) -> Apply | None:
    """Values combined and reduced over the loops that are not `kept`, continuing from `start` if it is given."""
    ivs = tuple(dict.fromkeys(iv for a in args for iv in a.ivs))
    extents = extents_of(args)
    element = scheme.result_element(tuple(a.term.type for a in args)) if scheme.arity == len(args) else None
    if element is None or not agree(args, extents) or all(iv in kept for iv in ivs):
        return None
    order = [iv for iv in ivs if iv in kept]
    if start is not None:
        if sorted(start.ivs) != sorted(order) or not agree([start], extents):
            return None
        order = list(start.ivs)
    kind = TensorType(element, tuple(extents[iv] for iv in order))
    maps = (*(a.places(ivs) for a in args), tuple(ivs.index(iv) for iv in order))
    return Apply(kind, scheme.body, maps, tuple(a.term for a in args), start.term if start else None)
