"""Whole arrays read from Python do what NumPy does, with few elements and without any."""

from __future__ import annotations

import inspect
import warnings
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from raising import Compiled, compile
from raising.decorator.size_forms import evaluated, parsed
from raising.frontend.c import SourceModule, SourceParameter
from raising.frontend.python import convert
from raising.frontend.python.read_python import read_python
from raising.native.base.unsupported import CallError
from tests.frontend.core.invariants import verify
from tests.python import array_functions, array_kernels

FILES = (array_kernels, array_functions)
NAMES = {
    name: file
    for file in FILES
    for name, function in inspect.getmembers(file, inspect.isfunction)
    if function.__module__ == file.__name__ and not name.startswith("_")
}
SIZES = [(4, 5, 3), (7, 3, 2), (1, 1, 1), (2, 1, 4), (3, 4, 0), (0, 3, 2), (2, 2, 2), (5, 0, 3)]
DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64}
ASSUMED = {
    "softmax": "M >= 1: there is an element to be found",
    "ints": "N >= 1: there is an element to be found",
    "two": "K >= 1: slices end in their arrays",
    "helped": "N >= 1: no slice has a negative length",
    "loops": "N <= M + 1: slices end in their arrays",
    "bcast": "M >= 1: slices end in their arrays",
    "three": "K >= 1: slices end in their arrays",
    "rolled": "M >= 1: arrays are rolled by at most their length",
    "placed": "M >= 1: there is an element to be found",
    "newax": "M >= 1: subscripts are not negative",
    "windows": "w >= 1: a negative bound of a slice counts from the end of its array",
    "guarded": "M <= N: not len(x) < len(y): too short",
    "padded": "M >= 1: an array is long enough to be padded by 'edge'",
}


@cache
def module_of(file: ModuleType) -> SourceModule:
    """A file, read."""
    return convert(inspect.getsource(file), Path(str(file.__file__)).name)


@cache
def compiled_of(file: ModuleType) -> Compiled:
    """A file, compiled."""
    return compile(module_of(file).mlir, fp="strict", cache=False, unchecked=True)


@pytest.mark.parametrize("file", FILES)
def test_every_function_is_read(file: ModuleType) -> None:
    module = module_of(file)
    assert [str(r) for r in module.refused] == []
    assert sorted(f.name for f in module.functions) == sorted(n for n in NAMES if NAMES[n] is file)
    assert verify(read_python(inspect.getsource(file), "k.py").unit) == []


def test_what_is_assumed_is_told() -> None:
    told = [str(a) for file in FILES for a in module_of(file).assumptions]
    for name, text in ASSUMED.items():
        assert any(f"in '{name}': {text}" in line for line in told), (name, told)
    for name in ("jac", "gemm", "shift", "lu", "lu2", "apart", "layer", "chol", "f32s"):
        assert not [line for line in told if f"in '{name}'" in line and "overlap" not in line]


@pytest.mark.parametrize("name", NAMES)
def test_it_does_what_numpy_does(name: str) -> None:
    file = NAMES[name]
    compiled, function = compiled_of(file), getattr(file, name)
    parameters = next(f for f in module_of(file).functions if f.name == name).parameters
    annotations = [p.annotation for p in inspect.signature(function).parameters.values()]
    own, compared = len(annotations), 0
    for sizes in SIZES:
        known = dict(zip("NMK", sizes, strict=True)) | {p.name: 2 for p in parameters if p.shape is None}
        given = [_argument(p, known) for p in parameters]
        theirs = [_theirs(a, t) for a, t in zip(given, annotations, strict=False)]
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
                expected = _listed(function(*theirs))
        except (ValueError, IndexError):
            continue  # what NumPy gives no result for
        try:
            result = compiled[name](*given)
        except CallError:
            assert name in ASSUMED
            continue
        found = given[own:] or ([] if result is None else [result])
        assert len(found) == len(expected)
        for a, b in zip([*given[:own], *found], [*theirs, *expected], strict=True):
            assert not isinstance(a, np.ndarray) or a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-5 if np.asarray(b).dtype == np.float32 else 1e-11, atol=1e-12)
        compared += 1
    assert compared >= 4


def _argument(p: SourceParameter, sizes: dict[str, int]) -> Any:
    if p.shape is None:
        return 2 if p.element == "i64" else 1.5
    shape = [max(0, evaluated(parsed(e), sizes)) for e in p.shape]
    return (np.random.default_rng(len(p.name)).standard_normal(shape) * 3).astype(DTYPES[p.element])


def _theirs(value: Any, annotation: Any) -> Any:
    if isinstance(value, np.ndarray):
        return np.array(value)
    return annotation(value) if annotation is np.float64 else value


def _listed(found: Any) -> list[Any]:
    if found is None:
        return []
    return list(found) if isinstance(found, tuple) else [found]
