"""Recurrences of narrow integers that are computed in wide ones: equal if their low bits are, and only then."""

import pytest

from raising.validate.base.verdict import Proved, Refuted
from raising.validate.check import check

WIDE = "%a = arith.extui %c : i8 to i32\n %b = arith.extui %x : i8 to i32\n"
PROVED = {
    "exclusive or": (
        WIDE + "%d = arith.xori %a, %b : i32\n %r = arith.trunci %d : i32 to i8",
        "%r = arith.xori %c, %x : i8",
    ),
    "two of them": (
        WIDE + "%d = arith.ori %a, %b : i32\n %e = arith.xori %d, %a : i32\n %r = arith.trunci %e : i32 to i8",
        "%d = arith.ori %c, %x : i8\n %r = arith.xori %d, %c : i8",
    ),
    "with and without a sign": (
        "%a = arith.extsi %c : i8 to i32\n %b = arith.extui %x : i8 to i32\n %d = arith.andi %a, %b : i32\n"
        "%r = arith.trunci %d : i32 to i8",
        "%r = arith.andi %c, %x : i8",
    ),
    "bits of a constant that are cut off": (
        WIDE + "%k = arith.constant 511 : i32\n %d = arith.xori %a, %k : i32\n %e = arith.xori %d, %b : i32\n"
        "%r = arith.trunci %e : i32 to i8",
        "%k = arith.constant -1 : i8\n %d = arith.xori %c, %k : i8\n %r = arith.xori %d, %x : i8",
    ),
    "widened twice": (
        "%h = arith.extui %c : i8 to i16\n %a = arith.extsi %h : i16 to i32\n %k = arith.constant 3 : i32\n"
        "%d = arith.divui %a, %k : i32\n %e = arith.trunci %d : i32 to i8\n %r = arith.xori %e, %x : i8",
        "%a = arith.extui %c : i8 to i32\n %k = arith.constant 3 : i32\n"
        "%d = arith.divui %a, %k : i32\n %e = arith.trunci %d : i32 to i8\n %r = arith.xori %e, %x : i8",
    ),
}
DIFFERENT = {
    "a bit of a constant": (
        WIDE + "%k = arith.constant 128 : i32\n %d = arith.xori %b, %k : i32\n %e = arith.xori %a, %d : i32\n"
        "%r = arith.trunci %e : i32 to i8",
        "%r = arith.xori %c, %x : i8",
    ),
    "a sign in between": (
        "%h = arith.extsi %c : i8 to i16\n %a = arith.extui %h : i16 to i32\n %k = arith.constant 11 : i32\n"
        "%d = arith.divui %a, %k : i32\n %e = arith.trunci %d : i32 to i8\n %r = arith.xori %e, %x : i8",
        "%a = arith.extui %c : i8 to i32\n %k = arith.constant 11 : i32\n"
        "%d = arith.divui %a, %k : i32\n %e = arith.trunci %d : i32 to i8\n %r = arith.xori %e, %x : i8",
    ),
    "a sign behind": (
        "%h = arith.extui %c : i8 to i16\n %a = arith.extui %h : i16 to i32\n %k = arith.constant 11 : i32\n"
        "%d = arith.divui %a, %k : i32\n %e = arith.trunci %d : i32 to i8\n %r = arith.xori %e, %x : i8",
        "%a = arith.extsi %c : i8 to i32\n %k = arith.constant 11 : i32\n"
        "%d = arith.divui %a, %k : i32\n %e = arith.trunci %d : i32 to i8\n %r = arith.xori %e, %x : i8",
    ),
    "cut off in front of a shift": (
        WIDE + "%k = arith.constant 1 : i32\n %s = arith.shli %a, %k : i32\n %d = arith.xori %s, %b : i32\n"
        "%t = arith.shrui %d, %k : i32\n %r = arith.trunci %t : i32 to i8",
        "%k = arith.constant 1 : i8\n %s = arith.shli %c, %k : i8\n %d = arith.xori %s, %x : i8\n"
        "%r = arith.shrui %d, %k : i8",
    ),
}


def _function(body: str) -> str:
    return f"""func.func @f(%A: memref<?xi8>, %n: index, %S: memref<i8>) {{
  affine.for %i = 0 to %n {{
    %c = affine.load %S[] : memref<i8>
    %x = affine.load %A[%i] : memref<?xi8>
    {body}
    affine.store %r, %S[] : memref<i8>
  }}
  return
}}
"""


@pytest.mark.parametrize(("source", "target"), PROVED.values(), ids=PROVED.keys())
def test_low_bits_that_are_equal_are_proved_equal(source: str, target: str) -> None:
    assert isinstance(check(_function(source), _function(target)), Proved)


@pytest.mark.parametrize(("source", "target"), DIFFERENT.values(), ids=DIFFERENT.keys())
def test_low_bits_that_differ_are_refuted(source: str, target: str) -> None:
    assert isinstance(check(_function(source), _function(target)), Refuted)
