"""Floats: what rounding explains is accepted, what it does not explain is not."""

import pytest

from raising.validate.base.verdict import FloatEvidence, Refuted, Unknown
from raising.validate.run.running_error import check_float, rounded
from raising.validate.run.sizes_to_run import small_sizes
from tests.validate.pairs import NOTHING, pair, pointwise

SUM = """
func.func @f(%x: memref<40xT>, %r: memref<T>) {{
  %z = arith.constant 0.0 : T
  affine.store %z, %r[] : memref<T>
  affine.for %i = 0 to 40 {{
    %a = affine.load %x[{}] : memref<40xT>
    %b = affine.load %r[] : memref<T>
    %s = arith.addf %b, %a : T
    affine.store %s, %r[] : memref<T>
  }}
  return
}}
"""


def check(source: str, target: str, size: int | None = None) -> FloatEvidence | Refuted | Unknown:
    given = pair(source, target)
    sizes = small_sizes(given, 1)[0]
    return check_float(given, NOTHING, sizes if size is None else dict.fromkeys(sizes, size))


@pytest.mark.parametrize("element", ["f64", "f32", "f16"])
def test_a_sum_in_another_order_is_within_the_bounds(element: str) -> None:
    texts = [SUM.format(at).replace("T", element) for at in ("%i", "39 - %i")]
    found = check(*texts, size=300)
    assert isinstance(found, FloatEvidence), found
    assert found.ratio is not None and 0 < found.ratio < 1 and not found.exact
    assert found.rounding.startswith("reassociated (ratio 0.")


def test_the_same_operations_are_bit_exact() -> None:
    text = SUM.format("%i").replace("T", "f32")
    found = check(text, text.replace("arith.addf %b, %a", "arith.addf %a, %b"))
    assert isinstance(found, FloatEvidence) and found.exact and found.ratio == 0 and found.rounding == "bit-exact"


def test_a_difference_far_below_a_relative_tolerance_is_seen() -> None:
    almost = "%c = arith.constant 1.00000000001 : f64\n %r = arith.mulf %x, %c : f64"
    given = pointwise(almost, "%z0 = arith.constant 1.0 : f64\n %r = arith.mulf %x, %z0 : f64")
    assert isinstance(check_float(given, NOTHING, small_sizes(given, 1)[0]), Refuted)


def test_cancellation_is_explained_by_the_bounds_and_not_by_a_relative_tolerance() -> None:
    large = "%k = arith.constant 1.0e12 : f64\n"
    one = large + "%a = arith.addf %x, %k : f64\n %r = arith.subf %a, %k : f64"
    found = pointwise(one, "%k = arith.constant 0.0 : f64\n %r = arith.addf %x, %k : f64")
    evidence = check_float(found, NOTHING, small_sizes(found, 1)[0])
    assert isinstance(evidence, FloatEvidence) and evidence.relative_error > 1e-6
    assert evidence.ratio is not None and evidence.ratio < 1
    assert evidence.accuracy is not None and evidence.accuracy < 1e-3  # the target is the more accurate one


def test_a_loss_of_accuracy_is_told() -> None:
    large = "%k = arith.constant 1.0e9 : f64\n"
    worse = large + "%a = arith.addf %x, %k : f64\n %r = arith.subf %a, %k : f64"
    found = pointwise("%k = arith.constant 0.0 : f64\n %r = arith.addf %x, %k : f64", worse)
    evidence = check_float(found, NOTHING, small_sizes(found, 1)[0])
    assert isinstance(evidence, FloatEvidence) and evidence.accuracy is not None and evidence.accuracy > 1e6


def test_a_comparison_that_rounding_decides_is_not_judged() -> None:
    body = "%a = arith.addf %x, %y : f64\n %b = arith.addf %y, %x : f64\n %c = arith.cmpf ogt, %a, %b : f64\n"
    given = pointwise(*[body + f"%r = arith.select %c, %{v}, %z : f64" for v in "xx"])
    assert isinstance(check_float(given, NOTHING, small_sizes(given, 1)[0]), Unknown)


def test_the_bound_covers_the_rounding_of_each_type() -> None:
    for element, third in (("f64", 1 / 3), ("f32", 0.3333333432674408), ("f16", 0.333251953125)):
        value, error = rounded(1 / 3, 0.0, element)
        assert value == third and abs(value - 1 / 3) <= error < 1e-3
