"""Elementwise code as a sum of products, on one side of the diagonal of two of its dimensions."""

from __future__ import annotations

import re

from raising.native.contraction.masks import Known, decided
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import operation
from raising.native.nest.nest import Access, Scalar
from raising.support.record import dataclass

_MOST = 8
"""Terms up to which a sum is written out."""

_NUMBER = re.compile(r"value = (-?\d+\.\d+e[+-]\d+) :")


@dataclass(frozen=True)
class Scale:
    """A number times scalars around the code, in order of their names."""

    factor: float = 1.0
    scalars: tuple[str, ...] = ()

    def __mul__(self, other: Scale) -> Scale:
        return Scale(self.factor * other.factor, tuple(sorted((*self.scalars, *other.scalars))))


@dataclass(frozen=True)
class Term:
    """A scale times elements of arrays."""

    scale: Scale
    reads: tuple[Access, ...] = ()


def ordered(reads: tuple[Access, ...]) -> tuple[Access, ...]:
    """Elements in the order that a term has them in."""
    return tuple(sorted(reads, key=str))


def terms(fragment: Fragment, known: Known) -> tuple[Term, ...] | None:
    """The terms whose sum the value is; those that are 0 by a choice are left out. None if it is no such sum."""
    return _terms(fragment, fragment.result, known)


def _terms(fragment: Fragment, name: str, known: Known) -> tuple[Term, ...] | None:
    if name.startswith("%"):
        return (Term(Scale(1.0, (name,))),)
    if name.startswith("in"):
        return (Term(Scale(), (fragment.reads[int(name[2:])],)),)
    scalar = operation(fragment, name)
    if scalar is None:
        return None
    if scalar.name == "arith.constant":
        return _constant(scalar)
    if scalar.name == "arith.select":
        chosen = decided(fragment, scalar.args[0], known)
        return None if chosen is None else _terms(fragment, scalar.args[1 if chosen else 2], known)
    if scalar.name not in ("arith.addf", "arith.subf", "arith.mulf", "arith.negf"):
        return None
    parts = [_terms(fragment, arg, known) for arg in scalar.args]
    return None if None in parts else _combined(scalar.name, [part or () for part in parts])


def _constant(scalar: Scalar) -> tuple[Term, ...] | None:
    found = _NUMBER.search(scalar.properties)
    if found is None:
        return None
    number = float(found[1])
    return (Term(Scale(number)),) if number else ()


def _combined(name: str, parts: list[tuple[Term, ...]]) -> tuple[Term, ...] | None:
    if name == "arith.mulf":
        left, right = parts
        result = tuple(Term(a.scale * b.scale, ordered((*a.reads, *b.reads))) for a in left for b in right)
    else:
        negative = tuple(Term(term.scale * Scale(-1.0), term.reads) for term in parts[-1])
        result = negative if name == "arith.negf" else (*parts[0], *(parts[1] if name == "arith.addf" else negative))
    return result if len(result) <= _MOST else None
