"""log and the functions made of it, of vectors: log2, log10, log1p, asinh, acosh, atanh.

Arguments are taken apart into 2^k (1 + f) with 1 + f between the roots of 1/2 and of 2. For f32, log(1 + f) is a
polynomial of f, for f64 one of s = f / (2 + f), as in fdlibm. Arguments that are not normal positive numbers are rare.
The others take a few operations less unless results have to be those of strict arithmetic.
"""

from __future__ import annotations

import math

from raising.native.vector_math.vectors import Bits, Value, Vector

_ROOT = math.sqrt(0.5)
_BASES = {"log": ("ln 2", ""), "log2": ("", "log2 e"), "log10": ("log10 2", "log10 e")}
"""The names of the logarithms of 2 and of e in each base; nothing for 1."""


def taken_apart(v: Vector, bits: Bits) -> tuple[Value, Value]:
    """k and 1 + f of normal positive numbers."""
    form = v.format
    one, root = form.pattern(1.0), form.pattern(_ROOT)
    moved = bits + (one - root)
    field = 2.0**form.fraction
    k = ((moved >> form.fraction) | form.pattern(field)).value - (field + form.bias)
    return k, ((moved & ((1 << form.fraction) - 1)) + root).value


def _parts(v: Vector, f: Value) -> tuple[Value, Value]:
    """log(1 + f) as a sum, the second much smaller."""
    if v.element == "f32":
        return f, (f * f) * v.fma(f, v.polynomial("log", f), -0.5)
    s = f / (f + 2.0)
    z = s * s
    half = (f * 0.5) * f
    high = f - half
    lost = (f - high) - half
    return high, v.fma(s, v.fma(z, v.polynomial("log ratio", z), half), lost)


def _joined(v: Vector, base: str, k: Value, f: Value) -> Value:
    """k log 2 + log(1 + f) in a base."""
    two, e = (v.parts(name) if name else (1.0, 0.0) for name in _BASES[base])
    if base != "log" and v.element == "f32":
        near = v.fma(f, e[0], f * v.fma(f, v.polynomial(base, f), e[1]))
        return k + near if base == "log2" else v.fma(k, two[0], near)
    high, low = _parts(v, f)
    if base == "log":
        return v.fma(k, two[0], high + v.fma(k, two[1], low))
    rest = v.fma(low, e[0], high * e[1])
    if base == "log2":
        return k + v.fma(high, e[0], rest)
    return v.fma(k, two[0], v.fma(high, e[0], v.fma(k, two[1], rest)))


def _quick(v: Vector, base: str, x: Value) -> Value:
    """The usual case with parts that are rounded once more; for f32 the exponent stays where its bits are."""
    two, e = (v.parts(name)[0] if name else 1.0 for name in _BASES[base])
    form = v.format
    if v.element == "f32":
        power = (x.bits - form.pattern(_ROOT)) & (-1 << form.fraction)
        f = (x.bits - power).value - 1.0
        return v.fma(power.number, math.ldexp(two, -form.fraction), f * v.polynomial(f"{base} quick", f))
    k, m = taken_apart(v, x.bits)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    half = (f * 0.5) * f
    near = f - v.fma(s.negative, v.fma(z, v.polynomial("log ratio", z), half), half)
    return v.fma(k, two, near * e if e != 1.0 else near)


def _usual(v: Vector, base: str, x: Value) -> Value:
    if not v.strict:
        return _quick(v, base, x)
    k, m = taken_apart(v, x.bits)
    return _joined(v, base, k, m - 1.0)


def _special(v: Vector, base: str, x: Value) -> Value:
    """The logarithm of any argument."""
    form = v.format
    lift = form.fraction + 2
    tiny = v.compare("olt", x, math.ldexp(1.0, 1 - form.bias))
    lifted = v.choose(tiny, x * math.ldexp(1.0, lift), x)
    k, m = taken_apart(v, lifted.bits)
    result = _joined(v, base, k - v.choose(tiny, float(lift), 0.0), m - 1.0)
    finite = v.choose(v.compare("olt", x, math.inf), result, x)
    positive = v.choose(v.compare("oeq", x, 0.0), -math.inf, finite)
    return v.choose(v.compare("olt", x, 0.0), math.nan, positive)


def logarithm(v: Vector, base: str, x: Value) -> Value:
    """The logarithm in a base."""
    form = v.format
    least = form.pattern(math.ldexp(1.0, 1 - form.bias))
    rare = v.outside(x.bits, least, form.pattern(math.inf))
    return v.where_any(rare, lambda: _special(v, base, x), _usual(v, base, x))


def log(v: Vector, x: Value) -> Value:
    """The natural logarithm."""
    return logarithm(v, "log", x)


def log2(v: Vector, x: Value) -> Value:
    """The logarithm in base 2."""
    return logarithm(v, "log2", x)


def log10(v: Vector, x: Value) -> Value:
    """The logarithm in base 10."""
    return logarithm(v, "log10", x)


def _log1p_usual(v: Vector, x: Value) -> Value:
    """log(1 + x): what is lost when 1 is added is added to f."""
    u = x + 1.0
    moved = u - 1.0
    lost = (1.0 - (u - moved)) + (x - moved)
    k, m = taken_apart(v, u.bits)
    scale = (m.bits - u.bits + v.format.pattern(1.0)).value
    return _joined(v, "log", k, v.fma(lost, scale, m - 1.0))


def log1p(v: Vector, x: Value) -> Value:
    """log(1 + x)."""
    usual = v.both(v.compare("ogt", x, -1.0), v.compare("olt", x, 2.0**100))

    def special() -> Value:
        return _special(v, "log", x + 1.0)

    return v.where_any(v.nowhere(usual), special, v.signed(_log1p_usual(v, x), x))


def atanh(v: Vector, x: Value) -> Value:
    """Half of log1p(2x / (1 - x)), of the size of x."""
    size = x.size
    result = log1p(v, (size + size) / (1.0 - size)) * 0.5
    return v.signed(result, x)


def asinh(v: Vector, x: Value) -> Value:
    """log1p(x + x^2 / (1 + sqrt(x^2 + 1))), of the size of x; log 2x where 1 does not matter."""
    size = x.size
    square = size * size
    root = v.m("sqrt", square + 1.0)
    near = log1p(v, size + square / (root + 1.0))
    large = v.compare("ogt", size, 2.0**30)
    return v.signed(v.where_any(large, lambda: log(v, size) + math.log(2), near), x)


def acosh(v: Vector, x: Value) -> Value:
    """log1p(t + sqrt(2t + t^2)) for t = x - 1; log 2x where 1 does not matter."""
    t = v.choose(v.compare("olt", x, 1.0), math.nan, x - 1.0)
    near = log1p(v, t + v.m("sqrt", v.fma(t, t, t + t)))
    large = v.compare("ogt", x, 2.0**30)
    return v.where_any(large, lambda: log(v, x) + math.log(2), near)
