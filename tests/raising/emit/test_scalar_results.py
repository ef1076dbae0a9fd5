"""Numbers that loops compute and operations after the loops use, on targets that take functions as a whole."""

from __future__ import annotations

import pytest

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from raising.validate.base.verdict import Proved

DOT = """double dot(double a[9], double b[9]) {
  double s = 0; for (int i = 0; i < 9; i++) s += a[i] * b[i]; return s; }"""
MEAN = """void mean(double a[4][9], double m[1], double w[4]) {
  double s = 0; for (int i = 0; i < 4; i++) for (int j = 0; j < 9; j++) s += a[i][j];
  double mean = s / 36; m[0] = mean;
  for (int i = 0; i < 4; i++) w[i] = a[i][0] - mean * 2; }"""
TWICE = """double twice(double a[9], double y[9]) {
  double s = 0; for (int i = 0; i < 9; i++) s += a[i];
  double t = s * s; s = 1; for (int i = 0; i < 9; i++) { s += 2 * a[i]; y[i] = a[i] + t; }
  return s + t; }"""
YIELDED = """func.func @f(%a: memref<9xf64>) -> f64 {
  %zero = arith.constant 0.0 : f64
  %n = arith.constant 9.0 : f64
  %s = affine.for %i = 0 to 9 iter_args(%acc = %zero) -> (f64) {
    %v = affine.load %a[%i] : memref<9xf64>
    %next = arith.addf %acc, %v : f64
    affine.yield %next : f64
  }
  %r = arith.divf %s, %n : f64
  return %r : f64
}"""
BOUND = """func.func @f(%a: memref<9xi32>, %y: memref<9xi32>) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  affine.for %i = 0 to 9 { affine.store %one, %a[%i] : memref<9xi32> }
  %v = affine.load %a[3] : memref<9xi32>
  %n = arith.index_cast %v : i32 to index
  scf.for %i = %zero to %n step %step { memref.store %one, %y[%i] : memref<9xi32> }
  return
}"""


def raised(text: str) -> RaiseResult:
    mlir = text if text.startswith("func") else convert(text, "f.c", COptions()).mlir
    return raise_module(mlir, options=RaiseOptions(target="stablehlo", check="native", cache=False))


@pytest.mark.parametrize("text", [DOT, MEAN, TWICE, YIELDED], ids=["dot", "mean", "twice", "yielded"])
def test_a_function_with_scalars_between_its_loops_is_raised(text: str) -> None:
    result = raised(text)
    assert result.complete, result.remarks
    assert "memref" not in result.text
    verdict = result.functions[0].verdict
    assert isinstance(verdict, Proved)
    assert verdict.tested is not None and verdict.tested.native is not None


def test_a_sum_that_starts_from_zero_needs_no_addition() -> None:
    assert "stablehlo.add" not in raised(DOT).text


def test_a_bound_that_loops_compute_keeps_the_function() -> None:
    result = raised(BOUND)
    assert not result.complete
    assert "memref.store" in result.text


def test_a_loop_that_stays_is_run_natively() -> None:
    text = """void f(double a[9], double t, double r[1]) {
      double s = 0; for (int i = 0; i < 9; i++) s = s > t ? s - a[i] : a[i] * s + t; r[0] = s; }"""
    result = raised(text)
    assert "stablehlo.while" in result.text
    verdict = result.functions[0].verdict
    assert isinstance(verdict, Proved)
    assert verdict.tested is not None and verdict.tested.native is not None
