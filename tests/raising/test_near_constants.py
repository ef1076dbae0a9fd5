"""Float constants that are other numbers modulo 2^61 - 1: the one nearest to 0.1 is 12.9 there (2^-55 is 2^6)."""

import numpy as np

from raising.frontend.c import convert
from raising.grammar.evaluate.number import apart, point
from raising.grammar.evaluate.sample import to_num
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved

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
