"""Sizes to run a function at, where the file leaves them open.

Each class of `open_sizes` gets its own small size. Intervals of all subscripts make sure that nothing is read or
written out of bounds. Of several choices, the first is taken at which most loops run at least twice: a window that is
larger than its image would make the comparison an empty one. Where there is none, larger sizes are looked for: of a
loop from 137 up to `n`, of `n / 64` blocks, and of a branch under `i % 100 == 55`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from itertools import count, islice, permutations
from typing import Any

from raising.support.record import dataclass, replace
from raising.validate.native.argument_types import Signature, Unsupported
from raising.validate.native.index_ranges import Intervals
from raising.validate.native.memory_accesses import Access, accesses
from raising.validate.native.open_sizes import LEAST, OpenSizes, Values

_CHOICES = 40
_MOST_SPREAD = 6
_MOST_EDGES = 24
_MOST_TRIED = 1000
"""Sizes of the first run that are tried, times loads and stores."""
_MOST_WORK, _MOST_ELEMENTS = 1e6, 1 << 22
"""Loads and stores of a run at larger sizes than the usual ones, and the elements of its arrays."""
_REACH = (1 << 9, 1 << 21)
"""How far larger sizes are looked for, in turn."""
_FEW, _MANY = 3, 35
"""Sizes of which one is far above the other: a window of few elements is not a row of many."""
_BELOW = 5
"""How far below 0 an offset is where it may not be above it."""
_LEFT_OVER = 14
"""A size at which several lanes of a vector are left over, and several of the rows that are done at once."""

Numbers = tuple[int, ...]
"""A size for each class."""
_Cost = tuple[int, int]
"""How many loads and stores may leave their memory, and how many run less than twice or are in no branch taken."""
_NOTHING = 0, 0


@dataclass(frozen=True)
class Sizes:
    """A number for each unknown, and how many loads and stores the loops then do at most.

    `limits`: the integers of an argument, by its number, are positions below that. `around`: numbers of classes at
    which loops that begin far out run once or not at all.
    """

    values: Values
    work: float
    limits: dict[int, int] = field(default_factory=dict)
    around: tuple[Numbers, ...] = ()

    def shape(self, argument: int, shape: tuple[int | None, ...]) -> tuple[int, ...]:
        """The shape of an argument with every `?` filled in."""
        return tuple(self.values[argument, d] if s is None else s for d, s in enumerate(shape))


def choose_sizes(function: Any, signature: Signature) -> Sizes:
    """Choose sizes at which the loops of `function` stay in bounds; `Unsupported` if none are found."""
    unknowns = OpenSizes(function, signature)
    best: tuple[_Cost, Numbers] | None = None
    problem: Unsupported | None = None
    most = max(_MOST_TRIED // (len(unknowns.accesses) + 1), len(unknowns.free) + 2)
    for numbers in islice(_orders(len(unknowns.free)), most):
        try:
            cost = _cost(unknowns, numbers)
        except Unsupported as reason:
            problem = problem or reason
            continue
        best = (cost, numbers) if best is None or cost < best[0] else best
        if cost == _NOTHING:
            break
    if best is None:
        raise problem or Unsupported("no sizes found")
    return _larger(unknowns, best[1]) or _sizes(unknowns, best[1])


def _larger(unknowns: OpenSizes, numbers: Numbers) -> Sizes | None:
    """Larger sizes at which more loops run and more branches are taken, if a run at them is short."""

    def cost_at(numbers: Numbers) -> _Cost | None:
        try:
            return _cost(unknowns, numbers, branches=True)
        except Unsupported:
            return None

    cost = cost_at(numbers)
    found = _grown(numbers, cost, cost_at) if cost not in (None, _NOTHING) else None
    if found is None:
        return None
    sizes = replace(_sizes(unknowns, found.numbers), around=found.around)
    return sizes if sizes.work <= _MOST_WORK and unknowns.elements(sizes.values) <= _MOST_ELEMENTS else None


def _sizes(unknowns: OpenSizes, numbers: Numbers) -> Sizes:
    intervals = unknowns.settled(numbers)
    return Sizes(intervals.values, _work(unknowns.accesses, intervals))


def _cost(unknowns: OpenSizes, numbers: Numbers, *, branches: bool = False) -> _Cost:
    """What is wrong with some numbers: accesses that may be outside, and those of idle loops or branches."""
    intervals = unknowns.settled(numbers)
    idle = (a.is_idle(intervals) or (branches and intervals.never_holds(a.op)) for a in unknowns.accesses)
    return sum(not a.is_inside(intervals) for a in unknowns.accesses), sum(idle)


def edge_sizes(function: Any, signature: Signature, most_work: float, chosen: Sizes) -> list[Sizes]:
    """Sizes at which loops do not run, run once, meet, or leave much over: 0, 1, -1, 14, the same, smaller and larger.

    At the last ones, one size is far below the others, or above, or they are those around the `chosen` ones. Every
    subscript is in bounds, as far as intervals tell, and all runs together do at most `most_work` loads and stores.
    """
    unknowns = OpenSizes(function, signature)
    found: list[Sizes] = []
    apart = [*_apart(len(unknowns.free)), *chosen.around]
    for numbers in dict.fromkeys((*_edges(len(unknowns.free)), *apart)):
        if len(found) >= _MOST_EDGES and numbers not in apart:
            continue
        try:
            intervals = unknowns.settled(numbers)
            sizes = Sizes(intervals.values, _work(unknowns.accesses, intervals))
            inside = all(a.is_inside(intervals) for a in unknowns.accesses if not intervals.never_runs(a.op))
        except Unsupported:
            continue
        if inside and sizes not in found and sizes.work <= most_work:
            most_work -= sizes.work
            found.append(sizes)
    return found


def estimate_work(function: Any) -> float:
    """How many loads and stores the loops of a function do at most at the sizes that it fixes."""
    return _work(accesses(function), Intervals(function, {}))


def _work(accesses: list[Access], intervals: Intervals) -> float:
    return sum((access.iterations(intervals) for access in accesses), 0.0)


@dataclass(frozen=True)
class _Grown:
    """Numbers at which more loops run, and those around the least of these, where they run once, or not at all."""

    numbers: Numbers
    around: tuple[Numbers, ...]


def _grown(numbers: Numbers, cost: _Cost, cost_at: Callable[[Numbers], _Cost | None]) -> _Grown | None:
    """Numbers of which all, or one, are larger, at which loads and stores cost less, if there are any.

    They are the least such ones, and `LEAST` more if that is possible.
    """
    found: tuple[int, Callable[[int], Numbers]] | None = None
    for reach in _REACH:
        for enlarged in _ways(numbers):
            less = cost_at(enlarged(reach))
            if less is not None and less < cost:
                cost, found = less, (reach, enlarged)
        if cost == _NOTHING:
            break
    if found is None:
        return None
    far, enlarged = found

    def runs(more: int) -> bool:
        return (now := cost_at(enlarged(more))) is not None and now <= cost

    least = _least(far, runs)
    longer = least + LEAST if runs(least + LEAST) else least
    return _Grown(enlarged(longer), tuple(enlarged(least + more) for more in (-2, -1, 0, 1)))


def _ways(numbers: Numbers) -> Iterator[Callable[[int], Numbers]]:
    """All numbers enlarged, and each of them alone."""
    yield lambda more: tuple(number + more for number in numbers)
    for k in range(len(numbers)) if len(numbers) > 1 else ():
        yield lambda more, k=k: (*numbers[:k], numbers[k] + more, *numbers[k + 1 :])  # type: ignore[misc]


def _least(far: int, holds: Callable[[int], bool]) -> int:
    """The least number up to `far` at which something holds, if it then holds up to there."""
    low = 0
    while low + 1 < far:
        middle = (low + far) // 2
        low, far = (low, middle) if holds(middle) else (middle, far)
    return far


def _orders(classes: int) -> Iterator[tuple[int, ...]]:
    """Different sizes for so many classes: in order first, then otherwise, then some far smaller, then one below 0."""
    near = tuple(islice(_primes(), classes))
    far = tuple(3 * 2**k - 1 for k in range(classes)) if classes <= _MOST_SPREAD else near
    yield near
    yield near[::-1]
    yield from islice(permutations(near), 1, _CHOICES)
    yield far[::-1]
    yield from islice(permutations(far), _CHOICES)
    yield from ((*near[:k], -_BELOW, *near[k + 1 :]) for k in range(classes))


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
