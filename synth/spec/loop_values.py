"""Terms over loop variables: what a part's loads are, and how values that share loops meet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Program
from raising.affine.polyhedral.bounding_box import box_of
from raising.affine.polyhedral.scop import Access
from raising.grammar.terms.structured_op import COPY, Linear, Map
from raising.grammar.terms.term import Apply, Reverse, TensorType, Term
from raising.support.record import dataclass


@dataclass(frozen=True)
class Value:
    """A term whose dimension k is loop variable `ivs[k]`."""

    term: Term
    ivs: tuple[str, ...]

    def places(self, ivs: Sequence[str]) -> Map:
        """The places of its dimensions among loop variables."""
        return tuple(ivs.index(iv) for iv in self.ivs)


def extents_of(values: Iterable[Value]) -> dict[str, Lin]:
    """The extent of each loop by one of the values that run along it."""
    return {iv: d for value in values for iv, d in zip(value.ivs, value.term.type.dims, strict=True)}


def agree(values: Iterable[Value], extents: dict[str, Lin]) -> bool:
    """True if every value has the given extent along each loop."""
    return all(extents[iv] == d for v in values for iv, d in zip(v.ivs, v.term.type.dims, strict=True))


def load_value(term: Term, access: Access, kept: tuple[int, ...], program: Program, framed: bool) -> Value | None:
    """A load as a value over the loop variables that address it.

    Framed, `term` starts at the first element read; else it is the whole
    array. Where a subscript sums variables, or two dimensions follow the same
    one (a diagonal), the value is a copy that reads by that map, from the last element on along variables that run
    backwards.
    """
    box = box_of(access.domain, program, (1,) * len(access.ivs))
    reversed_ = isinstance(term, Reverse)
    terms = [_moving(access.node.subscripts[dim], access.ivs, framed, reversed_) for dim in kept]
    if box is None or not all(terms):
        return None
    backwards = {n for dim in terms if len(dim) > 1 for n, c in dim if c < 0}
    if any(n in backwards and (c > 0 or len(dim) == 1) for dim in terms for n, c in dim):
        return None
    ivs = tuple(dict.fromkeys(n for dim in terms for n, _ in dim))
    if len(ivs) == len(terms) == sum(map(len, terms)):
        return Value(term, ivs)
    extents = {iv: b - a + 1 for iv, a, b in zip(access.ivs, box.low, box.high, strict=True)}
    if not framed:  # each subscript is one variable, which walks the whole dimension
        extents = {dim[0][0]: extent for dim, extent in zip(terms, term.type.dims, strict=True)}
        if any(extents[dim[0][0]] != extent for dim, extent in zip(terms, term.type.dims, strict=True)):
            return None
    kind = TensorType(term.type.element, tuple(extents[iv] for iv in ivs))
    reads: Map = tuple(_read_by(dim, ivs) for dim in terms)
    copied = Apply(kind, COPY, (reads, tuple(range(len(ivs)))), (term,))
    axes = tuple(k for k, iv in enumerate(ivs) if iv in backwards)
    return Value(Reverse(kind, copied, axes) if axes else copied, ivs)


def _moving(subscript: Lin, ivs: tuple[str, ...], framed: bool, reversed_: bool) -> list[tuple[str, int]]:
    """The loop variables in a subscript, each with its factor; none if it is none that a value can be read by."""
    moving = [(str(n), c) for n, c in subscript.terms if n in ivs]
    if len(moving) == 1:
        readable = (moving[0][1] > 0 or reversed_) and (framed or subscript.as_offset() == (moving[0][0], 0))
        return moving if readable else []
    return moving if framed else []


def _read_by(dim: list[tuple[str, int]], ivs: tuple[str, ...]) -> int | Linear:
    """A dimension of a map. A stride is the window's own; what runs backwards is turned afterwards."""
    return ivs.index(dim[0][0]) if len(dim) == 1 else tuple((ivs.index(n), abs(c)) for n, c in dim)
