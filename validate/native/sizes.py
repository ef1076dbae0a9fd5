"""Sizes to run a function at, where the file leaves them open.

Each class of `open_sizes` gets its own small size. Intervals of all subscripts make sure that nothing is read or
written out of bounds. Of several choices, the first is taken at which most loops run at least twice: a window that is
larger than its image would make the comparison an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from itertools import count, islice, permutations
from typing import Any

from raising.support.record import dataclass
from raising.validate.native.argument_types import Signature, Unsupported
from raising.validate.native.index_ranges import Intervals
from raising.validate.native.memory_accesses import accesses
from raising.validate.native.open_sizes import LEAST, OpenSizes, Values

_CHOICES = 40
_MOST_SPREAD = 6
_MOST_EDGES = 24
_FEW, _MANY = 3, 35
"""Sizes of which one is far above the other: a window of few elements is not a row of many."""
_LEFT_OVER = 14
"""A size at which several lanes of a vector are left over, and several of the rows that are done at once."""


@dataclass(frozen=True)
class Sizes:
    """A number for each unknown, and how many loads and stores the loops then do at most.

    `limits`: the integers of an argument, by its number, are positions below that.
    """

    values: Values
    work: float
    limits: dict[int, int] = field(default_factory=dict)

    def shape(self, argument: int, shape: tuple[int | None, ...]) -> tuple[int, ...]:
        """The shape of an argument with every `?` filled in."""
        return tuple(self.values[argument, d] if s is None else s for d, s in enumerate(shape))


def choose_sizes(function: Any, signature: Signature) -> Sizes:
    """Choose sizes at which the loops of `function` stay in bounds; `Unsupported` if none are found."""
    unknowns = OpenSizes(function, signature)
    best: tuple[int, Values] | None = None
    problem: Unsupported | None = None
    for numbers in _orders(len(unknowns.free)):
        try:
            values = unknowns.settled(numbers)
            intervals = Intervals(function, values)
            idle = sum(access.is_idle(intervals) for access in unknowns.accesses)
        except Unsupported as reason:
            problem = problem or reason
            continue
        best = (idle, values) if best is None or idle < best[0] else best
        if idle == 0:
            break
    if best is None:
        raise problem or Unsupported("no sizes found")
    return Sizes(best[1], estimate_work(function, best[1]))


def edge_sizes(function: Any, signature: Signature, most_work: float) -> list[Sizes]:
    """Sizes at which loops do not run, run once, meet, or leave much over: 0, 1, -1, 14, the same, smaller and larger.

    At the last ones, one size is far below the others, or above. Every subscript is in bounds, as far as intervals
    tell, and all runs together do no more than `most_work` loads and stores.
    """
    unknowns = OpenSizes(function, signature)
    found: list[Sizes] = []
    apart = list(_apart(len(unknowns.free)))
    for numbers in dict.fromkeys((*_edges(len(unknowns.free)), *apart)):
        if len(found) >= _MOST_EDGES and numbers not in apart:
            continue
        try:
            values = unknowns.settled(numbers)
            intervals = Intervals(function, values)
            sizes = Sizes(values, estimate_work(function, values))
            inside = all(a.is_inside(intervals) for a in unknowns.accesses if not intervals.never_runs(a.op))
        except Unsupported:
            continue
        if inside and sizes not in found and sizes.work <= most_work:
            most_work -= sizes.work
            found.append(sizes)
    return found


def estimate_work(function: Any, values: Values | None = None) -> float:
    """How many loads and stores the loops of a function do at most at these sizes, or at those that it fixes."""
    intervals = Intervals(function, values or {})
    return sum((access.iterations(intervals) for access in accesses(function)), 0.0)


def _orders(classes: int) -> Iterator[tuple[int, ...]]:
    """Different sizes for so many classes: in order first, then otherwise, then some of them far smaller."""
    near = tuple(islice(_primes(), classes))
    far = tuple(3 * 2**k - 1 for k in range(classes)) if classes <= _MOST_SPREAD else near
    yield near
    yield near[::-1]
    yield from islice(permutations(near), 1, _CHOICES)
    yield far[::-1]
    yield from islice(permutations(far), _CHOICES)


def _primes() -> Iterator[int]:
    """17, 19, 23, …: small primes, so that no product of two sizes looks like a third."""
    return (number for number in count(LEAST) if all(number % d for d in range(2, number)))


def _edges(classes: int) -> Iterator[tuple[int, ...]]:
    """Numbers for so many classes."""
    near = tuple(range(2, 2 + classes))
    yield from ((number,) * classes for number in (0, 1, 2, -1, _LEFT_OVER))
    for base in (near, near[::-1]):
        yield base
        for k in range(classes):
            yield from ((*base[:k], number, *base[k + 1 :]) for number in (0, 1, -1, base[k - 1], 2 * base[k - 1]))


def _apart(classes: int) -> Iterator[tuple[int, ...]]:
    """Numbers for a few classes of which one is far below the others, or above."""
    for alone in range(classes) if 1 < classes <= _MOST_SPREAD else ():
        for one, others in ((_FEW, _MANY), (_MANY, _FEW)):
            yield tuple(one if k == alone else others + k for k in range(classes))
