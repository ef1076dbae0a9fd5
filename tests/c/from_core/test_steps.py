"""What the step and the condition of a loop do beside counting is done, as often as C does it."""

import numpy as np
import pytest

from tests.c.beside import guarded_and_gcc
from tests.c.gcc import Library, needs_gcc

SOURCE = """
double powers(int n, double *c, double x) {
  double r = 0, p = 1; for (int i = 0; i < n; i++, p *= x) r += c[i] * p; return r + p; }
double asked(int n, double *c, double x) {
  double r = 0, p = 1; for (int i = 0; p += x, i < n; i++) r += c[i] * p; return r + p; }
double behind(int n, double *c, double x) {
  double s = 1; int i = 0; if (n < 1) return 0; do { s += c[i]; } while (s *= x, ++i < n); return s; }
double doubled(int n, double *c, double x) { int k = 1; for (int i = 0; i < n; i++, k = k * 2) c[i] = k; return k; }
double stored(int n, double *c, double x) { for (int i = 0; i < n; i++, c[i] = x) c[i + 20] = c[i]; return 0; }
double signs(int n, double *c, double x) {
  double a = 1; for (int i = 0; i < n; a = -a, i++) { if (i & 1) continue; c[i] *= a; } return a; }
double nested(int n, double *c, double x) {
  double a = 1; for (int i = 0; i < n; i++, a += 1) for (int j = 0; j < 3; j++, a *= x) c[i * 3 + j] = a; return a; }
double in_step(int n, double *c, double x) {
  int i, k; double s; for (i = k = 0, s = 0; i < n; s += c[i++]) k++; return s + k; }
double no_body(int n, double *c, double x) {
  double m = x; int i; for (i = 0; i < n; m = c[i] > m ? c[i] : m, ++i); return m; }
double last(int n, double *c, double x) { int l = -1; for (int i = 0; i < n; l = i++) c[i] = l; return l; }
double walking(int n, double *c, double x) {
  double *p = c; for (double *q = c + 20; p < c + n; *p++ = *q++) ; return p - c; }
double multiples(int n, double *c, double x) { int i; for (i = 0; i < 3 * n; i += n) c[i] *= x; return i; }
double to_a_multiple(int n, double *c, double x) {
  if (n < 1) return 0; int i; for (i = n; i <= 5 * n; i += n) c[i] += i; return i; }
double over_rows(int n, double *c, double x) {
  if (n < 0) return 0; double *p; for (p = c; p < c + n * n; p += n)
    for (int j = 0; j < n; j++) p[j] -= x * j;
  return p - c; }
double not_at_all(int n, double *c, double x) {
  int m = n > 3 ? n : 3; for (int i = 0; i < n; i++) { c[i] = m; m = m + 0; } return m; }
"""
NAMES = tuple(line.split("(")[0].split()[1] for line in SOURCE.splitlines() if line.startswith("double "))


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return guarded_and_gcc(SOURCE, tmp_path_factory.mktemp("steps"))


@needs_gcc
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [-1, 0, 1, 2, 7])
def test_as_gcc(name: str, n: int, libraries: tuple[Library, Library]) -> None:
    memory = (np.arange(60.0) - 30) / 4
    found = [library.call(name, [np.int32(n), memory, np.float64(0.5)], "float64") for library in libraries]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
