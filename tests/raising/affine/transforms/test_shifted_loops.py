"""Loops that count from the diagonal (`A[i + k + 1]` for k below n - i - 1, a slice `A[i + 1:]`) read like others."""

import numpy as np
import pytest

import raising
from raising.affine.ir.program import Loop, Program, walk
from raising.affine.transforms.loop_shifting import shifted
from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved
from raising.validate.native.foreign_call import Compiled
from tests.affine.reading import interpreted, segment

TRIANGLE = """
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to affine_map<(i) -> (9 - i)>(%i) {
      %a = affine.load %x[%i + %k + 1] : memref<10xf64>
      %b = affine.load %y[%i] : memref<10xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %y[%i] : memref<10xf64>
    }
  }"""
WINDOW = """
  affine.for %i = 0 to 8 {
    affine.for %k = 0 to 3 {
      %a = affine.load %x[%i + %k] : memref<10xf64>
      %b = affine.load %y[%i] : memref<10xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %y[%i] : memref<10xf64>
    }
  }"""
TWO_DISTANCES = TRIANGLE.replace("%y[%i]", "%y[%k]")
INSIDE = """
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to affine_map<(i) -> (10 - i)>(%i) {
      affine.for %l = 0 to affine_map<(i, k) -> (10 - i - k)>(%i, %k) {
        %a = affine.load %x[%i + %k + %l] : memref<10xf64>
        affine.store %a, %y[%i] : memref<10xf64>
      }
    }
  }"""


def _bounds(program: Program) -> list[str]:
    return [f"{n.lower[0]}..{n.upper[0]}" for n in walk(program.body) if isinstance(n, Loop)]


@pytest.mark.parametrize("body", [TRIANGLE, WINDOW, TWO_DISTANCES, INSIDE])
def test_what_is_computed_stays(body: str) -> None:
    program = segment(body).program
    given = {name: np.arange(1.0, 11) * (k + 1) for k, name in enumerate(sorted(program.arrays))}
    before, after = interpreted(program, {}, given), interpreted(shifted(program), {}, given)
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_a_triangle_counts_from_its_diagonal_and_a_window_stays() -> None:
    program = segment(TRIANGLE).program
    outer = next(n.iv for n in walk(program.body) if isinstance(n, Loop))
    assert _bounds(shifted(program)) == ["0..10", f"{outer} + 1..10"]
    for body in (WINDOW, TWO_DISTANCES):
        program = segment(body).program
        assert shifted(program) is program


PRODUCT = """void f(int n, int m, double A[n][n], double B[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < n - i - 1; k++) s += A[k + i + 1][i] * B[k + i + 1][j];
      B[i][j] += s;
    }
}"""


def test_a_product_with_a_triangle_is_one_operation_and_is_run() -> None:
    result = raise_module(convert(PRODUCT, "k.c", COptions()).mlir)
    (report,) = result.functions
    assert isinstance(report.verdict, Proved) and "linalg.matmul" in result.text and "affine.for" not in result.text
    assert "17x17" in report.verdict.tested.native.sizes  # the subscripts are known to stay inside of 17 rows
    compiled, rng = Compiled(result.text, "f"), np.random.default_rng(1)
    for n, m in ((1, 1), (1, 4), (2, 1), (7, 5)):
        a, b = rng.random((n, n)), rng.random((n, m))
        wanted = b + np.triu(a.T, 1) @ b
        compiled.call([n, m, a, b])
        np.testing.assert_allclose(b, wanted, rtol=1e-13)


OPEN = """func.func @f(%A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %B, %c0 : memref<?x?xf64>
  %m = memref.dim %B, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = affine_map<(i) -> (i + 1)>(%i) to %n {
        %a = affine.load %A[%k, %i] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = arith.mulf %a, %b : f64
        %d = affine.load %B[%i, %j] : memref<?x?xf64>
        %e = arith.addf %c, %d : f64
        affine.store %e, %B[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}"""


@pytest.fixture(scope="module")
def product() -> str:
    result = raise_module(OPEN)
    (report,) = result.functions
    assert isinstance(report.verdict, Proved) and "linalg.matmul" in result.text and "arith.cmpi sge" in result.text
    assert "arith.cmpi eq" not in result.text  # not only where there is nothing to do
    return result.text


@pytest.mark.parametrize("columns", [-1, 0, 3])
@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_a_triangle_of_open_extents_is_a_product_where_the_array_has_its_last_column(
    product: str, n: int, columns: int
) -> None:
    """The loops never read the last column: an array without it is as good to them, and only to them."""
    rng = np.random.default_rng(n)
    a, b = rng.random((n, max(n + columns, 0))), rng.random((n, 4))
    wide = np.zeros((n, n))
    wide[:, : a.shape[1]] = a[:, :n]
    wanted = b + np.triu(wide.T, 1) @ b
    Compiled(product, "f").call([a, b])
    np.testing.assert_allclose(b, wanted, rtol=1e-13)


def triangle(A, B):  # as NumPy's users write it
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])


def test_slices_of_a_triangle_are_one_product() -> None:
    fast, rng = raising.jit(triangle), np.random.default_rng(2)
    for n, m in ((7, 8), (1, 3), (0, 2), (2, 0), (40, 5)):
        a, b = rng.random((n, n)), rng.random((n, m))
        wanted = b + np.triu(a.T, 1) @ b
        fast(a, b)
        np.testing.assert_allclose(b, wanted, rtol=1e-12)
    (kind,) = fast.inspect().kinds
    raised = dict(kind.sections())["raised program"]
    assert "linalg.matmul" in raised and "arith.cmpi eq" not in raised  # not only where there is nothing to do
