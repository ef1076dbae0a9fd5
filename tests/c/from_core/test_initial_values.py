"""Arrays with initial values: read as loops where most are zeros, right as gcc's, and no burden for a proof."""

from __future__ import annotations

import numpy as np
import pytest

from raising.api.options import RaiseOptions
from raising.frontend.c import convert
from raising.pipeline import raise_module
from raising.validate.base.verdict import describe
from tests.c.beside import guarded_and_gcc
from tests.c.gcc import needs_gcc

TAPS = ", ".join(f"{k * 7 % 13 - 4}.25" for k in range(48))
SOURCE = f"""
double zeros(int n, double *x, double *y) {{ double t[40] = {{0}};
  for (int i = 0; i < n; i++) t[i % 40] += x[i]; for (int k = 0; k < 40; k++) y[k] = t[k]; return t[39]; }}
double some(int n, double *x, double *y) {{ int a[3][20] = {{{{0, 5, -1}}, {{[7] = 9}}}}, s = 0;
  for (int i = 0; i < n; i++) a[1][i % 20] += i; for (int k = 0; k < 60; k++) s += a[k / 20][k % 20] * k; return s; }}
double computed(int n, double *x, double *y) {{ double t[30] = {{n, [3] = x[1] + n, [29] = -0.0}}; y[0] = t[3] + t[1];
  return 1 / t[29] + t[0]; }}
double each_time(int n, double *x, double *y) {{ for (int i = 0; i < n; i++) {{ float t[16] = {{1}};
  for (int k = 0; k < 16; k++) t[k] += x[i + k]; y[i] = t[0] + t[15]; }} return 0; }}
double truths(int n, double *x, double *y) {{ _Bool b[32] = {{1}}; unsigned char u[32] = {{255, 1}};
  for (int i = 0; i < n; i++) {{ b[i % 32] ^= 1; u[i % 32]++; }} return b[0] * 64 + b[31] + u[0] + u[1] + u[31]; }}
double name(int n, double *x, double *y) {{ char s[64] = "ab"; return s[0] * 3 + s[1] + s[2] + s[n % 60]; }}
double own(int n, double *x, double *y) {{ double w[48] = {{{TAPS}}};
  for (int i = 0; i < n; i++) {{ y[i] = 0; for (int k = 0; k < 48; k++) y[i] += x[i + k] * w[k]; }} return 0; }}
double of_the_file(int n, double *x, double *y) {{ static const double w[48] = {{{TAPS}}};
  for (int i = 0; i < n; i++) {{ y[i] = 0; for (int k = 0; k < 48; k++) y[i] += x[i + k] * w[47 - k]; }} return 0; }}
double written_again(int n, double *x, double *y) {{ double w[48] = {{{TAPS}}};
  for (int k = 5; k < 48; k += 2) w[k] = x[k]; w[9] = 3; for (int k = 0; k < 48; k++) y[k] = w[k]; return w[7]; }}
"""
NAMES = ["zeros", "some", "computed", "each_time", "truths", "name", "own", "of_the_file", "written_again"]
LIFE = """void life(int a[70][70], int b[70][70]) {
  for (int i = 0; i < 70; i++) for (int j = 0; j < 70; j++) { int s = 0;
  if (i > 0 && j > 0 && a[i-1][j-1] == 1) s++; if (i > 0 && a[i-1][j] == 1) s++;
  if (i > 0 && j < 69 && a[i-1][j+1] == 1) s++; if (j > 0 && a[i][j-1] == 1) s++; if (j < 69 && a[i][j+1] == 1) s++;
  if (i < 69 && j > 0 && a[i+1][j-1] == 1) s++; if (i < 69 && a[i+1][j] == 1) s++;
  if (i < 69 && j < 69 && a[i+1][j+1] == 1) s++;
  if (a[i][j] == 1) { if (s == 2 || s == 3) b[i][j] = 1; else b[i][j] = 0; } else if (s == 3) b[i][j] = 1; } }"""
BLUR = """void blur(int w, int h, const unsigned char *x, unsigned char *restrict y) {
  static const int k[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
  for (int r = 1; r < h - 1; r++) for (int c = 1; c < w - 1; c++) { int s = 0;
    for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) s += k[i+1][j+1] * x[(r+i)*w + c+j];
    y[r*w+c] = s >> 4; } }"""


@needs_gcc
@pytest.mark.parametrize("raised", [False, True])
def test_arrays_hold_what_their_initial_values_say(tmp_path, raised):
    options = RaiseOptions(check="field", cache=False)
    change = (lambda text: raise_module(text, options=options).text) if raised else lambda text: text
    ours, gcc = guarded_and_gcc(SOURCE, tmp_path, change)
    for name in NAMES:
        for n in (0, 1, 2, 37, 80):
            x, y = np.random.default_rng(n).standard_normal(200), np.arange(200.0)
            found = [library.call(name, [np.int32(n), x, y], "float64") for library in (ours, gcc)]
            for one, other in zip(*found, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12, err_msg=f"{name} at {n}")


def test_what_is_left_out_is_stored_by_loops():
    text = convert(SOURCE, "k.c").mlir
    zeros = text[text.index("@zeros") : text.index("@some")]
    assert zeros.count("affine.store") <= 4, zeros


@pytest.mark.parametrize(
    "source", [SOURCE[SOURCE.index("double own") :], LIFE, BLUR], ids=["tables", "neighbours", "weights"]
)
def test_they_are_proved_without_a_condition_on_their_lengths(source):
    """Of a table of 48 each number was a size, and isl looked at all pairs of stores: minutes instead of seconds.

    The bytes of a window are told apart by where they lie, not by the place in the window that they are read at.
    """
    result = raise_module(convert(source, "k.c").mlir, options=RaiseOptions(check="proof", cache=False))
    for function in result.functions:
        assert "proved for all sizes" in (said := describe(function.verdict)) and "sizes are such" not in said, said
