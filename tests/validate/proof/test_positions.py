"""Positions in integer types that do not hold them, constants that wrap, and numbers that are not finite."""

import pytest

from raising.validate.base.verdict import Proved
from raising.validate.check import CheckOptions, check
from raising.validate.proof.proof import Equal
from tests.validate.proof.test_proof import proved

HEAD = "func.func @f(%n: index, %o: memref<?xf64>) {\n affine.for %i = 0 to %n {\n"
TAIL = "\n affine.store %r, %o[%i] : memref<?xf64>\n }\n return\n }"

LATE = "%p = affine.apply affine_map<(d0) -> (300 - d0)>(%i)\n %q = arith.index_cast %p : index to i32\n"
NO_NUMBER = "%k = arith.constant 0x7FF8000000000000 : f64\n %l = arith.constant 1.0 : f64\n"
OF_I32 = "%r = arith.sitofp %q : i32 to f64"
WRONG = {
    "a byte for a position": (
        "%q = arith.index_cast %i : index to i8\n %r = arith.sitofp %q : i8 to f64",
        "%q = arith.index_cast %i : index to i32\n" + OF_I32,
    ),
    "a position cut to a byte": (
        "%p = arith.index_cast %i : index to i32\n %q = arith.trunci %p : i32 to i8\n %r = arith.sitofp %q : i8 to f64",
        "%q = arith.index_cast %i : index to i32\n" + OF_I32,
    ),
    "16 bits compared late": (
        "%q = arith.index_cast %i : index to i16\n %k = arith.constant 20000 : i16\n"
        "%c = arith.cmpi slt, %q, %k : i16\n %r = arith.uitofp %c : i1 to f64",
        "%k = arith.constant 20000 : index\n %c = arith.cmpi slt, %i, %k : index\n %r = arith.uitofp %c : i1 to f64",
    ),
    "no sign, late": (
        LATE + "%k = arith.constant 1000 : i32\n %c = arith.cmpi ult, %q, %k : i32\n %r = arith.uitofp %c : i1 to f64",
        LATE + "%k = arith.constant 1000 : i32\n %c = arith.cmpi slt, %q, %k : i32\n %r = arith.uitofp %c : i1 to f64",
    ),
    "widened without its sign, late": (
        LATE + "%z = arith.extui %q : i32 to i64\n %r = arith.sitofp %z : i64 to f64",
        LATE + "%z = arith.extsi %q : i32 to i64\n %r = arith.sitofp %z : i64 to f64",
    ),
    "a float without its sign, late": (LATE + "%r = arith.uitofp %q : i32 to f64", LATE + OF_I32),
    "bytes that wrap": (
        "%a = arith.constant 100 : i8\n %b = arith.addi %a, %a : i8\n %r = arith.sitofp %b : i8 to f64",
        "%r = arith.constant 200.0 : f64",
    ),
    "constants that wrap when compared": (
        "%a = arith.constant 2147483647 : i32\n %b = arith.constant 1 : i32\n %q = arith.addi %a, %b : i32\n"
        "%c = arith.cmpi sgt, %q, %b : i32\n %r = arith.uitofp %c : i1 to f64",
        "%r = arith.constant 1.0 : f64",
    ),
    "an infinity less itself": (
        "%k = arith.constant 0x7FF0000000000000 : f64\n %r = arith.subf %k, %k : f64",
        "%r = arith.constant 0.0 : f64",
    ),
    "two kinds of maximum of no number": (
        NO_NUMBER + "%r = arith.maximumf %l, %k : f64",
        NO_NUMBER + "%r = arith.maxnumf %l, %k : f64",
    ),
}
RIGHT = {
    "no sign, of what has none": (
        "%p = arith.index_cast %i : index to i32\n %z = arith.extui %p : i32 to i64\n%r = arith.sitofp %z : i64 to f64",
        "%q = arith.index_cast %i : index to i32\n" + OF_I32,
    ),
    "bytes alike": (
        "%q = arith.index_cast %i : index to i8\n %s = arith.sitofp %q : i8 to f64\n %r = arith.addf %s, %s : f64",
        "%q = arith.index_cast %i : index to i8\n %s = arith.sitofp %q : i8 to f64\n"
        "%t = arith.constant 2.0 : f64\n %r = arith.mulf %s, %t : f64",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_numbers_that_wrap_are_not_positions(name: str) -> None:
    one, other = WRONG[name]
    verdict = check(HEAD + one + TAIL, HEAD + other + TAIL, CheckOptions(level="proved-all-sizes"))
    assert not isinstance(verdict, Proved), verdict


@pytest.mark.parametrize("name", RIGHT)
def test_what_cannot_wrap_or_wraps_alike_is_proved(name: str) -> None:
    one, other = RIGHT[name]
    assert isinstance(proved(HEAD + one + TAIL, HEAD + other + TAIL), Equal)
