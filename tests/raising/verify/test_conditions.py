"""Functions that select by data: inputs are looked for on which conditions hold together. Random ones hardly do."""

import time

import pytest

from raising.api.options import RaiseOptions
from raising.frontend.mlir.reader import parse
from raising.grammar.dialects.target_dialect import read_target
from raising.validate.base.verdict import FieldEvidence, Tested
from raising.verify.verify import Raised, checked

CROSSED = """
func.func @f(%a: memref<?xf64>, %b: memref<?xf64>, %wait: i64, %out: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf64>
  %no = arith.constant 0 : i8
  %yes = arith.constant 1 : i8
  %one = arith.constant 1 : i64
  %none = arith.constant -1 : i64
  %below = memref.alloca() : memref<i8>
  %ago = memref.alloca() : memref<i64>
  affine.store %no, %below[] : memref<i8>
  affine.store %none, %ago[] : memref<i64>
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %y = affine.load %b[%i] : memref<?xf64>
    %above = arith.cmpf ogt, %x, %y : f64
    %was = affine.load %below[] : memref<i8>
    %is_below = arith.cmpi ne, %was, %no : i8
    %old = affine.load %ago[] : memref<i64>
    %new = arith.addi %old, %one : i64
    %due = arith.cmpi eq, %new, %wait : i64
    %told = arith.select %due, %yes, %no : i8
    %since = arith.select %is_below, %new, %old : i64
    %known = arith.select %is_below, %told, %no : i8
    %found = arith.select %above, %known, %no : i8
    %kept = arith.select %above, %since, %none : i64
    %now = arith.select %above, %was, %yes : i8
    affine.store %kept, %ago[] : memref<i64>
    affine.store %now, %below[] : memref<i8>
    affine.store %found, %out[%i] : memref<?xi8>
  }
  return
}
"""
SAMPLED = FieldEvidence(720, (), 1e-18, "comparisons sampled, which the bound leaves out")


@pytest.mark.parametrize("stored", ["found", "no"])
def test_a_rare_conjunction_is_found(stored: str) -> None:
    before, after = (parse(t).module for t in (CROSSED, CROSSED.replace("%found, %out", f"%{stored}, %out")))
    functions = [module.body.operations[0].operation for module in (before, after)]
    raised = Raised("f", CROSSED, *functions, after, read_target("linalg"))
    found = checked(raised, Tested(SAMPLED, None), time.monotonic() + 60, RaiseOptions(check="proof"))
    assert ("is 1 in the source, 0 in the target" in found.wrong) == (stored == "no")
