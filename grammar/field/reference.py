"""Arithmetic mod p = 2^61 - 1 on NumPy arrays of residues (uint64): the reference that reads like the definition.

`field` uses it until compiled loops take over; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

import numpy as np
import numpy.typing as npt

from raising.support.record import dataclass

P = (1 << 61) - 1
Residues = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.int64]

Floats = npt.NDArray[np.float64]
Keep = Callable[[Residues, Floats, Residues, Floats], tuple[Residues, Floats]]

_P = np.uint64(P)
_LOW = np.uint64(0xFFFFFFFF)
_32, _3, _61 = np.uint64(32), np.uint64(3), np.uint64(61)
_TWO32 = np.asarray(np.uint64(1 << 32))


@dataclass(frozen=True)
class Arithmetic:
    """The operations that a search spends its time in.

    `dot` is sum a·b over the last axis, `total` the sum over given axes, `inverse` 1/a; `lookup`
    takes keys and returns the function from keys asked for to the first position of each, or -1. `keep` are loops
    that keep one of two numbers by a comparison, for residues beside floats; the reference has none.
    """

    add: Callable[[Residues, Residues], Residues]
    sub: Callable[[Residues, Residues], Residues]
    mul: Callable[[Residues, Residues], Residues]
    dot: Callable[[Residues, Residues], Residues]
    total: Callable[[Residues, tuple[int, ...]], Residues]
    inverse: Callable[[Residues], Residues]
    lookup: Callable[[Residues], Callable[[Residues], Positions]]
    keep: Mapping[str, Keep] = field(default_factory=dict)


def reduce(x: Residues) -> Residues:
    """Any 64-bit values → residues below p."""
    y = (x & _P) + (x >> _61)
    return y - (y >= _P) * _P


def add(a: Residues, b: Residues) -> Residues:
    """a + b mod p."""
    s = a + b
    return s - (s >= _P) * _P


def sub(a: Residues, b: Residues) -> Residues:
    """a - b mod p."""
    return add(a, np.where(b == 0, b, _P - b))


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


def dot(a: Residues, b: Residues) -> Residues:
    """sum a·b mod p over the last axis, the others broadcast."""
    return total(mul(a, b), (-1,))


def power(a: Residues, exponent: int, times: Callable[[Residues, Residues], Residues] = mul) -> Residues:
    """a ** exponent mod p by repeated squaring."""
    result, base = np.ones_like(a), a
    while exponent:
        if exponent & 1:
            result = times(result, base)
        base = times(base, base)
        exponent >>= 1
    return result


def inverse(a: Residues) -> Residues:
    """1/a mod p; 0 maps to 0 (the caller treats division by zero as undefined)."""
    return power(a, P - 2)


def lookup(keys: Residues) -> Callable[[Residues], Positions]:
    """The function that finds the first position of each key asked for, -1 for one that is not there."""
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]

    def find(asked: Residues) -> Positions:
        if not len(ranked):
            return np.full(asked.shape, -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(ranked, asked), len(ranked) - 1)
        return np.where(ranked[at] == asked, order[at], -1)

    return find


REFERENCE = Arithmetic(add, sub, mul, dot, total, inverse, lookup)
