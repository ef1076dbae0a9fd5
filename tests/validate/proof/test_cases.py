"""Branches on sizes that only one of two programs has: each side is proved alone."""

from __future__ import annotations

import pytest

from raising.validate.base.verdict import Proved, Refuted, Unknown
from raising.validate.check import check
from tests.raising.edges import raised
from tests.raising.segment.validity.test_distances import FUNCTIONS

HEAD = "func.func @f(%n: index, %k: index, %a: memref<?xf64>, %b: memref<?xf64>) {"
SUM = """affine.for %i = 0 to %n {
  %x = affine.load %a[%i] : memref<?xf64>
  %y = affine.load %b[%i] : memref<?xf64>
  %s = arith.addf %x, %y : f64
  %t = arith.addf %s, %s : f64
  %u = arith.addf %t, %x : f64
  affine.store %u, %b[%i] : memref<?xf64>
}"""
REORDERED = SUM.replace("%s, %s", "%s, %x").replace("%t, %x", "%t, %s")
DELAY = """affine.for %i = 0 to %n {
  %x = affine.load %a[%i] : memref<?xf64>
  affine.store %x, %a[%i + symbol(%k)] : memref<?xf64>
}"""


def function(body: str) -> str:
    return f"{HEAD}\n{body}\nreturn\n}}"


def branching(predicate: str, number: int, then: str, otherwise: str) -> str:
    """A function that compares k with a number and runs one of two bodies."""
    test = f"%c = arith.constant {number} : index\n%t0 = arith.cmpi {predicate}, %k, %c : index"
    return function(f"{test}\nscf.if %t0 {{\n{then}\n}} else {{\n{otherwise}\n}}")


@pytest.mark.parametrize("number", [137, -5, 1_000_000])
def test_rounding_is_told_of_every_case(number: int) -> None:
    verdict = check(function(SUM), branching("sgt", number, REORDERED, SUM))
    assert isinstance(verdict, Proved) and verdict.floats.startswith("reassociated")
    assert "ratio 0)" not in verdict.floats


def test_loops_that_are_the_same_need_no_closed_form() -> None:
    verdict = check(function(DELAY), branching("sge", 3, DELAY, DELAY))
    assert isinstance(verdict, Proved) and verdict.sizes is None


@pytest.mark.parametrize(("predicate", "number"), [("sgt", 20), ("sgt", 137), ("eq", 1_000_000)])
def test_a_case_that_no_small_size_is_in_is_proved_as_well(predicate: str, number: int) -> None:
    wrong = DELAY.replace("%x, %a[%i +", "%x, %a[%i + 0 +").replace("0 to %n", "1 to %n")
    assert not isinstance(check(function(DELAY), branching(predicate, number, wrong, DELAY)), Proved)
    differs = SUM.replace("%t, %x", "%t, %y")
    assert isinstance(check(function(SUM), branching(predicate, number, differs, SUM)), Refuted | Unknown)


@pytest.mark.parametrize("name", ["a delay line", "feedback"])
def test_a_form_with_its_loops_as_the_other_branch_is_proved(name: str) -> None:
    result = raised(FUNCTIONS[name].text)
    verdict = result.functions[0].verdict
    assert "} else {" in result.text and isinstance(verdict, Proved) and verdict.sizes is None
