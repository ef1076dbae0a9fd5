"""Float constants that are other numbers modulo 2^61 - 1: the one nearest to 0.1 is 12.9 there (2^-55 is 2^6)."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from raising.affine.ir.program import Program, Scalar
from raising.frontend.c import convert
from raising.grammar.evaluate.number import apart
from raising.grammar.evaluate.point_number import point
from raising.grammar.evaluate.sample import constant_points, special_points, to_num
from raising.grammar.terms.literal import exact
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved
from tests.c.beside import Beside
from tests.c.gcc import Library, needs_gcc
from tests.raising.algebra import loops, operations

MIXED = """void f(int n, float d[restrict n], float s[restrict n]) {
  for (int i = 0; i < n; i++) d[i] = d[i] * 0.1 + s[i] / 3;
}"""


def test_floats_tell_them_apart() -> None:
    near, other = to_num([point(0.1)] * 3, (3,)), to_num([point(12.9 + 7.0 * 2**-51)] * 3, (3,))
    assert not apart(near, near) and apart(near, other)
    assert not apart(near, other, np.array([False, False, False]))


def test_a_program_with_the_other_number_is_not_taken() -> None:
    result = raise_module(convert(MIXED, "k.c").mlir, check="proof")
    assert "arith.constant 1.000000e-01 : f64" in result.text and "3.000000e+00 : f32" in result.text
    assert isinstance(result.functions[0].verdict, Proved), result.remarks


MAXIMA = """#include <float.h>
#include <math.h>
void rows(const float *restrict x, int n, int batch, float *restrict o) {
  for (int b = 0; b < batch; b++) {
    float largest = -FLT_MAX;
    for (int i = 0; i < n; i++)
      if (x[b * n + i] > largest) largest = x[b * n + i];
    o[b] = largest;
  }
}
void tempered(const float *restrict x, int n, float temp, int stride, float *restrict o) {
  float sum = 0, largest = -FLT_MAX;
  for (int i = 0; i < n; i++)
    if (x[i * stride] > largest) largest = x[i * stride];
  for (int i = 0; i < n; i++) {
    float e = expf(x[i * stride] / temp - largest / temp);
    sum += e;
    o[i * stride] = e;
  }
  for (int i = 0; i < n; i++) o[i * stride] /= sum;
}"""


@pytest.mark.parametrize("text", ["-3.4028234663852886e+38", "0.1", "1e+23", "-2.5"])
def test_a_sample_at_a_constant_is_the_constant(text: str) -> None:
    program = Program("f", {}, {"x": Scalar("x", "f64", text)}, (), frozenset())
    own = point(exact(text))
    assert all(own in found for found in (special_points(program, "f64"), constant_points(program, "f64")))


@needs_gcc
def test_maxima_over_the_least_float_and_quotients_by_zero(tmp_path: Path) -> None:
    """At 0, `x / t - m / t` is no number where x is m, nor then the sum and its quotients: as of `(x - m) / t`."""
    result = raise_module(convert(MAXIMA, "k.c").mlir, check="field")
    assert not loops(result.text), result.remarks
    assert operations(result.text).count("arith.divf") == 2
    path = tmp_path / "k.c"
    path.write_text(MAXIMA)
    beside = Beside(Library(path, {}), result.text, "tempered")
    for n, stride, zero, end in product((0, 1, 2, 5), (1, 2), (0.0, -0.0), (1.0, np.inf, -np.inf)):
        x = np.random.default_rng([n, stride]).integers(-4, 5, (n, stride)).astype(np.float32)
        x[-1:] = end
        given = [x, np.int32(n), np.float32(zero), np.int32(stride), np.zeros((n, stride), np.float32)]
        assert not beside.difference(given)


COMPARED = """
void f(const float *restrict x, const float *restrict a, int n, float t, float m, float *restrict e, float *restrict o)
{
  for (int i = 0; i < n; i++) e[i] = x[i] / t - m / t;
  for (int i = 0; i < n; i++) o[i] = e[i] > 1.0f ? a[i] : 2.0f;
}"""


def test_what_the_whole_program_tells_at_zero_is_searched_again() -> None:
    """What is no number is not greater than 1, but `(x - m) / t` is at 0, which no sample of the first loop tells."""
    result = raise_module(convert(COMPARED, "k.c").mlir, check="field")
    assert not loops(result.text), result.remarks
    assert operations(result.text).count("arith.divf") == 2  # not one
