"""The proof for all sizes: what it proves, what it refuses, and that a difference comes with sizes."""

from __future__ import annotations

import islpy as isl
import pytest

from raising.validate.base.verdict import Unknown
from raising.validate.proof.in_bounds import check_inbounds
from raising.validate.proof.proof import Difference, Equal, condition, prove
from raising.validate.reading.pair import Assumptions, Pair, generalised, read_pair
from tests.kernels import kernel

HEAD = "func.func @f(%x: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %y: memref<?xf64>, %n: index, %m: index)"
SUM = """
  affine.for %i = 0 to %n {
    affine.store %zero, %y[%i] : memref<?xf64>
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = affine.load %y[%i] : memref<?xf64>
      %t = arith.addf %s, %a : f64
      affine.store %t, %y[%i] : memref<?xf64>
    }
  }"""

NOTHING = Assumptions()


def module(body: str) -> str:
    return f"{HEAD} {{\n  %zero = arith.constant 0.0 : f64\n{body}\n  return\n}}"


def pair_of(source: str, target: str) -> Pair:
    return generalised(read_pair(source, target))


def proved(source: str, target: str, assumed: Assumptions = NOTHING) -> Equal | Difference | Unknown:
    pair = pair_of(source, target)
    return prove(pair, assumed, check_inbounds(pair).context)


TILED = """
  affine.for %ii = 0 to %n step 8 {
    affine.for %i = affine_map<(d0) -> (d0)>(%ii) to min affine_map<(d0)[s0] -> (d0 + 8, s0)>(%ii)[%n] {
      affine.store %zero, %y[%i] : memref<?xf64>
    }
  }
  affine.for %jj = 0 to %m step 8 {
    affine.for %i = 0 to %n {
      affine.for %j = affine_map<(d0) -> (d0)>(%jj) to min affine_map<(d0)[s0] -> (d0 + 8, s0)>(%jj)[%m] {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %s = affine.load %y[%i] : memref<?xf64>
        %t = arith.addf %s, %a : f64
        affine.store %t, %y[%i] : memref<?xf64>
      }
    }
  }"""
CELL = """
  affine.for %i = 0 to %n {
    %r = affine.for %j = 0 to %m iter_args(%s = %zero) -> (f64) {
      %a = affine.load %A[%i, %m - 1 - %j] : memref<?x?xf64>
      %t = arith.addf %a, %s : f64
      affine.yield %t : f64
    }
    affine.store %r, %y[%i] : memref<?xf64>
  }"""


@pytest.mark.parametrize("target", [TILED, CELL], ids=["tiled", "reversed_in_a_register"])
def test_the_same_sum_in_another_order(target: str) -> None:
    assert isinstance(proved(module(SUM), module(target)), Equal)


WRONG = {
    "short": (SUM, SUM.replace("%j = 0 to %m", "%j = 1 to %m")),
    "twice": (
        SUM,
        SUM.replace("arith.addf %s, %a", "arith.addf %t0, %a").replace(
            "%t =", "%t0 = arith.addf %s, %a : f64\n      %t ="
        ),
    ),
    "not_reset": (SUM, SUM.replace("affine.store %zero, %y[%i] : memref<?xf64>", "")),
    "other_array": (SUM, SUM.replace("%A[%i, %j]", "%B[%i, %j]")),
    "product": (SUM, SUM.replace("arith.addf", "arith.mulf")),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_never_proved(name: str) -> None:
    source, target = WRONG[name]
    found = proved(module(source), module(target))
    assert not isinstance(found, Equal)
    if isinstance(found, Difference):
        assert found.output == "argument 3" and all(0 <= v <= 4 for v in found.sizes.values())


def test_memory_that_nothing_has_written_is_equal_to_nothing() -> None:
    text = module(
        "  %t = memref.alloc() : memref<4xf64>\n  %v = affine.load %t[1] : memref<4xf64>\n"
        "  affine.store %v, %y[0] : memref<?xf64>"
    )
    assert not isinstance(proved(text, text), Equal)


def test_an_iteration_does_not_see_the_memory_of_the_one_before() -> None:
    text = module("""
  affine.for %i = 0 to %n {
    %t = memref.alloc() : memref<4xf64>
    %v = affine.load %t[1] : memref<4xf64>
    affine.store %v, %y[%i] : memref<?xf64>
    affine.store %x, %t[1] : memref<4xf64>
  }""")
    found = proved(text, text)
    assert isinstance(found, Unknown) and "allocated in a loop" in found.reason


def test_bounds_are_part_of_the_question() -> None:
    source = module("  affine.for %i = 0 to %n { affine.store %x, %y[%i] : memref<?xf64> }")
    pair = pair_of(source, source.replace("0 to %n {", "0 to %n {\n affine.store %x, %y[%i + 1] : memref<?xf64>"))
    found = check_inbounds(pair)
    assert found.source is None
    assert found.target is not None and found.target.text("target", "b.mlir").startswith(
        "the target writes outside of an array"
    )


@pytest.mark.parametrize("name", ["gemm", "correlation", "symm", "trmm", "doitgen", "gemver"])
def test_a_kernel_equals_itself_for_all_sizes(name: str) -> None:
    found = proved(kernel(name), kernel(name))
    assert isinstance(found, Equal) and found.assumptions == ()


def test_symmetry_has_to_be_assumed() -> None:
    transposed = SUM.replace("%A[%i, %j]", "%A[%j, %i]").replace("to %m", "to %n")
    square = SUM.replace("to %m", "to %n")
    assert isinstance(proved(module(square), module(transposed)), Difference)
    found = proved(module(square), module(transposed), Assumptions(symmetric=frozenset({"a1"})))
    assert isinstance(found, Equal) and [a.condition for a in found.assumptions] == ["argument 1 is symmetric"]


def test_quotients_of_equal_sums_are_equal() -> None:
    body = """
  affine.for %i = 0 to %n {{
    %a = affine.load %A[%i, %i] : memref<?x?xf64>
    %b = affine.load %B[%i, %i] : memref<?x?xf64>
    {0}
    affine.store %q, %y[%i] : memref<?xf64>
  }}"""
    one = body.format("%s = arith.addf %a, %b : f64\n    %q = arith.divf %x, %s : f64")
    other = body.format("%s = arith.addf %b, %a : f64\n    %q = arith.divf %x, %s : f64")
    wrong = body.format("%s = arith.subf %b, %a : f64\n    %q = arith.divf %x, %s : f64")
    assert isinstance(proved(module(one), module(other)), Equal)
    assert isinstance(proved(module(one), module(wrong)), Difference)


MAXIMUM = """
  affine.for %i = 0 to {n} {{
    %first = affine.load %A[%i, 0] : memref<?x?xf64>
    %r = affine.for %j = {low} to 9 iter_args(%s = {start}) -> (f64) {{
      %a = affine.load %A[%i, {index}] : memref<?x?xf64>
      %t = arith.maximumf %a, %s : f64
      affine.yield %t : f64
    }}
    affine.store %r, %y[%i] : memref<?xf64>
  }}"""
INFINITE = "  %low = arith.constant 0xFFF0000000000000 : f64\n"


def test_a_maximum_may_start_anywhere_below() -> None:
    one = MAXIMUM.format(n="%n", low=1, start="%first", index="%j")
    other = INFINITE + MAXIMUM.format(n="%n", low=0, start="%low", index="%j")
    assert isinstance(proved(module(one), module(other)), Equal)
    from_zero = MAXIMUM.format(n="%n", low=0, start="%zero", index="%j")
    assert not isinstance(proved(module(one), module(from_zero)), Equal)


def test_sizes_at_which_they_differ_are_named_where_the_file_has_others() -> None:
    pairwise = MAXIMUM.format(n="%n", low=0, start="%low", index="%j").replace("to 9", "to 8")
    pairwise = INFINITE + pairwise.replace(
        "%t = arith.maximumf %a, %s", "%p = arith.maximumf %first, %b : f64\n %t = arith.maximumf %p, %s"
    )
    pairwise = pairwise.replace("%p =", "%b = affine.load %A[%i, %j + 1] : memref<?x?xf64>\n %p =")
    found = proved(module(MAXIMUM.format(n="%n", low=1, start="%first", index="%j")), module(pairwise))
    assert isinstance(found, Equal)
    (condition,) = found.assumptions
    assert condition.condition.startswith("sizes are such that")


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ("n > 4", "n >= 5"),  # one case, which says more than the numbers
        ("n <= 4 or (k >= 5 and n > k) or k = 5", "k = 5"),
        ("n <= 4 or (k >= 5 and n > k + m) or (m = 7 and k = 5)", "k = 5 and m = 7"),
        ("n <= 4 or (k >= 6 and n > k)", "n <= 4 or (k >= 6 and n > k)"),  # not all that is open at the numbers
    ],
)
def test_a_condition_of_several_cases_is_that_numbers_stay(sizes: str, says: str) -> None:
    context = isl.Set("[k, m, n] -> { : k >= 1 and m >= 1 and n >= 1 }")
    left = context.intersect(isl.Set(f"[k, m, n] -> {{ : {sizes} }}"))
    told = condition(left, context, {"k": 5, "m": 7}).condition.removeprefix("sizes are such that ")
    assert context.intersect(isl.Set(f"[k, m, n] -> {{ : {told} }}")) == context.intersect(
        isl.Set(f"[k, m, n] -> {{ : {says} }}")
    )
    assert ("or" in told) == ("or" in says)


SHORT = """
  affine.for %i = {0} to %n {{
    %p = affine.load %y[0] : memref<?xf64>
    %c = affine.load %y[%i] : memref<?xf64>
    %m0 = arith.mulf %p, %c : f64
    %e = math.exp %m0 : f64
    affine.store %e, %y[%i] : memref<?xf64>
  }}"""
FIRST = """
  %f = affine.load %y[0] : memref<?xf64>
  %g = arith.mulf %f, %f : f64
  %h = math.exp %g : f64
  affine.store %h, %y[0] : memref<?xf64>"""


def test_an_update_in_place_with_short_chains_has_a_closed_form() -> None:
    source, peeled = SHORT.format(0), FIRST + SHORT.format(1)
    positive = source + "\n  affine.store %x, %y[0] : memref<?xf64>"
    found = proved(module(positive), module(peeled + "\n  affine.store %x, %y[0] : memref<?xf64>"))
    assert isinstance(found, Equal)
    late = SHORT.format(1) + FIRST + "\n  affine.store %x, %y[0] : memref<?xf64>"
    assert not isinstance(proved(module(positive), module(late)), Equal)


BYTE = """
  %one = arith.constant {0} : i8
  %none = arith.constant 0 : i8
  %t = memref.alloca() : memref<i8>
  affine.for %i = 0 to %n {{
    affine.store %none, %t[] : memref<i8>
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {{
      affine.store %one, %t[] : memref<i8>
    }}
    %b = affine.load %t[] : memref<i8>
    %c = arith.trunci %b : i8 to i1
    %v = arith.uitofp %c : i1 to f64
    affine.store %v, %y[%i] : memref<?xf64>
  }}"""
BIT = """
  %one = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.store %zero, %y[%i] : memref<?xf64>
  }
  affine.for %i = 5 to %n {
    affine.store %one, %y[%i] : memref<?xf64>
  }"""


def test_a_truth_value_that_was_kept_in_a_byte_is_one() -> None:
    assert isinstance(proved(module(BYTE.format(1)), module(BIT)), Equal)
    assert not isinstance(proved(module(BYTE.format(2)), module(BIT)), Equal)  # its last bit is 0


DIGITS = """
  affine.for %i = 0 to %n {
    affine.for %k = 0 to 6 {
      affine.store %x, %y[6 * %i + %k] : memref<?xf64>
    }
  }"""
LINEAR = """
  affine.for %i = 0 to %n {{
    affine.for %k = 0 to 6 {{
      %p = affine.linearize_index disjoint [%i, %k] by ({0}) : index
      %q:2 = affine.delinearize_index %p into ({1}) : index, index
      %r = affine.apply affine_map<(d0, d1) -> (6 * d0 + d1)>(%q#0, %q#1)
      memref.store %x, %y[%r] : memref<?xf64>
    }}
  }}"""


def test_numbers_are_read_as_their_digits_say() -> None:
    assert isinstance(proved(module(DIGITS), module(LINEAR.format(6, 6))), Equal)
    assert not isinstance(proved(module(DIGITS), module(LINEAR.format(5, 6))), Equal)
    assert not isinstance(proved(module(DIGITS), module(LINEAR.format(6, 7))), Equal)
