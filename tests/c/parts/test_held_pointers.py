"""Loops over rows of `double **`, and behind pointers in arrays of structs: parts that take these pointers."""

import re

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from tests.c.gcc import needs_gcc
from tests.c.replaced import libraries, parts

ROWS = """\
typedef struct { int n; double *w; double **g; } Layer;
static void axpy(double **a, double **b, int n, int m, double s) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] += s * b[i][j];
}
static void product(double **a, double **b, double **c, int n) {
  for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) c[i][j] += a[i][k] * b[k][j];
}
static void relax(double **a, double **b, int n) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}
static void layers(Layer *l, int k, double *x) {
  for (int i = 0; i < k; i++) {
    double *w = l[i].w;
    for (int j = 0; j < 8; j++) x[j] += w[j] * l[i].g[2][j];
  }
}
double *table[8];
static void file(int m) { for (int i = 0; i < 8; i++) for (int j = 0; j < m; j++) table[i][j] = i - j; }
void run(double *x, double *y, double *z, int n) {
  double *a[8], *b[8], *c[8], **g[1] = {b};
  for (int i = 0; i < 8; i++) a[i] = x + 8 * (7 - i), b[i] = y + 8 * i, table[i] = c[i] = z + 8 * (i ^ 1);
  Layer l[2] = {{1, a[0], b}, {1, a[3], c}};
  file(n);
  axpy(a, b, n, n, 0.5);
  product(a, b, c, n);
  relax(c, a, n);
  layers(l, n < 2 ? n : 2, b[7]);
}
"""


@needs_gcc
def test_they_compute_what_the_file_does() -> None:
    module = convert(ROWS, "k.c")
    calls = {part.name: part.call for part in parts(module)}
    assert calls["axpy_loop1"] == "axpy_loop1(m, s, a[i], b[i]);"
    assert calls["product_loop1"] == "product_loop1(n, k, c[i], a[i], b[k]);"
    assert calls["relax_loop1"] == "relax_loop1(n, b[i], a[(i - 1)], a[(i + 1)], a[i]);"
    assert calls["layers_loop1"] == "layers_loop1(x, w, l[i].g[2]);"
    assert calls["file_loop1"] == "file_loop1(m, i, table[i]);"
    assumed = [a.reason for a in module.assumptions if "axpy_loop1" in a.reason]
    assert [re.sub("^in '.*': ", "", a) for a in assumed] == [
        "'a_i' does not overlap 'b_i' in memory (restrict would say so)",
        "'a[i]' can be read in front of the loops",
        "'b[i]' can be read in front of the loops",
    ]
    theirs, ours = libraries(ROWS, module)
    values = np.random.default_rng(0).random((3, 64))
    for n in (0, 1, 2, 3, 8):
        arguments = [*values, np.int32(n)]
        for a, b in zip(theirs.call("run", arguments), ours.call("run", arguments), strict=True):
            assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


@pytest.mark.parametrize(
    "inner",
    [
        "for (int j = 0; j < m; j++) if (i > 0) x[j] = a[i - 1][j];",  # only where it is asked for
        "for (int j = 0; j < m; j++) { if (x[j] > 9) continue; x[j] = a[i - 1][j]; }",
        "for (int j = 0; j < m; j++) { a[k][j] = 0; k = 0; }",  # a subscript changes
        "for (int j = 0; j < m; j++) { char *p = (char *)a; p[j] = 0; x[j] = a[i][j]; }",  # bytes may be the pointer's
        "for (int j = 0; j < m; j++) { a[j] = x; x[j] = a[i][j]; }",  # a pointer is written
        "for (int j = 0; j < m; j++) x[j] = a[(int)x[0]][j];",  # it depends on data
        "for (int j = 0; j < m; j++) x[j] = a[j][j];",  # it is another one in each iteration
    ],
)
def test_a_pointer_that_may_not_stay_the_same_is_no_parameter(inner: str) -> None:
    text = f"void f(double **a, double *x, int n, int m) {{ for (int i = 0; i < n; i++) {{ int k = i; {inner} }} }}"
    assert convert(text, "k.c").functions == ()


def test_what_is_assumed_of_it_cannot_be_tested() -> None:
    text = "void f(double **a, int n, int m) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = 1; }"
    assert [f.name for f in convert(text, "k.c").functions] == ["f_loop1"]
    assert convert(text, "k.c", COptions(guard=True)).functions == ()
