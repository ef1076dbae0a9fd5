"""Views of memory, numbers made of indices, and calls in loops: raised from MLIR, proved, and equal to the source."""

import numpy as np
import pytest

from raising.pipeline import RaiseOptions, raise_module
from tests.raising.algebra import loops, without_fallbacks
from tests.raising.running import execute

TRANSPOSED = "memref<?x?xf64, affine_map<(d0, d1)[s0] -> (d1 * s0 + d0)>>"
BODIES = {
    "transposed": f"""
 %t = memref.transpose %a (i, j) -> (j, i) : memref<?x?xf64> to {TRANSPOSED}
 affine.for %i = 0 to %m {{ affine.for %j = 0 to %n {{
  %x = affine.load %t[%i, %j] : {TRANSPOSED}
  affine.store %x, %b[%i, %j] : memref<?x?xf64> }} }}""",
    "collapsed": """
 %t = memref.collapse_shape %c [[0, 1]] : memref<?x4xf64> into memref<?xf64>
 affine.for %i = 0 to affine_map<(d0) -> (4 * d0)>(%n) {
  %x = affine.load %t[%i] : memref<?xf64>
  %y = arith.negf %x : f64
  affine.store %y, %o[%i] : memref<?xf64> }""",
    "a row, in steps": """
 %t = memref.subview %a[2, 1] [1, %n] [1, 3] : memref<?x?xf64> to memref<?xf64, strided<[3], offset: ?>>
 affine.for %i = 0 to %n {
  %x = affine.load %t[%i] : memref<?xf64, strided<[3], offset: ?>>
  affine.store %x, %o[%i] : memref<?xf64> }""",
    "pairs": """
 %t = memref.reinterpret_cast %o to offset: [1], sizes: [%n, 2], strides: [5, 2]
   : memref<?xf64> to memref<?x2xf64, strided<[5, 2], offset: 1>>
 affine.for %i = 0 to %n { affine.for %j = 0 to 2 {
  %x = affine.load %t[%i, %j] : memref<?x2xf64, strided<[5, 2], offset: 1>>
  affine.store %x, %b[%i, %j] : memref<?x?xf64> } }""",
    "late squares": """
 %k = arith.constant 200 : index
 affine.for %i = 0 to %n {
  %x = affine.load %a[0, %i] : memref<?x?xf64>
  %q = arith.muli %i, %i : index
  %l = arith.cmpi sgt, %q, %k : index
  %y = arith.addf %x, %x : f64
  %r = arith.select %l, %y, %x : f64
  affine.store %r, %o[%i] : memref<?xf64> }""",
    "quotients": """
 %k = arith.constant 7 : index
 affine.for %i = 0 to %n {
  %q = arith.divui %i, %k : index
  %r = arith.remsi %i, %k : index
  %x = memref.load %a[%q, %r] : memref<?x?xf64>
  memref.store %x, %o[%i] : memref<?xf64> }""",
    "a call": """
 affine.for %i = 0 to %n {
  %x = affine.load %a[1, %i] : memref<?x?xf64>
  %y = func.call @g(%x, %x) : (f64, f64) -> f64
  affine.store %y, %o[%i] : memref<?xf64> }""",
}
HELPER = """
func.func private @g(%x: f64, %y: f64) -> f64 {
 %z = arith.mulf %x, %y : f64
 %w = arith.addf %z, %x : f64
 return %w : f64 }
"""
HEAD = (
    "func.func @f(%n: index, %m: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x4xf64>,"
    " %o: memref<?xf64>) {"
)


@pytest.mark.parametrize("key", BODIES)
def test_they_are_raised_and_equal_to_the_source(key: str) -> None:
    text = f"{HELPER}{HEAD}{BODIES[key]}\n return }}"
    result = raise_module(text, options=RaiseOptions(check="proof"))
    assert not loops(without_fallbacks(result.text)), result.remarks
    report = next(f for f in result.functions if f.name == "f")
    assert type(report.verdict).__name__ == "Proved", result.remarks
    rng = np.random.default_rng(5)
    for n, m in ((0, 0), (1, 2), (4, 3), (17, 20)):
        values = [
            np.int64(n),
            np.int64(m),
            rng.random((20, 64)),
            np.zeros((64, 64)),
            rng.random((20, 4)),
            rng.random(900),
        ]
        before, after = execute(text, "f", values), execute(result.text, "f", values)
        assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True)), (n, m)


def test_what_may_be_negative_is_divided_as_a_number() -> None:
    body = """
 %k = arith.constant 3 : index
 %five = arith.constant 5 : index
 affine.for %i = 0 to %n {
  %s = arith.subi %i, %five : index
  %q = arith.divsi %s, %k : index
  %v = arith.index_cast %q : index to i64
  %w = arith.sitofp %v : i64 to f64
  affine.store %w, %o[%i] : memref<?xf64> }"""
    result = raise_module(f"{HEAD}{body}\n return }}", options=RaiseOptions(check="proof"))
    values = [np.int64(12), np.int64(0), np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 4)), np.zeros(12)]
    assert not loops(without_fallbacks(result.text)), result.remarks
    *_, found = execute(result.text, "f", values)
    assert found.tolist() == [float(int((i - 5) / 3)) for i in range(12)]


def test_a_function_with_views_is_not_run_at_sizes_that_nobody_knows() -> None:
    result = raise_module(f"{HEAD}{BODIES['transposed']}\n return }}", options=RaiseOptions(check="native"))
    assert any("accessed through memref.transpose" in str(remark) for remark in result.remarks)


def test_a_number_that_a_branch_chooses_outside_of_loops_is_left_alone() -> None:
    text = """
func.func @f(%x: f64) -> f64 {
 %z = arith.constant 0.0 : f64
 %c = arith.cmpf olt, %x, %z : f64
 %r = scf.if %c -> (f64) { scf.yield %z : f64 } else { %y = arith.addf %x, %x : f64
  scf.yield %y : f64 }
 return %r : f64 }"""
    result = raise_module(text, options=RaiseOptions(check="proof"))
    assert "scf.if" in result.text and "has no loops" in str(result.remarks[0])
