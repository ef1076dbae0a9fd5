"""Comparisons of integers that were widened first: those of the narrow ones, by the order that widening keeps."""

import pytest

from raising.validate.base.verdict import Proved, Refuted
from raising.validate.check import check

EQUAL = [
    ("extui", "extui", "eq", "eq"),
    ("extsi", "extsi", "ne", "ne"),
    ("extui", "extui", "slt", "ult"),
    ("extui", "extui", "ule", "ule"),
    ("extsi", "extsi", "sge", "sge"),
    ("extsi", "extsi", "ugt", "ugt"),
]
DIFFERENT = [
    ("extui", "extsi", "eq", "eq"),
    ("extui", "extui", "slt", "slt"),
    ("extsi", "extsi", "sgt", "ugt"),
    ("extsi", "extsi", "ult", "slt"),
    ("extui", "extsi", "slt", "slt"),
]


def _function(comparison: str) -> str:
    return f"""func.func @f(%A: memref<?xi8>, %B: memref<?xi8>, %n: index, %S: memref<i32>) {{
  %one = arith.constant 1 : i32
  affine.for %i = 0 to %n {{
    %a = affine.load %A[%i] : memref<?xi8>
    %b = affine.load %B[%i] : memref<?xi8>
    {comparison}
    %s = affine.load %S[] : memref<i32>
    %t = arith.addi %s, %one : i32
    %r = arith.select %c, %t, %s : i32
    affine.store %r, %S[] : memref<i32>
  }}
  return
}}
"""


def _pair(one: str, other: str, wide: str, narrow: str) -> tuple[str, str]:
    widened = f"%x = arith.{one} %a : i8 to i32\n %y = arith.{other} %b : i8 to i32\n"
    return _function(f"{widened} %c = arith.cmpi {wide}, %x, %y : i32"), _function(
        f"%c = arith.cmpi {narrow}, %a, %b : i8"
    )


@pytest.mark.parametrize(("one", "other", "wide", "narrow"), EQUAL)
def test_widening_keeps_an_order(one: str, other: str, wide: str, narrow: str) -> None:
    assert isinstance(check(*_pair(one, other, wide, narrow)), Proved)


@pytest.mark.parametrize(("one", "other", "wide", "narrow"), DIFFERENT)
def test_and_no_other_one(one: str, other: str, wide: str, narrow: str) -> None:
    assert isinstance(check(*_pair(one, other, wide, narrow)), Refuted)
