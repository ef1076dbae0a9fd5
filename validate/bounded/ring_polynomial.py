"""Sparse polynomials over atoms: the normal form in which programs at given sizes are compared.

An atom is a leaf of the program or an operation that is no polynomial (a
quotient, a root, a comparison), named by its arguments' normal forms, so that
equal arguments give the same atom (hash-consing). Coefficients are exact:
integers, or rationals.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

from raising.affine.ir.sparse_polynomials import ONE, ZERO, Monomial, Poly, accumulate
from raising.support.record import dataclass

NAMED_TERMS = 400
"""A longer polynomial gets a name, so that equal ones stay equal and nothing becomes longer still."""

MAX_WORK = 3_000_000
"""Products of terms in one ring; about a second for each million."""


class TooMuchWork(Exception):
    """The polynomials became too long to go on with."""


@dataclass(frozen=True)
class Atom:
    """An operation on polynomials (by their numbers), or a leaf (`given`)."""

    op: str
    args: tuple[int, ...]
    element: str
    given: Any = None


def primitive(a: Poly) -> tuple[Any, Poly]:
    """(c, p) with a = c · p, where p has coprime integer coefficients and its first one is positive."""
    coefficients = list(a.values())
    below = lcm(*(Fraction(c).denominator for c in coefficients))
    above = gcd(*(int(c * below) for c in coefficients))
    content = Fraction(above, below)
    if a[min(a)] < 0:
        content = -content
    factor = content.numerator if content.denominator == 1 else content
    return factor, {m: int(c / content) for m, c in a.items()}


class Ring:
    """Owns the atoms, and multiplies by the laws that hold between them.

    Truth values are idempotent and some exclude each other, an atom and its
    inverse cancel, and the square of a root is what it is the root of.
    """

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.polys: list[Poly] = []
        self._atom_numbers: dict[Atom, int] = {}
        self._poly_numbers: dict[frozenset[Any], int] = {}
        self._truths: set[int] = set()
        self._exclusive: dict[int, set[int]] = {}
        self._inverse: dict[int, int] = {}
        self._square: dict[int, Poly] = {}
        self._special: set[int] = set()
        self._work = 0

    # ---- atoms -----------------------------------------------------------------------------------

    def number(self, a: Poly) -> int:
        """A number for a polynomial, the same for equal ones."""
        key = frozenset(a.items())
        if key not in self._poly_numbers:
            self._poly_numbers[key] = len(self.polys)
            self.polys.append(a)
        return self._poly_numbers[key]

    def atom(self, op: str, args: tuple[Poly, ...], element: str, given: Any = None) -> int:
        """The atom of an operation on these arguments."""
        atom = Atom(op, tuple(map(self.number, args)), element, given)
        if atom not in self._atom_numbers:
            self._atom_numbers[atom] = len(self.atoms)
            self.atoms.append(atom)
        return self._atom_numbers[atom]

    def truth(self, op: str, args: tuple[Poly, ...], given: Any = None) -> int:
        """An atom that is 0 or 1."""
        number = self.atom(op, args, "i1", given)
        self._truths.add(number)
        self._special.add(number)
        return number

    def exclude(self, one: int, other: int) -> None:
        """Two truth values are never 1 together."""
        self._exclusive.setdefault(one, set()).add(other)
        self._exclusive.setdefault(other, set()).add(one)

    def root(self, a: Poly) -> Poly:
        """The square root of a."""
        number = self.atom("root", (a,), "real")
        self._square[number] = a
        self._special.add(number)
        return {(number,): 1}

    def reciprocal(self, a: Poly) -> Poly:
        """1 / a; a is not zero."""
        content, body = primitive(a)
        inverse = Fraction(1) / content
        factor = inverse.numerator if inverse.denominator == 1 else inverse
        if len(body) > 1:
            return {(self.atom("reciprocal", (body,), "real"),): factor}
        out: Poly = {(): factor}
        for atom in next(iter(body)):
            out = self.mul(out, self._inverse_of(atom))
        return out

    def named(self, a: Poly) -> Poly:
        """A long polynomial as an atom that stands for it up to a factor; a short one as it is."""
        if len(a) <= NAMED_TERMS:
            return a
        factor, body = primitive(a)
        return {(self.atom("named", (body,), "real"),): factor}

    def _inverse_of(self, atom: int) -> Poly:
        if self.atoms[atom].op == "reciprocal":
            return self.polys[self.atoms[atom].args[0]]
        if atom not in self._inverse:
            other = self.atom("reciprocal", ({(atom,): 1},), "real")
            self._inverse[atom], self._inverse[other] = other, atom
            self._special |= {atom, other}
        return {(self._inverse[atom],): 1}

    # ---- products --------------------------------------------------------------------------------

    def mul(self, a: Poly, b: Poly) -> Poly:
        """a · b."""
        out: Poly = {}
        special = self._special
        self._work += len(a) * len(b)
        if self._work > MAX_WORK:
            raise TooMuchWork("its expressions become too long")
        for m, c in a.items():
            for n, d in b.items():
                k = tuple(sorted(m + n)) if m and n else m or n
                if special and not special.isdisjoint(k):
                    for key, factor in self._reduced(k).items():
                        accumulate(out, key, c * d * factor)
                else:
                    accumulate(out, k, c * d)
        return out

    def _reduced(self, monomial: Monomial) -> Poly:
        """A monomial by the laws of its atoms."""
        kept: list[int] = []
        for atom in monomial:
            excluded = self._exclusive.get(atom)
            if excluded and not excluded.isdisjoint(kept):
                return ZERO
            if atom in self._truths and atom in kept:
                continue
            partner = self._inverse.get(atom)
            if partner is not None and partner in kept:
                kept.remove(partner)
                continue
            if atom in self._square and atom in kept:
                kept.remove(atom)
                rest = tuple(sorted([*kept, *monomial[monomial.index(atom) + 2 :]]))
                return self.mul(self._square[atom], {rest: 1})
            kept.append(atom)
        return {tuple(kept): 1}

    def power(self, a: Poly, exponent: int) -> Poly:
        """a to a small exponent that is not negative."""
        out = ONE
        for _ in range(exponent):
            out = self.mul(out, a)
        return out

    # ---- zero ------------------------------------------------------------------------------------

    def cleared(self, a: Poly) -> Poly:
        """`a` times what it is divided by: a polynomial that is zero where `a` is, without quotients."""
        while True:
            below = {x for m in a for x in m if self.atoms[x].op == "reciprocal"}
            if not below:
                return a
            last = max(below)  # what it divides by has earlier atoms only
            divisor = self.polys[self.atoms[last].args[0]]
            most = max(m.count(last) for m in a)
            powers = [self.power(divisor, k) for k in range(most + 1)]
            out: Poly = {}
            for m, c in a.items():
                rest = tuple(x for x in m if x != last)
                for n, d in self.mul({rest: c}, powers[most - m.count(last)]).items():
                    accumulate(out, n, d)
            a = out
