"""Counters as data: in integers, in selections, in sums, and what is changed between a sum and its use."""

from pathlib import Path

import numpy as np
import pytest

import raising
from raising.frontend.c import convert
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.native.running import called

X, A = np.linspace(-3, 2, 12), np.arange(12, dtype=np.int32) * 7 - 30
FUNCTIONS = {
    "scaled": (
        "void scaled(int n, int *restrict o, const int *restrict a)"
        " { for (int k = 0; k < n; k++) o[k] = (k + 1) * a[k]; }",
        [np.int32(12), A * 0, A],
    ),
    "negative": (
        "void negative(int n, long a[restrict 8]) { for (int i = 1; i < n + 1; i++) a[i] = -(long)i; }",
        [np.int32(5), np.zeros(8, np.int64)],
    ),
    "argmax": (
        """void argmax(int n, const double *restrict x, int *restrict out) {
          int best = 0; double m = x[0];
          for (int i = 1; i < n; i++) if (x[i] > m) { m = x[i]; best = i; }
          out[0] = best; }""",
        [np.int32(12), np.roll(X, 5), np.zeros(1, np.int32)],
    ),
    "bits": (
        """void bits(const unsigned *restrict x, int *restrict c, int n) {
          int s = 0;
          for (int i = 0; i < n; i++) for (int b = 0; b < 32; b++) s += (x[i] >> b) & 1;
          c[0] = s; }""",
        [A.astype(np.uint32), np.zeros(1, np.int32), np.int32(12)],
    ),
    "every third": (
        "void f(float *restrict f, int n) { for (int i = 0; i < n; i++) f[3 * i + 1] = 0.5f * (2 * i + 7); }",
        [X.astype(np.float32), np.int32(4)],
    ),
    "complement": (
        "#include <math.h>\nvoid complement(int n, double *restrict o, const double *restrict a)"
        " { for (int k = 0; k < n; k++) o[k] = erfc(a[k]); }",
        [np.int32(12), X * 0, X],
    ),
}


@needs_gcc
@pytest.mark.parametrize("name", FUNCTIONS)
def test_raised_functions_do_as_c_does(name: str, tmp_path: Path):
    source, arguments = FUNCTIONS[name]
    (tmp_path / "k.c").write_text(source)
    result = raising.raise_module(convert(source, "k.c").mlir, check="field")
    assert not [str(r) for r in result.remarks if "internal" in str(r)] and result.functions[0].changed
    function = result.functions[0].name
    assert Beside(Library(tmp_path / "k.c", {}), result.text, function).difference(arguments) == ""


NORM = """
#include <math.h>
void norm(float *restrict o, const float *restrict x, const float *restrict w, int n) {
  float s = 0.0f;
  for (int j = 0; j < n; j++) s += x[j] * x[j];
  s /= n; s += 1e-5f; s = 1.0f / sqrtf(s);
  for (int j = 0; j < n; j++) o[j] = w[j] * (s * x[j]);
}"""


def test_loops_that_use_what_is_made_of_a_sum_come_after_it():
    """The second loop was fused with the first: what had been inlined into it was not asked what it needs."""
    text = raising.raise_module(convert(NORM, "k.c").mlir, check="field").text
    x, w = X.astype(np.float32), A.astype(np.float32)
    (o, *_) = called(text, [x * 0, x, w, 12])
    wanted = w * (x / np.sqrt((x.astype(float) ** 2).mean() + 1e-5))
    np.testing.assert_allclose(o, wanted, rtol=1e-5)


ROTATED = """
#include <math.h>
void rotated(float *v, int pos, int size, int head) {
  for (int i = 0; i < size; i += 2) {
    float f = 1.0f / powf(10000.0f, i % head / (float)head), c = cosf(pos * f), s = sinf(pos * f);
    float a = v[i], b = v[i + 1];
    v[i] = a * c - b * s; v[i + 1] = a * s + b * c; } }"""


@needs_gcc
def test_pairs_are_rotated_in_place(tmp_path: Path):
    """What is written at every second element was found only where few operations compute it."""
    (tmp_path / "k.c").write_text(ROTATED)
    text = raising.raise_module(convert(ROTATED, "k.c").mlir).text
    assert "scf.for" not in text and "affine.for" not in text and "linalg.generic" in text
    library = Library(tmp_path / "k.c", {})
    for size, head in ((0, 2), (1, 2), (2, 2), (7, 3), (12, 4)):
        arguments = [X.astype(np.float32), np.int32(7), np.int32(size), np.int32(head)]
        wanted = library.call("rotated", arguments, None)[0]
        np.testing.assert_allclose(called(text, [a.copy() for a in arguments])[0], wanted, rtol=1e-5)
