"""Affine expressions over the dimensions of a nest and over index values around it."""

from __future__ import annotations

from collections.abc import Mapping

from affine.record import dataclass

Term = int | str
"""A dimension of the nest by its number, or an index value outside of it by its name."""


@dataclass(frozen=True)
class Affine:
    """constant + the sum of coefficient * term; each term stands once, in order, with a coefficient that is not 0."""

    constant: int
    terms: tuple[tuple[Term, int], ...] = ()

    def __add__(self, other: Affine | int) -> Affine:
        more = other if isinstance(other, Affine) else Affine(other)
        sums = dict(self.terms)
        for term, factor in more.terms:
            sums[term] = sums.get(term, 0) + factor
        return _affine(self.constant + more.constant, sums)

    def __mul__(self, factor: int) -> Affine:
        return _affine(self.constant * factor, {term: value * factor for term, value in self.terms})

    def __sub__(self, other: Affine | int) -> Affine:
        return self + other * -1

    def coefficient(self, term: Term) -> int:
        """The factor of a term; 0 if it does not occur."""
        return dict(self.terms).get(term, 0)

    @property
    def dims(self) -> frozenset[int]:
        """The dimensions that occur."""
        return frozenset(term for term, _ in self.terms if isinstance(term, int))

    @property
    def symbols(self) -> frozenset[str]:
        """The values outside of the nest that occur."""
        return frozenset(term for term, _ in self.terms if isinstance(term, str))

    @property
    def is_constant(self) -> bool:
        """Whether it is a number."""
        return not self.terms

    def substitute(self, values: Mapping[Term, Affine]) -> Affine:
        """Put an expression in place of each of these terms, all at once."""
        result = Affine(self.constant)
        for term, factor in self.terms:
            result = result + values.get(term, dim(term)) * factor
        return result


def dim(term: Term) -> Affine:
    """The expression that is this one term."""
    return Affine(0, ((term, 1),))


def _affine(constant: int, terms: Mapping[Term, int]) -> Affine:
    kept = [(term, factor) for term, factor in terms.items() if factor]
    return Affine(constant, tuple(sorted(kept, key=lambda pair: (isinstance(pair[0], str), str(pair[0]).zfill(9)))))
