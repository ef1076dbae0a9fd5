"""Affine expressions of MLIR, of any bindings, over operands of any kind: numbers, spans, forms, syntax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_SIGNS = {
    "AffineAddExpr": "+",
    "AffineMulExpr": "*",
    "AffineModExpr": "mod",
    "AffineFloorDivExpr": "floordiv",
    "AffineCeilDivExpr": "ceildiv",
}


def evaluated(
    expr: Any, operand: Callable[[int], T], rank: int, number: Callable[[int], T], two: Callable[[str, T, T], T]
) -> T:
    """The value of an expression, whose operands are `rank` dimensions and the symbols behind them, by number.

    `two` is asked for what a sign makes of two values: "+", "*", "mod", "floordiv" or "ceildiv".
    """
    kind = type(expr).__name__
    if kind == "AffineConstantExpr":
        return number(int(expr.value))
    if kind in ("AffineDimExpr", "AffineSymbolExpr"):
        return operand(int(expr.position) + (rank if kind == "AffineSymbolExpr" else 0))
    left, right = (evaluated(side, operand, rank, number, two) for side in (expr.lhs, expr.rhs))
    return two(_SIGNS[kind], left, right)
