"""Dependences: when two accesses may touch the same element, as distances between iterations of common loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from types import MappingProxyType

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.nest.nest import Access, Nest, is_rest
from raising.support.record import dataclass

Distance = tuple[int | None, ...]
"""By how many iterations of each common loop the second access comes later; None where that is not one number."""


def distances(first: Nest, second: Nest, common: int) -> Iterator[Distance]:
    """One distance for each pair of accesses that may conflict; dimensions below `common` are common loops."""
    for one, other in _conflicting(first, second):
        found = distance(first, one, second, other, common)
        if found is not None:
            yield found


def _conflicting(first: Nest, second: Nest) -> Iterator[tuple[Access, Access]]:
    """The pairs of accesses of which at least one writes."""
    pairs = [
        *product(first.writes, second.writes),
        *product(first.writes, second.reads),
        *product(first.reads, second.writes),
    ]
    return ((one, other) for one, other in pairs if one.array.may_overlap(other.array))


def distance(first: Nest, one: Access, second: Nest, other: Access, common: int) -> Distance | None:
    """The distance between two accesses to memory that may be the same; None if they never touch one element."""
    result: list[int | None] = [None] * common
    if one.array != other.array:
        return tuple(result)
    known: dict[Term, Affine] = {
        name: value
        for nest in (first, second)
        for name, value in nest.guarded
        if dim(name) in nest.extents or any(map(is_rest, value.symbols))
    }
    for left, right in zip(one.map, other.map, strict=True):
        if apart(left, first.extents, right, second.extents, known):
            return None
        solved = _solve(left, right, common)
        if solved is None:
            continue
        level, steps, exact = solved
        if not exact or result[level] not in (None, steps):
            return None
        result[level] = steps
    return tuple(result)


def _solve(left: Affine, right: Affine, common: int) -> tuple[int, int, bool] | None:
    """For c*p + a = c*q + b in one common loop: the loop, (a - b) / c, and whether that is a whole number."""
    if len(left.dims) != 1 or left.dims != right.dims:
        return None
    (level,) = left.dims
    factor = left.coefficient(level)
    offset = left - right
    if level >= common or factor != right.coefficient(level) or not offset.is_constant:
        return None
    return level, offset.constant // factor, offset.constant % factor == 0


def apart(
    left: Affine,
    left_extents: tuple[Affine, ...],
    right: Affine,
    right_extents: tuple[Affine, ...],
    known: Mapping[Term, Affine] = MappingProxyType({}),
) -> bool:
    """Whether the values of two subscripts are in intervals that have nothing in common; some values are `known`."""
    low_left, high_left = bounds(left, left_extents)
    low_right, high_right = bounds(right, right_extents)
    return any(_positive(gap.substitute(known)) for gap in (low_left - high_right, low_right - high_left))


def bounds(index: Affine, extents: tuple[Affine, ...]) -> tuple[Affine, Affine]:
    """The least and the greatest value of a subscript."""
    outside = tuple((term, factor) for term, factor in index.terms if isinstance(term, str))
    low = high = Affine(index.constant, outside)
    for term, factor in index.terms:
        if isinstance(term, int):
            last = (extents[term] - 1) * factor
            low, high = (low, high + last) if factor > 0 else (low + last, high)
    return low, high


def _positive(value: Affine) -> bool:
    return value.constant > 0 and all(is_rest(term) and factor > 0 for term, factor in value.terms)


def depends(first: Nest, second: Nest, common: int) -> bool:
    """Whether the second has to stay behind the first in the same iteration of the common loops."""
    return any(all(step in (0, None) for step in found) for found in distances(first, second, common))


def fusable(first: Nest, second: Nest, level: int, together: bool) -> bool:
    """Whether the loops at this level may become one: no iteration of the first is needed by an earlier one.

    With `together` they must meet in the same iteration: what is stored by one part of a
    vector and loaded as another part of the next one makes a processor wait.
    """
    for found in distances(first, second, level + 1):
        if all(step in (0, None) for step in found[:level]):
            step = found[level]
            if step is None or step < 0 or (together and step):
                return False
    return True


@dataclass(frozen=True)
class Span:
    """The values of a loop's index: from `low` to below `high` by `step`."""

    index: str
    low: Affine
    high: Affine
    step: int


def over_time(nest: Nest, time: Span) -> Nest:
    """The nest with the iteration of a loop around it as one more dimension, the last."""
    number = len(nest.extents)
    values: dict[Term, Affine] = {time.index: dim(number) * time.step + time.low}

    def moved(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
        return tuple(access.moved(values) for access in accesses)

    extents = (*(extent.substitute(values) for extent in nest.extents), time.high - time.low)
    return replace(
        nest,
        extents=extents,
        parallel=(*nest.parallel, False),
        reads=moved(nest.reads),
        writes=moved(nest.writes),
    )
