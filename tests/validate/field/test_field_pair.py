"""Agreement at random points of two fields, and the ways in which such a test goes wrong."""

import pytest

from raising.validate.arithmetic.residues import PRIMES
from raising.validate.base.verdict import FieldEvidence, Refuted, Unknown
from raising.validate.field.pair_check import check_field_pair
from raising.validate.reading.pair import Pair, generalised, read_pair
from tests.validate.bounded.test_bounded import INTEGERS, REALS, WRONG, WRONG_INTEGERS
from tests.validate.pairs import NOTHING, pointwise
from tests.validate.proof.recursions import modules


def check(given: Pair) -> FieldEvidence | Refuted | Unknown:
    return check_field_pair(given, NOTHING)


@pytest.mark.parametrize("name", REALS)
def test_right_pairs_pass(name: str) -> None:
    verdict = check(pointwise(*REALS[name]))
    assert isinstance(verdict, FieldEvidence), verdict
    assert 0 < verdict.error_bound < 1e-10


@pytest.mark.parametrize("name", WRONG)
def test_wrong_pairs_do_not_pass(name: str) -> None:
    assert isinstance(check(pointwise(*WRONG[name])), Refuted | Unknown)


@pytest.mark.parametrize("name", WRONG_INTEGERS)
def test_wrong_integers_do_not_pass(name: str) -> None:
    bodies = [b.replace("T", "i8") for b in WRONG_INTEGERS[name]]
    assert isinstance(check(pointwise(*bodies, element="i8")), Refuted)


def test_right_integers_pass_and_say_how_far() -> None:
    bodies = [b.replace("T", "i16") for b in INTEGERS["sum by bits"]]
    verdict = check(pointwise(*bodies, element="i16"))
    assert isinstance(verdict, FieldEvidence) and "integers tried" in verdict.note


def test_the_fields_have_roots_for_one_of_two_signs() -> None:
    for prime in PRIMES:
        assert prime % 4 == 3 and pow(3, prime - 1, prime) == 1


def test_both_branches_are_covered_where_no_random_number_goes() -> None:
    """x > 1e300 never holds at a random point; the indicator of the comparison sees what happens then."""
    body = "%k = arith.constant 1.0e300 : f64\n %c = arith.cmpf ogt, %x, %k : f64\n %r = arith.select %c, {}, %x : f64"
    verdict = check(pointwise(body.format("%y"), body.format("%z")))
    assert isinstance(verdict, Refuted), verdict


def test_comparisons_without_canonical_form_are_sampled_and_said_to_be() -> None:
    twice = "%a = arith.addf %x, %x : f64\n %b = arith.addf %y, %y : f64\n %c = arith.cmpf ogt, %a, %b : f64\n"
    once = "%c = arith.cmpf ogt, %x, %y : f64\n"
    chosen = "%r = arith.select %c, %z, %x : f64"
    verdict = check(pointwise(twice + chosen, once + chosen))
    assert isinstance(verdict, FieldEvidence) and "comparisons decided at" in verdict.note


def test_the_bound_grows_with_the_degree() -> None:
    def power(n: int) -> str:
        lines = ["%p0 = arith.mulf %x, %y : f64"]
        lines += [f"%p{k + 1} = arith.mulf %p{k}, %p{k} : f64" for k in range(n)]
        return "\n".join([*lines, f"%r = arith.addf %p{n}, %z : f64"])

    bounds = []
    for n in (1, 5):
        verdict = check(pointwise(power(n), power(n)))
        assert isinstance(verdict, FieldEvidence)
        bounds.append(verdict.error_bound)
    assert bounds[1] == pytest.approx(bounds[0] * 256)


def test_constants_are_the_floats_they_are() -> None:
    tenth = "%c = arith.constant 0.1 : f64\n %r = arith.mulf %x, %c : f64"
    exact = "%c = arith.constant 0.1000000000000000055511151231257827 : f64\n %r = arith.mulf %x, %c : f64"
    assert isinstance(check(pointwise(tenth, exact)), FieldEvidence)


def test_conditions_exclude_each_other_at_the_sizes_that_are_tried() -> None:
    """A branch that never runs leaves no size at which every store does; then the order of the conditions counts."""
    body = """for (int i = 0; i < 20; i++) {
      if (i <= 4) o[i] = x[i]; else if (i == 5) o[i] = 2.0 * x[i]; else o[i] = -x[i]; }"""
    pair = generalised(read_pair(*modules("double o[20], double x[20]", body, body.replace("2.0 *", "3.0 *"))))
    assert isinstance(check_field_pair(pair, NOTHING, count=2), Refuted)
