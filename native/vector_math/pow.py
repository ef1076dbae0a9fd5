"""Powers and cube roots of vectors."""

from __future__ import annotations

import math

from raising.native.vector_math.exp import power_of_two
from raising.native.vector_math.log import taken_apart
from raising.native.vector_math.vectors import Value, Vector
from raising.support.record import replace

_BEYOND = {"f32": 200.0, "f64": 1100.0}
"""Powers of 2 that are 0 or infinity, to either side of 0."""


def powf(v: Vector, x: Value, y: Value) -> Value:
    """2^(y log2 |x|), with the sign that C gives it; what is not a finite power of a positive number is rare."""
    near = _short(v, x, y) if v.element == "f32" else _long(v, x, y)
    form = v.format
    least = form.pattern(math.ldexp(1.0, 1 - form.bias))
    rare = v.either(
        v.outside(x.bits, least, form.pattern(math.inf)),
        v.nowhere(v.compare("olt", y.size, math.inf)),
    )

    def special() -> Value:
        return _special(v, x, y, near if v.element == "f32" else _tiny(v, x, y))

    return v.where_any(rare, special, near)


def _tiny(v: Vector, x: Value, y: Value) -> Value:
    """The same for numbers below the normal range, too."""
    form = v.format
    lift = form.fraction + 2
    tiny = v.compare("olt", x.size, math.ldexp(1.0, 1 - form.bias))
    lifted = v.choose(tiny, x.size * math.ldexp(1.0, lift), x.size)
    return _long(v, lifted, y, v.choose(tiny, float(-lift), 0.0))


def _short(v: Vector, x: Value, y: Value) -> Value:
    """In double precision, to all digits of single precision; numbers below its normal range are normal there."""
    w = replace(v, element="f64", scales=False, loads=False)
    base, exponent = (
        Value(w, v.code.op(f"arith.extf {each.name} : {v.floats} to {w.floats}", "f")) for each in (x.size, y)
    )
    k, m = taken_apart(w, base.bits)
    s = (m - 1.0) / (m + 1.0)
    log2 = w.fma(s, w.polynomial("log2 short", s * s), k)
    raised = _bounded(w, _BEYOND["f32"], exponent * log2)
    shifted = raised + w.format.magic
    r = raised - (shifted - w.format.magic)
    result = (w.fma(r, w.polynomial("exp2 short", r), 1.0).bits + (shifted.bits << w.format.fraction)).value
    return Value(v, v.code.op(f"arith.truncf {result.name} : {w.floats} to {v.floats}", "f"))


def _bounded(v: Vector, limit: float, x: Value) -> Value:
    return v.at_least(-limit, v.at_most(limit, x))


def _long(v: Vector, x: Value, y: Value, more: Value | None = None) -> Value:
    """With a logarithm in two parts, to some 12 bits more than one has; `more` is added to it."""
    k, m = taken_apart(v, x.size.bits)
    if more is not None:
        k = k + more
    first, rest = _log2(v, k, m)
    high = y * first
    low = v.fma(y, rest, v.fma(y, first, high.negative))
    inside = v.compare("olt", high.size, _BEYOND["f64"])
    return power_of_two(v, _bounded(v, _BEYOND["f64"], high), v.choose(inside, low, 0.0))


def _log2(v: Vector, k: Value, m: Value) -> tuple[Value, Value]:
    """k + log2 m in two parts, from s = (m - 1) / (m + 1) in two parts by s (1 + s^2 / 3 + s^4 / 5 + ...)."""
    f, total = m - 1.0, m + 1.0
    lost = m - (total - 1.0)
    inverse = 1.0 / total
    s = f * inverse
    s_low = v.fma(s.negative, lost, v.fma(s.negative, total, f)) * inverse
    z = s * s
    z_low = v.fma(s, s, z.negative) + (s * 2.0) * s_low
    third, third_low, _ = v.parts("third")
    higher = z * v.polynomial("log fifth", z)
    a = higher + third
    a_low = ((third - a) + higher) + third_low
    t = z * a
    t_low = v.fma(z_low, a, v.fma(z, a_low, v.fma(z, a, t.negative)))
    p = s * t
    p_low = v.fma(s_low, t, v.fma(s, t_low, v.fma(s, t, p.negative))) + s_low
    high = s + p
    low = ((s - high) + p) + p_low
    c, c_low, _ = v.parts("2 log2 e")
    h = high * c
    h_low = v.fma(low, c, v.fma(high, c_low, v.fma(high, c, h.negative)))
    result = k + h
    return result, ((k - result) + h) + h_low


def _special(v: Vector, x: Value, y: Value, near: Value) -> Value:
    """C's results for negative numbers, 0, infinity and NaN (C17, F.10.4.4), given the power of |x|."""
    base = x.size
    zero, endless = v.compare("oeq", base, 0.0), v.compare("oeq", base, math.inf)
    far = v.compare("oeq", y.size, math.inf)
    grows = v.same(v.compare("ogt", base, 1.0), v.compare("ogt", y, 0.0))
    extreme = v.choose(grows, math.inf, 0.0)
    result = v.choose(v.either(v.either(zero, endless), far), extreme, near)
    result = v.choose(v.compare("oeq", base, 1.0), 1.0, result)
    half = y * 0.5
    whole, even = v.compare("oeq", v.m("trunc", y), y), v.compare("oeq", v.m("trunc", half), half)
    negative = v.compare("olt", v.signed(v.number(1.0), x), 0.0)
    result = v.choose(v.both(negative, v.both(whole, v.nowhere(even))), result.negative, result)
    ordinary = v.both(v.compare("olt", x, 0.0), v.compare("olt", base, math.inf))
    result = v.choose(v.both(ordinary, v.nowhere(whole)), math.nan, result)
    result = v.choose(v.compare("uno", x, y), x + y, result)
    always = v.either(v.compare("oeq", y, 0.0), v.compare("oeq", x, 1.0))
    return v.choose(always, 1.0, result)


def cbrt(v: Vector, x: Value) -> Value:
    """The cube root of 2^(3q + r) m for r from -1 to 1: a polynomial of m, and for f64 a step of Newton's."""
    size, form = x.size, v.format
    least = form.pattern(math.ldexp(1.0, 1 - form.bias))
    rare = v.outside(size.bits, least, form.pattern(math.inf))
    lift = 3 * (form.fraction // 3 + 1)

    def special() -> Value:
        lifted = _cbrt(v, size * math.ldexp(1.0, lift)) * math.ldexp(1.0, -lift // 3)
        ends = v.either(v.compare("oeq", size, 0.0), v.compare("ueq", size, math.inf))
        return v.choose(ends, x, v.signed(lifted, x))

    return v.where_any(rare, special, v.signed(_cbrt(v, size), x))


def _cbrt(v: Vector, size: Value) -> Value:
    k, m = taken_apart(v, size.bits)
    shifted = v.fma(k, 1 / 3, v.format.magic)
    rest = v.fma(shifted - v.format.magic, -3.0, k)
    more, less = v.compare("ogt", rest, 0.0), v.compare("olt", rest, 0.0)
    f = m - 1.0
    root = v.fma(f, v.polynomial("cbrt", f), 1.0)
    root = root * v.choose(more, v.parts("cbrt 2")[0], v.choose(less, v.parts("cbrt 1/2")[0], 1.0))
    if v.element == "f64":
        number = m * v.choose(more, 2.0, v.choose(less, 0.5, 1.0))
        square = root * root
        wrong = v.fma(square, root, number.negative)
        root = root - wrong / (square * 3.0)
    return root * v.power(shifted)
