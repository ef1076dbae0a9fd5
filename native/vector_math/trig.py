"""sin, cos, tan and their inverses, of vectors.

Multiples of pi (for tan, of pi / 2) are subtracted in three parts with fused multiply-adds (Cody and Waite 1980).
Infinity, NaN and arguments so large that three parts are too few are computed one by one in C's library, as vector
libraries do: they are rare.
"""

from __future__ import annotations

import math

from raising.native.vector_math.vectors import Bits, Mask, Value, Vector

_LIMITS = {"f32": 2.0**15, "f64": 2.0**30}
_EIGHTH, _THREE_EIGHTHS = math.sqrt(2.0) - 1.0, math.sqrt(2.0) + 1.0


def _turned(v: Vector, n: Value, x: Value, factor: float) -> Value:
    """x + n pi factor."""
    for part in v.parts("pi"):
        x = v.fma(n, part * factor, x)
    return x


def _sine(v: Vector, r: Value) -> Value:
    """sin r for at most a quarter of a turn."""
    square = r * r
    return v.fma(r * square, v.polynomial("sin", square), r)


def _sign(v: Vector, shifted: Value) -> Bits:
    """The sign bit of a whole number that is odd, given with the magic number added."""
    return shifted.bits << (v.format.bits - 1)


def sin(v: Vector, x: Value) -> Value:
    """The sine of |x| - n pi; the sign of 0 stays."""
    size = x.size
    shifted = v.fma(size, 1 / math.pi, v.format.magic)
    r = _turned(v, shifted - v.format.magic, size, -1.0)
    sign = _sign(v, shifted) ^ (x.bits & v.format.pattern(-0.0))
    return _unless_large(v, "sin", x, (_sine(v, r).bits ^ sign).value)


def cos(v: Vector, x: Value) -> Value:
    """The sine of (n + 1/2) pi - |x|, with the sign of n."""
    size = x.size
    shifted = v.fma(size, 1 / math.pi, -0.5) + v.format.magic
    r = _turned(v, (shifted - v.format.magic) + 0.5, size.negative, 1.0)
    return _unless_large(v, "cos", x, (_sine(v, r).bits ^ _sign(v, shifted)).value)


def sincos(v: Vector, x: Value) -> list[Value]:
    """Sine and cosine of r = |x| - n pi / 2, exchanged for odd n: one reduction, polynomials on [-pi/4, pi/4]."""
    size = x.size
    shifted = v.fma(size, 2 / math.pi, v.format.magic)
    r = _turned(v, shifted - v.format.magic, size, -0.5)
    square = r * r
    sine = v.fma(r * square, v.polynomial("sin short", square), r)
    cosine = v.fma(square * square, v.polynomial("cos short", square), v.fma(square, -0.5, 1.0))
    even, minus = v.below(_sign(v, shifted), 1), v.format.pattern(-0.0)
    half = shifted.bits << (v.format.bits - 2)
    signs = (half ^ x.bits) & minus, (half ^ _sign(v, shifted)) & minus
    near = v.choose(even, sine, cosine), v.choose(even, cosine, sine)
    usual = [(value.bits ^ sign).value for value, sign in zip(near, signs, strict=True)]
    return v.all_where_any(_large(v, x), lambda: [v.one_by_one(name, x) for name in ("sin", "cos")], usual)


def tan(v: Vector, x: Value) -> Value:
    """A ratio of polynomials of |x| - n pi / 2, turned over for odd n."""
    size = x.size
    shifted = v.fma(size, 2 / math.pi, v.format.magic)
    r = _turned(v, shifted - v.format.magic, size, -0.5)
    square = r * r
    above, below = v.fma(r, v.polynomial("tan", square), r), v.polynomial("tan below", square)
    even = v.below(_sign(v, shifted), 1)
    ratio = v.choose(even, above, below.negative) / v.choose(even, below, above)
    return _unless_large(v, "tan", x, (ratio.bits ^ (x.bits & v.format.pattern(-0.0))).value)


def _unless_large(v: Vector, name: str, x: Value, near: Value) -> Value:
    return v.where_any(_large(v, x), lambda: v.one_by_one(name, x), near)


def _large(v: Vector, x: Value) -> Mask:
    return v.compare("ugt", x.size, _LIMITS[v.element])


def _arc(v: Vector, y: Value, x: Value | float) -> Value:
    """The angle whose tangent is y / x, for numbers without sign: from the nearest multiple of a quarter of pi."""
    low = v.compare("ole", y, v.number(x) * _EIGHTH)
    high = v.compare("ogt", y, v.number(x) * _THREE_EIGHTHS)
    above = v.choose(low, y, v.choose(high, v.number(x).negative, y - x))
    below = v.choose(low, x, v.choose(high, y, y + x))
    t = above / below
    square = t * t
    first, rest, _ = v.parts("pi")
    start = v.choose(low, 0.0, v.choose(high, first / 2, first / 4))
    lost = v.choose(low, 0.0, v.choose(high, rest / 2, rest / 4))
    return start + (v.fma(t * square, v.polynomial("atan", square), lost) + t)


def atan(v: Vector, x: Value) -> Value:
    """The arc tangent of |x|, with the sign of x."""
    return v.signed(_arc(v, x.size, 1.0), x)


def atan2(v: Vector, y: Value, x: Value) -> Value:
    """The angle of a point; numbers that are very large or small are scaled first."""

    def angle(above: Value, below: Value) -> Value:
        found = _arc(v, above, below)
        first, rest, _ = v.parts("pi")
        left = v.compare("olt", v.signed(v.number(1.0), x), 0.0)
        return v.signed(v.choose(left, first - (found - rest), found), y)

    def special() -> Value:
        above, below = _beyond(v, y.size, x.size)
        return v.choose(v.compare("uno", y, x), x + y, angle(above, below))

    largest = v.choose(v.compare("olt", y.size, x.size), x.size, y.size)
    least = v.choose(v.compare("olt", y.size, x.size), y.size, x.size)
    usual = v.both(v.compare("olt", largest, 2.0**60), v.compare("ogt", least, 2.0**-60))
    return v.where_any(v.nowhere(usual), special, angle(y.size, x.size))


def _beyond(v: Vector, y: Value, x: Value) -> tuple[Value, Value]:
    """The sides of a triangle in a range where their sum is a number: of 0 and 0, or infinity twice, of what C says."""
    large = v.either(v.compare("ogt", x, 2.0**60), v.compare("ogt", y, 2.0**60))
    small = v.both(v.compare("olt", x, 2.0**-30), v.compare("olt", y, 2.0**-30))
    scale = v.choose(large, 2.0**-30, v.choose(small, 2.0**60, 1.0))
    far_y, far_x = v.compare("oeq", y, math.inf), v.compare("oeq", x, math.inf)
    far = v.either(far_y, far_x)
    none = v.both(v.compare("oeq", y, 0.0), v.compare("oeq", x, 0.0))
    above = v.choose(far, v.choose(far_y, 1.0, 0.0), y * scale)
    below = v.choose(far, v.choose(far_x, 1.0, 0.0), x * scale)
    return above, v.choose(none, 1.0, below)


def _half_arc(v: Vector, size: Value) -> tuple[str, Value, Value]:
    """Whether x is below 1/2, and asin s in two parts, with s = x there and sqrt((1 - x) / 2) above."""
    small = v.compare("olt", size, 0.5)
    z = v.choose(small, size * size, v.fma(size, -0.5, 0.5))
    s = v.choose(small, size, v.m("sqrt", z))
    return small, s, (s * z) * v.polynomial("asin", z)


def asin(v: Vector, x: Value) -> Value:
    """pi / 2 - 2 asin sqrt((1 - x) / 2) above 1/2."""
    small, s, more = _half_arc(v, x.size)
    first, rest, _ = v.parts("pi")
    beyond = first / 2 - v.fma(s, 2.0, v.fma(more, 2.0, -rest / 2))
    return v.signed(v.choose(small, s + more, beyond), x)


def acos(v: Vector, x: Value) -> Value:
    """2 asin sqrt((1 - x) / 2) above 1/2; pi less that of -x for negative x."""
    small, s, more = _half_arc(v, x.size)
    first, rest, _ = v.parts("pi")
    angle, left = s + more, v.compare("olt", x, 0.0)
    twice = angle * 2.0
    near = first / 2 - (v.signed(angle, x) - rest / 2)
    return v.choose(small, near, v.choose(left, first - (twice - rest), twice))
