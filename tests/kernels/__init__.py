"""The PolyBench kernels the tests raise: `*.mlir` at LARGE sizes, `kernel()` at any size."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.kernels.emit import emit
from tests.kernels.execute import Value, random_values
from tests.kernels.printing import Style, parameters
from tests.kernels.recurrences import LINEAR, PATHS
from tests.kernels.sources import SOURCES
from tests.kernels.stencils import STENCILS

FOLDER = Path(__file__).parent
ISSUE_KERNELS = (
    "2mm",
    "3mm",
    "atax",
    "bicg",
    "covariance",
    "doitgen",
    "gemm",
    "gemver",
    "gesummv",
    "mvt",
    "syrk",
)
"""Raised whole, with no loop left; the other four of SOURCES come later."""
SEQUENTIAL = LINEAR | PATHS | STENCILS
"""The kernels of which a loop stays."""
EVERY = SOURCES | SEQUENTIAL
FACTORED = ("cholesky", "lu", "ludcmp", "trisolv")
"""Kernels that divide by a diagonal."""
SMALL = {"NI": 4, "NJ": 5, "NK": 6, "NL": 7, "NM": 8, "M": 5, "N": 7, "NR": 3, "NQ": 4, "NP": 5}
SMALL |= {"T": 6, "NX": 8, "NY": 9, "W": 9, "H": 8}
"""Small distinct extents: for running a kernel rather than reading it."""


def small(name: str) -> dict[str, int]:
    """Small sizes for a kernel."""
    return {size: SMALL[size] for size in EVERY[name].large}


def kernel(name: str, sizes: Mapping[str, int] | None = None, dtype: str = "f64") -> str:
    """Return a kernel as affine MLIR: PolyBench's LARGE sizes in f64 unless told otherwise."""
    source = EVERY[name]
    return emit(source.tree(), sizes or source.large, Style(dtype=dtype))


def symbol(name: str) -> str:
    """The name of a kernel's function."""
    return EVERY[name].tree().name


def resize(text: str, sizes: Mapping[int, int]) -> str:
    """Put other extents into a text, all at once: `{1000: 4}` makes `1000x1000xf64` `4x4xf64`."""
    found = "|".join(map(str, sizes))
    return re.sub(rf"(?<![\w.])(?:{found})\b|(?<=[<x\s])(?:{found})(?=x)", lambda m: str(sizes[int(m[0])]), text)


def committed(name: str) -> str:
    """Return what `tests/kernels/NAME.mlir` must hold."""
    sizes = ", ".join(f"{size} = {value}" for size, value in EVERY[name].large.items())
    note = f"// {name} of PolyBench/C 4.2.1, LARGE: {sizes}\n"
    return f"// Made by `python -m tests.kernels`.\n{note}\n{kernel(name)}"


def arguments(name: str, sizes: Mapping[str, int], dtype: str = "f64", seed: int = 0) -> list[Value]:
    """Make a kernel's arguments, in order."""
    random = np.random.default_rng(seed)
    long = {"f64": "float64", "f32": "float32"}[dtype]
    shapes = [tuple(sizes[extent] for extent in extents) for _, extents in parameters(EVERY[name].tree())]
    values = [random_values(random, shape, long) for shape in shapes]
    found = [value if shape else abs(value[()]) + 2 for value, shape in zip(values, shapes, strict=True)]
    return [_heavy(v) if name in FACTORED and v.ndim == 2 else v for v in found]


def _heavy(matrix: Value) -> Value:
    """A matrix with a heavy diagonal, so that no pivot is near zero."""
    rows, columns = matrix.shape
    return np.asarray(matrix + 4 * rows * np.eye(rows, columns, dtype=matrix.dtype), matrix.dtype)
