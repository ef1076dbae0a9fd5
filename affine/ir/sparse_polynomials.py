"""Sparse polynomials: the coefficient of each monomial, which is its atoms in order, one that is a factor twice twice.

Atoms are numbers that somebody else knows the meaning of, and who multiplies has to know their laws.
"""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")

Monomial = tuple[int, ...]
Poly = dict[Monomial, Any]
"""Coefficients that are not 0; never changed once made."""

ONE: Poly = {(): 1}
ZERO: Poly = {}


def constant(value: Any) -> Poly:
    """The polynomial that is one number."""
    return {(): value} if value else ZERO


def add(a: Poly, b: Poly) -> Poly:
    """a + b."""
    if len(a) < len(b):
        a, b = b, a
    out = dict(a)
    for m, c in b.items():
        accumulate(out, m, c)
    return out


def scale(a: Poly, factor: Any) -> Poly:
    """factor · a."""
    return {m: c * factor for m, c in a.items()} if factor else ZERO


def sub(a: Poly, b: Poly) -> Poly:
    """a - b."""
    return add(a, scale(b, -1))


def accumulate(out: Poly, key: Monomial, value: Any) -> None:
    """Add a term to a polynomial that is being made."""
    total = out.get(key, 0) + value
    if total:
        out[key] = total
    else:
        out.pop(key, None)


def value_of(a: Poly) -> Any:
    """The number that a polynomial is, or None."""
    if not a:
        return 0
    return a[()] if len(a) == 1 and () in a else None


def without(monomial: tuple[T, ...], factor: tuple[T, ...]) -> tuple[T, ...] | None:
    """A monomial divided by another one; None if it is no multiple."""
    left = list(monomial)
    for atom in factor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)
