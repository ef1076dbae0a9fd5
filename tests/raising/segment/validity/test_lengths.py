"""Lengths of variable-length arrays in C are positive where a function is entered, but for the first one."""

from __future__ import annotations

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved, Refuted
from raising.validate.check import check
from tests.c.beside import guarded_and_gcc
from tests.c.gcc import Library, needs_gcc
from tests.raising.edges import module_of, raised

LAST = "void f(int n, int m, double a[{}][m], double o[n]) {{ for (int i=0;i<n;i++) for (int j=0;j<m;j++) o[i] = 7; }}"
SETS = "func.func @f(%n: i32, %m: i32, %a: memref<?x?xf64>, %o: memref<?xf64>) {{\n{}\n  return\n}}"
BODY = """  %0 = arith.index_cast %n : i32 to index
  %1 = arith.index_cast %m : i32 to index
  %c = arith.constant 7.0 : f64
  affine.for %i = 0 to %0 {
    affine.for %j = 0 to BOUND {
      affine.store %c, %o[%i] : memref<?xf64>
    }
  }"""


def test_an_inner_length_is_positive() -> None:
    result = raised(LAST.format("n"))
    assert not result.functions[0].kept and "scf.if" not in result.text and "select" not in result.text


def test_the_first_length_is_that_of_no_array() -> None:
    text = "void f(int n, int m, double a[n], double o[4]) { for (int i=0;i<n;i++) for (int j=0;j<4;j++) o[j] = 7; }"
    assert "cmpi" in raised(text).text


def test_only_the_source_says_so() -> None:
    plain, once = SETS.format(BODY.replace("BOUND", "%1")), SETS.format(BODY.replace("BOUND", "1"))
    parameters = '[["int", "n"], ["int", "m"], ["double", "a", "n", "m"], ["double", "o", "n"]]'
    told = once.replace(") {", f") attributes {{c_parameters = {parameters}}} {{", 1)
    assert isinstance(check(module_of(LAST.format("n")), once), Proved)
    assert isinstance(check(plain, once), Refuted)
    assert isinstance(check(plain, told), Refuted)


FOUND = """
void left(int n, int m, int t, double *x, double *y) { if (m < 1) return;
  for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < t; k++) s += x[i * m + k]; y[i] = s; } }
void either(int n, int m, int t, double *x, double *y) {
  if (m > 0) for (int i = 0; i < n; i++) y[i] = x[i * m]; else for (int i = 0; i < n; i++) y[i] = 7; }
void one_or_two(int n, int m, int t, double *x, double *y) {
  for (int i = 0; i < n; i++) { y[i] = m > 0 ? 1 : 2; for (int j = 0; j < t; j++) y[i] += x[i * m + j]; } }
void none(int n, int m, int t, double *x, double *y) { if (m < 1 || t < 1) { y[0] = 5; return; }
  for (int i = 0; i < n; i++) for (int j = 0; j < t; j++) y[i] += x[i * m + j]; }
void declared(int n, int m, int t, double x[n][m], double *y) { if (m < 1) return;
  for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < m; j++) y[i] += x[i][j]; } }
void chosen(int n, int m, int t, double x[n][m], double *y) {
  for (int i = 0; i < n; i++) { y[i] = m > 0 ? 1 : 2; for (int j = 0; j < m; j++) y[i] += x[i][j]; } }
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return guarded_and_gcc(FOUND, tmp_path_factory.mktemp("rows"), lambda text: raise_module(text, check="field").text)


@needs_gcc
@pytest.mark.parametrize("name", ["left", "either", "one_or_two", "none", "declared", "chosen"])
def test_rows_that_subscripts_imply_may_have_any_length(name: str, libraries: tuple[Library, Library]) -> None:
    memory = np.arange(80.0).reshape(2, 40)
    for n, m, t in ((2, -1, -3), (2, 0, 0), (2, 0, -1), (2, 1, 1), (3, 4, 2), (0, 0, 0), (2, -2, 0), (3, 2, 0)):
        sizes = [np.int32(n), np.int32(m), np.int32(t)]
        found = [library.call(name, [*sizes, *memory]) for library in libraries]
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_leading_dimension_needs_no_condition_of_its_own() -> None:
    text = """
void f(int m, int n, int k, int ld, const double *restrict A, const double *restrict B, double *restrict C) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0.0;
      for (int p = 0; p < k; p++) s += A[i * ld + p] * B[p * ld + j];
      C[i * ld + j] = 2.0 * s;
    }
}"""
    result = raise_module(convert(text, "k.c", COptions()).mlir, options=RaiseOptions(check="proof"))
    assert "linalg.matmul" in result.text and type(result.functions[0].verdict).__name__ == "Proved"
    tests = [line for line in result.text.splitlines() if "arith.cmpi" in line]
    assert all("sgt" in line or "sge" in line for line in tests), tests  # only that loops run
