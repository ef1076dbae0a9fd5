"""Whole numbers that no float holds, numbers that are no sizes, sizes only asked for, and loops that do not run."""

import numpy as np
import pytest

from raising.api.result import RaiseResult
from raising.compile_module import compile_module
from raising.pipeline import raise_module
from raising.validate.base.verdict import Proved
from tests.raising.running import execute, kept

FILLED = """
func.func @f(%y: memref<?xi64>, %n: index) {{
  affine.for %i = 0 to %n {{
    %c = arith.constant {} : i64
    affine.store %c, %y[%i] : memref<?xi64>
  }}
  return
}}
"""
ADDED = """
func.func @f(%x: memref<7xi64>, %y: memref<7xi64>) {
  affine.for %i = 0 to 7 {
    %c = arith.constant 9007199254740993 : i64
    %v = affine.load %x[%i] : memref<7xi64>
    %w = arith.addi %v, %c : i64
    affine.store %w, %y[%i] : memref<7xi64>
  }
  return
}
"""
ASKED = """
func.func @f(%x: memref<?xf64>, %y: memref<?xf64>) {
  %zero = arith.constant 0 : index
  %n = memref.dim %x, %zero : memref<?xf64>
  %c = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.store %c, %y[%i] : memref<?xf64>
  }
  %first = affine.load %x[0] : memref<?xf64>
  affine.store %first, %y[0] : memref<?xf64>
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %y[%i - 1] : memref<?xf64>
      %b = arith.addf %a, %first : f64
      affine.store %b, %y[%i] : memref<?xf64>
    }
  }
  return
}
"""
MOVING = """
func.func @f(%x: memref<?xf64>, %y: memref<?xf64>, %k: index, %n: index) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to affine_map<()[n, k] -> (n - k + 1)>()[%n, %k] {
    affine.store %zero, %y[%i] : memref<?xf64>
    affine.for %j = 0 to %k {
      %a = affine.load %x[%i + %j] : memref<?xf64>
      %b = affine.load %y[%i] : memref<?xf64>
      %c = arith.addf %b, %a : f64
      affine.store %c, %y[%i] : memref<?xf64>
    }
  }
  return
}
"""

CONVERTED = """
func.func @f(%x: memref<?xi32>, %y: memref<?xi32>, %s: memref<f64>, %p: memref<?xf64>) {
  %zero = arith.constant 0 : index
  %n = memref.dim %x, %zero : memref<?xi32>
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xi32>
    %b = affine.load %y[%i] : memref<?xi32>
    %c = arith.addi %a, %b : i32
    %d = arith.sitofp %c : i32 to f64
    %e = affine.load %s[] : memref<f64>
    %g = arith.addf %e, %d : f64
    affine.store %g, %s[] : memref<f64>
    %k = arith.muli %a, %b : i32
    %l = arith.sitofp %k : i32 to f64
    %m = arith.sitofp %a : i32 to f64
    %o = arith.mulf %l, %m : f64
    affine.store %o, %p[%i] : memref<?xf64>
  }
  return
}
"""

STEPS = """
func.func @f(%x: memref<8xf64>, %y: memref<8xf64>, %t: index) {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to 8 {
      %a = affine.load %x[%i - 1] : memref<8xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %y[%i] : memref<8xf64>
    }
    affine.for %i = 0 to 8 {
      %a = affine.load %y[%i] : memref<8xf64>
      affine.store %a, %x[%i] : memref<8xf64>
    }
  }
  return
}
"""


def _proved(text: str) -> RaiseResult:
    result = raise_module(text, check="proof", cache=False)
    assert isinstance(result.functions[0].verdict, Proved), kept(result)
    return result


@pytest.mark.parametrize("number", [9223372036854775805, -9223372036854775807, 5000])
def test_an_array_filled_with_a_whole_number(number: int) -> None:
    result = _proved(FILLED.format(number))
    assert result.complete
    after = execute(result.text, "f", [np.zeros(4, np.int64), np.int64(4)])
    assert after[0].tolist() == [number] * 4


def test_a_whole_number_that_no_float_holds_is_added() -> None:
    result = _proved(ADDED)
    assert result.complete
    x = np.arange(7)
    assert execute(result.text, "f", [x, np.zeros(7, np.int64)])[1].tolist() == (x + 9007199254740993).tolist()


def test_what_is_added_and_multiplied_as_floats_is_no_sum_and_no_product_of_integers() -> None:
    result = raise_module(CONVERTED, cache=False)
    assert result.complete
    x = np.array([20000, 30000, 10000] * 50000, np.int32)
    found = execute(result.text, "f", [x, x, np.zeros(()), np.zeros(len(x))])
    assert found[2] == 2.0 * x.sum(dtype=np.float64)
    assert found[3].tolist() == (x.astype(np.float64) ** 3).tolist()


def test_a_window_of_open_length_is_compiled() -> None:
    result = _proved(MOVING)
    assert result.complete
    x, y = np.arange(6.0), np.zeros(6)
    compile_module(result.text, cache=False)["f"](x, y, 3, 6)
    assert y.tolist() == [3.0, 6.0, 9.0, 12.0, 0.0, 0.0]


def test_the_extent_of_an_array_that_the_loop_does_not_access() -> None:
    result = _proved(ASKED)
    x = np.array([2.0, 3.0, 5.0])
    assert execute(result.text, "f", [x, np.ones(3)])[1].tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_what_a_loop_leaves_where_it_does_not_run(steps: int) -> None:
    result = raise_module(STEPS, check="none", cache=False)
    assert result.functions[0].changed
    x, y = np.arange(8.0), np.ones(8)
    found = execute(result.text, "f", [x, y, np.int64(steps)])
    wanted = execute(STEPS, "f", [x, y, np.int64(steps)])
    assert [a.tolist() for a in found] == [w.tolist() for w in wanted]
