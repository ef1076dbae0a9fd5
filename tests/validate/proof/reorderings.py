"""Pairs of C functions in which loops run in another order: reversed, split, tiled, unrolled, skewed, fused."""

from __future__ import annotations

_MAXIMUM = "int n, double x[n], double r[1]"
_FORWARDS = "double t = x[0]; for (int i = 1; i < n; i++) t = t > x[i] ? t : x[i]; r[0] = t;"
_EVEN_AND_ODD = """
  double t = x[0], u = x[0];
  for (int i = 0; i < n; i += 2) t = t > x[i] ? t : x[i];
  for (int i = 1; i < n; i += 2) u = u > x[i] ? u : x[i];
  r[0] = t > u ? t : u;"""

_SOFTMAX = "int n, int m, double x[n][m], double y[n][m]"
_SOFTMAX_ROWS = """
  for (int i = 0; i < n; i++) {
    double t = x[i][0];
    for (int j = 1; j < m; j++) t = t > x[i][j] ? t : x[i][j];
    double s = 0.0;
    for (int j = 0; j < m; j++) { y[i][j] = exp(x[i][j] - t); s += y[i][j]; }
    for (int j = 0; j < m; j++) y[i][j] = y[i][j] / s;
  }"""
_SOFTMAX_REVERSED = """
  for (int i = n - 1; i >= 0; i--) {
    double t = x[i][m - 1];
    for (int j = m - 2; j >= 0; j--) t = t > x[i][j] ? t : x[i][j];
    double s = 0.0;
    for (int j = m - 1; j >= 0; j--) { y[i][j] = exp(x[i][j] - t); s += y[i][j]; }
    for (int j = 0; j < m; j++) y[i][j] = y[i][j] / s;
  }"""
_SOFTMAX_SPLIT = """
  for (int i = 0; i < n; i++) {
    double t = x[i][0], u = x[i][0], s = 0.0;
    for (int j = 1; 2 * j < m; j++) t = t > x[i][j] ? t : x[i][j];
    for (int j = m - 1; 2 * j >= m; j--) u = u > x[i][j] ? u : x[i][j];
    double w = t > u ? t : u;
    for (int j = 0; 2 * j < m; j++) { y[i][j] = exp(x[i][j] - w); s += y[i][j]; }
    for (int j = 0; j < m; j++) if (2 * j >= m) { y[i][j] = exp(x[i][j] - w); s += y[i][j]; }
    for (int j = 0; j < m; j++) y[i][j] = y[i][j] / s;
  }"""

_NORM = "int n, int m, double x[n][m], double y[n][m]"
_NORM_ROWS = """
  for (int i = 0; i < n; i++) {
    double s = 0, v = 0;
    for (int j = 0; j < m; j++) s += x[i][j];
    s = s / (double)m;
    for (int j = 0; j < m; j++) v += (x[i][j] - s) * (x[i][j] - s);
    for (int j = 0; j < m; j++) y[i][j] = (x[i][j] - s) / sqrt(v / (double)m + 1e-5);
  }"""
_NORM_REVERSED = """
  for (int i = n - 1; i >= 0; i--) {
    double s = 0, v = 0;
    for (int j = m - 1; j >= 0; j--) s += x[i][j] / (double)m;
    for (int j = m - 1; j >= 0; j--) { double d = x[i][j] - s; v += d * d / (double)m; }
    double r = 1.0 / sqrt(v + 1e-5);
    for (int j = 0; j < m; j++) y[i][j] = r * (x[i][j] - s);
  }"""

_POOL = "int n, int m, double x[2 * n][2 * m], double y[n][m]"
_POOL_LOOPS = """
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {
    double t = x[2 * i][2 * j];
    for (int k = 0; k < 2; k++) for (int l = 0; l < 2; l++) t = fmax(t, x[2 * i + k][2 * j + l]);
    y[i][j] = t;
  }"""
_POOL_UNROLLED = """
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)
    y[i][j] = fmax(fmax(x[2 * i][2 * j], x[2 * i][2 * j + 1]), fmax(x[2 * i + 1][2 * j], x[2 * i + 1][2 * j + 1]));"""

_SEIDEL = "int t, int n, double a[n]"
_SEIDEL_STEPS = """
  for (int s = 0; s < t; s++) for (int i = 1; i < n - 1; i++) a[i] = 0.3 * (a[i - 1] + a[i] + a[i + 1]);"""
_SEIDEL_SKEWED = """
  for (int w = 1; w < 2 * t + n - 3; w++) for (int s = 0; s < t; s++) if (w - 2 * s >= 1 && w - 2 * s < n - 1)
    a[w - 2 * s] = 0.3 * (a[w - 2 * s - 1] + a[w - 2 * s] + a[w - 2 * s + 1]);"""

_SEIDEL_BACKWARDS = _SEIDEL_SKEWED.replace("2 * s", "s").replace("int s = 0; s < t; s++", "int s = t - 1; s >= 0; s--")

_JACOBI = "int t, int n, double a[n], double b[n]"
_STEP = """
    for (int i = 1; i < n - 1; i++) b[i] = 0.3 * (a[i - 1] + a[i] + a[i + 1]);
    for (int i = 1; i < n - 1; i++) a[i] = b[i];"""
_JACOBI_STEPS = f"for (int s = 0; s < 2 * t; s++) {{{_STEP} }}"
_JACOBI_BY_TWO = f"for (int s = 0; s < t; s++) {{{_STEP}{_STEP} }}"

_GRAM = "int m, int n, double A[m][n], double R[n][n], double Q[m][n]"
_GRAM_HEAD = """
    double s = 0;
    for (int i = 0; i < m; i++) s += A[i][k] * A[i][k];
    R[k][k] = sqrt(s);
    for (int i = 0; i < m; i++) Q[i][k] = A[i][k] / R[k][k];"""
_GRAM_COLUMNS = f"""
  for (int k = 0; k < n; k++) {{{_GRAM_HEAD}
    for (int j = k + 1; j < n; j++) {{
      R[k][j] = 0;
      for (int i = 0; i < m; i++) R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < m; i++) A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }}
  }}"""
_GRAM_DISTRIBUTED = f"""
  for (int k = 0; k < n; k++) {{{_GRAM_HEAD}
    for (int j = k + 1; j < n; j++) R[k][j] = 0;
    for (int i = 0; i < m; i++) for (int j = k + 1; j < n; j++) R[k][j] += Q[i][k] * A[i][j];
    for (int i = 0; i < m; i++) for (int j = n - 1; j > k; j--) A[i][j] -= Q[i][k] * R[k][j];
  }}"""

EQUAL = {
    "a maximum of even and odd": (_MAXIMUM, _FORWARDS, _EVEN_AND_ODD),
    "softmax in reversed order": (_SOFTMAX, _SOFTMAX_ROWS, _SOFTMAX_REVERSED),
    "softmax split in two": (_SOFTMAX, _SOFTMAX_ROWS, _SOFTMAX_SPLIT),
    "normalised rows in reversed order": (_NORM, _NORM_ROWS, _NORM_REVERSED),
    "largest of windows, unrolled": (_POOL, _POOL_LOOPS, _POOL_UNROLLED),
    "Gauss-Seidel, skewed": (_SEIDEL, _SEIDEL_STEPS, _SEIDEL_SKEWED),
    "a skewed Gauss-Seidel, not skewed": (_SEIDEL, _SEIDEL_SKEWED, _SEIDEL_STEPS),
    "two steps at once": (_JACOBI, _JACOBI_STEPS, _JACOBI_BY_TWO),
    "one step of two": (_JACOBI, _JACOBI_BY_TWO, _JACOBI_STEPS),
    "Gram-Schmidt with distributed loops": (_GRAM, _GRAM_COLUMNS, _GRAM_DISTRIBUTED),
}
"""Arguments and two bodies that are equal for all sizes."""

WRONG = {
    "only even": (_MAXIMUM, _FORWARDS, _EVEN_AND_ODD.replace("t > u ? t : u", "t")),
    "the middle is missing": (_SOFTMAX, _SOFTMAX_ROWS, _SOFTMAX_SPLIT.replace("2 * j >= m; j--", "2 * j > m; j--")),
    "the last is missing": (_SOFTMAX, _SOFTMAX_ROWS, _SOFTMAX_REVERSED.replace("j >= 0; j--) t", "j > 0; j--) t")),
    "the mean of the mirrored row": (_NORM, _NORM_ROWS, _NORM_REVERSED.replace("d = x[i][j]", "d = x[n - 1 - i][j]")),
    "one of a window twice": (_POOL, _POOL_LOOPS, _POOL_UNROLLED.replace("x[2 * i + 1][2 * j],", "x[2 * i][2 * j],")),
    "skewed by one, backwards": (_SEIDEL, _SEIDEL_STEPS, _SEIDEL_BACKWARDS),
    "an odd number of steps": (_JACOBI, _JACOBI_STEPS.replace("2 * t", "2 * t - 1"), _JACOBI_BY_TWO),
    "the first of a row is left": (_GRAM, _GRAM_COLUMNS, _GRAM_DISTRIBUTED.replace("j > k; j--", "j > k + 1; j--")),
}
"""Arguments and two bodies that differ."""
