"""Pairs that a compiler engineer wrote by hand, of which something was said that does not hold."""

from __future__ import annotations

import pytest

from raising.validate.base.verdict import Bounded, Proved, Refuted, Unknown
from raising.validate.check import CheckOptions, check
from tests.validate.undefined_pieces import each

SLOW = CheckOptions(timeout=60)

COPY = """func.func @f(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {{
  affine.for %i = 0 to affine_map<()[s0] -> ({upper})>()[%n] {{
    %a = affine.load %x[%i] : memref<?xf64>
    affine.store %a, %y[%i] : memref<?xf64>
  }}
  return
}}
"""


@pytest.mark.parametrize("upper", ["s0 - s0 floordiv 1000000", "s0 + s0 ceildiv 1000000 - 1"])
def test_a_quotient_of_a_size_is_not_seen_by_minus_one(upper: str) -> None:
    """It is -1 or 0 at all sizes that a run can have."""
    verdict = check(COPY.format(upper="s0"), COPY.format(upper=upper), SLOW)
    assert isinstance(verdict, Unknown | Refuted), verdict


def test_a_quotient_of_a_size_that_runs_show_is_tested() -> None:
    assert isinstance(check(COPY.format(upper="s0"), COPY.format(upper="s0 - s0 floordiv 9"), SLOW), Refuted)
    assert isinstance(check(COPY.format(upper="s0 floordiv 2"), COPY.format(upper="s0 floordiv 2"), SLOW), Proved)


# ---- an integer that is a size and a number ------------------------------------------------------

NUMBER = """func.func @f(%n: i32, %x: memref<?xi32>) {{
  %one = arith.constant 1 : i32
  %i = arith.index_cast %n : i32 to index
  {}
  affine.store %r, %x[0] : memref<?xi32>
  return
}}
"""
AS_SIZE, AS_NUMBER = "%r = arith.index_cast %i : index to i32", "%r = arith.addi %n, %{} : i32"
AS_SUM = "%a = arith.addi %n, %one : i32\n %r = arith.subi %a, %one : i32"


def test_a_size_is_the_same_number_in_both_programs() -> None:
    one, other, more = (NUMBER.format(body) for body in (AS_SIZE, AS_SUM, AS_NUMBER.format("one")))
    at_twelve = CheckOptions(timeout=60, sizes={"n0": 12}, level="proved-this-size")
    for pair in (one, other), (other, one):
        assert not isinstance(check(*pair, SLOW), Refuted)
        assert isinstance(check(*pair, at_twelve), Proved)
    for options in SLOW, at_twelve:
        assert isinstance(check(one, more, options), Refuted)
        assert isinstance(check(more, one, options), Refuted)


# ---- flags of the source -------------------------------------------------------------------------

ITSELF = "%z = arith.constant 0 : i32\n %r = arith.addi %x, %z : i32"
TEN, THREE = "%k = arith.constant 10 : i32\n", "%k = arith.constant 3 : i32\n"
THERE_AND_BACK = {
    "nsw": TEN + "%a = arith.muli %x, %k{} : i32\n %r = arith.divsi %a, %k : i32",
    "nuw": TEN + "%a = arith.muli %x, %k{} : i32\n %r = arith.divui %a, %k : i32",
    "nsw of a shift": THREE + "%a = arith.shli %x, %k{} : i32\n %r = arith.shrsi %a, %k : i32",
    "nsw of a cast": "%a = arith.trunci %x{} : i32 to i8\n %r = arith.extsi %a : i8 to i32",
    "nuw of a cast": "%a = arith.trunci %x{} : i32 to i8\n %r = arith.extui %a : i8 to i32",
    "exact": THREE + "%a = arith.shrui %x, %k{} : i32\n %r = arith.shli %a, %k : i32",
    "exact of a quotient": TEN + "%a = arith.divsi %x, %k{} : i32\n %r = arith.muli %a, %k : i32",
}


@pytest.mark.parametrize("name", THERE_AND_BACK)
def test_no_input_refutes_that_breaks_what_the_source_promises(name: str) -> None:
    flag = name.partition(" ")[0]
    told = " exact" if flag == "exact" else f" overflow<{flag}>"
    assert not isinstance(check(each(THERE_AND_BACK[name].format(told), "i32"), each(ITSELF, "i32"), SLOW), Refuted)
    assert isinstance(check(each(THERE_AND_BACK[name].format(""), "i32"), each(ITSELF, "i32"), SLOW), Refuted)


def test_other_inputs_still_refute() -> None:
    source = each(THERE_AND_BACK["nsw"].format(" overflow<nuw>"), "i32")
    assert isinstance(check(source, each(ITSELF, "i32"), SLOW), Refuted)


# ---- StableHLO -----------------------------------------------------------------------------------

TENSOR = "tensor<7xf32>"
FINITE = f"""func.func @f(%a: {TENSOR}) -> tensor<7xi1> {{
  %r = stablehlo.is_finite %a : ({TENSOR}) -> tensor<7xi1>
  return %r : tensor<7xi1>
}}
"""
ALWAYS = f"""func.func @f(%a: {TENSOR}) -> tensor<7xi1> {{
  %r = stablehlo.constant dense<true> : tensor<7xi1>
  return %r : tensor<7xi1>
}}
"""
CHOICE = """func.func @f(%k: tensor<i32>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{
  {}
  return %r : tensor<f32>
}}
"""
CASE = CHOICE.format(
    '%r = "stablehlo.case"(%k) ({stablehlo.return %a : tensor<f32>}, {stablehlo.return %b : tensor<f32>})'
    " : (tensor<i32>) -> tensor<f32>"
)
SELECT = """%z = stablehlo.constant dense<0> : tensor<i32>
  %c = stablehlo.compare {}, %k, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %r = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>"""


def test_results_have_the_same_extents_on_both_sides() -> None:
    """One side has the extent from its argument, the other one from a constant: it was an internal error."""
    verdict = check(FINITE, ALWAYS, SLOW)
    assert isinstance(verdict, Bounded | Proved) and "real" in {a.kind for a in verdict.assumptions}, verdict


def test_branches_that_compute_nothing() -> None:
    """The text has no operation of the dialects that the selection is made of: MLIR crashed."""
    assert isinstance(check(CASE, CHOICE.format(SELECT.format("EQ")), SLOW), Proved)
    assert isinstance(check(CASE, CHOICE.format(SELECT.format("LE")), SLOW), Refuted)


REDUCED = """func.func @f(%a: tensor<7xf32>) -> tensor<f32> {{
  %z = stablehlo.constant dense<{}> : tensor<f32>
  %r = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0]
    : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}}
"""


def test_a_difference_on_few_numbers_shows_itself_on_more() -> None:
    """Only numbers that are all negative tell 0 from nothing."""
    assert isinstance(check(REDUCED.format("0xFF800000"), REDUCED.format("0.0"), SLOW), Refuted)


BYTES = """func.func @f(%a: tensor<2x3xui8>, %b: tensor<3x2xui8>) -> tensor<2x2xi32> {{
  {}
  %r = stablehlo.dot_general {}, contracting_dims = [1] x [0] : (tensor<2x3x{}>, tensor<3x2x{}>) -> tensor<2x2xi32>
  return %r : tensor<2x2xi32>
}}
"""
WIDE = """%x = stablehlo.convert %a : (tensor<2x3xui8>) -> tensor<2x3xi32>
  %y = stablehlo.convert %b : (tensor<3x2xui8>) -> tensor<3x2xi32>"""
LESS = """func.func @f(%a: tensor<7xKIND>, %b: tensor<7xKIND>) -> tensor<7xi1> {
  %r = stablehlo.compare LT, %a, %b : (tensor<7xKIND>, tensor<7xKIND>) -> tensor<7xi1>
  return %r : tensor<7xi1>
}
"""


def test_integers_without_signs() -> None:
    """They could not be read; the pass to linalg extends operands of a product by their signs."""
    product = BYTES.format("", "%a, %b", "ui8", "ui8")
    assert isinstance(check(product, BYTES.format(WIDE, "%x, %y", "i32", "i32"), SLOW), Proved)
    assert isinstance(check(product, product.replace("ui8", "i8"), SLOW), Refuted)
    less = LESS.replace("KIND", "ui8")
    assert isinstance(check(less, less.replace("LT, %a, %b", "GT, %b, %a"), SLOW), Proved)
    assert isinstance(check(less, less.replace("ui8", "i8"), SLOW), Refuted)


ERROR = {
    "chlo": f"%r = chlo.erfc %a : {TENSOR} -> {TENSOR}",
    "math": f"%r = math.erfc %a : {TENSOR}",
    "difference": f"%e = chlo.erf %a : {TENSOR} -> {TENSOR}\n %o = stablehlo.constant dense<1.0> : {TENSOR}\n"
    f" %r = stablehlo.subtract %o, %e : {TENSOR}",
}


def test_the_error_function_is_no_polynomial() -> None:
    """CHLO's own expansion has polynomials, whose last digits refuted equal programs."""
    chlo, plain, difference = (
        f"func.func @f(%a: {TENSOR}) -> {TENSOR} {{\n {body}\n return %r : {TENSOR}\n}}\n" for body in ERROR.values()
    )
    assert isinstance(check(chlo, plain, SLOW), Proved)
    assert not isinstance(check(chlo, difference, SLOW), Refuted)


SORT = f"""func.func @f(%a: {TENSOR}) -> {TENSOR} {{
  %r = "stablehlo.sort"(%a) <{{dimension = 0 : i64}}> ({{
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) : ({TENSOR}) -> {TENSOR}
  return %r : {TENSOR}
}}
"""


def test_what_a_lowering_leaves_is_called_by_its_name() -> None:
    verdict = check(SORT, SORT, CheckOptions(timeout=60, files=("a.mlir", "b.mlir")))
    assert isinstance(verdict, Unknown)
    assert verdict.reason == "a.mlir:2:9: its dialect's lowering leaves 'stablehlo.sort' as it is"


SUMS = """func.func @f(%x: memref<8xi32>, %o: memref<f64>) {{
  %zero = arith.constant {zero} : {kind}
  %sum = affine.for %i = 0 to 8 iter_args(%s = %zero) -> {kind} {{
    %a = affine.load %x[%i] : memref<8xi32>
    {step} : {kind}
    affine.yield %t : {kind}
  }}
  {end}
  affine.store %r, %o[] : memref<f64>
  return
}}
"""


def test_a_sum_of_integers_is_no_sum_of_what_they_are_as_floats() -> None:
    """It wraps around."""
    cast = "%r = arith.sitofp %sum : i32 to f64"
    whole = SUMS.format(zero=0, kind="i32", step="%t = arith.addi %s, %a", end=cast)
    same = "%one = arith.constant 1.0 : f64\n  %r = arith.mulf %sum, %one : f64"
    step = "%c = arith.sitofp %a : i32 to f64\n    %t = arith.addf %s, %c"
    floats = SUMS.format(zero="0.0", kind="f64", step=step, end=same)
    assert isinstance(check(floats, whole, SLOW), Refuted)
    assert isinstance(check(whole, floats, SLOW), Refuted)


REST = """%m = arith.remf %x, %y : f64
    %k = arith.constant {} : f64
    %c = arith.cmpf {}, %m, %k : f64
    %s = arith.addf %m, %y : f64
    %r = arith.select %c, %s, %m : f64"""


def test_remainders_of_small_numbers_are_exact() -> None:
    """Random numbers have no remainder that is just 1: it was said to be tested."""
    one, other = each(REST.format("0.0", "olt")), each(REST.format("1.0", "oeq"))
    assert isinstance(check(each("%r = arith.remf %x, %y : f64"), other, SLOW), Refuted)
    assert isinstance(check(one, one.replace("olt", "ole"), SLOW), Refuted)


RETURNED = """func.func @f(%a: memref<4xf64>) -> (memref<4xf64>, memref<4xf64>) {{
  %t = memref.alloc() : memref<4xf64>
  %u = memref.alloc() : memref<4xf64>
  memref.copy %a, %t : memref<4xf64> to memref<4xf64>
  memref.copy %a, %u : memref<4xf64> to memref<4xf64>
  return {} : memref<4xf64>, memref<4xf64>
}}
"""


def test_memory_that_is_returned_is_the_same() -> None:
    """Who is given it may write to it, and to the argument by that."""
    texts = [RETURNED.format(names) for names in ("%t, %u", "%u, %t", "%t, %t", "%a, %t")]
    said = [[check(one, other, SLOW) for other in texts] for one in texts]
    assert [[isinstance(verdict, Proved) for verdict in row] for row in said] == [
        [True, True, False, False], [True, True, False, False], [False, False, True, False], [False, False, False, True]
    ]  # fmt: skip
    assert said[0][3] == Unknown("result 0 is memory of its own (0) in the source, and argument 0 in the target")


SHAPED = """func.func @f(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?xf64> {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %a, %zero : tensor<?xf64>
  %m = tensor.dim %b, %zero : tensor<?xf64>
  %k = arith.addi %n, %one : index
  %z = arith.constant 0.0 : f64
  %e = tensor.empty({}) : tensor<?xf64>
  %r = linalg.fill ins(%z : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}}
"""


def test_results_have_the_same_extents() -> None:
    """All elements that both have are equal: the proof forgot the others, and runs had both sizes equal."""
    sizes = ("%n", "%m", "%k")
    said = [[type(check(SHAPED.format(one), SHAPED.format(other), SLOW)) for other in sizes] for one in sizes]
    assert said == [[Proved if one == other else Refuted for other in sizes] for one in sizes]
    made = "func.func @f(%n: index, %m: index) -> memref<?xf64> {{\n %e = memref.alloc({}) : memref<?xf64>\n"
    made += " return %e : memref<?xf64>\n}}"
    assert isinstance(check(made.format("%n"), made.format("%m"), SLOW), Refuted)
