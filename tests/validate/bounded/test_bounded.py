"""Equality at small sizes: what the normal form, the solver and the replay each decide."""

import pytest

from raising.validate.base.assumption import NONZERO, REAL
from raising.validate.base.verdict import Bounded, Refuted, Unknown
from raising.validate.bounded.bounded import check_bounded
from raising.validate.reading.pair import Pair
from raising.validate.run.sizes_to_run import small_sizes
from tests.validate.pairs import NOTHING, elementwise, pair, pointwise


def check(given: Pair) -> Bounded | Refuted | Unknown:
    return check_bounded(given, small_sizes(given, 1), NOTHING)


REALS = {
    "distributes": (
        "%s = arith.addf %x, %y : f64\n %r = arith.mulf %s, %z : f64",
        "%p = arith.mulf %x, %z : f64\n %q = arith.mulf %z, %y : f64\n %r = arith.addf %q, %p : f64",
    ),
    "quotients": (
        "%p = arith.divf %x, %y : f64\n %q = arith.divf %z, %x : f64\n %r = arith.addf %p, %q : f64",
        "%a = arith.mulf %x, %x : f64\n %b = arith.mulf %y, %z : f64\n %c = arith.addf %b, %a : f64\n"
        "%d = arith.mulf %x, %y : f64\n %r = arith.divf %c, %d : f64",
    ),
    "divides by a sum": (
        "%s = arith.addf %x, %y : f64\n %a = arith.divf %x, %s : f64\n %b = arith.divf %y, %s : f64\n"
        "%r = arith.addf %a, %b : f64",
        "%r = arith.constant 1.0 : f64",
    ),
    "root squared": (
        "%s = arith.mulf %x, %x : f64\n %t = arith.addf %s, %y : f64\n %q = math.sqrt %t : f64\n"
        "%r = arith.mulf %q, %q : f64",
        "%s = arith.mulf %x, %x : f64\n %r = arith.addf %y, %s : f64",
    ),
    "maximum commutes": (
        "%a = arith.mulf %x, %y : f64\n %r = arith.maximumf %a, %z : f64",
        "%a = arith.mulf %y, %x : f64\n %r = arith.maximumf %z, %a : f64",
    ),
    "select is maximum": (
        "%c = arith.cmpf ogt, %x, %y : f64\n %r = arith.select %c, %x, %y : f64",
        "%r = arith.maximumf %y, %x : f64",
    ),
    "comparison turned around": (
        "%c = arith.cmpf olt, %x, %y : f64\n %r = arith.select %c, %z, %x : f64",
        "%c = arith.cmpf oge, %x, %y : f64\n %r = arith.select %c, %x, %z : f64",
    ),
    "minimum of three": (
        "%a = arith.minimumf %x, %y : f64\n %r = arith.minimumf %a, %z : f64",
        "%a = arith.minimumf %y, %z : f64\n %r = arith.minimumf %x, %a : f64",
    ),
    "functions of equal arguments": (
        "%a = arith.addf %x, %y : f64\n %r = math.exp %a : f64",
        "%a = arith.addf %y, %x : f64\n %r = math.exp %a : f64",
    ),
}


@pytest.mark.parametrize("name", REALS)
def test_equal_in_the_reals(name: str) -> None:
    verdict = check(pointwise(*REALS[name]))
    assert isinstance(verdict, Bounded), verdict


def test_what_is_assumed_is_said() -> None:
    verdict = check(pointwise(*REALS["quotients"]))
    assert isinstance(verdict, Bounded) and verdict.assumptions == (NONZERO, REAL)
    assert check(pointwise(*REALS["distributes"])).assumptions == (REAL,)  # type: ignore[union-attr]
    assert not check(pointwise(*[REALS["distributes"][0]] * 2)).assumptions  # type: ignore[union-attr]
    assert "square roots" in str(check(pointwise(*REALS["root squared"])).assumptions)  # type: ignore[union-attr]


WRONG = {
    "sign of a root": (
        "%q = math.sqrt %x : f64\n %r = arith.mulf %q, %y : f64",
        "%n = arith.negf %x : f64\n %q = math.sqrt %n : f64\n %r = arith.mulf %q, %y : f64",
    ),
    "root of a square": ("%s = arith.mulf %x, %x : f64\n %r = math.sqrt %s : f64", "%r = arith.addf %x, %z : f64"),
    "strict": (
        "%c = arith.cmpf ogt, %x, %y : f64\n %r = arith.select %c, %x, %z : f64",
        "%c = arith.cmpf oge, %x, %y : f64\n %r = arith.select %c, %x, %z : f64",
    ),
    "constant": (
        "%c = arith.constant 0.1 : f64\n %r = arith.mulf %x, %c : f64",
        "%c = arith.constant 10.0 : f64\n %r = arith.divf %x, %c : f64",
    ),
    "exponentials": (
        "%a = math.exp %x : f64\n %b = math.exp %y : f64\n %r = arith.mulf %a, %b : f64",
        "%s = arith.subf %x, %y : f64\n %r = math.exp %s : f64",
    ),
}


@pytest.mark.parametrize("name", sorted(set(WRONG) - {"sign of a root"}))
def test_different_in_the_reals(name: str) -> None:
    verdict = check(pointwise(*WRONG[name]))
    assert isinstance(verdict, Refuted) and verdict.example is not None, verdict
    assert verdict.example.source != verdict.example.target


def test_the_root_of_the_negative_is_never_accepted() -> None:
    assert not isinstance(check(pointwise(*WRONG["sign of a root"])), Bounded)


def integers(body: str) -> str:
    return body.replace("T", "i8")


INTEGERS = {
    "shift is a product": (
        "%k = arith.constant 3 : T\n %r = arith.shli %x, %k : T",
        "%k = arith.constant 8 : T\n %r = arith.muli %x, %k : T",
    ),
    "wraps to zero": (
        "%k = arith.constant 16 : T\n %a = arith.muli %x, %k : T\n %r = arith.muli %a, %k : T",
        "%r = arith.constant 0 : T",
    ),
    "mask is a remainder": (
        "%k = arith.constant 8 : T\n %r = arith.remui %x, %k : T",
        "%k = arith.constant 7 : T\n %r = arith.andi %x, %k : T",
    ),
    "unsigned quotient is a shift": (
        "%k = arith.constant 4 : T\n %r = arith.divui %x, %k : T",
        "%k = arith.constant 2 : T\n %r = arith.shrui %x, %k : T",
    ),
    "sum by bits": (
        "%r = arith.addi %x, %y : T",
        "%a = arith.xori %x, %y : T\n %b = arith.andi %x, %y : T\n %c = arith.addi %b, %b : T\n"
        "%r = arith.addi %a, %c : T",
    ),
    "smaller by select": (
        "%r = arith.minsi %x, %y : T",
        "%c = arith.cmpi slt, %x, %y : T\n %r = arith.select %c, %x, %y : T",
    ),
    "trailing zeros are the set bits below": (
        "%r = math.cttz %x : T",
        "%k = arith.constant 1 : T\n %m = arith.constant -1 : T\n %a = arith.subi %x, %k : T\n"
        "%n = arith.xori %x, %m : T\n %b = arith.andi %n, %a : T\n %r = math.ctpop %b : T",
    ),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_equal_integers(name: str) -> None:
    verdict = check(pointwise(*map(integers, INTEGERS[name]), element="i8"))
    assert isinstance(verdict, Bounded) and verdict.integers == "exact mod 2^w", verdict


WRONG_INTEGERS = {
    "quotient as shift": (
        "%k = arith.constant 4 : T\n %r = arith.divsi %x, %k : T",
        "%k = arith.constant 2 : T\n %r = arith.shrsi %x, %k : T",
    ),
    "product divided back": (
        "%k = arith.constant 2 : T\n %a = arith.muli %x, %k : T\n %r = arith.divsi %a, %k : T",
        "%z0 = arith.constant 0 : T\n %r = arith.addi %x, %z0 : T",
    ),
    "order by difference": (
        "%c = arith.cmpi slt, %x, %y : T\n %r = arith.select %c, %x, %y : T",
        "%d = arith.subi %x, %y : T\n %k = arith.constant 0 : T\n %c = arith.cmpi slt, %d, %k : T\n"
        "%r = arith.select %c, %x, %y : T",
    ),
    "unsigned order": (
        "%r = arith.maxsi %x, %y : T",
        "%r = arith.maxui %x, %y : T",
    ),
    "leading zeros of a half": (
        "%k = arith.constant 1 : T\n %h = arith.shrui %x, %k : T\n %r = math.ctlz %h : T",
        "%k = arith.constant 1 : T\n %c = math.ctlz %x : T\n %r = arith.addi %c, %k : T",
    ),
}


@pytest.mark.parametrize("name", WRONG_INTEGERS)
def test_different_integers(name: str) -> None:
    verdict = check(pointwise(*map(integers, WRONG_INTEGERS[name]), element="i8"))
    assert isinstance(verdict, Refuted) and verdict.example is not None, verdict


def test_a_model_of_the_solver_finds_a_rare_difference() -> None:
    rare = "%k = arith.constant {} : i32\n %c = arith.cmpi eq, %a, %k : i32\n %r = arith.select %c, %y, %x : i32"
    body = "%a = arith.muli %x, %y : i32\n"
    verdict = check(pointwise(body + rare.format(123456789), body + rare.format(123456790), element="i32"))
    assert isinstance(verdict, Refuted) and verdict.example is not None, verdict


def test_a_model_that_does_not_replay_is_no_counterexample() -> None:
    product = "%a = math.exp %x : f64\n %b = math.exp %y : f64\n %r = arith.mulf %a, %b : f64"
    verdict = check(pointwise(product, "%s = arith.addf %x, %y : f64\n %r = math.exp %s : f64"))
    assert isinstance(verdict, Unknown) and "replay" in verdict.reason


def test_the_counterexample_is_small_and_names_its_numbers() -> None:
    verdict = check(pointwise("%r = arith.addf %x, %y : f64", "%r = arith.subf %x, %y : f64"))
    assert isinstance(verdict, Refuted) and verdict.example is not None
    assert len(verdict.example.inputs) == 1 and verdict.example.inputs[0][0] == "a1"
    assert verdict.example.output == "argument 2"
    assert "in the source" in verdict.counterexample


def test_leaving_the_array_is_told() -> None:
    good = elementwise("%r = arith.addf %x, %y : f64")
    verdict = check(pair(good, good.replace("%Ay[%i]", "%Ay[%i + 1]")))
    assert isinstance(verdict, Refuted) and verdict.example is not None
    assert verdict.example.output == "memory access"


def test_undefined_memory_equals_nothing() -> None:
    text = elementwise("%r = affine.load %L[] : memref<f64>").replace(
        "  affine.for", "  %L = memref.alloc() : memref<f64>\n  affine.for"
    )
    assert isinstance(check(pair(text, text)), Unknown)
    verdict = check(pair(elementwise("%r = arith.addf %x, %y : f64"), text))
    assert isinstance(verdict, Refuted) and "without a value in the target" in verdict.counterexample
