"""Accurate forms: identities that hold, true values by balls, and errors that get smaller and nowhere larger."""

import math

import numpy as np
import pytest

from raising.commands.opt_command import main
from raising.eqsat.ruleset.expression import Number, parse

pytest.importorskip("flint", reason="the extra 'accuracy' is not installed")

from raising.eqsat.accuracy.enclose import true_and_bits
from raising.eqsat.accuracy.floats import Range, error_bits, of_ordinals, ordinals
from raising.eqsat.accuracy.identities import Identity, WrongIdentity, identities
from raising.eqsat.accuracy.improve import form_floats, improve
from raising.eqsat.accuracy.series import taylor_forms
from raising.optimise.accuracy import more_accurate
from tests.eqsat.accuracy.identity_check import check_identity

F64 = np.dtype(np.float64)


@pytest.mark.parametrize("row", identities(), ids=lambda row: row.name)
def test_identities_hold_by_balls(row: Identity):
    check_identity(row)


@pytest.mark.parametrize(
    ("left", "right", "why"),
    [
        ("sqrt(x * x)", "x", "sqrt"),
        ("x / x", "1 + x", "x"),
        ("log(x * x)", "log(x) + log(x)", "no value"),
        ("x", "sqrt(x) * sqrt(x)", "no value"),
    ],
)
def test_wrong_identities_are_refused(left: str, right: str, why: str):
    with pytest.raises(WrongIdentity, match=why):
        check_identity(Identity("wrong", parse(left), parse(right), None, ""))


@pytest.mark.parametrize(
    ("text", "x", "true"),
    [
        ("sqrt(x + 1) - sqrt(x)", 1e100, 5e-51),
        ("exp(x) - 1", 1e-300, 1e-300),
        ("1 / x", 0.0, math.nan),
        ("sqrt(x)", -1.0, math.nan),
        ("exp(x)", 1e5, math.nan),
        ("exp(x)", -1e5, 0.0),
        ("x * x", 5e-324, 0.0),
        ("cbrt(x)", -27.0, -3.0),
    ],
)
def test_true_values_are_the_nearest_floats(text: str, x: float, true: float):
    found, _ = true_and_bits(parse(text), {"x": x}, F64)
    assert found == true or (math.isnan(found) and math.isnan(true))


def test_floats_are_numbered_in_order_and_errors_count_those_between():
    values = np.array([-1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0])
    assert (np.diff(ordinals(values)) >= 0).all() and ordinals(values)[2] == ordinals(values)[3] == 0
    assert (of_ordinals(ordinals(values), F64) == values).all()
    near = np.array([np.nextafter(1.0, 2.0), 1.0, np.nan])
    assert list(error_bits(near, np.ones(3))) == [1.0, 0.0, 64.0]


@pytest.mark.parametrize(
    ("text", "low", "high", "most"),
    [
        ("sqrt(x + 1) - sqrt(x)", 0.0, 1e300, 0.5),
        ("1 / (x + 1) - 2 / x + 1 / (x - 1)", -1e30, 1e30, 0.5),
        ("(x - sin(x)) / (x - tan(x))", -1e3, 1e3, 1.0),
        ("exp(x) / (exp(x) - 1)", -700.0, 700.0, 0.5),
    ],
)
def test_errors_get_small_and_the_best_form_is_measured_again(text: str, low: float, high: float, most: float):
    expr = parse(text)
    found = improve(expr, Range(low, high), F64)
    assert found is not None and found.form.error < most < found.before
    rng = np.random.default_rng(7)
    points = {"x": rng.uniform(max(low, -50.0), min(high, 50.0), 60)}
    true = np.array([true_and_bits(expr, {"x": x}, F64)[0] for x in points["x"]])
    assert error_bits(form_floats(found.form, points, F64), true)[~np.isnan(true)].mean() < most + 2.0
    assert [f.cost for f in found.front] == sorted(f.cost for f in found.front)


def test_a_few_floats_at_a_place_that_was_exact_by_chance_are_no_loss():
    """At n = 1 the given form is exact; the other has the roundings of three functions, of whichever library."""
    expr = parse("powf(x + 1, 1 / n) - powf(x, 1 / n)")
    found = improve(expr, {"x": Range(1e-30, 1e30), "n": Range(1.0, 1e6)}, F64)
    assert found is not None and found.form.error < 2.0 < 20.0 < found.before


def test_what_is_accurate_stays_and_what_has_no_value_is_none():
    found = improve(parse("x + y"), Range(-10.0, 10.0), F64)
    assert found is not None and found.form.exprs == (parse("x + y"),)
    assert improve(parse("sqrt(0 - 1 - x * x)"), Range(-10.0, 10.0), F64) is None


def test_series_may_begin_with_a_negative_power():
    forms = [str(f) for f in taylor_forms(parse("1 / x - cos(x) / sin(x)"))]
    assert forms[0] == "(0.3333333333333333 * x)" and taylor_forms(parse("sqrt(x)")) == []
    assert taylor_forms(parse("x - x")) == [] and taylor_forms(parse("cos(x)"))[0] == Number(1.0)


MODULE = """func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %o = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32):
    %one = arith.constant 1.0 : f32
    %e = math.exp %v : f32
    %c = arith.subf %e, %one : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}"""
BRANCHED = """func.func @f(%x: f64) -> f64 {
  %c = math.cos %x : f64
  %s = math.sin %x : f64
  %q = arith.divf %c, %s : f64
  %one = arith.constant 1.0 : f64
  %i = arith.divf %one, %x : f64
  %r = arith.subf %i, %q : f64
  return %r : f64
}"""


def test_expressions_in_tensor_programs_and_branches_are_written():
    result = more_accurate(MODULE, low=-80.0, high=80.0)
    assert "math.expm1" in result.text and "math.exp " not in result.text and "subf" not in result.text
    assert "sampled and not proved" in str(result.remarks[0])
    branched = more_accurate(BRANCHED, low=-100.0, high=100.0)
    assert branched.text.count("arith.select") == branched.text.count("arith.cmpf ole") >= 1
    same = MODULE.replace("math.exp ", "math.absf ")
    assert more_accurate(same, low=-80.0, high=80.0).text == same


def test_wrong_ranges_are_one_line(capsys: pytest.CaptureFixture[str]):
    for text in ("3:1", "a:b", "1", "0:inf", "nan:1"):
        with pytest.raises(SystemExit):
            main(["-", "--accuracy", "--range", text])
        assert "LO:HI" in (said := capsys.readouterr().err) or "finite" in said
