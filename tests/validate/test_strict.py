"""Equal to the last bit: the same operations on floats in the same order."""

from __future__ import annotations

import pytest

from raising.api.options import RaiseOptions
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved, Refuted
from raising.validate.check import CheckOptions, check
from tests.kernels import kernel
from tests.validate.test_proof import CELL, SUM, TILED, module

STRICT = CheckOptions(strict=True)


def test_a_sum_in_the_same_order_is_equal_to_the_last_bit() -> None:
    verdict = check(module(SUM), module(TILED), STRICT)
    assert isinstance(verdict, Proved) and verdict.floats == "bit-exact"


def test_a_sum_in_another_order_is_not() -> None:
    assert isinstance(check(module(SUM), module(CELL), STRICT), Refuted)
    plain = check(module(SUM), module(CELL))
    assert isinstance(plain, Proved) and plain.floats.startswith("reassociated")


@pytest.mark.parametrize(("name", "kept"), [("gemm", False), ("gemver", True)])
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
