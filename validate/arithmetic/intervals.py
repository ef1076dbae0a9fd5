"""Real numbers as rationals, and as intervals of rationals where they are irrational.

The value of a root or of an elementary function is an interval that surely
holds it; only what is known exactly decides a comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from raising.affine.ir.real_functions import REALS
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.record import dataclass
from raising.validate.arithmetic.integers import Undefined


@dataclass(frozen=True)
class Interval:
    """A real number between two rationals."""

    low: Fraction
    high: Fraction


ANYTHING = Interval(-math.inf, math.inf)  # type: ignore[arg-type]
"""A number that nothing is known of."""

Real = int | Fraction | float | Interval
"""A float stands for an infinity only."""

_WORK_BITS = 160
"""Interval ends are rounded outward to so many bits after the point."""

_MAX_BITS = 8_000
"""A run whose numbers become longer is given up."""

_SHOWN_BITS = 128
"""Longer numbers are shown by their size."""

_LIBM = Fraction(1, 1 << 40)
"""The relative error assumed of the C library's functions; they are a few units of 2^-53 off."""


def plain(value: Fraction) -> int | Fraction:
    """A rational as an integer where it is one, which is faster."""
    return value.numerator if value.denominator == 1 else value


def real(op: str, args: Sequence[Real]) -> Real:
    """An operation on real numbers, whatever they are."""
    kind = SCALARS[op].residue if op in SCALARS else ""
    if kind in _RING:
        return _RING[kind](*args)
    if kind in ("greater", "less"):
        return _extremum(args[0], args[1], kind == "greater")
    if kind == "same":
        return args[0]
    if kind == "magnitude":
        return _size(args[0])
    if op in _ROOTS:
        return _ROOTS[op](args[0])
    if op in _STEPS:
        return _step(_STEPS[op], args[0])
    if op in _PAIRS:
        return _PAIRS[op](args[0], args[1])
    row = REALS.get(op)
    if row is not None and row.rising:
        return _elementary(row.on_float, args[0], row.rising)
    if row is not None and row.gentle:
        return _wave(row.on_float, args[0])
    raise Unsupported(f"operation '{op}' has no exact meaning")


# ---- ring and order ------------------------------------------------------------------------------


def bounds(value: Real) -> tuple[Any, Any]:
    """The ends of what a number is known to lie between."""
    return (value.low, value.high) if isinstance(value, Interval) else (value, value)


def _interval(low: Any, high: Any) -> Real:
    if isinstance(low, float) or isinstance(high, float):
        raise Undefined("an infinity that is not exact")
    unit = 1 << _WORK_BITS
    return Interval(Fraction(math.floor(low * unit), unit), Fraction(math.ceil(high * unit), unit))


def _checked(value: Any) -> Real:
    if isinstance(value, float):
        if math.isnan(value):
            raise Undefined("a result that is not a number")
        return value
    if value.numerator.bit_length() > _MAX_BITS or value.denominator.bit_length() > _MAX_BITS:
        raise Undefined("numbers that become too long")
    return plain(value) if isinstance(value, Fraction) else int(value)


def _lifted(function: Callable[[Any, Any], Any]) -> Callable[[Real, Real], Real]:
    """A function that is monotone in each argument, on numbers and on intervals."""

    def on_reals(a: Real, b: Real) -> Real:
        if not isinstance(a, Interval) and not isinstance(b, Interval):
            return _checked(function(a, b))
        corners: list[Any] = [_checked(function(x, y)) for x in bounds(a) for y in bounds(b)]
        return _interval(min(corners), max(corners))

    return on_reals


def negated(value: Real) -> Real:
    """The negated value."""
    return Interval(-value.high, -value.low) if isinstance(value, Interval) else -value


def _quotient(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        raise Undefined("an infinity in a division")
    return Fraction(a) / b


_divide = _lifted(_quotient)


def _over(a: Real, b: Real) -> Real:
    low, high = bounds(b)
    if low <= 0 <= high:
        raise Undefined("a division by zero")
    return _divide(a, b)


_add = _lifted(lambda a, b: a + b)
_mul = _lifted(lambda a, b: a * b)

_RING: dict[str, Callable[..., Real]] = {
    "add": _add,
    "sub": lambda a, b: _add(a, negated(b)),
    "mul": _mul,
    "div": _over,
    "neg": negated,
    "fma": lambda a, b, c: _add(_mul(a, b), c),
}


def ordered(name: str, a: Real, b: Real) -> bool:
    """A comparison; `Undefined` if what is known of the numbers does not decide it."""
    (a_low, a_high), (b_low, b_high) = bounds(a), bounds(b)
    if a_high < b_low:
        return name in ("lt", "le", "ne")
    if a_low > b_high:
        return name in ("gt", "ge", "ne")
    if a_low == a_high == b_low == b_high:
        return name in ("eq", "le", "ge")
    raise Undefined("a comparison of numbers too close to tell apart")


def _extremum(a: Real, b: Real, greater: bool) -> Real:
    if not isinstance(a, Interval) and not isinstance(b, Interval):
        return max(a, b) if greater else min(a, b)
    (a_low, a_high), (b_low, b_high) = bounds(a), bounds(b)
    pick = max if greater else min
    return _interval(pick(a_low, b_low), pick(a_high, b_high))


def _size(value: Real) -> Real:
    return _extremum(value, negated(value), True)


def _with_sign(value: Real, sign: Real) -> Real:
    """A number with another's sign; zero has either."""
    size, (low, high) = _size(value), bounds(sign)
    if low > 0 or high < 0:
        return size if low > 0 else negated(size)
    return _interval(-bounds(size)[1], bounds(size)[1])


# ---- functions -----------------------------------------------------------------------------------


def _root(value: Real) -> Real:
    low, high = bounds(value)
    if low < 0 or isinstance(low, float):
        raise Undefined("the root of a negative number")
    if not isinstance(value, Interval):
        exact = Fraction(value)
        p, q = math.isqrt(exact.numerator), math.isqrt(exact.denominator)
        if p * p == exact.numerator and q * q == exact.denominator:
            return plain(Fraction(p, q))
    unit = 1 << _WORK_BITS
    ends = [math.isqrt(math.floor(Fraction(end) * unit * unit)) for end in (low, high)]
    return Interval(Fraction(ends[0], unit), Fraction(ends[1] + 1, unit))


_ROOTS: dict[str, Callable[[Real], Real]] = {
    "math.sqrt": _root,
    "math.rsqrt": lambda x: _over(1, _root(x)),
}

_STEPS: dict[str, Callable[[Any], int]] = {
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "math.trunc": math.trunc,
    "math.roundeven": round,
    "math.round": lambda x: math.floor(abs(x) + Fraction(1, 2)) * (1 if x >= 0 else -1),
}


def _step(function: Callable[[Any], int], value: Real) -> Real:
    low, high = bounds(value)
    if isinstance(low, float) or function(low) != function(high):
        raise Undefined("a rounding that is not exact")
    return function(low)


def _widened(value: float) -> tuple[Fraction, Fraction]:
    slack = abs(Fraction(value)) * _LIBM + Fraction(1, 1 << 1000)
    return Fraction(value) - slack, Fraction(value) + slack


def _elementary(function: Callable[[float], float], value: Real, rising: int = 1) -> Real:
    """A function that rises (1) or falls (-1); the ends of the argument are rounded outward first."""
    try:
        low, high = (_outward(end, way) for end, way in zip(bounds(value), (-math.inf, math.inf), strict=True))
        first, last = _widened(function((low, high)[rising < 0]))[0], _widened(function((low, high)[rising > 0]))[1]
    except (ValueError, OverflowError) as error:
        raise Undefined("an argument outside of a function's domain") from error
    return _interval(first, last)


def _outward(end: Any, way: float) -> float:
    return math.nextafter(float(end), way) if end else 0.0


def _wave(function: Callable[[float], float], value: Real) -> Real:
    """A function of slope at most 1."""
    try:
        low, high = bounds(value)
        middle = float((Fraction(low) + Fraction(high)) / 2)
        reach = max(abs(Fraction(low) - Fraction(middle)), abs(Fraction(high) - Fraction(middle)))
        first, last = _widened(function(middle))
    except (ValueError, OverflowError) as error:
        raise Undefined("an argument outside of a function's domain") from error
    return _interval(first - reach - _LIBM, last + reach + _LIBM)


def _power(base: Real, exponent: Real) -> Real:
    if isinstance(base, int | Fraction) and isinstance(exponent, int) and abs(exponent) <= 64:
        if base == 0 and exponent < 0:
            raise Undefined("a division by zero")
        return _checked(Fraction(base) ** exponent)
    if exponent == Fraction(1, 2):
        return _root(base)
    low, _ = bounds(base)
    if low <= 0:
        raise Undefined("a power of a number that is not positive")
    return _elementary(math.exp, _mul(exponent, _elementary(math.log, base)))


def _rest(a: Real, b: Real) -> Real:
    """What a division towards zero leaves."""
    return _add(a, negated(_mul(_step(math.trunc, _over(a, b)), b)))


_PAIRS: dict[str, Callable[[Real, Real], Real]] = {
    "arith.remf": _rest,
    "math.powf": _power,
    "math.copysign": _with_sign,
}


def differ(a: Any, b: Any) -> bool:
    """Whether two numbers surely differ."""
    (a_low, a_high), (b_low, b_high) = bounds(a), bounds(b)
    return bool(a_high < b_low or a_low > b_high)


def text(value: Any) -> str:
    """An exact number for people: a rational as p/q, an interval by its middle, a long one by its first digits."""
    if isinstance(value, Interval):
        return f"{float((value.low + value.high) / 2):.12g}…"
    if isinstance(value, int | Fraction) and max(_bits(value.numerator), _bits(value.denominator)) > _SHOWN_BITS:
        size = _bits(value.numerator) - _bits(value.denominator)
        return f"about {float(value):.12g}" if abs(size) < 1000 else f"about {'-' if value < 0 else ''}2^{size}"
    return str(value)


def _bits(value: int) -> int:
    return value.bit_length()
