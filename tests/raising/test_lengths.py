"""Lengths of variable-length arrays in C are positive where a function is entered, but for the first one."""

from __future__ import annotations

from raising.validate.base.verdict import Proved, Refuted
from raising.validate.check import check
from tests.raising.edges import module_of, raised

LAST = "void f(int n, int m, double a[{}][m], double o[n]) {{ for (int i=0;i<n;i++) for (int j=0;j<m;j++) o[i] = 7; }}"
SETS = "func.func @f(%n: i32, %m: i32, %a: memref<?x?xf64>, %o: memref<?xf64>) {{\n{}\n  return\n}}"
BODY = """  %0 = arith.index_cast %n : i32 to index
  %1 = arith.index_cast %m : i32 to index
  %c = arith.constant 7.0 : f64
  affine.for %i = 0 to %0 {
    affine.for %j = 0 to BOUND {
      affine.store %c, %o[%i] : memref<?xf64>
    }
  }"""


def test_an_inner_length_is_positive() -> None:
    result = raised(LAST.format("n"))
    assert not result.functions[0].kept and "scf.if" not in result.text and "select" not in result.text


def test_the_first_length_is_that_of_no_array() -> None:
    text = "void f(int n, int m, double a[n], double o[4]) { for (int i=0;i<n;i++) for (int j=0;j<4;j++) o[j] = 7; }"
    assert "cmpi" in raised(text).text


def test_only_the_source_says_so() -> None:
    plain, once = SETS.format(BODY.replace("BOUND", "%1")), SETS.format(BODY.replace("BOUND", "1"))
    parameters = '[["int", "n"], ["int", "m"], ["double", "a", "n", "m"], ["double", "o", "n"]]'
    told = once.replace(") {", f") attributes {{c_parameters = {parameters}}} {{", 1)
    assert isinstance(check(module_of(LAST.format("n")), once), Proved)
    assert isinstance(check(plain, once), Refuted)
    assert isinstance(check(plain, told), Refuted)
