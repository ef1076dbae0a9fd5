"""Numbers read as another type of their size, by `memcpy` or a union: their bits are those of C."""

from pathlib import Path

import numpy as np
import pytest

import raising
from raising.frontend.c import convert
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc

SOURCE = """
#include <stdint.h>
#include <string.h>
union fu { float f; uint32_t u; };
struct tagged { int tag; union fu value; };
void copied(int n, float *x, uint32_t *y) {
  for (int i = 0; i < n; i++) { uint32_t u; memcpy(&u, &x[i], sizeof u); y[i] = u & 0x7fffffffu; }
}
void both_ways(int n, float *x, uint32_t *y) {
  for (int i = 0; i < n; i++) {
    float v = x[i] * 0.5f;
    int32_t k;
    memcpy(&k, &v, 4);
    k = 0x5f3759df - (k >> 1);
    memcpy(&v, &k, 4);
    x[i] = v;
  }
}
void whole(int n, float *x, uint32_t *y) { if (n > 0) memcpy(y, x, n * sizeof *y); }
void stored(int n, float *x, uint32_t *y) {
  for (int i = 0; i < n; i++) { float v = x[i] + 1; memcpy(&y[i], &v, sizeof v); }
}
void by_union(int n, float *x, uint32_t *y) {
  union fu b;
  for (int i = 0; i < n; i++) { b.f = x[i]; y[i] = b.u >> 23; }
}
void changed(int n, float *x, uint32_t *y) {
  for (int i = 0; i < n; i++) {
    union fu b = {x[i]}, c = b;
    if (y[i] & 1) c.u ^= 0x80000000u;
    x[i] = c.f;
    y[i] = b.u;
  }
}
void designated(int n, float *x, uint32_t *y) {
  for (int i = 0; i < n; i++) { union fu b = {.u = y[i]}, zero = {0}; x[i] = b.f; y[i] += zero.u; }
}
void inside(int n, float *x, uint32_t *y) {
  struct tagged t = {3}, u;
  for (int i = 0; i < n; i++) { t.value.f = x[i]; u = t; y[i] = u.value.u + u.tag; }
}
"""
FLOATS = np.array([1, -0.0, 0, np.inf, -np.inf, np.nan, -3.75, 1e-42, 3e38, 7], np.float32)
WORDS = np.random.default_rng(3).integers(0, 1 << 32, len(FLOATS), np.uint32, endpoint=False)
FUNCTIONS = ["copied", "both_ways", "whole", "stored", "by_union", "changed", "designated", "inside"]


@needs_gcc
@pytest.mark.parametrize("raised", [True, False])
def test_the_bits_are_those_of_c(raised: bool, tmp_path: Path):
    (tmp_path / "k.c").write_text(SOURCE)
    read = convert(SOURCE, "k.c")
    assert [str(r) for r in read.refused] == []
    text = raising.raise_module(read.mlir, check="field").text if raised else read.mlir
    library = Library(tmp_path / "k.c", {})
    for name in FUNCTIONS:
        beside = Beside(library, text, name)
        for count in (0, 1, len(FLOATS)):
            arguments = [np.int32(count), FLOATS.copy(), WORDS.copy()]
            assert beside.difference(arguments) == "", (name, count)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("union u { float f; int i; }; float f(union u *p) { return p->f; }", "no variable of the function"),
        ("union u { float f; int i; }; void f(union u *p, int n) { for (int i = 0; i < n; i++) p[i].i = 0; }", "union"),
        ("float f(int n) { union { float f; char b[4]; } u; u.f = n; return u.b[0]; }", "not numbers of one size"),
        ("double f(int n) { union { double d; int i; } u; u.d = n; return u.i; }", "not numbers of one size"),
        ("#include <string.h>\nvoid f(char *b, int v) { memcpy(b, &v, 4); }", "elements of different sizes"),
    ],
)
def test_what_stays_in_c_is_said(text: str, reason: str):
    (refused,) = convert(text, "k.c").refused
    assert reason in str(refused)
