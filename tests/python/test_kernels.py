"""Functions read from Python do what Python does."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raising import Compiled, compile
from raising.frontend.c import SourceModule, SourceParameter
from raising.frontend.python import convert
from tests.python import kernels

PATH = Path(kernels.__file__)
NAMES = [
    name
    for name, function in inspect.getmembers(kernels, inspect.isfunction)
    if function.__module__ == kernels.__name__ and not name.startswith("_")
]
SIZES = {"P": 6, "Q": 5, "R": 3, "S": 4, "N_": 6, "M_": 5, "K_": 3, "Z": 0}
DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
UNSIGNED = {
    "small_integers": {"x": np.uint8, "z": np.uint8},
    "bits": {"x": np.bool_, "y": np.bool_},
    "beside_negative": {"z": np.uint16},
}


@pytest.fixture(scope="module")
def module() -> SourceModule:
    """The file, read."""
    return convert(PATH.read_text(), PATH.name)


@pytest.fixture(scope="module")
def compiled(module: SourceModule) -> Compiled:
    """The file, compiled."""
    return compile(module.mlir, fp="strict", cache=False, unchecked=True)


def test_every_function_is_read(module: SourceModule) -> None:
    assert [str(r) for r in module.refused] == []
    assert sorted(f.name for f in module.functions) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_does_what_python_does(name: str, module: SourceModule, compiled: Compiled) -> None:
    parameters = next(f for f in module.functions if f.name == name).parameters
    rng = np.random.default_rng(len(name))
    given = [_argument(name, p, rng) for p in parameters]
    own = list(inspect.signature(getattr(kernels, name)).parameters)
    ours = [np.array(a) if isinstance(a, np.ndarray) else a for a in given]
    theirs = [np.array(a) if isinstance(a, np.ndarray) else a for a in given[: len(own)]]
    with np.errstate(all="ignore"):
        expected = _listed(getattr(kernels, name)(*theirs))
    found = compiled[name](*[_signed(a) for a in ours])
    results = ours[len(own) :] or ([] if found is None else [found])
    assert len(results) == len(expected)
    for a, b in zip([*ours[: len(own)], *results], [*theirs, *expected], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6 if np.asarray(b).dtype == np.float32 else 1e-14)


def _signed(value: Any) -> Any:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "ub":
        return value
    return value.view(f"i{value.itemsize}")


def _argument(name: str, p: SourceParameter, rng: np.random.Generator) -> Any:
    dtype = UNSIGNED.get(name, {}).get(p.name, DTYPES[p.element])
    if p.shape is None:
        return 4 if p.element == "i64" else dtype(0.75)
    sizes = {**SIZES, "x_0": 6, "x_1": 5, "y_0": 6, "y_1": 5}
    shape = [int(e) if e.isdecimal() else sizes[e.removesuffix("_size")] for e in p.shape]
    values = rng.standard_normal(shape) if np.dtype(dtype).kind == "f" else rng.integers(-9, 9, shape)
    return values.astype(dtype)


def _listed(found: Any) -> list[Any]:
    if found is None:
        return []
    return list(found) if isinstance(found, tuple) else [found]


_ = Callable
