"""Recurrences of several states (filters, envelopes, integrators), which are carried as scalars or read from memory."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raising.commands.compile_command import main as raise_compile
from raising.native.base.compile_options import CompileOptions
from raising.native.compile import build
from tests.c.gcc import Library, needs_gcc

SOURCE = """
void average(int n, float g, const float *restrict a, float *restrict o)
{ float s = 1; for (int i = 0; i < n; i++) { s += g * (a[i] - s); o[i] = s; } }
float last(int n, float g, const float *restrict a)
{ float s = 0; for (int i = 0; i < n; i++) s = g * a[i] + (1 - g) * s; return s; }
void no_mean(int n, const float *restrict a, float *restrict o)
{ float x = 0, y = 0; for (int i = 0; i < n; i++) { float v = a[i] - x + 0.995f * y; x = a[i]; y = v; o[i] = v; } }
void direct(int n, const float *restrict a, float *restrict o)
{ float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  for (int i = 0; i < n; i++) {
    float y = 0.2f * a[i] + 0.4f * x1 + 0.2f * x2 + 0.5f * y1 - 0.2f * y2;
    x2 = x1; x1 = a[i]; y2 = y1; y1 = y; o[i] = y; } }
void transposed(int n, float b, float c, float d, float g, float h, const float *restrict a, float *restrict o)
{ float p = 0, q = 0;
  for (int i = 0; i < n; i++) { float v = b * a[i] + p; p = c * a[i] + q - g * v; q = d * a[i] - h * v; o[i] = v; } }
void state(int n, float *restrict s, float g, const float *restrict a, float *restrict o)
{ float y1 = s[0], y2 = s[1];
  for (int i = 0; i < n; i++) { float y = a[i] + g * y1 - 0.5f * y2; y2 = y1; y1 = y; o[i] = y; }
  s[0] = y1; s[1] = y2; }
void in_place(int n, float *a, float g)
{ for (int i = 2; i < n; i++) a[i] = a[i] + g * a[i - 1] - 0.25f * a[i - 2]; }
void comb(int n, const double *restrict a, double *restrict o)
{ for (int i = 40; i < n; i++) o[i] = a[i] + 0.3 * o[i - 40] + 0.5 * o[i - 1]; }
void cascade(int n, const float *restrict a, float *restrict o)
{ float p = 0, q = 0; for (int i = 0; i < n; i++) { p += 0.3f * (a[i] - p); q += 0.1f * (p - q); o[i] = q * q; } }
void shorts(int n, const short *restrict a, float *restrict o)
{ float p = 0; for (int i = 0; i < n; i++) { p += 0.3f * (a[i] - p); o[i] = p; } }
double polynomial(int n, double x, const double *restrict c)
{ double s = 0; for (int i = 0; i < n; i++) s = s * x + c[i]; return s; }
void twice(int n, double dt, const double *restrict a, double *restrict o)
{ double v = 0, p = 1; for (int i = 0; i < n; i++) { v += dt * a[i]; p += dt * v; o[i] = p; } }
void envelope(int n, float g, const float *restrict a, float *restrict o)
{ float e = 1; for (int i = 0; i < n; i++) { float t = a[i] < 0 ? -a[i] : a[i]; e = g * e + t; o[i] = a[i] / e; } }
void channels(int n, const float (*restrict a)[2], float (*restrict o)[2])
{ float l = 0, r = 0;
  for (int i = 0; i < n; i++) { l = 0.9f * l + a[i][0]; r = 0.8f * r + a[i][1]; o[i][0] = l; o[i][1] = r; } }
void mixed(int n, const float *restrict a, float *restrict o, float *restrict p)
{ float l = 0, r = 1;
  for (int i = 0; i < n; i++) { l = 0.9f * l + a[i]; r = r - 0.2f * (r - a[i]); o[i] = l; p[i] = r; } }
void prefix(int n, const short *restrict a, int *restrict o)
{ int s = 5; for (int i = 0; i < n; i++) { s += a[i]; o[i] = s; } }
void places(int n, const short *restrict a, int *restrict o)
{ int k = 0; for (int i = 0; i < n; i++) { o[i] = k; if (a[i] > 99) k++; } }
void deltas(int n, long *a)
{ for (int i = 1; i < n; i++) a[i] += a[i - 1]; }
void twice_as_often(int n, const int *restrict a, int *restrict o)
{ int s = 0, t = 0; for (int i = 0; i < n; i++) { s += a[i]; t += s; o[i] = t; } }
void turned(int n, const short *restrict a, short *restrict o)
{ short s = 1; for (int i = 0; i < n; i++) { s = a[i] - s; o[i] = s; } }
void every_second(int n, const double *restrict a, double *restrict o)
{ for (int i = 2; i < n; i++) o[i] = a[i] + 0.3 * o[i - 2]; }
void greatest(int n, float g, const float *restrict a, float *restrict o)
{ float e = 0; for (int i = 0; i < n; i++) { e = e * g > a[i] ? e * g : a[i]; o[i] = e; } }
void unstable(int n, const float *restrict a, float *restrict o)
{ float y = 0; for (int i = 0; i < n; i++) { y = 1.5f * y + a[i]; o[i] = y; } }
"""
LEFT = ("every_second", "greatest", "unstable")
"""Two recurrences at once, one that is not linear, and one that grows."""
FUNCTIONS = re.findall(r"^(?:void|float|double) (\w+)\((.*)\)", SOURCE, re.MULTILINE)
SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 200, 1000)
WEIGHTS = (0.5, -0.9, 0.99, 1.0, 1.1, 0.0, 1e-30)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[Library, Library]:
    folder = tmp_path_factory.mktemp("filters")
    (folder / "k.c").write_text(SOURCE)
    assert raise_compile([str(folder / "k.c"), "-o", str(folder / "k.so"), "--fp", "reassoc", "--whole"]) == 0
    return Library.loaded(folder / "k.so"), Library(folder / "k.c", {})


@needs_gcc
@pytest.mark.parametrize(("name", "parameters"), FUNCTIONS)
def test_a_filter_computes_what_its_loop_does(libraries: Any, name: str, parameters: str) -> None:
    ours, theirs = libraries
    returns = {"last": "f4", "polynomial": "f8"}.get(name)
    for n in SIZES:
        for weight in WEIGHTS:
            arguments = [_argument(text, n, weight) for text in parameters.split(", ")]
            found, wanted = (lib.call(name, arguments, returns and np.dtype(returns).name) for lib in (ours, theirs))
            for one, other in zip(found, wanted, strict=True):
                if isinstance(other, np.ndarray) and np.isfinite(other).all():
                    scale = float(np.abs(other).max(initial=0))
                    small = 1e-12 if other.dtype == np.float64 else 1e-4
                    np.testing.assert_allclose(one, other, rtol=small, atol=small * scale, err_msg=f"{n}, {weight}")


def _argument(declared: str, n: int, weight: float) -> Any:
    """The value of a parameter: the number of samples, a weight, or samples, two for a state."""
    kind, name = re.sub(r"const |restrict ?|\(|\)|\[2\]", "", declared).rsplit(" ", 1)
    if (kind, name) == ("int", "n"):
        return np.int32(n)
    dtype = np.dtype({"float": "f4", "double": "f8", "short": "i2", "int": "i4", "long": "i8"}[kind]).type
    if "*" not in name:
        return dtype(weight)
    count = 2 * n if "[2]" in declared else n
    samples = np.random.default_rng(len(name) + n).uniform(-1, 1, max(count, 2))
    return (samples * 1000).astype(dtype) if np.issubdtype(dtype, np.integer) else samples.astype(dtype)


def test_filters_run_on_vectors(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(SOURCE)
    made = tmp_path / "k.mlir"
    assert raise_compile([str(tmp_path / "k.c"), "-o", str(made), "--emit", "mlir", "--fp", "reassoc", "--whole"]) == 0
    text = made.read_text()
    for name, _ in FUNCTIONS:
        (body,) = re.findall(rf"func\.func (?:public )?@{name}(?:\.body)?\(.*?\n  }}", text, re.DOTALL)[:1]
        assert ("vector.shuffle" in body) == (name not in LEFT), name


ROWS = """func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %w = arith.constant 0.5 : f32
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %r = scf.for %j = %c0 to %n step %c1 iter_args(%s = %z) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<?x?xf32>
      %p = arith.mulf %s, %w : f32
      %v = arith.addf %p, %a : f32
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
      scf.yield %v : f32
    }
    scf.reduce
  }
  return
}"""


def test_threads_have_states_of_their_own() -> None:
    """The memory of a carried scalar is the function's: rows on several threads would have the same."""
    build_rows = partial(build, ROWS.encode(), "f", CompileOptions(threads=2))
    assert "vector.shuffle" not in build_rows().mlir
    one = ROWS.replace("scf.parallel (%i) = (%c0) to (%m) step (%c1)", "scf.for %i = %c0 to %m step %c1")
    assert "vector.shuffle" in build(one.replace("    scf.reduce\n", "").encode(), "f", CompileOptions()).mlir
