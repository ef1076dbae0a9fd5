"""sin and cos of vectors.

Multiples of pi / 2 are subtracted in three parts with fused multiply-adds (Cody and Waite 1980), what is left
goes through the Taylor polynomials of both. Arguments so large that three parts do not do, infinity and NaN are
done one by one in C's library, as vector libraries do: they are rare.
"""

from __future__ import annotations

import math

from affine.record import dataclass
from native.vectors import Vector


@dataclass(frozen=True)
class _Reduction:
    """pi / 2 in three parts, up to which size they do, terms of the polynomials of sin and cos."""

    parts: tuple[float, float, float]
    limit: float
    sine_terms: int
    cosine_terms: int


_HALF_PI = {
    "f32": ("0x1.921fb4p+0", "0x1.4442d0p-24", "0x1.84698ap-48"),
    "f64": ("0x1.921fb54442d18p+0", "0x1.1a62633145c06p-54", "0x1.c1cd129024e09p-107"),
}


def _reduction(element: str) -> _Reduction:
    first, second, third = map(float.fromhex, _HALF_PI[element])
    if element == "f32":
        return _Reduction((first, second, third), 2.0**15, 4, 4)
    return _Reduction((first, second, third), 2.0**30, 8, 7)


def sine(v: Vector, x: str) -> str:
    """sin in every lane; the sign of 0 stays."""
    return v.choose(v.compare("oeq", x, v.number(0.0)), x, _turned(v, x, "sin", 0))


def cosine(v: Vector, x: str) -> str:
    """cos in every lane: the sine a quarter of a turn later."""
    return _turned(v, x, "cos", 1)


def _turned(v: Vector, x: str, name: str, quarters: int) -> str:
    """The sine of so many quarters of a turn more."""
    plan = _reduction(v.element)
    size = v.code.op(f"math.absf {x} : {v.floats}", "f")
    large = v.compare("ugt", size, v.number(plan.limit))
    bounded = v.choose(large, v.number(0.0), x)
    k = v.code.op(f"math.roundeven {v.f('mulf', bounded, v.number(2 / math.pi))} : {v.floats}", "f")
    rest = bounded
    for part in plan.parts:
        rest = v.fma(k, v.number(-part), rest)
    quadrant = v.i("addi", v.to_integer(k), v.integer(quarters))
    odd = v.i("andi", quadrant, v.integer(1))
    is_odd = v.code.op(f"arith.cmpi ne, {odd}, {v.integer(0)} : {v.integers}", "q")
    found = v.choose(is_odd, _cosine_near_zero(v, rest, plan), _sine_near_zero(v, rest, plan))
    half = v.i("andi", quadrant, v.integer(2))
    sign = v.i("shli", half, v.integer(v.format.bits - 2))
    return _one_by_one(v, name, x, (large, v.value(v.i("xori", v.bits(found), sign))))


def _sine_near_zero(v: Vector, r: str, plan: _Reduction) -> str:
    square = v.f("mulf", r, r)
    terms = [(-1) ** n / math.factorial(2 * n + 1) for n in range(plan.sine_terms, 0, -1)]
    return v.fma(v.f("mulf", square, r), v.horner(square, terms), r)


def _cosine_near_zero(v: Vector, r: str, plan: _Reduction) -> str:
    """1 - r^2 / 2, with what was lost in it, and the higher powers."""
    square, one = v.f("mulf", r, r), v.number(1.0)
    half = v.f("mulf", square, v.number(0.5))
    first = v.f("subf", one, half)
    lost = v.f("subf", v.f("subf", one, first), half)
    terms = [(-1) ** n / math.factorial(2 * n) for n in range(plan.cosine_terms + 1, 1, -1)]
    higher = v.fma(v.f("mulf", square, square), v.horner(square, terms), lost)
    return v.f("addf", first, higher)


def _one_by_one(v: Vector, name: str, x: str, found: tuple[str, str]) -> str:
    """What was found, but in the lanes of a mask what C's library finds, if there is any."""
    code, (mask, near) = v.code, found
    some = code.op(f"vector.reduction <or>, {mask} : vector<{v.lanes}xi1> into i1", "q")
    result = code.fresh("f")
    code.do(f"{result} = scf.if {some} -> ({v.floats}) {{")
    bounds = code.index(0), code.index(v.lanes), code.index(1)
    with code.loop(bounds, [(near, v.floats)]) as lane:
        argument = code.op(f"vector.extract {x}[{lane.induction}] : {v.element} from {v.floats}")
        value = code.op(f"math.{name} {argument} : {v.element}")
        text = f"vector.insert {value}, {lane.start[0]}[{lane.induction}] : {v.element} into {v.floats}"
        lane.values[0] = code.op(text, "f")
    chosen = v.choose(mask, lane.results[0], near)
    code.do(f"scf.yield {chosen} : {v.floats}\n}} else {{\nscf.yield {near} : {v.floats}\n}}")
    return result
