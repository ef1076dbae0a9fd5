"""Loops in which each element needs the one before it, on vectors."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from raising.compile_module import compile_module
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.native.running import called, isolated, plainly_compiled

ROWS, COLUMNS = 5, 83
TYPES = {"f32": np.float32, "f64": np.float64}


def _program(body: str, element: str = "f32") -> str:
    """For each row i but the first: for j from %low to below %high, `body` makes %r of A and B; to A[i][j]."""
    text = f"""func.func @f(%A: memref<{ROWS}x{COLUMNS}xf32>, %B: memref<{ROWS}x{COLUMNS}xf32>,
  %low: index, %high: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = arith.constant {ROWS} : index
  scf.for %i = %c1 to %rows step %c1 {{
    scf.for %j = %low to %high step %c1 {{
      %up = arith.subi %i, %c1 : index
      %one = arith.subi %j, %c1 : index
      %two = arith.subi %j, %c2 : index
      %next = arith.addi %j, %c1 : index
      %y = memref.load %A[%i, %one] : memref<{ROWS}x{COLUMNS}xf32>
      %b = memref.load %B[%i, %j] : memref<{ROWS}x{COLUMNS}xf32>
      {body}
      memref.store %r, %A[%i, %j] : memref<{ROWS}x{COLUMNS}xf32>
    }}
  }}
  return
}}"""
    return text.replace("f32", element)


def _load(name: str, where: str) -> str:
    return f"%{name} = memref.load {where} : memref<{ROWS}x{COLUMNS}xf32>"


def _weighted(weight: str) -> str:
    return f"%w = arith.constant {weight} : f32\n%p = arith.mulf %w, %y : f32\n%r = arith.addf %p, %b : f32"


SEIDEL = "\n".join([
    _load("n", "%A[%up, %next]"),
    _load("o", "%A[%i, %j]"),
    _load("e", "%A[%i, %next]"),
    "%w = arith.constant 3.0 : f32",
    "%s0 = arith.addf %n, %y : f32",
    "%s1 = arith.addf %s0, %o : f32",
    "%s2 = arith.subf %b, %s1 : f32",
    "%s3 = arith.addf %s2, %e : f32",
    "%r = arith.divf %s3, %w : f32",
])  # fmt: skip
TAKEN = {
    "half": _weighted("0.5"),
    "sum": "%r = arith.addf %b, %y : f32",
    "alternating": "%r = arith.subf %b, %y : f32",
    "negated": "%n = arith.negf %y : f32\n%r = arith.addf %n, %b : f32",
    "twice": "%w = arith.constant 0.25 : f32\n%s = arith.addf %y, %b : f32\n%u = arith.addf %s, %y : f32\n"
    "%r = arith.mulf %u, %w : f32",
    "neighbours": SEIDEL,
    "place": "%w = arith.constant -0.75 : f32\n%p = arith.mulf %w, %y : f32\n%k = arith.index_cast %j : index to i32\n"
    "%x = arith.sitofp %k : i32 to f32\n%r = arith.addf %p, %x : f32",
}
TAKEN |= {
    "greatest": "%r = arith.maximumf %b, %y : f32",
    "two before": _load("z", "%A[%i, %two]") + "\n%s = arith.addf %y, %z : f32\n%w = arith.constant 0.4 : f32\n"
    "%t = arith.mulf %s, %w : f32\n%r = arith.addf %t, %b : f32",
}
LEFT = {
    "two before only": _load("z", "%A[%i, %two]") + "\n%w = arith.constant 0.4 : f32\n%r = arith.mulf %z, %w : f32",
    "tiny": _weighted("1.0e-30"),
    "growing": _weighted("1.5"),
    "weighted by data": "%p = arith.mulf %b, %y : f32\n%r = arith.addf %p, %b : f32",
    "square": "%w = arith.constant 0.1 : f32\n%p = arith.mulf %y, %y : f32\n%r = arith.mulf %p, %w : f32",
    "inverse": "%w = arith.constant 2.0 : f32\n%s = arith.addf %y, %w : f32\n%r = arith.divf %b, %s : f32",
    "other row": _load("z", "%A[%low, %one]") + "\n%w = arith.constant 0.4 : f32\n"
    "%s = arith.addf %y, %z : f32\n%r = arith.mulf %s, %w : f32",
}


RANGES = ((2, 82), (1, 17), (1, 66), (3, 12), (4, 2))


def _results(text: str, element: str, plain: bool) -> list[np.ndarray[Any, Any]]:
    """A after a call for each range of columns; with `plain`, by loops that nothing was done to."""
    compiled = plainly_compiled(text) if plain else compile_module(text, cache=False)
    found = []
    for low, high in RANGES if "%two]" not in text else RANGES[:1] + RANGES[3:]:
        random = np.random.default_rng(high)
        A, B = (random.uniform(0.5, 1.5, (ROWS, COLUMNS)).astype(TYPES[element]) for _ in range(2))
        compiled(A, B, low, high)
        found.append(A)
    return found


def _vectors(text: str, fp: str = "reassoc") -> bool:
    return "vector." in build(text.encode(), "f.mlir", CompileOptions(fp=fp)).mlir


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("element", TYPES)
def test_recurrence_of_first_order_runs_on_vectors(name: str, element: str) -> None:
    text = _program(TAKEN[name], element)
    assert _vectors(text)
    ours, plain = (isolated(partial(_results, text, element, way)) for way in (False, True))
    small = {"f32": 1e-5, "f64": 1e-13}[element]
    for one, other in zip(ours, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=small, atol=10 * small)


@pytest.mark.parametrize("name", LEFT)
def test_other_loops_stay(name: str) -> None:
    """Weights whose powers grow or vanish, or that data decide; what is not linear; what comes from further back."""
    assert not _vectors(_program(LEFT[name]))


NAMED = {
    "weight": "%p = arith.mulf %w, %y : f32\n%r = arith.addf %p, %b : f32",
    "taken away": "%p = arith.mulf %y, %w : f32\n%r = arith.subf %b, %p : f32",
    "half of it": "%h = arith.constant 0.5 : f32\n%p = arith.mulf %w, %y : f32\n%q = arith.addf %p, %b : f32\n"
    "%r = arith.mulf %q, %h : f32",
    "squared": "%p = arith.mulf %w, %y : f32\n%q = arith.mulf %p, %w : f32\n%r = arith.addf %q, %b : f32",
    "both ways": "%p = arith.mulf %w, %y : f32\n%q = arith.addf %p, %b : f32\n%t = arith.mulf %y, %w : f32\n"
    "%h = arith.constant 0.25 : f32\n%u = arith.mulf %t, %h : f32\n%r = arith.addf %q, %u : f32",
}
WEIGHTS = (0.5, -0.75, 1.0, -1.0, 1.25, 0.0, 1e-30, -1e-300, np.inf, np.nan)


def _named_results(text: str, element: str, plain: bool) -> list[np.ndarray[Any, Any]]:
    compiled = plainly_compiled(text) if plain else compile_module(text, cache=False)
    found, random = [], np.random.default_rng(3)
    for low, high in RANGES:
        for weight in WEIGHTS:
            A, B = (random.uniform(0.5, 1.5, (ROWS, COLUMNS)).astype(TYPES[element]) for _ in range(2))
            compiled(A, B, low, high, TYPES[element](weight))
            found.append(A)
    return found


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("element", TYPES)
def test_a_weight_that_is_an_argument_is_looked_at_when_it_is_known(name: str, element: str) -> None:
    text = _program(NAMED[name], element).replace("%high: index)", f"%high: index, %w: {element})")
    assert _vectors(text)
    ours, plain = (isolated(partial(_named_results, text, element, way)) for way in (False, True))
    small = {"f32": 1e-5, "f64": 1e-13}[element]
    for one, other in zip(ours, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=small, atol=10 * small)


def test_strict_arithmetic_keeps_the_order_of_sums() -> None:
    assert not _vectors(_program(TAKEN["half"]), fp="strict")


def test_infinity_and_nan_go_no_way_back() -> None:
    text = _program(_weighted("0.5"))
    A, B = np.ones((2, ROWS, COLUMNS), np.float32)
    B[2, 21], B[3, 37] = np.inf, np.nan
    (found, *_) = called(text, [A, B, 1, COLUMNS])
    assert np.isfinite(found[2, :21]).all() and np.isposinf(found[2, 21:]).all()
    assert np.isfinite(found[3, :37]).all() and np.isnan(found[3, 37:]).all()
    assert np.isfinite(found[[0, 1, 4]]).all()
