"""Runs a program beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.bench.programs import dense, graphs, layers, physics, signals, solvers, stencils  # noqa: F401 (they register)
from tests.bench.programs.register import PROGRAMS, Program

TOLERANCE = {"float32": 2e-4, "float64": 1e-9}


def difference(program: Program, other: Callable[..., Any], size: int) -> str:
    """What is not the same as in NumPy, of the results and of the arguments afterwards; empty if all is."""
    mine, theirs = program.arguments(size), program.arguments(size)
    found, wanted = other(*mine), program.function(*theirs)
    single = any(getattr(a, "dtype", None) == np.float32 for a in mine)
    pairs = [*zip(_flat(found), _flat(wanted), strict=True), *zip(mine, theirs, strict=True)]
    for number, (a, b) in enumerate(pairs):
        if isinstance(b, np.ndarray | np.generic | float | int):
            told = _unequal(np.asarray(a), np.asarray(b), single)
            if told:
                return f"value {number}: {told}"
    return ""


def _flat(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def _unequal(a: Any, b: Any, single: bool) -> str:
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
    if b.dtype.kind != "f":
        return "" if np.array_equal(a, b) else "other numbers"
    same = np.isfinite(b)
    if not np.array_equal(a[~same], b[~same], equal_nan=True) or not np.all(np.isfinite(a[same])):
        return "other numbers are infinite, or none"
    scale = max(1.0, float(np.max(np.abs(b[same]), initial=0.0)))
    worst = float(np.max(np.abs(a[same] - b[same]), initial=0.0)) / scale
    return "" if worst <= TOLERANCE["float32" if single else "float64"] else f"differs by {worst:.2g}"


__all__ = ["PROGRAMS", "difference"]
