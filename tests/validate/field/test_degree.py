"""Degrees are never too small: the bound of a check in the field is made of them."""

from raising.validate.field import degree
from raising.validate.run.run import execute
from raising.validate.run.sizes_to_run import small_sizes
from tests.validate.pairs import NOTHING, pointwise


def loops(body: str) -> tuple[int, int]:
    given = pointwise(body, body)
    found = execute(given.source, small_sizes(given, 1)[0], degree.DEGREES, lambda _: degree.LEAF, NOTHING, "")
    return max(found[given.outputs[0][0]].data)


def test_sums_products_and_quotients() -> None:
    assert loops("%r = arith.addf %x, %y : f64") == (1, 0)
    assert loops("%p = arith.mulf %x, %y : f64\n %r = arith.mulf %p, %p : f64") == (4, 0)
    assert loops("%p = arith.mulf %x, %y : f64\n %r = arith.divf %z, %p : f64") == (1, 2)
    assert loops("%p = arith.divf %x, %y : f64\n %q = arith.divf %x, %z : f64\n %r = arith.addf %p, %q : f64") == (2, 2)


def test_a_function_is_a_new_variable_and_a_choice_a_product() -> None:
    assert loops("%p = arith.mulf %x, %y : f64\n %r = math.exp %p : f64") == (1, 0)
    assert loops("%c = arith.cmpf ogt, %x, %y : f64\n %r = arith.select %c, %x, %z : f64") == (2, 0)
    assert loops("%r = arith.maximumf %x, %y : f64") == (2, 0)


def test_two_quotients_differ_by_a_polynomial_of_both() -> None:
    assert degree.apart((3, 0), (2, 0)) == 3
    assert degree.apart((1, 2), (4, 1)) == 6
