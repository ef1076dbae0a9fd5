"""True values of expressions at floats, by ball arithmetic whose precision is doubled until one float is left."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from raising.eqsat.accuracy.real_ops import OPS
from raising.eqsat.ruleset.expression import Expr, Node, Number, Var

_FAR = 1200  # no float has so large an exponent, nor so small a one
_FIRST, _MOST, _MORE = 160, 4320, 3  # bits, and the factor from one precision to the next


Steps = tuple[tuple[Any, tuple[int, ...]], ...]
"""A computation, operands first: what computes each part (a name or a number for a leaf), and from which parts."""


def steps_of(exprs: Sequence[Expr]) -> tuple[Steps, dict[Expr, int]]:
    """Parts of expressions, each once, and their numbers.

    Made once for all points: an expression hashes all that is below it.
    """
    numbers: dict[Expr, int] = {}
    steps: list[tuple[Any, tuple[int, ...]]] = []

    def number(expr: Expr) -> int:
        if expr not in numbers:
            operands = tuple(map(number, expr.args)) if isinstance(expr, Node) else ()
            leaf = expr.name if isinstance(expr, Var) else expr.value if isinstance(expr, Number) else None
            steps.append((OPS[expr.op].balls if isinstance(expr, Node) else leaf, operands))
            numbers[expr] = len(steps) - 1
        return numbers[expr]

    for expr in exprs:
        number(expr)
    return tuple(steps), numbers


def balls_of(steps: Steps, point: Mapping[str, Any]) -> list[Any]:
    """The ball of each part, with the balls of variables; NaN where it has no value."""
    from flint import arb

    found: list[Any] = []
    for what, operands in steps:
        if operands:
            found.append(what(*(found[k] for k in operands)))
        else:
            found.append(point[what] if isinstance(what, str) else arb(what))
    return found


def enclosed(expr: Expr, point: Mapping[str, Any]) -> Any:
    """The ball of an expression at one point."""
    return balls_of(steps_of([expr])[0], point)[-1]


def as_float(ball: Any, kind: np.dtype[Any]) -> float | None:
    """The float that every number of a ball rounds to; NaN if there is no such number, None if there are several."""
    if not ball.is_finite():
        return float("nan") if ball.is_nan() else None
    low, high = _rounded(ball.lower(), kind), _rounded(ball.upper(), kind)
    return low if low == high else None


def _rounded(ball: Any, kind: np.dtype[Any]) -> float:
    """The float nearest to a ball that is one binary number."""
    mantissa, exponent = ball.mid().man_exp()
    number, shift = int(mantissa), int(exponent)
    size = number.bit_length() + (shift if abs(shift) < 1 << 20 else int(math.copysign(1 << 20, shift)))
    if number and size > _FAR:
        return math.inf if number > 0 else -math.inf
    if size < -_FAR:
        return -0.0 if number < 0 else 0.0
    excess = number.bit_length() - (np.finfo(kind).nmant + 1)
    lowest = int(np.finfo(kind).minexp) - int(np.finfo(kind).nmant)
    drop = max(excess, lowest - shift)
    if drop > 0:  # round to even here: what is left fits
        sign, number = (-1 if number < 0 else 1), abs(number)
        half = 1 << (drop - 1)
        rest, number = number & ((1 << drop) - 1), number >> drop
        number += rest > half or (rest == half and number & 1)
        number, shift = sign * number, shift + drop
    try:
        value = float(number) * 2.0**shift if -1000 < shift < 900 else math.ldexp(float(number), shift)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
    with np.errstate(over="ignore"):
        return float(kind.type(value))


def true_and_bits(expr: Expr, point: Mapping[str, float], kind: np.dtype[Any], steps: Steps = ()) -> tuple[float, int]:
    """The float nearest to the true value at a point, NaN where there is none; and the precision that this took.

    `steps` are those of the expression, where many points are asked for.
    """
    from flint import arb, ctx

    steps = steps or steps_of([expr])[0]
    before = ctx.prec
    bits = _FIRST
    try:
        while bits <= _MOST:
            ctx.prec = bits
            value = as_float(balls_of(steps, {n: arb(v) for n, v in point.items()})[-1], kind)
            if value is not None and not np.isnan(value):
                return (value if np.isfinite(value) else float("nan")), bits
            bits *= _MORE
    finally:
        ctx.prec = before
    return float("nan"), bits
