"""Equal to the last bit: the same operations on floats in the same order."""

from __future__ import annotations

import pytest

from raising.api.options import RaiseOptions
from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved, Refuted
from raising.validate.check import CheckOptions, check
from raising.validate.run.strict_integers import Sums
from tests.kernels import kernel
from tests.validate.proof.test_proof import CELL, SUM, TILED, module

STRICT = CheckOptions(strict=True)


def test_a_sum_in_the_same_order_is_equal_to_the_last_bit() -> None:
    verdict = check(module(SUM), module(TILED), STRICT)
    assert isinstance(verdict, Proved) and verdict.floats == "bit-exact"


def test_a_sum_in_another_order_is_not() -> None:
    assert isinstance(check(module(SUM), module(CELL), STRICT), Refuted)
    plain = check(module(SUM), module(CELL))
    assert isinstance(plain, Proved) and plain.floats.startswith("reassociated")


@pytest.mark.parametrize(("name", "kept"), [("gemm", False), ("gemver", False), ("symm", True)])
def test_loops_stay_where_the_raised_form_rounds_in_another_way(name: str, kept: bool) -> None:
    result = raise_module(kernel(name), options=RaiseOptions(check="proof", strict_fp=True))
    assert result.complete is not kept
    assert raise_module(kernel(name), options=RaiseOptions(check="proof")).complete


_INTEGERS = """func.func @f(%a: memref<?xi32>, %b: memref<?xi32>, %n: index) {{
  affine.for %i = 1 to affine_map<()[s] -> (s - 1)>()[%n] {{
    %x = affine.load %a[%i - 1] : memref<?xi32>
    %y = affine.load %a[%i] : memref<?xi32>
    %z = affine.load %a[%i + 1] : memref<?xi32>
    %s = arith.addi {0} : i32
    %t = arith.addi {1} : i32
    affine.store %t, %b[%i] : memref<?xi32>
  }}
  return
}}"""


def test_integers_are_the_same_in_every_order() -> None:
    one, other = _INTEGERS.format("%x, %y", "%s, %z"), _INTEGERS.format("%y, %z", "%x, %s")
    assert isinstance(check(one, other, STRICT), Proved)
    floats = [text.replace("i32", "f32").replace("addi", "addf") for text in (one, other)]
    assert isinstance(check(*floats, STRICT), Refuted)


_DIFFERENCE = """func.func @f(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {{
  affine.for %i = 0 to %n {{
    %x = affine.load %a[%i] : memref<?xf32>
    %y = affine.load %b[%i] : memref<?xf32>
    {0}
    affine.store %d, %b[%i] : memref<?xf32>
  }}
  return
}}"""
_LESS = _DIFFERENCE.format("%d = arith.subf %y, %x : f32")


def test_a_difference_is_the_sum_with_the_negated_number() -> None:
    other = _DIFFERENCE.format("%m = arith.negf %x : f32  %d = arith.addf %m, %y : f32")
    assert isinstance(check(_LESS, other, STRICT), Proved)


def test_a_difference_the_other_way_round_negated_is_none() -> None:
    """The difference of equal numbers is 0, and this would be -0."""
    other = _DIFFERENCE.format("%m = arith.subf %x, %y : f32  %d = arith.negf %m : f32")
    assert not isinstance(check(_LESS, other, STRICT), Proved)
    swapped = _DIFFERENCE.format("%m = arith.negf %y : f32  %d = arith.addf %m, %x : f32")
    assert isinstance(check(_LESS, swapped, STRICT), Refuted)


COUNTS = """
int crossings(int n, const float *x) {
  int c = 0;
  for (int i = 1; i < n; i++) if ((x[i] < 0) != (x[i-1] < 0)) c++;
  return c;
}
void ranks(int n, int *restrict r, const double *x) {
  for (int i = 0; i < n; i++) { r[i] = 0; for (int j = 0; j < n; j++) if (x[j] < x[i]) r[i]++; }
}
int votes(int n, const float *x, const float *y) {
  int s = 0;
  for (int i = 0; i < n; i++) if (y[i] > x[i] && y[i] < 2) s += 3; else s -= i;
  return s;
}
void sums(int n, double *restrict y, const double *x) {
  for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < n; j++) if (x[j] > x[i]) s += x[j]; y[i] = s; }
}
"""


def test_counts_of_what_holds_are_sums_of_integers() -> None:
    made = raise_module(convert(COUNTS, "f.c", COptions()).mlir, check="proof", strict_fp=True, cache=False)
    assert made.complete, made.functions


_CHOSEN = """func.func @f(%a: memref<?xf32>, %b: memref<f32>, %n: index) {{
  %s = arith.constant {0} : f32
  affine.store %s, %b[] : memref<f32>
  affine.for %i = 0 to %n {{
    %x = affine.load %a[%i] : memref<?xf32>
    %k = affine.load %b[] : memref<f32>
    %l = arith.constant 2.0 : f32
    %z = arith.constant {1} : f32
    %c = arith.cmpf olt, %x, %l : f32
    {2}
    affine.store %t, %b[] : memref<f32>
  }}
  return
}}"""
_ADDED = "%u = arith.addf %k, %x : f32\n %t = arith.select %c, %u, %k : f32"
_ZERO = "%u = arith.select %c, %x, %z : f32\n %t = arith.addf %k, %u : f32"


@pytest.mark.parametrize(
    ("begins", "zero", "same"), [("0.0", "0.0", True), ("-0.0", "0.0", False), ("0.0", "1.0", False)]
)
def test_zero_changes_a_sum_only_if_it_is_minus_zero(begins: str, zero: str, same: bool) -> None:
    verdict = check(_CHOSEN.format(begins, zero, _ADDED), _CHOSEN.format(begins, zero, _ZERO), STRICT)
    assert isinstance(verdict, Proved) is same, verdict


def test_sums_are_polynomials_of_which_truth_values_are_their_own_square() -> None:
    sums = Sums()
    c, x, y = sums.truth(1, None, None), sums.terms(2, None), sums.terms(3, None)
    both = sums.computed("arith.addi", [x, y], "i32")
    assert both is not None and sums.computed("arith.subi", [both, y], "i32") == x
    chosen = sums.computed("arith.select", [c, x, y], "i32")
    assert chosen is not None and sums.computed("arith.select", [c, chosen, y], "i32") == chosen
    assert sums.computed("arith.muli", [c, c], "i32") == c != sums.computed("arith.muli", [x, x], "i32")
    assert sums.computed("arith.muli", [{(): 1 << 31}, {(2,): 2}], "i32") == {}
    many = {(k,): -1 for k in range(10, 270)}
    assert sums.computed("arith.select", [c, many, {(k,): 1 for k in range(256)}], "i32") is None
