"""Positions in integer types that do not hold them, constants that wrap, and numbers that are not finite."""

import re

import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import raise_module
from raising.validate.base.verdict import Bounded, Proved
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


ELSEWHERE = """
void squares(int n, double *t) { for (int i = 1; i < n; i++) t[i] = i * i; }
void backward(int n, double *t) { for (int i = n - 1; i > 0; i--) t[i - 1] = 1.0 / i; }
void halves(int n, double *t) { for (int i = 3; i < n; i += 2) t[i] = i / 2; }
void weights(int n, double *restrict t, const double *x) {
  for (int i = 1; i < n; i++) t[i - 1] = x[i] * (n - i) + i * i * x[i - 1];
}
void grid(int n, int m, double t[n][m], int lo) {
  for (int i = lo; i < n; i++) for (int j = 2; j < m; j++) t[i][j] = i * j + 3 * i - j;
}
void bytes(int n, unsigned char *t, int lo) { for (int i = lo; i < n; i++) t[i] = i * i + 3; }
double moment(int n, const double *x) { double s = 0; for (int i = 1; i < n; i++) s += i * x[i]; return s; }
double numbers(int n) { double s = 0; for (int i = 1; i < n; i++) s += i; return s; }
void quotients(int n, double *restrict t, const double *x) { for (int i = 1; i < n; i++) t[i] = x[i] / (i * (i + 1)); }
void clipped(int n, double *restrict t, const double *x) { for (int i = 1; i < n; i++) t[i] = x[i] > i ? i : x[i - 1]; }
void parities(int n, int m, int t[n][m]) { for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) t[i][j] = i ^ j; }
void given(int n, int *t) { for (int i = n - 1; i >= 1; i--) t[i - 1] = i * (i + 1); }
"""
"""Loops that begin elsewhere than their arrays, and use the counter as a number."""


def test_a_position_is_the_same_number_wherever_a_loop_begins() -> None:
    made = raise_module(convert(ELSEWHERE, "f.c", COptions()).mlir, check="proof", strict_fp=True, cache=False)
    assert {f.name: type(f.verdict) for f in made.functions} == dict.fromkeys(
        re.findall(r"^\w+ (\w+)\(", ELSEWHERE, re.MULTILINE), Proved
    )


@pytest.mark.parametrize("late", ["(d0 + 2)", "(d0)", "(2 * d0 + 1)"])
def test_other_positions_are_told_apart(late: str) -> None:
    store = "\n %r = arith.index_cast %q : index to i64\n affine.store %r, %o[@] : memref<?xi64>\n }\n return\n }"
    head = "func.func @f(%n: index, %o: memref<?xi64>) {\n affine.for %i = FIRST to %n {\n"
    first = "%q = affine.apply affine_map<(d0) -> (d0)>(%i)"
    one = head.replace("FIRST", "1") + first + store.replace("@", "%i")
    until = (
        "func.func @f(%n: index, %o: memref<?xi64>) {\n affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%n] {\n"
    )

    def other(position: str) -> str:
        return until + f"%q = affine.apply affine_map<(d0) -> {position}>(%i)" + store.replace("@", "%i + 1")

    assert not isinstance(check(one, other(late)), Proved | Bounded)
    assert isinstance(check(one, other("(d0 + 1)")), Proved)


@pytest.mark.parametrize("name", WRONG)
def test_numbers_that_wrap_are_not_positions(name: str) -> None:
    one, other = WRONG[name]
    verdict = check(HEAD + one + TAIL, HEAD + other + TAIL, CheckOptions(level="proved-all-sizes"))
    assert not isinstance(verdict, Proved), verdict


@pytest.mark.parametrize("name", RIGHT)
def test_what_cannot_wrap_or_wraps_alike_is_proved(name: str) -> None:
    one, other = RIGHT[name]
    assert isinstance(proved(HEAD + one + TAIL, HEAD + other + TAIL), Equal)
