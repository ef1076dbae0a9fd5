"""Functions of vectors: how they are written in MLIR and in C, their usual arguments, and exact values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
DTYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class Case:
    """A function: lines of MLIR from %a (and %b) to %r, C of x[i] (and z[i]), the range, the exact value.

    In C, `F` behind a name stands for what the name of the function for `float` ends with.
    """

    name: str
    mlir: str
    c: str
    low: float
    high: float
    exact: Callable[..., Array]
    binary: bool = False
    spread: bool = False

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arrays it reads."""
        return ("x", "z") if self.binary else ("x",)


def _unary(name: str, low: float, high: float, exact: Callable[..., Array], c: str = "", spread: bool = False) -> Case:
    return Case(name, f"%r = math.{name} %a : E", f"{c or name}F(x[i])", low, high, exact, spread=spread)


def _series(x: Array) -> Array:
    """erf by a series of positive terms (Abramowitz and Stegun 7.1.6)."""
    wide = np.minimum(np.abs(x), np.longdouble(7))
    term = total = wide.copy()
    for k in range(1, 160):
        term = term * 2 * wide * wide / (2 * k + 1)
        total = total + term
    scale = 2 / np.sqrt(np.longdouble("3.14159265358979323846264338327950288"))
    return np.copysign(np.where(np.abs(x) >= 7, 1, scale * np.exp(-wide * wide) * total), x)


def _fraction(x: Array) -> Array:
    """erfc: 1 - erf below 2, a continued fraction above (Abramowitz and Stegun 7.1.14)."""
    wide = np.maximum(x, np.longdouble(2))
    depth = wide.copy()
    for k in range(150, 0, -1):
        depth = wide + np.longdouble(k) / 2 / depth
    far = np.exp(-wide * wide) / depth / np.sqrt(np.longdouble("3.14159265358979323846264338327950288"))
    return np.where(x < 2, 1 - _series(x), far)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


_SIGMOID = """%n = arith.negf %a : E
    %e = math.exp %n : E
    %one = arith.constant 1.0 : E
    %s = arith.addf %e, %one : E
    %r = arith.divf %one, %s : E"""
_CHAIN = """%s = math.sin %a : E
    %e = math.exp %s : E
    %m = arith.mulf %a, %a : E
    %h = math.tanh %m : E
    %d = arith.addf %e, %h : E
    %one = arith.constant 1.0 : E
    %t = arith.addf %d, %one : E
    %r = math.log %t : E"""

CASES = [
    _unary("exp", -80, 80, np.exp),
    _unary("log", 1e-30, 1e30, np.log, spread=True),
    _unary("sin", -10, 10, np.sin),
    _unary("cos", -10, 10, np.cos),
    _unary("tan", -10, 10, np.tan),
    _unary("tanh", -9, 9, np.tanh),
    _unary("sqrt", 0, 1e6, np.sqrt),
    Case("pow", "%r = math.powf %a, %b : E", "powF(x[i], z[i])", 0.01, 10, np.power, binary=True),
    _unary("erf", -4, 4, _series),
    _unary("erfc", -4, 9, _fraction),
    _unary("exp2", -100, 100, np.exp2),
    _unary("expm1", -10, 10, np.expm1),
    _unary("log2", 1e-30, 1e30, np.log2, spread=True),
    _unary("log10", 1e-30, 1e30, np.log10, spread=True),
    _unary("log1p", -0.9, 100, np.log1p),
    _unary("atan", -10, 10, np.arctan),
    _unary("asin", -1, 1, np.arcsin),
    _unary("acos", -1, 1, np.arccos),
    _unary("sinh", -10, 10, np.sinh),
    _unary("cosh", -10, 10, np.cosh),
    _unary("asinh", -100, 100, np.arcsinh),
    _unary("acosh", 1, 100, np.arccosh),
    _unary("atanh", -1, 1, np.arctanh),
    _unary("cbrt", -1e6, 1e6, np.cbrt),
    Case("atan2", "%r = math.atan2 %a, %b : E", "atan2F(x[i], z[i])", -10, 10, np.arctan2, binary=True),
    Case("sigmoid", _SIGMOID, "1 / (1 + expF(-x[i]))", -20, 20, _sigmoid),
    Case(
        "chain",
        _CHAIN,
        "logF(expF(sinF(x[i])) + tanhF(x[i] * x[i]) + 1)",
        -10,
        10,
        lambda x: np.log(np.exp(np.sin(x)) + np.tanh(x * x) + 1),
    ),
]


def text(case: Case, element: str) -> str:
    """The function on whole arrays in MLIR, with the name `of_NAME_ELEMENT`."""
    kind, count = f"memref<?x{element}>", len(case.inputs)
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (count + 1))
    names = ", ".join(f"%{name}" for name in case.inputs)
    types = ", ".join([kind] * count)
    heads = ", ".join(f"%{name}: {kind}" for name in (*case.inputs, "y"))
    scalars = ", ".join(f"%{name}: {element}" for name in ("a", "b")[:count])
    body = re.sub(r"\bE\b", element, case.mlir)
    return f"""func.func @of_{case.name}_{element}({heads}) {{
  linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
    ins({names} : {types}) outs(%y : {kind}) {{
    ^bb0({scalars}, %o: {element}):
    {body}
    linalg.yield %r : {element} }}
  return
}}"""


def arguments(case: Case, element: str, size: int) -> list[Array]:
    """Random arguments from the range: by their logarithms where it spans many powers of ten."""
    rng = np.random.default_rng(7)
    ends = (math.log(case.low), math.log(case.high)) if case.spread else (case.low, case.high)
    found = [rng.uniform(*ends, size)] + ([rng.uniform(-10, 10, size)] if case.binary else [])
    return [(np.exp(each) if case.spread else each).astype(DTYPES[element]) for each in found]


def units(exact: Array, found: Array) -> Array:
    """How far results are from exact values, in units in the last place of the result; 0 for both NaN or equal."""
    rounded = exact.astype(found.dtype)
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    with np.errstate(all="ignore"):
        gap = np.abs(found.astype(np.longdouble) - exact) / np.spacing(np.abs(rounded)).astype(np.longdouble)
    return np.where(same, np.minimum(np.nan_to_num(gap, nan=0.0, posinf=0.0), 0.5), np.nan_to_num(gap, nan=np.inf))


def errors(case: Case, inputs: list[Array], found: Array) -> float:
    """The largest error over the first arguments, in units in the last place."""
    some = slice(0, 100_000)
    with np.errstate(all="ignore"):
        exact = case.exact(*(each[some].astype(np.longdouble) for each in inputs))
        return float(units(exact, found[some]).max())
