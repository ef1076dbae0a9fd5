"""exp and the functions made of it: exp2, expm1, sinh, cosh, tanh, erf, erfc of vectors.

Arguments are reduced by multiples of ln 2, subtracted in two parts with fused multiply-adds (Cody and Waite 1980). NaN
passes through all of it; beyond bounds on the argument the result is infinity or zero.
"""

from __future__ import annotations

import math

from raising.native.vector_math.vectors import Value, Vector
from raising.support.record import dataclass

_LOG2_E = 1 / math.log(2)


@dataclass(frozen=True)
class _Range:
    """The bounds of arguments: beyond them results are 0, infinity, or 1 to all digits (for differences -1).

    Up to `one_power`, with either sign, exp is in the normal range.
    """

    exp: tuple[float, float]
    exp2: tuple[float, float]
    expm1: tuple[float, float]
    hyperbolic: float
    tanh: float
    erfc: float
    negligible: float
    one_power: float


_RANGES = {
    "f32": _Range((-104.0, 89.0), (-151.0, 129.0), (-18.0, 88.9), 89.5, 10.0, 10.5, 60.0, 87.0),
    "f64": _Range((-746.0, 710.0), (-1076.0, 1025.0), (-38.0, 709.9), 710.6, 20.0, 27.5, 500.0, 708.0),
}


def _bounded(v: Vector, ends: tuple[float, float], x: Value) -> Value:
    return v.at_least(ends[0], v.at_most(ends[1], x))


def _reduced(v: Vector, x: Value) -> tuple[Value, Value, Value]:
    """A whole number n, it with the magic number added, and x - n ln 2, which is at most half of ln 2 away from 0."""
    shifted = v.fma(x, _LOG2_E, v.format.magic)
    n = shifted - v.format.magic
    high, low, _ = v.parts("ln 2")
    return n, shifted, v.fma(n, -low, v.fma(n, -high, x))


def _growth(v: Vector, r: Value) -> Value:
    """exp r - 1 near 0."""
    return v.fma(r * r, v.polynomial("exp", r), r)


def exponential(v: Vector, x: Value, more: Value | None = None) -> Value:
    """exp (x + more), where `more` is tiny beside x.

    Unless v is strict, one power of two scales what is well within the range, and two all other results.
    """
    if v.strict or v.scales:
        return _of_any(v, x, more)
    _, shifted, r = _reduced(v, x)
    scale = v.power(shifted)
    usual = v.fma(_growth(v, r if more is None else r + more), scale, scale)
    far = v.compare("ogt", x.size, _RANGES[v.element].one_power)
    return v.where_any(far, lambda: _of_any(v, x, more), usual)


def _of_any(v: Vector, x: Value, more: Value | None) -> Value:
    """The same, by two powers of two: results may be below the normal range."""
    n, shifted, r = _reduced(v, _bounded(v, _RANGES[v.element].exp, x))
    if more is not None:
        r = r + more
    return v.scaled(_growth(v, r) + 1.0, n, shifted)


def exp(v: Vector, x: Value) -> Value:
    """e to the x."""
    return exponential(v, x)


def exp2(v: Vector, x: Value) -> Value:
    """2 to the x."""
    return power_of_two(v, _bounded(v, _RANGES[v.element].exp2, x))


def power_of_two(v: Vector, x: Value, more: Value | None = None) -> Value:
    """2^(x + more), where `more` is tiny beside x, which is in or near the range."""
    shifted = x + v.format.magic
    n = shifted - v.format.magic
    r = x - n
    if more is not None:
        r = r + more
    return v.scaled(v.fma(r, v.polynomial("exp2", r), 1.0), n, shifted)


def expm1(v: Vector, x: Value) -> Value:
    """exp x - 1."""
    _, shifted, r = _reduced(v, _bounded(v, _RANGES[v.element].expm1, x))
    half = v.power(shifted, 1)
    return v.signed(v.fma(half, _growth(v, r), half - 0.5) * 2.0, x)


def tanh(v: Vector, x: Value) -> Value:
    """(exp 2x - 1) / (exp 2x + 1)."""
    _, shifted, r = _reduced(v, v.at_most(_RANGES[v.element].tanh, x.size) * 2.0)
    scale = v.power(shifted)
    growth = v.fma(scale, _growth(v, r), scale - 1.0)
    return v.signed(growth / (growth + 2.0), x)


def _hyperbolic(v: Vector, x: Value) -> tuple[Value, Value, Value, Value]:
    """cosh r - 1, sinh r, and the sum and the difference of 2^n and 2^-n over 4, for |x| = n ln 2 + r."""
    span = _RANGES[v.element]
    n, shifted, r = _reduced(v, v.at_most(span.hyperbolic, x.size))
    square = r * r
    even = square * v.fma(square, v.polynomial("cosh", square), 0.5)
    odd = v.fma(r * square, v.polynomial("sinh", square), r)
    large = v.power(shifted, 2)
    small = v.power(v.format.magic - v.at_most(span.negligible, n), 2)
    return even, odd, large + small, large - small


def sinh(v: Vector, x: Value) -> Value:
    """The hyperbolic sine of n ln 2 + r, by the addition theorem."""
    even, odd, total, difference = _hyperbolic(v, x)
    return v.signed((difference + v.fma(total, odd, difference * even)) * 2.0, x)


def cosh(v: Vector, x: Value) -> Value:
    """The hyperbolic cosine of n ln 2 + r, by the addition theorem."""
    even, odd, total, difference = _hyperbolic(v, x)
    return (total + v.fma(difference, odd, total * even)) * 2.0


def _tail(v: Vector, size: Value, name: str) -> Value:
    """erfc of numbers from 1/2: exp(-x^2), the square in two parts, times a ratio of polynomials."""
    bounded = v.at_most(_RANGES[v.element].erfc, size)
    square = bounded * bounded
    lost = v.fma(bounded, bounded, square.negative)
    ratio = (v.polynomial(name, bounded) + 1.0) / v.polynomial(f"{name} below", bounded)
    return exponential(v, square.negative, lost.negative) * ratio


def erf(v: Vector, x: Value) -> Value:
    """A polynomial up to 1, 1 - erfc beyond."""
    size = x.size
    near = v.fma(x, v.polynomial("erf", x * x), x)
    far = v.signed(1.0 - _tail(v, v.at_most(6.0, size), "erfcx short"), x)
    return v.choose(v.compare("ult", size, 1.0), near, far)


def erfc(v: Vector, x: Value) -> Value:
    """1 - erf up to 1/2, exp(-x^2) times a ratio beyond."""
    size = x.size
    near = 1.0 - v.fma(x, v.polynomial("erf", x * x), x)
    tail = _tail(v, size, "erfcx")
    far = v.choose(v.compare("olt", x, 0.0), 2.0 - tail, tail)
    return v.choose(v.compare("ult", size, 0.5), near, far)
