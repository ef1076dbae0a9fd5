"""exp, log and tanh of vectors, without a call for each lane.

Arguments are reduced by a power of two whose logarithm is subtracted in two parts (Cody and
Waite 1980); what is left goes through a polynomial of enough terms for the precision, the
logarithm through that of (1 + s) / (1 - s) as in fdlibm. Errors stay within three units in
the last place; zeros, infinities, NaN and results below the normal range are as in C.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from native.lines import Lines
from native.vector_trig import cosine, sine
from native.vectors import FORMATS, Vector


def _reduced(v: Vector, x: str) -> tuple[str, str]:
    """An integer n, and x - n ln 2, which is at most half of ln 2 away from 0."""
    scaled = v.f("mulf", x, v.number(1 / math.log(2)))
    n = v.code.op(f"math.roundeven {scaled} : {v.floats}", "f")
    high, low = v.format.ln2
    return n, v.fma(n, v.number(-low), v.fma(n, v.number(-high), x))


def _growth(v: Vector, r: str) -> str:
    """exp r - 1 near 0."""
    coefficients = [1 / math.factorial(k) for k in range(v.format.exp_terms, 1, -1)]
    return v.fma(v.f("mulf", r, r), v.horner(r, coefficients), r)


def _exp(v: Vector, x: str) -> str:
    bounded = v.f("minimumf", v.f("maximumf", x, v.number(v.format.low)), v.number(v.format.high))
    n, r = _reduced(v, bounded)
    whole = v.to_integer(n)
    half = v.i("shrsi", whole, v.integer(1))
    result = v.f("addf", _growth(v, r), v.number(1.0))
    scaled = v.f("mulf", v.f("mulf", result, v.power(half)), v.power(v.i("subi", whole, half)))
    return v.choose(v.compare("uno", x, x), x, scaled)


def _tanh(v: Vector, x: str) -> str:
    size = v.code.op(f"math.absf {x} : {v.floats}", "f")
    twice = v.f("mulf", v.f("minimumf", size, v.number(22.0)), v.number(2.0))
    n, r = _reduced(v, twice)
    scale = v.power(v.to_integer(n))
    one, two = v.number(1.0), v.number(2.0)
    growth = v.fma(scale, _growth(v, r), v.f("subf", scale, one))
    ratio = v.f("divf", growth, v.f("addf", growth, two))
    signed = v.code.op(f"math.copysign {ratio}, {x} : {v.floats}", "f")
    return v.choose(v.compare("uno", x, x), x, signed)


def _log(v: Vector, x: str) -> str:
    form = v.format
    least, lift = math.ldexp(1.0, 1 - form.bias), form.fraction + 2
    tiny = v.compare("olt", x, v.number(least))
    lifted = v.choose(tiny, v.f("mulf", x, v.number(math.ldexp(1.0, lift))), x)
    start = v.number(math.sqrt(0.5))
    beyond = v.i("subi", v.bits(lifted), v.bits(start))
    exponent = v.i("shrsi", beyond, v.integer(form.fraction))
    mantissa = v.value(v.i("subi", v.bits(lifted), v.i("shli", exponent, v.integer(form.fraction))))
    k = v.f("addf", v.to_float(exponent), v.choose(tiny, v.number(-float(lift)), v.number(0.0)))
    f = v.f("subf", mantissa, v.number(1.0))
    s = v.f("divf", f, v.f("addf", f, v.number(2.0)))
    z = v.f("mulf", s, s)
    rest = v.f("mulf", z, v.horner(z, [2 / (2 * n + 1) for n in range(form.log_terms, 0, -1)]))
    square = v.f("mulf", v.f("mulf", f, f), v.number(0.5))
    high, low = form.ln2
    tail = v.fma(s, v.f("addf", square, rest), v.f("mulf", k, v.number(low)))
    result = v.fma(k, v.number(high), v.f("subf", f, v.f("subf", square, tail)))
    return _log_special(v, x, result)


def _log_special(v: Vector, x: str, result: str) -> str:
    """The result, but for 0, negative numbers, infinity and NaN."""
    zero, infinite = v.number(0.0), v.number(math.inf)
    finite = v.choose(v.compare("olt", x, infinite), result, x)
    positive = v.choose(v.compare("oeq", x, zero), v.number(-math.inf), finite)
    return v.choose(v.compare("olt", x, zero), v.number(math.nan), positive)


FUNCTIONS: dict[str, Callable[[Vector, str], str]] = {
    "math.exp": _exp,
    "math.log": _log,
    "math.tanh": _tanh,
    "math.sin": sine,
    "math.cos": cosine,
}


def known(name: str, element: str) -> bool:
    """Whether there is code for an operation on vectors of this element type."""
    return name in FUNCTIONS and element in FORMATS


def write_function(code: Lines, name: str, argument: str, element: str, lanes: int) -> str:
    """The name of a function's value on a vector."""
    return FUNCTIONS[name](Vector(code, element, lanes), argument)
