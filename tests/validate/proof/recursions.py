"""Pairs of C functions whose values depend on each other in sequence, in different orders of their loops."""

from __future__ import annotations

from raising.frontend.c import COptions, convert

_SOLVE = "int n, double L[n][n], double b[n], double x[n]"
_SOLVE_ROWS = """
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }"""
_SOLVE_COLUMNS = """
  for (int i = 0; i < n; i++) x[i] = b[i];
  for (int j = 0; j < n; j++) {
    x[j] = x[j] / L[j][j];
    for (int i = j + 1; i < n; i++) x[i] -= L[i][j] * x[j];
  }"""

_SQUARE = "int n, double A[n][n]"
_LU_ROWS = """
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
  }"""
_LU_STEPS = """
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) A[i][k] /= A[k][k];
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j];
  }"""
_ROOT_ROWS = """
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }"""
_ROOT_STEPS = """
  for (int k = 0; k < n; k++) {
    A[k][k] = sqrt(A[k][k]);
    for (int i = k + 1; i < n; i++) A[i][k] /= A[k][k];
    for (int j = k + 1; j < n; j++)
      for (int i = j; i < n; i++) A[i][j] -= A[i][k] * A[j][k];
  }"""

_FILTER = "int n, double a, double x[n], double y[n]"
_FILTER_CELL = """
  double s = 0.0;
  for (int i = 0; i < n; i++) { s = a * s + x[i]; y[i] = s; }"""
_FILTER_ARRAY = """
  for (int i = 0; i < n; i++) {
    if (i == 0) y[i] = x[i];
    if (i > 0) y[i] = x[i] + y[i - 1] * a;
  }"""

_PATHS = "int n, double d[n][n], double r[n], double c[n]"
_PATHS_IN_PLACE = """
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];"""
_PATHS_COPIED = """
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) { r[i] = d[k][i]; c[i] = d[i][k]; }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) d[i][j] = d[i][j] < c[i] + r[j] ? d[i][j] : c[i] + r[j];
  }
  for (int i = 0; i < n; i++) { r[i] = 0.0; c[i] = 0.0; }"""
_PATHS_CLEARED = _PATHS_IN_PLACE + "\n  for (int i = 0; i < n; i++) { r[i] = 0.0; c[i] = 0.0; }"

_TABLE = "int n, int m, double s[n][m], double t[n][m]"
_TABLE_ROWS = """
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m; j++) {
      double a = t[i - 1][j] > t[i][j - 1] ? t[i - 1][j] : t[i][j - 1];
      double b = t[i - 1][j - 1] + s[i][j];
      t[i][j] = a > b ? a : b;
    }"""

_RELAX = "int n, int t, double a[n], double b[n]"
_RELAX_COPY = """
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }"""
_RELAX_CELL = """
  for (int s = 0; s < t; s++) {
    double p = a[0];
    for (int i = 1; i < n - 1; i++) { double q = a[i]; b[i] = p + a[i + 1]; a[i] = p + a[i + 1]; p = q; }
  }"""
_RELAX_AT_ONCE = """
  for (int s = 0; s < t; s++)
    for (int i = 1; i < n - 1; i++) { b[i] = a[i - 1] + a[i + 1]; a[i] = b[i]; }"""

_POWERS = "int n, double x, double y[n]"
_POWERS_CELL = "double p = x; for (int i = 0; i < n; i++) { y[i] = p; p = p * p + 2.0 * p; }"
_POWERS_ARRAY = "y[0] = x; for (int i = 1; i < n; i++) y[i] = (y[i - 1] + 2.0) * y[i - 1];"


def _by_columns(text: str) -> str:
    i, j = "for (int i = 1; i < n; i++)", "for (int j = 1; j < m; j++)"
    return text.replace(i, "#").replace(j, i).replace("#", j)


EQUAL = {
    "a triangular solve by columns": (_SOLVE, _SOLVE_ROWS, _SOLVE_COLUMNS),
    "LU row by row and step by step": (_SQUARE, _LU_ROWS, _LU_STEPS),
    "Cholesky row by row and step by step": (_SQUARE, _ROOT_ROWS, _ROOT_STEPS),
    "a filter with its state in the array": (_FILTER, _FILTER_CELL, _FILTER_ARRAY),
    "a table of maxima by columns": (_TABLE, _TABLE_ROWS, _by_columns(_TABLE_ROWS)),
    "a relaxation with one value kept": (_RELAX, _RELAX_COPY, _RELAX_CELL),
    "a map applied again and again": (_POWERS, _POWERS_CELL, _POWERS_ARRAY),
}
"""Arguments and two bodies that are equal for all sizes."""

WRONG = {
    "a column that starts too late": (_SOLVE, _SOLVE_ROWS, _SOLVE_COLUMNS.replace("i = j + 1", "i = j + 2")),
    "updates that are one short": (_SQUARE, _LU_ROWS, _LU_STEPS.replace("j = k + 1", "j = k + 2")),
    "another pivot": (_SQUARE, _LU_ROWS, _LU_STEPS.replace("/= A[k][k]", "/= A[k][k] + 1.0")),
    "a root taken twice": (_SQUARE, _ROOT_ROWS, _ROOT_STEPS.replace("/= A[k][k]", "/= sqrt(A[k][k])")),
    "a filter that forgets": (_FILTER, _FILTER_CELL, _FILTER_ARRAY.replace("== 0", "< 2").replace("> 0", "> 1")),
    "paths through a negative loop, in place and from copies": (_PATHS, _PATHS_CLEARED, _PATHS_COPIED),
    "another neighbour": (_TABLE, _TABLE_ROWS, _TABLE_ROWS.replace("t[i - 1][j - 1] +", "t[i - 1][j] +")),
    "Gauss-Seidel for Jacobi": (_RELAX, _RELAX_COPY, _RELAX_AT_ONCE),
    "one step less": (_POWERS, _POWERS_CELL, _POWERS_ARRAY.replace("i < n", "i < n - 1") + " y[n - 1] = y[n - 2];"),
}
"""Arguments and two bodies that differ."""


def modules(arguments: str, *bodies: str) -> list[str]:
    """Each body as a function of its own module."""
    texts = [f"#include <math.h>\nvoid f({arguments}) {{ {body} }}" for body in bodies]
    return [convert(text, "f.c", COptions()).mlir for text in texts]
