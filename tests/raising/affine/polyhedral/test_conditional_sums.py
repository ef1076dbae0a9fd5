"""Sums and products that take an element only where a condition on data holds."""

from __future__ import annotations

import numpy as np
import pytest

from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Proved
from tests.raising.running import execute

LOOPS = """func.func @f(%x: memref<5x7x{kind}>, %t: {kind}, %y: memref<5x{kind}>) {{
  %unit = arith.constant {one} : {kind}
  affine.for %i = 0 to 5 {{
    affine.for %j = 0 to 7 {{
      %a = affine.load %x[%i, %j] : memref<5x7x{kind}>
      %b = affine.load %y[%i] : memref<5x{kind}>
      %c = {test} %a, %t : {kind}
      %n = arith.{op} %b, {added} : {kind}
      %r = arith.select %c, {arms} : {kind}
      affine.store %r, %y[%i] : memref<5x{kind}>
    }}
  }}
  return
}}"""
CASES = {
    "a sum": {"op": "addf", "added": "%a", "arms": "%n, %b"},
    "a sum where it does not hold": {"op": "addf", "added": "%a", "arms": "%b, %n"},
    "a difference": {"op": "subf", "added": "%a", "arms": "%n, %b"},
    "a product": {"op": "mulf", "added": "%a", "arms": "%n, %b"},
    "a number of elements": {"op": "addi", "added": "%unit", "arms": "%n, %b"},
    "a product of integers": {"op": "muli", "added": "%a", "arms": "%n, %b"},
}


def loops(op: str, added: str, arms: str) -> str:
    """The loops of a case."""
    kind, one, test = ("f64", "1.0", "arith.cmpf ogt,") if op.endswith("f") else ("i32", "1", "arith.cmpi sgt,")
    return LOOPS.format(op=op, added=added, arms=arms, kind=kind, one=one, test=test)


@pytest.mark.parametrize("target", ["linalg", "stablehlo"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_needs_no_loop(case: dict[str, str], target: str) -> None:
    text = loops(**case)
    result = raise_module(text, options=RaiseOptions(target=target, check="proof", cache=False))
    assert result.complete, result.remarks
    if not case["op"].startswith("mul"):  # products are proved as far as their order is that of the loops
        assert isinstance(result.functions[0].verdict, Proved)
    if target == "stablehlo":
        return
    x, y = (np.random.default_rng(0).integers(-9, 10, shape) for shape in ((5, 7), (5,)))
    dtype = np.float64 if "f64" in text else np.int32
    given = [x.astype(dtype), dtype(2), y.astype(dtype)]
    for got, wanted in zip(execute(result.text, "f", given), execute(text, "f", given), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_it_is_no_sum_if_the_condition_reads_it() -> None:
    text = loops(**CASES["a sum"]).replace("ogt, %a, %t", "ogt, %b, %t")
    assert not raise_module(text, options=RaiseOptions(check="proof", cache=False)).complete
