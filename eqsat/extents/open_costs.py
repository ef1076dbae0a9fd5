"""Costs as polynomials of extents that are known at run time only."""

from __future__ import annotations

from collections.abc import Mapping

from raising.support.record import dataclass

_FROM = (1, 2, 4, 8, 16, 32, 64, 128)
_EXACT = 1e-12  # of the largest coefficient: what rounding leaves of an equal one
Monomial = tuple[str, ...]
"""The names of the extents that are multiplied, sorted; one to the second power occurs twice."""


@dataclass(frozen=True)
class Polynomial:
    """A sum of products of extents; compared, by `<`, where every extent is `size`."""

    terms: tuple[tuple[Monomial, float], ...]
    size: float

    @classmethod
    def extent(cls, name: str, size: float) -> Polynomial:
        """The polynomial that is one extent; `size` is the number that it counts as."""
        return cls((((name,), 1.0),), size)

    def __add__(self, other: Polynomial | float) -> Polynomial:
        found = dict(self.terms)
        for monomial, factor in _terms(other):
            found[monomial] = found.get(monomial, 0.0) + factor
        return Polynomial(tuple(sorted((m, f) for m, f in found.items() if f)), self.size)

    __radd__ = __add__

    def __sub__(self, other: Polynomial | float) -> Polynomial:
        return self + (-1.0 * other)

    def __mul__(self, other: Polynomial | float) -> Polynomial:
        found: dict[Monomial, float] = {}
        for one, first in self.terms:
            for two, second in _terms(other):
                monomial = tuple(sorted((*one, *two)))
                found[monomial] = found.get(monomial, 0.0) + first * second
        return Polynomial(tuple(sorted((m, f) for m, f in found.items() if f)), self.size)

    __rmul__ = __mul__

    def __float__(self) -> float:
        return sum(factor * self.size ** len(monomial) for monomial, factor in self.terms)

    def __lt__(self, other: Polynomial | float) -> bool:
        return float(self) < float(other)

    def __gt__(self, other: Polynomial | float) -> bool:
        return float(self) > float(other)

    def __le__(self, other: Polynomial | float) -> bool:
        return float(self) <= float(other)

    def __ge__(self, other: Polynomial | float) -> bool:
        return float(self) >= float(other)


def cheaper_from(after: Polynomial | float, before: Polynomial | float) -> int | None:
    """The least size, of a few, from which on the first costs at most as much as the second whatever the extents are.

    With each extent written as that size and a rest that is not negative, no coefficient of the difference is positive.
    None if that is so for none of them: then there are large extents at which the second is cheaper.
    """
    difference = dict(_terms(after))
    for monomial, factor in _terms(before):
        difference[monomial] = difference.get(monomial, 0.0) - factor
    for size in _FROM:
        shifted = _shifted(difference, size)
        largest = max((abs(f) for f in shifted.values()), default=0.0)
        if all(f <= _EXACT * largest for f in shifted.values()):
            return size
    return None


def _shifted(terms: Mapping[Monomial, float], size: int) -> dict[Monomial, float]:
    """A polynomial of the rests, if each extent is `size` and a rest."""
    found: dict[Monomial, float] = {}
    for monomial, factor in terms.items():
        for chosen in range(1 << len(monomial)):
            rest = tuple(n for k, n in enumerate(monomial) if chosen >> k & 1)
            found[rest] = found.get(rest, 0.0) + factor * size ** (len(monomial) - len(rest))
    return found


def _terms(value: Polynomial | float) -> tuple[tuple[Monomial, float], ...]:
    if isinstance(value, Polynomial):
        return value.terms
    return (((), float(value)),) if value else ()


def sizes(names: Mapping[int, str], size: float) -> dict[int, Polynomial]:
    """The numbers that stand for extents, as polynomials."""
    return {number: Polynomial.extent(name, size) for number, name in names.items()}
