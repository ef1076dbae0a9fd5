"""Where nests do something: a triangle is a square of points, of which most only write back what they have read.

A result that is `select(condition, new, old)`, or a sum whose terms are 0 unless a condition holds, bounds the loop
that the condition is about: outside of the bounds nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import bounds, nonzero, operation
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Nest
from raising.support.record import dataclass


@dataclass(frozen=True)
class Active:
    """The iterations of the loop `d` outside of which nests do nothing: from `low` to before `high` (None: all).

    `nests` are the nests as they are within, without conditions that always hold there.
    """

    d: int
    low: Affine | None
    high: Affine | None
    nests: tuple[Nest, ...]

    def ends(self, code: Lines, total: str, names: Mapping[Term, str], rows: int) -> tuple[str | None, str, str]:
        """Where a loop of `total` iterations begins (None: at 0), how far all rows do something, and where it ends.

        The rows are so many neighbouring iterations of the loop around, which are done at once.
        """
        begin, sure, end = None, total, total
        if self.high is not None:
            first, last = self._of_rows(code, self.high, names, rows)
            least, most = code.formula(f"min({first}, {last})"), code.formula(f"max({first}, {last})")
            sure = code.formula(f"max(min({least}, {total}), 0)")
            end = code.formula(f"max(min({most}, {total}), 0)") if rows > 1 else sure
        if self.low is not None:
            first, last = self._of_rows(code, self.low, names, rows)
            begin = code.formula(f"min(max(min({first}, {last}), 0), {sure})")
        return begin, sure, end

    def length(self, extent: Affine) -> int | None:
        """How many iterations a loop of so many has that begins at 0, if that is a number."""
        ends = (extent, *([self.high] if self.high is not None else []))
        if self.low is not None or not all(end.is_constant for end in ends):
            return None
        return max(0, min(end.constant for end in ends))

    def _of_rows(self, code: Lines, bound: Affine, names: Mapping[Term, str], rows: int) -> tuple[str, str]:
        """The values of a bound for the first and for the last row."""
        by_row = bound.coefficient(self.d - 1)
        return code.affine(bound, names), code.affine(bound + by_row * (rows - 1), names)


def active(nests: tuple[Nest, ...], d: int, names: Collection[Term], sums: Callable[[Nest, int], bool]) -> Active:
    """The range of a dimension in which nests do something, as far as `names` give it.

    `sums` says whether a write adds to what it was.
    """
    ends = {_ends(_needed(nest, place, sums), d, names) for nest in nests for place in range(len(nest.writes))}
    low, high = ends.pop() if len(ends) == 1 else (None, None)
    known = [bound for bound in (low and dim(d) - low, high and high - dim(d) - 1) if bound is not None]
    return Active(d, low, high, tuple(without(nest, known) for nest in nests) if known else nests)


def on_a_line(nest: Nest) -> bool:
    """Whether all that a nest changes lies where some form of its dimensions is 0, as on a diagonal."""
    needed = [_needed(nest, place, lambda *_: False) for place in range(len(nest.writes))]
    return all(any(is_zero(known)) for known in needed)


def is_zero(known: list[Affine]) -> Iterator[bool]:
    """For each pair of expressions that are >= 0, whether one is the other's negative."""
    return (one == other * -1 for k, one in enumerate(known) for other in known[:k])


Ends = tuple[Affine | None, Affine | None]
"""The ends `low` and `high` of `Active`."""


def _ends(needed: list[Affine], d: int, names: Collection[Term]) -> Ends:
    """The first iteration of a loop in which all of `needed` may be >= 0, and the one after the last, if known."""
    low, high = None, None
    for bound in needed:
        factor = bound.coefficient(d)
        end = dim(d) - bound if factor == 1 else bound + dim(d) + 1
        if abs(factor) == 1 and (end.dims | end.symbols) <= {*names}:
            low, high = (low or end, high) if factor == 1 else (low, high or end)
    return low, high


def _needed(nest: Nest, place: int, sums: Callable[[Nest, int], bool]) -> list[Affine]:
    """Expressions that are >= 0 wherever a write changes something."""
    code = Fragment(nest.reads, nest.body, nest.yields[place], nest.writes[place].array.element, nest.captured)
    scalar = operation(code, code.result)
    if scalar is None or nest.writes[place] not in nest.reads:
        return []
    old = f"in{nest.reads.index(nest.writes[place])}"
    if scalar.name == "arith.select" and scalar.args[2] == old:
        return bounds(code, scalar.args[0], True) or []
    if scalar.name in ("arith.addf", "arith.addi") and old in scalar.args and sums(nest, place):
        (term,) = [arg for arg in scalar.args if arg != old] or [old]
        return nonzero(code, term, True)
    return []


def without(nest: Nest, known: list[Affine]) -> Nest:
    """The nest where expressions are >= 0: what they decide of conditions is decided."""
    code = Fragment(nest.reads, nest.body, "", "", nest.captured)

    def holds(name: str) -> bool:
        needed = bounds(code, name, True)
        return needed is not None and all(each in known for each in needed)

    names = {}
    for number, scalar in enumerate(nest.body):
        if scalar.name == "arith.select" and holds(scalar.args[0]):
            names[f"v{number}"] = scalar.args[1]
        elif scalar.name == "arith.andi" and scalar.result == "i1" and any(map(holds, scalar.args)):
            one, other = scalar.args
            names[f"v{number}"] = other if holds(one) else one

    def chosen(name: str) -> str:
        while name in names:
            name = names[name]
        return name

    body = tuple(replace(each, args=tuple(map(chosen, each.args))) for each in nest.body)
    return replace(nest, body=body, yields=tuple(map(chosen, nest.yields)))
