"""Equal to the last bit: the same operations on floats in the same order."""

from __future__ import annotations

import pytest

from raising.api.options import RaiseOptions
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved, Refuted
from raising.validate.check import CheckOptions, check
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
