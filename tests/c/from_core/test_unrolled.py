"""Loops of a few known iterations whose counters go in no equal steps, and tables of constants: read, raised, right."""

from __future__ import annotations

import re

import numpy as np
import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from tests.c.beside import guarded_and_gcc
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops, without_fallbacks

HEAD = """
static const int DX[8] = {-1, 0, 1, -1, 1, -1, 0, 1}, DY[8] = {-1, -1, -1, 0, 0, 1, 1, 1};
static const unsigned char BYTES[5] = {1, 255, 3};
static const signed char SIGNED[2][3] = {{-1, 2}, {3, -2, 1}};
static const unsigned SHIFTS[3] = {1, 0, 2};
static const int AT[8] = {3, 1, 4, 0, 5, 2, 7, 6};
static int changing[2] = {0, 1};
void change(void) { changing[0] = 3; }
static inline double at(const double *x, int n, int i) { return x[i < 0 ? 0 : i >= n ? n - 1 : i]; }
"""
SOURCE = """
double doubled(int n, double *x, double *y) { int h; for (int i = 0; i < n; i++) { double s = 0;
  for (h = 1; h < 8; h *= 2) s += x[i + h]; y[i] = s; } return 0; }
double behind(int n, double *x, double *y) { int h; for (h = 1; h < 9; h *= 2) y[h] = x[h]; y[h] += h; return h; }
double halved(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (unsigned m = 8; m; m >>= 1) y[i] += x[i + m] * m; return 0; }
double wraps(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (unsigned char m = 3; m; m <<= 1) y[i] += x[i + (m & 15)]; return 0; }
double wraps_twice(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (unsigned m = 1; m; m *= 16) y[i] += x[i + m % 7]; return 0; }
double never(int n, double *x, double *y) { for (int i = 0; i < n; i++) { y[i] = x[i];
  for (int h = 16; h < 8; h *= 2) y[i] += x[h]; } return 0; }
double in_body(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int k = 0; k < 9; k++) { if (k == 3) k += 2; if (k == 7) continue; y[i] += x[i + k]; } return 0; }
double at_least_once(int n, double *x, double *y) { for (int i = 0; i < n; i++) { int m = 12;
  do { y[i] -= x[i + m]; } while (m >>= 1); y[i] += m; } return 0; }
double two(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int a = 0, b = 13; a < b; a = 2 * a + 1, b -= 2) y[i] += x[i + a] - x[i + b]; return 0; }
double inside(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int h = 1; h <= 4; h *= 2) for (int k = 0; k < h; k++) for (int j = k; j < 8; j += 2 * h)
    { double t = x[8 * i + j]; x[8 * i + j] = t + y[8 * i + j + h]; y[8 * i + j] = t - k; } return 0; }
double table(int n, double *x, double *y) { for (int i = 1; i < n; i++) { double s = 0;
  for (int k = 0; k < 8; k++) s += x[4 * i + DX[k] + DY[7 - k]] * (k + 1); y[i] = s; } return 0; }
double neighbours(int n, double *x, double *y) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0;
  for (int k = 0; k < 8; k++) { int a = i + DY[k], b = j + DX[k];
    if (a < 0 || a >= n || b < 0 || b >= n) continue; s += x[a * n + b]; } y[i * n + j] = s; } return 0; }
double periodic(int n, double *x, double *y) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
  for (int k = 0; k < 8; k++) y[i * n + j] += k * x[(i + DY[k] + n) % n * n + (j + DX[k] + n) % n]; return 0; }
double clamped(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int k = 0; k < 8; k++) y[i] += at(x, n, i + DX[k] * DY[7 - k]); return 0; }
double bytes(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int k = 0; k < 5; k++) y[i] += x[i + (BYTES[k] & 7)]; return BYTES[1]; }
double rows(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int a = 0; a < 2; a++) for (int b = 0; b < 3; b++) y[i] += x[i + 2 + SIGNED[a][b]]; return 0; }
double scattered(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int k = 0; k < 8; k++) y[8 * i + AT[k]] = x[8 * i + k] + y[8 * i + AT[7 - k]]; return 0; }
double sorted(int n, double *x, double *y) { for (int i = 0; i + 4 < n; i++) { double v[5]; int m = 0;
  for (int k = -2; k <= 2; k++) v[m++] = x[i + k + 2];
  for (int a = 0; a < 3; a++) for (int b = a + 1; b < 5; b++)
    if (v[b] < v[a]) { double t = v[a]; v[a] = v[b]; v[b] = t; }
  y[i] = v[2]; } return 0; }
double in_part(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int k = 0; k < 10; k++) if (k < 8) y[i] += x[i + AT[k]]; return 0; }
double of_its_own(int n, double *x, double *y) { const int d[3] = {0, 2}; int e[3] = {0, 2}; e[1] = 5;
  for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) y[i] += x[i + d[k]] + x[e[k]]; return 0; }
double scopes(int n, double *x, double *y) { for (int i = 0; i < n; i++) {
  { const int d[2] = {1, 2}; for (int k = 0; k < 2; k++) y[i] += x[i + d[k]]; }
  { int d[2] = {3, 4}; d[0] = 0; for (int k = 0; k < 2; k++) y[i] += x[d[k]]; }
  { const int d[2] = {5, 6}; for (int k = 0; k < 2; k++) y[i] += x[i + d[k]]; } } return 0; }
double shifted(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int k = 0; k < 3; k++) y[i] = y[i] + x[i + (5 >> SHIFTS[k]) + (-3 & 6 ^ k)]; return 0; }
double bounds(int n, double *x, double *y) { for (int i = 0; i < n; i++)
  for (int k = 0; k < 4; k++) for (int j = AT[k]; j < AT[k + 4]; j++) y[i] += x[i + j]; return 0; }
"""
NAMES = tuple(line.split("(")[0].split()[1] for line in SOURCE.splitlines() if line.startswith("double "))
OTHERS = {
    "a start that is not known": "for (int h = n; h < 8; h *= 2) x[h] = 0;",
    "without an end": "for (int h = 0; h < 8; h *= 2) x[h] = 0;",
    "more iterations than are unrolled": "for (unsigned long h = 1, k = 0; k < 80; h *= 3, k++) x[h % 7] = 0;",
    "more operations than are written out": "for (int h = 1; h < 256; h *= 2) for (int k = 1; k < 4096; k *= 2) "
    "for (int j = 1; j < 512; j *= 2) if (x[h] > x[k]) x[j] = x[h] / x[k] + x[j];",
    "an end that is data": "for (int h = 1; h < x[0]; h *= 2) x[h] = 0;",
    "a step that is data": "for (int h = 1; h < 8; h += i[h]) x[h] = 0;",
    "data beside a counter": "for (int k = 0; k < 4; k++) x[i[k]] += 1;",
    "a table that may change": "for (int k = 0; k < 2; k++) x[n + changing[k]] = 1;",
}


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    return guarded_and_gcc(HEAD + SOURCE, tmp_path_factory.mktemp("unrolled"))


@needs_gcc
@pytest.mark.parametrize("name", NAMES)
def test_as_gcc(name: str, libraries: tuple[Library, Library]) -> None:
    memory = np.random.default_rng(1).integers(-64, 64, (2, 90)) / 8
    for n in (-1, 0, 1, 2, 3, 5, 8):
        found = [library.call(name, [np.int32(n), *memory], "float64") for library in libraries]
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)


@needs_gcc
@pytest.mark.parametrize("name", ["doubled", "table", "neighbours", "periodic", "sorted"])
def test_raised_as_a_whole(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    (source,) = re.findall(rf"^double {name}\(.*?\}}\n(?=double)", SOURCE, re.M | re.S)
    text = raise_module(convert(HEAD + source, "k.c").mlir, check="field").text
    assert not loops(without_fallbacks(text))
    test_as_gcc(name, guarded_and_gcc(HEAD + source, tmp_path_factory.mktemp("raised"), lambda _: text))


def test_a_table_tells_how_far_its_positions_go() -> None:
    """So that rows need no assumption, which nothing could test."""
    source = f"{HEAD} void f(int n, const int *restrict x, int *restrict y) {{ "
    source += "for (int i = 0; i < n; i++) for (int k = 0; k < 8; k++) y[8 * i + k] = x[8 * i + AT[k]]; }"
    read = convert(source, "k.c", COptions(guard=True))
    assert not read.refused and not read.assumptions and read.mlir.count("affine.for") == 2


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_what_is_not_known_is_not_unrolled(body: str) -> None:
    assert convert(f"{HEAD} void f(int n, double *x, const int *i) {{ {body} }}", "k.c").refused


def test_what_counts_is_not_unrolled() -> None:
    read = convert(
        "void f(double *x) { for (int h = 1; h < 8; h *= 2) for (int k = 0; k < 4; k++) x[h + k] = h; }", "k.c"
    )
    assert read.mlir.count("affine.for") == 3
