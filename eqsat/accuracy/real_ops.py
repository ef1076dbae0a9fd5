"""Operations on real numbers: as floats, as balls, and as operations of MLIR."""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import Any

import numpy as np

from raising.affine.ir.real_functions import REALS
from raising.support.record import dataclass


@dataclass(frozen=True)
class RealOp:
    """An operation: its name in MLIR, on arrays of floats, on balls (NaN where it has no value), and its cost."""

    mlir: str
    floats: Callable[..., Any]
    balls: Callable[..., Any]
    cost: float = 8.0


_BALLS: dict[str, Callable[..., Any]] = {
    "absf": abs,
    "cbrt": lambda x: -((-x).root(3)) if x < 0 else x.root(3),
    "atan2": lambda y, x: type(y).atan2(y, x),
    "powf": lambda x, y: x**y,
}
_COSTS = {"absf": 0.5, "sqrt": 2.0}

OPS: dict[str, RealOp] = {
    "add": RealOp("arith.addf", np.add, lambda x, y: x + y, 1.0),
    "sub": RealOp("arith.subf", np.subtract, lambda x, y: x - y, 1.0),
    "mul": RealOp("arith.mulf", np.multiply, lambda x, y: x * y, 1.0),
    "div": RealOp("arith.divf", np.divide, lambda x, y: x / y, 2.0),
    "neg": RealOp("arith.negf", np.negative, lambda x: -x, 0.5),
    **{
        row.short: RealOp(
            row.op, row.on_arrays, _BALLS.get(row.short, methodcaller(row.short)), _COSTS.get(row.short, 8.0)
        )
        for row in REALS.values()
        if row.ball or row.short in _BALLS
    },
}
BY_MLIR = {op.mlir: name for name, op in OPS.items()}
