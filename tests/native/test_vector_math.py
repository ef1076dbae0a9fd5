"""Functions of vectors against NumPy in higher precision: many arguments, and the special ones."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from native.vector_math import FUNCTIONS
from raising.compiling import compile_module
from tests.native.running import isolated

DTYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64}
NAMES = [name.removeprefix("math.") for name in FUNCTIONS]
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 1.0, -1.0, 1e30, -1e30, 88.7, 88.8, -103.0, -87.5, -200.0,
           709.7, 709.9, -745.0, -708.5, 1e-310, 0.70710678, 1.41421356, 32768.0, 32769.0, 1073741824.0, 1e9, 1e22,
           1.5707963267948966, 3.141592653589793, 2230.530784048753, 16367173.0]  # fmt: skip
UNITS = 3.0


def _text(name: str, element: str) -> str:
    kind = f"memref<?x{element}>"
    return f"""func.func @of_{name}(%x: {kind}, %y: {kind}) {{
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%x : {kind}) outs(%y : {kind}) {{
    ^bb0(%a: {element}, %o: {element}):
    %r = math.{name} %a : {element}
    linalg.yield %r : {element} }}
  return
}}"""


def _arguments(name: str, element: str) -> np.ndarray[Any, Any]:
    rng, limit = np.random.default_rng(0), {"f32": 88.0, "f64": 709.0}[element]
    wide = np.exp(rng.uniform(-limit, limit, 60_000)) if name == "log" else rng.uniform(-limit, limit, 60_000)
    near = np.concatenate([rng.uniform(0.5, 2, 60_000), rng.uniform(-2, 2, 60_000), rng.uniform(-1e-3, 1e-3, 20_000)])
    return np.concatenate([wide, np.abs(near) if name == "log" else near, SPECIAL]).astype(DTYPES[element])


def _values(element: str) -> list[np.ndarray[Any, Any]]:
    compiled = compile_module("\n".join(_text(name, element) for name in NAMES))
    results = []
    for name in NAMES:
        x = _arguments(name, element)
        y = np.full_like(x, 7)
        compiled[f"of_{name}"](x, y)
        results.append(y)
    return results


@pytest.mark.parametrize("element", DTYPES)
def test_functions_are_right_to_three_units(element: str) -> None:
    with np.errstate(all="ignore"):
        for name, found in zip(NAMES, isolated(partial(_values, element)), strict=True):
            x = _arguments(name, element)
            exact = getattr(np, name)(x.astype(np.longdouble))
            rounded = exact.astype(x.dtype)
            same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
            gap = np.abs(found.astype(np.longdouble) - exact) / np.spacing(np.abs(rounded))
            wrong = ~same & ~(gap <= UNITS)
            assert not wrong.any(), (name, x[wrong][:5], found[wrong][:5], rounded[wrong][:5])
            zeros = rounded == 0
            assert np.array_equal(np.signbit(found[zeros]), np.signbit(rounded[zeros])), name
