"""What is known of two runs at one point of each: which arrays are equal, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from affine.program import Array
from validate.flows import Flows
from validate.products import Algebra, Sum, Unprovable, minus
from validate.spaces import anonymous
from validate.vanish import witness

Relation = frozenset[tuple[str, str]]
"""Pairs (array of source, array of target) with the same contents."""
Contents = str | Fraction
"""What an array holds: the elements of a leaf, or one number."""
Numbers = Mapping[str, Fraction]


@dataclass(frozen=True)
class State:
    """Which arrays are equal at a point of both runs, and the leaf that each array's contents are there."""

    relation: Relation
    source: Mapping[str, Contents]
    target: Mapping[str, Contents]
    fixed: tuple[Numbers, Numbers] = ({}, {})


class End:
    """The contents of a program's arrays at its end, each worked out once."""

    def __init__(self, flows: Flows) -> None:
        self.flows, self._known = flows, dict[str, Sum | None]()

    def arrays(self) -> list[Array]:
        """Those with one shape; others are made anew by each iteration of a loop further in."""
        sizes = set(self.flows.program.sizes)
        return [a for a in self.flows.program.arrays.values() if all(f.names() <= sizes for f in a.shape)]

    def contents(self, name: str) -> Sum | None:
        """The array at the end; None if that has no closed form."""
        if name not in self._known:
            try:
                self._known[name] = self.flows.contents(name)
            except Unprovable:
                self._known[name] = None
        return self._known[name]

    def numbers(self) -> Numbers:
        """The arrays that hold one number everywhere."""
        found: dict[str, Fraction] = {}
        for array in self.arrays():
            sum_ = self.contents(array.name)
            if sum_ == ():
                found[array.name] = Fraction(0)
            elif sum_ is not None and len(sum_) == 1 and not sum_[0].leaves and not sum_[0].ghosts:
                box = anonymous(self.flows.scop.box(array.name)).intersect_params(self.flows.algebra.sizes.context)
                if box.is_subset(sum_[0].relation.domain()):
                    found[array.name] = sum_[0].coefficient
        return found


def same(one: End, other: End, algebra: Algebra) -> Iterator[tuple[str, str]]:
    """Every pair of arrays with the same contents at the end."""
    for array in one.arrays():
        for its in other.arrays():
            if (array.element, array.shape) != (its.element, its.shape):
                continue
            first, second = one.contents(array.name), other.contents(its.name)
            if first is not None and second is not None and _vanishes(algebra, minus(first, second)):
                yield array.name, its.name


def without(numbers: Numbers, names: frozenset[str] | set[str]) -> Numbers:
    """The numbers of other arrays."""
    return {n: v for n, v in numbers.items() if n not in names}


def _vanishes(algebra: Algebra, sum_: Sum) -> bool:
    try:
        return witness(algebra, sum_) is None
    except Unprovable:
        return False
