"""Columns of one array, as fields of structs are: the last one is known by the row, the others by number."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from raising.commands.compile_command import main as raise_compile
from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from tests.c.gcc import Library
from tests.native.guarded import guarded
from tests.native.running import isolated

COPIES = """
func.func @f(%b: memref<?x6xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %b[%i, 3] : memref<?x6xf64>
    affine.store %0, %b[%i, 0] : memref<?x6xf64>
    %1 = affine.load %b[%i, 4] : memref<?x6xf64>
    affine.store %1, %b[%i, 1] : memref<?x6xf64>
    %2 = affine.load %b[%i, 5] : memref<?x6xf64>
    affine.store %2, %b[%i, 2] : memref<?x6xf64>
  }
  return
}
"""


def test_a_column_is_not_taken_for_the_last_one() -> None:
    raised = raise_module(COPIES)
    assert "affine.for" not in raised.text and "raised 1 loop nest" in str(raised.remarks)


HEAD = "void f(int n, int s, double *restrict x, double *restrict y)"
STEPS = {
    "first column": ("for (int i = 0; i < n; i++) x[i * s] = 2 * y[i * s] + x[i * s];", 0),
    "third column": ("for (int i = 0; i < n; i++) x[i * s + 2] = 2 * y[i * s + 2] + x[i * s + 2];", 2),
    "steps of a size": ("for (int i = 0; i < n * s; i += s) x[i] = 2 * y[i] + x[i];", 0),
    "exchanged": (
        "for (int i = 0; i < n; i++) { double t = x[i * s]; x[i * s] = y[i * s]; y[i * s] = t; }", 0),
    "exchanged under a condition": (
        "if (s > 2) for (int i = 0; i < n; i++) { double t = x[i * s]; x[i * s] = y[i * s]; y[i * s] = t; }", 0),
}  # fmt: skip


def _on_pages(code: Path, name: str, n: int, s: int) -> None:
    """Call `f` on memory that ends behind the last element that C touches."""
    column = STEPS[name][1]
    length = (n - 1) * s + column + 1 if n else 0
    x, y = guarded(np.arange(length) + 1.0), guarded(np.arange(length) * 3.0)
    want, other = x.copy(), y.copy()
    if "exchanged" in name:
        want[column::s], other[column::s] = y[column::s], x[column::s]
    else:
        want[column::s] += 2 * y[column::s]
    Library.loaded(code).call("f", [np.int32(n), np.int32(s), x, y], copied=False)
    np.testing.assert_array_equal(x, want)
    np.testing.assert_array_equal(y, other)


@pytest.mark.parametrize("name", STEPS)
def test_what_is_behind_the_last_element_is_not_touched(name: str, tmp_path: Path) -> None:
    mlir = convert(f"{HEAD} {{ {STEPS[name][0]} }}", "k.c", COptions()).mlir
    raised = raise_module(mlir, options=RaiseOptions(check="none", cache=False))
    assert "raised 1 loop nest" in str(raised.remarks)
    (tmp_path / "k.mlir").write_text(raised.text)
    assert raise_compile([str(tmp_path / "k.mlir"), "-o", str(tmp_path / "k.so")]) == 0
    for n, s in ((0, 3), (1, 5), (2, 3), (7, 8), (1000, 3), (40, 17)):
        isolated(partial(_on_pages, tmp_path / "k.so", name, n, s))
