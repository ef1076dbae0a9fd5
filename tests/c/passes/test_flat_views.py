"""Matrices that C walks through as one run of elements: a pointer into a row goes beyond it."""

from pathlib import Path

import numpy as np

import raising
from raising.frontend.c import convert
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops

SOURCE = """
typedef struct { double m[4][5]; } M;
void all(double x[4][5]) { double *q = &x[0][0]; for (int i = 0; i < 20; i++) q[i] *= 2; }
void cast(int n, double x[n][5]) { double *q = (double *)x; for (int i = 0; i < n * 5; i++) q[i] += i; }
void rows(int n, int m, double x[n][m]) { double *q = x[0]; for (int i = 0; i < n * m; i++) q[i] -= 1; }
void direct(double x[4][5]) { for (int i = 0; i < 20; i++) x[0][i] = i; }
void walked(double x[4][5]) { double *p = *x, *e = p + 20; while (p < e) *p++ *= 3; }
void field(M *a) { double *p = a->m[0]; for (int i = 0; i < 20; i++) p[i] += 4; }
double trace(double x[4][4]) { double s = 0, *p = x[0]; for (int i = 0; i < 4; i++) s += p[i * 5]; return s; }
void inside(int m, double x[4][5]) {
  for (int i = 0; i < 4; i++) { double *r = x[i]; for (int j = 0; j < m; j++) r[j] = 0; }
}
static double table[4][5];
void own(void) { double *q = table[0]; for (int i = 0; i < 20; i++) q[i] = 1; }
"""
CALLS: dict[str, list[tuple[tuple[int, ...], int]]] = {
    "all": [((), 20)],
    "cast": [((3,), 15), ((1,), 5), ((0,), 0)],
    "rows": [((3, 4), 12), ((1, 4), 4), ((3, 1), 3), ((0, 4), 0)],
    "direct": [((), 20)],
    "walked": [((), 20)],
    "field": [((), 20)],
    "trace": [((), 16)],
    "inside": [((5,), 20), ((2,), 20), ((0,), 20)],
}
"""The sizes of each call, and how many elements the matrix has."""


@needs_gcc
def test_every_element_is_reached(tmp_path: Path):
    (tmp_path / "k.c").write_text(SOURCE)
    read = convert(SOURCE, "k.c")
    assert [str(r) for r in read.refused if "'own' stays in C: a pointer into a row of 'table'" not in str(r)] == []
    result, library = raising.raise_module(read.mlir, check="field"), Library(tmp_path / "k.c", {})
    assert loops(result.text) == []
    for name, calls in CALLS.items():
        beside, returns = Beside(library, result.text, name), "float64" if name == "trace" else None
        for sizes, count in calls:
            arguments = [*map(np.int32, sizes), np.random.default_rng(count).integers(-9, 9, count).astype(float)]
            assert beside.difference(arguments, returns) == "", (name, sizes)


def test_one_subscript_in_two_places_has_the_row_of_each() -> None:
    """`y * w + w + x - 1` is one in the next row where x is at least 1, and one in the same row elsewhere."""
    source = """
    static double at(const double *f, int w, int y, int x) { return f[y * w + x]; }
    void f(int h, int w, const double *restrict f, double *restrict g) {
      for (int y = 0; y < h - 1; y++) for (int x = 0; x < w; x++) {
        if (x >= 1) g[y * w + x] = at(f, w, y + 1, x - 1); else g[y * w + x] = 2 * at(f, w, y, x - 1 + w); } }"""
    text = convert(source, "k.c").mlir
    assert "affine.load %f[%y + 1, %x + -1]" in text
    assert "affine.load %f[%y, %w.index + %x + -1]" in text
