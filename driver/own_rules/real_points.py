"""Both sides of a rule at points of the real numbers: where the left one has a value, the right one has the same.

The points have both signs, and equal and whole numbers among them, where quotients, roots and logarithms end. Values
are enclosed by balls of 400 bits where the operations have them; else they are floats of 64 bits, of which only large
differences count.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from raising.eqsat.accuracy.enclose import enclosed
from raising.eqsat.accuracy.real_ops import OPS
from raising.eqsat.ruleset.algebra import FLOAT, operation, summing
from raising.eqsat.ruleset.evaluate import evaluate, float64
from raising.eqsat.ruleset.expression import Expr, Node, Number, Var, operations_in, walk
from raising.eqsat.ruleset.rule_check import Counterexample
from raising.eqsat.ruleset.table import Rule

POINTS = 200  # random ones
_FEW = 3  # variables
_BITS = 400
_LARGE, _DIFFERENCE = 1e6, 1e-6
_WHOLE = (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5)


def at_points(rule: Rule) -> str | Counterexample:
    """How many points both sides were compared at, or one where they differ; empty for sides that are no scalars."""
    nodes = operations_in(rule.left, rule.right)
    if any(n.op == "transpose" or summing(operation(n.op, FLOAT).name) for n in nodes):
        return ""
    names = tuple(dict.fromkeys(n for e in walk(rule.left) for n in _names(e)))
    left, right = _scalar(rule.left), _scalar(rule.right)
    balls = all(n.op in OPS for n in operations_in(left, right))
    rng = random.Random(rule.digest)
    good = 0
    for point in _points(names, rng):
        said = _enclosed(left, right, point) if balls else _in_floats(left, right, point)
        if isinstance(said, tuple):
            shown = tuple((n, f"{v:g}") for n, v in point.items())
            return Counterexample(rule.name, "real numbers", (), shown, *said)
        good += said
    return f"compared at {good} points of the real numbers" if good else "its left side has a value at no point tried"


def _names(expr: Expr) -> tuple[str, ...]:
    return (expr.name,) if isinstance(expr, Var) else expr.names if isinstance(expr, Number) else ()


def _scalar(expr: Expr) -> Expr:
    """An expression of one element each: its constants are variables too, and nothing is repeated."""
    if isinstance(expr, Number):
        if expr.op:
            name = {"+": "add", "-": "sub", "*": "mul", "/": "div"}[expr.op]
            return Node(name, tuple(map(_scalar, expr.args)))
        return Var(expr.name) if expr.name else expr
    if isinstance(expr, Node):
        return _scalar(expr.args[0]) if expr.op == "like" else Node(expr.op, tuple(map(_scalar, expr.args)))
    return expr


def _points(names: Sequence[str], rng: random.Random) -> Iterator[dict[str, float]]:
    """Whole numbers in all combinations, as far as these are few, and random ones."""
    for values in itertools.product(_WHOLE, repeat=len(names)) if len(names) <= _FEW else ():
        yield dict(zip(names, values, strict=True))
    for _ in range(POINTS):
        alike = rng.random() < 0.2
        first = _drawn(rng)
        yield {name: rng.choice((first, -first)) if alike else _drawn(rng) for name in names}


def _drawn(rng: random.Random) -> float:
    if rng.random() < 0.3:
        return rng.choice(_WHOLE)
    return float(rng.choice((1, 1, -1)) * rng.uniform(0.1, 4.0) * 2.0 ** rng.choice((0, 0, 0, -4, 3)))


def _enclosed(left: Expr, right: Expr, point: Mapping[str, float]) -> bool | tuple[str, str]:
    from flint import arb, ctx

    before, ctx.prec = ctx.prec, _BITS
    try:
        balls = {name: arb(value) for name, value in point.items()}
        one, other = enclosed(left, balls), enclosed(right, balls)
        if not one.is_finite():
            return False
        if not other.is_finite():
            return _ball(one), "no value"
        return True if one.overlaps(other) else (_ball(one), _ball(other))
    finally:
        ctx.prec = before


def _ball(ball: Any) -> str:
    return f"{float(ball.mid()):g}"


def _in_floats(left: Expr, right: Expr, point: Mapping[str, float]) -> bool | tuple[str, str]:
    how = float64(FLOAT)
    arrays: dict[str, Any] = {name: np.array([[np.float64(value)]], object) for name, value in point.items()}
    one, other = (float(evaluate(side, arrays, {}, how)[0, 0]) for side in (left, right))
    if not np.isfinite(one) or abs(one) > _LARGE:
        return False
    near = np.isfinite(other) and abs(one - other) <= _DIFFERENCE * max(1.0, abs(one))
    return True if near else (f"{one:g}", f"{other:g}")
