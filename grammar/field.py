"""Arithmetic in Z_p, p = 2^61 - 1, on NumPy arrays of residues (uint64).

Equality of polynomial programs is exact here, with no tolerance: two distinct
polynomials of degree d agree at a random point with probability at most d/p
(Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

P = (1 << 61) - 1
Residues = npt.NDArray[np.uint64]

_P = np.uint64(P)
_LOW = np.uint64(0xFFFFFFFF)
_32, _3, _61 = np.uint64(32), np.uint64(3), np.uint64(61)
_TWO32 = np.asarray(np.uint64(1 << 32))
_GOLDEN = 0x9E3779B97F4A7C15
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_WORD = (1 << 64) - 1


def reduce(x: Residues) -> Residues:
    """Any 64-bit values → residues below p."""
    y = (x & _P) + (x >> _61)
    return y - (y >= _P) * _P


def add(a: Residues, b: Residues) -> Residues:
    """a + b mod p."""
    s = a + b
    return s - (s >= _P) * _P


def neg(a: Residues) -> Residues:
    """-a mod p."""
    return np.where(a == 0, a, _P - a)


def sub(a: Residues, b: Residues) -> Residues:
    """a - b mod p."""
    return add(a, neg(b))


def mul(a: Residues, b: Residues) -> Residues:
    """a * b mod p: a 122-bit product from 32-bit halves, folded by 2^64 = 8."""
    a0, a1, b0, b1 = a & _LOW, a >> _32, b & _LOW, b >> _32
    low = a0 * b0
    mid = a1 * b0 + (low >> _32)
    cross = a0 * b1 + (mid & _LOW)
    high = a1 * b1 + (mid >> _32) + (cross >> _32)
    low = (cross << _32) | (low & _LOW)
    return reduce((low & _P) + (low >> _61) + (high << _3))


def total(a: Residues, axes: tuple[int, ...]) -> Residues:
    """The sum along `axes` mod p; halves are summed apart so that 2^31 terms fit."""
    high = reduce(np.sum(a >> _32, axis=axes, dtype=np.uint64))
    return add(mul(high, _TWO32), reduce(np.sum(a & _LOW, axis=axes, dtype=np.uint64)))


def power(a: Residues, exponent: int) -> Residues:
    """a ** exponent mod p by repeated squaring."""
    result, base = np.ones_like(a), a
    while exponent:
        if exponent & 1:
            result = mul(result, base)
        base = mul(base, base)
        exponent >>= 1
    return result


def inverse(a: Residues) -> Residues:
    """1/a mod p; 0 maps to 0 (the caller treats division by zero as undefined)."""
    return power(a, P - 2)


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
