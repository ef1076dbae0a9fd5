"""Loops in odd directions and over borders raise whole: what is asked is what the source computes, not how it walks."""

from __future__ import annotations

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved, Tested
from tests.raising.algebra import kinds, loops
from tests.raising.running import execute

CASES = {
    "a quarter turn": (
        "void f(float a[8][9], float b[9][8]) {"
        " for (int i = 0; i < 8; i++) for (int j = 0; j < 9; j++) b[8 - j][i] = a[i][j]; }",
        {},
        ((8, 9), (9, 8)),
    ),
    "half a turn": (
        "void f(float a[8][9], float b[8][9]) {"
        " for (int i = 0; i < 8; i++) for (int j = 0; j < 9; j++) b[7 - i][8 - j] = a[i][j]; }",
        {},
        ((8, 9), (8, 9)),
    ),
    "a Toeplitz product": (
        "void f(float t[15], float x[8], float y[8]) { for (int i = 0; i < 8; i++) {"
        " float s = 0; for (int j = 0; j < 8; j++) s += t[i - j + 7] * x[j]; y[i] = s; } }",
        {"contraction 2": 1},
        ((15,), (8,), (8,)),
    ),
    "a lower triangular Toeplitz product": (
        "void f(float t[8], float x[8], float y[8]) { for (int i = 0; i < 8; i++) {"
        " float s = 0; for (int j = 0; j <= i; j++) s += t[i - j] * x[j]; y[i] = s; } }",
        {"contraction 2": 1},
        ((8,), (8,), (8,)),
    ),
    "an upper left triangular Hankel product": (
        "void f(float h[8], float x[8], float y[8]) { for (int i = 0; i < 8; i++) {"
        " float s = 0; for (int j = 0; j < 8 - i; j++) s += h[i + j] * x[j]; y[i] = s; } }",
        {"contraction 2": 1},
        ((8,), (8,), (8,)),
    ),
    "an upper Gram matrix from the end": (
        "void f(short a[10][12], int g[12][12]) { for (int i = 11; i >= 0; i--) for (int j = 11; j >= i; j--) {"
        " int s = 0; for (int k = 9; k >= 0; k--) s += a[k][i] * a[k][j]; g[i][j] = s; } }",
        {"reduction": 1, "selection": 1},
        ((10, 12), (12, 12)),
    ),
    "a line with its ends": (
        "void f(float x[20], float w[5], float y[20]) { for (int i = 0; i < 20; i++) { float s = 0;"
        " for (int k = 0; k < 5; k++) if (i + k - 2 >= 0 && i + k - 2 < 20) s += x[i + k - 2] * w[k]; y[i] = s; } }",
        {"contraction 2": 1},
        ((20,), (5,), (20,)),
    ),
    "an image with its border": (
        "void f(float x[12][13], float w[3][3], float y[12][13]) {"
        " for (int i = 0; i < 12; i++) for (int j = 0; j < 13; j++) { float s = 0;"
        " for (int a = -1; a <= 1; a++) for (int b = -1; b <= 1; b++)"
        " if (i + a >= 0 && i + a < 12 && j + b >= 0 && j + b < 13) s += x[i + a][j + b] * w[a + 1][b + 1];"
        " y[i][j] = s; } }",
        {"contraction 4": 1},
        ((12, 13), (3, 3), (12, 13)),
    ),
    "a product of matrices in tiles": (
        "void f(float a[32][32], float b[32][32], float c[32][32]) {"
        " for (int ii = 0; ii < 32; ii += 8) for (int jj = 0; jj < 32; jj += 8) for (int kk = 0; kk < 32; kk += 8)"
        " for (int i = ii; i < ii + 8; i++) for (int j = jj; j < jj + 8; j++) for (int k = kk; k < kk + 8; k++)"
        " c[i][j] += a[i][k] * b[k][j]; }",
        {"contraction 3": 1},
        ((32, 32), (32, 32), (32, 32)),
    ),
}
DEEP = (
    "an upper Gram matrix from the end",
    "a product of matrices in tiles",
)  # may be tested


@pytest.mark.parametrize("name", CASES)
def test_is_raised_whole(name: str) -> None:
    source, algebra, shapes = CASES[name]
    text = convert(source, "f.c", COptions()).mlir
    result = raise_module(text, options=RaiseOptions(check="proof", cache=False))
    assert result.complete, result.remarks
    assert not loops(result.text) and kinds(result.text) == algebra
    assert isinstance(result.functions[0].verdict, (Proved, Tested) if name in DEEP else Proved)
    random = np.random.default_rng(3)
    types = (np.int16, np.int32) if "short" in source else (np.float32,) * len(shapes)
    given = [random.integers(-9, 9, s).astype(t) for s, t in zip(shapes, types, strict=True)]
    for got, wanted in zip(execute(result.text, "f", given), execute(text, "f", given), strict=True):
        assert np.array_equal(got, wanted)


def test_sizes_may_be_open_and_a_local_value_needs_no_loop() -> None:
    """What the source stores to `mu` last is read by nobody: it is no reason to keep the loop over the rows."""
    source = """void f(int n, int m, float x[n][m], float y[n][m]) { for (int i = 0; i < n; i++) {
      float mu = 0; for (int j = 0; j < m; j++) mu += x[i][j]; mu /= m;
      float v = 0; for (int j = 0; j < m; j++) v += (x[i][j] - mu) * (x[i][j] - mu); v /= m;
      for (int j = 0; j < m; j++) y[i][j] = (x[i][j] - mu) / v; } }"""
    result = raise_module(convert(source, "f.c", COptions()).mlir, options=RaiseOptions(check="proof", cache=False))
    assert result.complete, result.remarks
    assert kinds(result.text) == {"reduction": 1, "contraction 2": 1, "pointwise": 4}
    assert isinstance(result.functions[0].verdict, Proved)


def test_the_order_of_overwriting_is_kept() -> None:
    source = "void f(float x[9], float y[1]) { for (int i = 8; i >= 0; i--) y[0] = x[i]; }"
    text = convert(source, "f.c", COptions()).mlir
    result = raise_module(text, options=RaiseOptions(check="proof", cache=False))
    given = [np.arange(9, dtype=np.float32), np.zeros(1, np.float32)]
    assert execute(result.text, "f", given)[1][0] == execute(text, "f", given)[1][0] == 0


EMPTY = {
    "a box outside of its array": (
        "void f(int n, double U[n][n], double b[n]) { for (int i = n; i-- > 0;) {"
        " for (int j = i + 1; j < n; j++) b[i] -= U[i][j] * b[j]; b[i] /= U[i][i]; } }"
    ),
    "a box of less than nothing": (
        "void f(long t[10][10]) { for (int i = 0; i < 10; i++) {"
        " t[i][0] = 1; t[i][i] = 1; for (int j = 1; j < i; j++) t[i][j] = t[i - 1][j - 1] + t[i - 1][j]; } }"
    ),
}


@pytest.mark.parametrize("source", EMPTY.values(), ids=EMPTY)
def test_iterations_that_write_nothing_have_no_frame(source: str) -> None:
    """The first iteration of the loop that stays does not write, and what a frame of it would be is not there."""
    result = raise_module(convert(source, "f.c", COptions()).mlir, check="proof", cache=False)
    assert not any("internal error" in remark.why for remark in result.remarks)
    (function,) = result.functions
    assert isinstance(function.verdict, Proved) and function.verdict.sizes is None
    assert function.operations and len(loops(result.text)) < source.count("for (") + 1


ROWS = {
    "a[0][i] = v;": lambda a, v: a.__setitem__(0, v),
    "a[i][0] = v;": lambda a, v: a.__setitem__((slice(None), 0), v),
    "a[3][i] *= v;": lambda a, v: a.__setitem__(3, a[3] * v),
    "a[i][n - 1] = a[i][n - 2];": lambda a, _: a.__setitem__((slice(None), -1), a[:, -2]),
    "{ a[i][0] = v; a[0][i] = v; }": lambda a, v: (a.__setitem__((slice(None), 0), v), a.__setitem__(0, v)),
}


@pytest.mark.parametrize("body", ROWS)
def test_a_row_of_a_square_is_all_that_is_written(body: str) -> None:
    """All of the square was computed, with a mask: its rows have the length that the loop says they have."""
    source = f"void f(int n, float a[n][n], float v) {{ for (int i = 0; i < n; i++) {body} }}"
    result = raise_module(convert(source, "f.c", COptions()).mlir)
    assert isinstance(result.functions[0].verdict, Proved) and not loops(result.text)
    assert "arith.select" not in result.text and "tensor.insert_slice" in result.text
    for n in (4, 5, 9):
        a = np.random.default_rng(n).random((n, n), np.float32)
        found = execute(result.text, "f", [np.int32(n), a, np.float32(0.5)])[1]
        ROWS[body](a, np.float32(0.5))
        np.testing.assert_array_equal(found, a)
