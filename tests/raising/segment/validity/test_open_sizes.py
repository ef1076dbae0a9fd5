"""Functions of C whose sizes are parameters: raised, and equal at sizes where loops are empty as well."""

from __future__ import annotations

import numpy as np
import pytest

from raising import compile
from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved

FUNCTIONS = {
    "a stencil in time": """
        void f(int t, int n, double A[n][n], double B[n][n]) {
          for (int s = 0; s < t; s++) {
            for (int i = 1; i < n - 1; i++)
              for (int j = 1; j < n - 1; j++) B[i][j] = A[i][j] + A[i][j-1] + A[i-1][j];
            for (int i = 1; i < n - 1; i++)
              for (int j = 1; j < n - 1; j++) A[i][j] = B[i][j] + B[i][j+1] + B[i+1][j];
          }
        }""",
    "a stencil on pointers": """
        void f(int t, int n, double *A, double *B) {
          for (int i = 1; i < t - 1; i++)
            for (int j = 1; j < n - 1; j++) B[i*n+j] = A[i*n+j] + A[i*n+j-1] + A[(i-1)*n+j];
        }""",
    "a product": """
        void f(int t, int n, double A[t][n], double B[n][n]) {
          for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
              for (int k = 0; k < t; k++) B[i][j] += A[k][i] * A[k][j];
        }""",
}


@pytest.mark.parametrize("text", FUNCTIONS.values(), ids=FUNCTIONS)
def test_it_is_raised_and_equal_at_every_size(text: str) -> None:
    module = convert(text, "f.c", COptions()).mlir
    result = raise_module(module, file="f.c", options=RaiseOptions(check="proof", cache=False))
    (report,) = result.functions
    assert not report.kept
    assert isinstance(report.verdict, Proved)
    raised, loops = (compile(m, cache=False)["f"] for m in (result.text, module))
    random = np.random.default_rng(0)
    for t, n in ((0, 0), (1, 1), (2, 1), (1, 2), (3, 2), (2, 3), (5, 7)):
        rows = n if "A[n][n]" in text else t
        given = random.normal(size=(rows, n)), random.normal(size=(n, n) if "B[n]" in text else (rows, n))
        found = []
        for function in (raised, loops):
            arrays = [a.copy() for a in given]
            function(t, n, *arrays)
            found.append(arrays)
        for a, b in zip(*found, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def test_a_target_that_needs_constant_sizes_says_which_is_none() -> None:
    module = convert(FUNCTIONS["a product"], "f.c", COptions()).mlir
    result = raise_module(module, file="f.c", options=RaiseOptions(target="stablehlo", check="none", cache=False))
    assert [r.kind for r in result.remarks] == ["kept"]
    assert "its sizes have to be constant, and 't' is not" in result.remarks[0].why
