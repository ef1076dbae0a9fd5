"""Operations on real numbers: as floats, as balls, and as operations of MLIR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from raising.support.record import dataclass


@dataclass(frozen=True)
class RealOp:
    """An operation: its name in MLIR, on arrays of floats, on balls (NaN where it has no value), and its cost."""

    mlir: str
    floats: Callable[..., Any]
    balls: Callable[..., Any]
    cost: float = 8.0


def _cube_root(x: Any) -> Any:
    return -((-x).root(3)) if x < 0 else x.root(3)


def _power(x: Any, y: Any) -> Any:
    return x**y


OPS: dict[str, RealOp] = {
    "add": RealOp("arith.addf", np.add, lambda x, y: x + y, 1.0),
    "sub": RealOp("arith.subf", np.subtract, lambda x, y: x - y, 1.0),
    "mul": RealOp("arith.mulf", np.multiply, lambda x, y: x * y, 1.0),
    "div": RealOp("arith.divf", np.divide, lambda x, y: x / y, 2.0),
    "neg": RealOp("arith.negf", np.negative, lambda x: -x, 0.5),
    "absf": RealOp("math.absf", np.abs, abs, 0.5),
    "sqrt": RealOp("math.sqrt", np.sqrt, lambda x: x.sqrt(), 2.0),
    "cbrt": RealOp("math.cbrt", np.cbrt, _cube_root),
    "exp": RealOp("math.exp", np.exp, lambda x: x.exp()),
    "expm1": RealOp("math.expm1", np.expm1, lambda x: x.expm1()),
    "log": RealOp("math.log", np.log, lambda x: x.log()),
    "log1p": RealOp("math.log1p", np.log1p, lambda x: x.log1p()),
    "sin": RealOp("math.sin", np.sin, lambda x: x.sin()),
    "cos": RealOp("math.cos", np.cos, lambda x: x.cos()),
    "tan": RealOp("math.tan", np.tan, lambda x: x.tan()),
    "atan": RealOp("math.atan", np.arctan, lambda x: x.atan()),
    "atan2": RealOp("math.atan2", np.arctan2, lambda y, x: type(y).atan2(y, x)),
    "sinh": RealOp("math.sinh", np.sinh, lambda x: x.sinh()),
    "cosh": RealOp("math.cosh", np.cosh, lambda x: x.cosh()),
    "tanh": RealOp("math.tanh", np.tanh, lambda x: x.tanh()),
    "atanh": RealOp("math.atanh", np.arctanh, lambda x: x.atanh()),
    "powf": RealOp("math.powf", np.power, _power),
}
BY_MLIR = {op.mlir: name for name, op in OPS.items()}
