"""Arithmetic in Z_p, p = 2^61 - 1, on NumPy arrays of residues (uint64).

Equality of polynomial programs is exact here, with no tolerance: two distinct polynomials of degree d agree at a random
point with probability at most d/p (Schwartz 1980, Zippel 1979). The NumPy `reference` computes until `accelerate` is
called, or something is divided; from then on compiled loops do, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from raising.grammar.field import reference as modular
from raising.grammar.field.reference import REFERENCE, Keep, P, Positions, Residues, reduce

__all__ = ["P", "Positions", "Residues", "reduce"]

_GOLDEN = 0x9E3779B97F4A7C15
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_WORD = (1 << 64) - 1
_ZERO = np.asarray(np.uint64(0))

_arithmetic = REFERENCE


def accelerate() -> bool:
    """Compute with compiled loops from now on, where there are any; whether that is so."""
    global _arithmetic
    if _arithmetic is REFERENCE:
        from raising.grammar.field.loaded_kernels import load

        _arithmetic = load() or REFERENCE
    return _arithmetic is not REFERENCE


def add(a: Residues, b: Residues) -> Residues:
    """a + b mod p."""
    return _arithmetic.add(a, b)


def sub(a: Residues, b: Residues) -> Residues:
    """a - b mod p."""
    return _arithmetic.sub(a, b)


def neg(a: Residues) -> Residues:
    """-a mod p."""
    return _arithmetic.sub(_ZERO, a)


def mul(a: Residues, b: Residues) -> Residues:
    """a * b mod p."""
    return _arithmetic.mul(a, b)


def dot(a: Residues, b: Residues) -> Residues:
    """sum a·b mod p over the last axis; the other axes broadcast."""
    return _arithmetic.dot(a, b)


def total(a: Residues, axes: tuple[int, ...]) -> Residues:
    """The sum along `axes` mod p."""
    return _arithmetic.total(a, axes)


def power(a: Residues, exponent: int) -> Residues:
    """a ** exponent mod p."""
    return modular.power(a, exponent, _arithmetic.mul)


def inverse(a: Residues) -> Residues:
    """1/a mod p; 0 maps to 0 (the caller treats division by zero as undefined).

    It takes a hundred multiplications: two of these in NumPy last longer than loading the compiled loops.
    """
    accelerate()
    return _arithmetic.inverse(a)


BY_ZERO = 0x0B5297A4D1F8C36E
"""What 1/0 is where loops and terms are compared: no number that a program would choose in its place, such as 0."""


def reciprocal(a: Residues) -> Residues:
    """1/a mod p, and `BY_ZERO` for 0: `b != 0 ? a / b : 0` is not `a / b`."""
    return np.where(a == 0, np.uint64(BY_ZERO), inverse(a))


def quotient(a: Residues, b: Residues) -> Residues:
    """a/b mod p, as `reciprocal` has it; 0/0 is no 0 either."""
    return np.where((a == 0) & (b == 0), np.uint64(BY_ZERO), mul(a, reciprocal(b)))


def lookup(keys: Residues) -> Callable[[Residues], Positions]:
    """The function that finds the first position of each key asked for, -1 for one that is not there."""
    return _arithmetic.lookup(keys)


def keeping(comparison: str, unsigned: bool) -> Keep | None:
    """The compiled loop that keeps the first of two numbers where a comparison (`gt`, `lt`) holds, if it is loaded."""
    return _arithmetic.keep.get(f"unsigned_{comparison}" if unsigned else comparison)


def opaque(name: str, args: tuple[Residues, ...]) -> Residues:
    """An uninterpreted function: a keyed hash of its arguments, equal on equal arguments."""
    h = np.asarray(np.uint64(key_of(name)))
    with np.errstate(over="ignore"):  # wrapping is meant; NumPy warns on rank-0 values only
        for a in args:
            h = _mix(h ^ a)
    return reduce(h)


def _mix(h: Residues) -> Residues:
    h = h + np.uint64(_GOLDEN)
    for shift, factor in _MIX:
        h = (h ^ (h >> np.uint64(shift))) * np.uint64(factor)
    return h ^ (h >> np.uint64(31))


def key_of(name: str) -> int:
    """A 64-bit key for a function name that is the same in every process (FNV-1a)."""
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = ((h ^ byte) * 0x100000001B3) & _WORD
    return h


def opaque_int(name: str, args: tuple[int, ...]) -> int:
    """`opaque` on Python integers."""
    h = key_of(name)
    for a in args:
        h = ((h ^ a) + _GOLDEN) & _WORD
        for shift, factor in _MIX:
            h = ((h ^ (h >> shift)) * factor) & _WORD
        h ^= h >> 31
    h = (h & P) + (h >> 61)
    return h - P if h >= P else h


def residue_of(value: float | int | Fraction) -> int:
    """The residue of an exact rational; infinities and NaN are fixed opaque elements."""
    try:
        f = Fraction(value)
    except (OverflowError, ValueError):
        return opaque_int(str(value), ())
    return f.numerator * pow(f.denominator, -1, P) % P
