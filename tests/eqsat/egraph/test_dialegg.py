"""The case studies of DialEgg, written anew in its vocabulary."""

import re

import pytest

from raising.eqsat.egraph.dialegg import translate
from raising.eqsat.egraph.engine import EngineError
from raising.eqsat.egraph.sexpr import RuleError
from tests.eqsat.optimising import POLYNOMIAL, function, optimised


def body_of(text: str) -> list[str]:
    """The names of the operations between the header and the end."""
    return re.findall(r"^ +(?:%[\w:, ]+ = )?([a-z_.]+\b)", text, re.M)[1:]


def test_image_conversion_uses_shifts():
    body = """
      %c77 = arith.constant 77 : i32
      %c2 = arith.constant 2 : i32
      %c256 = arith.constant 256 : i32
      %r77 = arith.muli %r, %c77 : i32
      %g2 = arith.muli %g, %c2 : i32
      %s = arith.addi %r77, %g2 : i32
      %q = arith.divui %s, %c256 : i32
      return %q : i32"""
    text, report = optimised(function("(%r: i32, %g: i32) -> i32", body), "image.egg")
    assert text.count("arith.shrui") == 1 and text.count("arith.shli") == 1 and text.count("arith.muli") == 1
    assert "arith.constant 8 : i32" in text and "divui" not in text
    assert report.after < report.before


@pytest.mark.parametrize(("flag", "called"), [("fast", True), ("reassoc", False)])
def test_inverse_square_root_is_a_call_under_one_flag_only(flag: str, called: bool):
    body = f"""
      %one = arith.constant 1.0 : f32
      %s = math.sqrt %x fastmath<{flag}> : f32
      %r = arith.divf %one, %s fastmath<{flag}> : f32
      return %r : f32"""
    text, _ = optimised("func.func private @quick(f32) -> f32\n" + function("(%x: f32) -> f32", body), "rsqrt.egg")
    assert ("call @quick(%arg0)" in text) == called
    assert ("math.sqrt" in text) != called


def test_polynomials_are_evaluated_as_horner_did():
    text, _ = optimised(function("(%x: f64, %a: f64, %b: f64, %c: f64, %d: f64) -> f64", POLYNOMIAL), "horner.egg")
    assert sorted(body_of(text)) == ["arith.addf"] * 3 + ["arith.mulf"] * 3 + ["return"]


def test_constants_fold_to_a_fixpoint():
    body = """
      %c1 = arith.constant 1 : i8
      %c127 = arith.constant 127 : i8
      %s = arith.addi %c1, %c127 : i8
      %t = arith.addi %s, %c1 : i8
      return %t : i8"""
    text, _ = optimised(function("() -> i8", body), "fold.egg")
    assert "arith.constant -127 : i8" in text and "addi" not in text


@pytest.mark.parametrize(("condition", "kept"), [("true", "%arg0"), ("false", "%arg1")])
def test_a_known_branch_is_taken(condition: str, kept: str):
    body = f"""
      %c = arith.constant {condition}
      %r = scf.if %c -> f32 {{ scf.yield %x : f32 }} else {{ scf.yield %y : f32 }}
      return %r : f32"""
    text, _ = optimised(function("(%x: f32, %y: f32) -> f32", body), "fold.egg")
    assert f"return {kept}" in text and "scf.if" not in text


@pytest.mark.parametrize(("predicate", "known"), [("eq", True), ("slt", False)])
def test_rules_can_ask_for_an_attribute(predicate: str, known: bool):
    text, _ = optimised(
        function("(%x: i32) -> i1", f"%r = arith.cmpi {predicate}, %x, %x : i32\n return %r : i1"), "compare.egg"
    )
    assert ("arith.constant true" in text) == known


@pytest.mark.parametrize(("kind", "operation"), [("f32", "arith.divf"), ("f64", "arith.mulf")])
def test_costs_can_depend_on_the_type(kind: str, operation: str):
    body = f"%c = arith.constant 4.0 : {kind}\n %r = arith.divf %x, %c : {kind}\n return %r : {kind}"
    assert operation in optimised(function(f"(%x: {kind}) -> {kind}", body), "compare.egg")[0]


# ---- what is wrong is said with its place ----------------------------------------------------------

OP = "(function arith_addi (Op Op AttrPair Type) Op)\n(ruleset rules)\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(ruleset rules", r"test\.egg:1: a '\(' without its '\)'"),
        (")", r"test\.egg:1: a '\)' without its '\('"),
        ('\n(include "base.egg)', r"test\.egg:2: a quoted string that does not end"),
        ("\n\n(frobnicate 1)", r"test\.egg:3: unknown command 'frobnicate'"),
        ("word", r"test\.egg:1: 'word' outside of parentheses"),
        ('(include "/etc/passwd")', r"test\.egg:1: only base\.egg can be included"),
        ("(function f Op)", r"test\.egg:1: 'f' is not declared as"),
        ("(function f (Op) Op :cost dear)", r"test\.egg:1: cost 'dear' is no whole number"),
        ("(run-schedule (sometimes rules))", r"test\.egg:1: not a schedule"),
        ("(rule () ((unstable-cost (f a) 1)))", r"test\.egg:1: unstable-cost needs an operation that was declared"),
        ("(" * 600, r"test\.egg:1: more than 500 open parentheses"),
    ],
)
def test_a_file_that_is_no_rules_is_refused(text: str, says: str):
    with pytest.raises(RuleError, match=f"^{says}"):
        translate([(text, "test.egg")])


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("(rewrite (arith_addi ?x ?y ?a ?t)\n  ?z :ruleset rules)", r"^test\.egg:4: .*\?z"),
        ("(rewrite\n (arith_mulj ?x ?y) ?x :ruleset rules)", r"^test\.egg:4: .*arith_mulj"),
        ("(rewrite (arith_addi ?x ?y) ?x :ruleset rules)", r"^test\.egg:3: .*[Aa]rity"),
    ],
)
def test_a_wrong_rule_is_an_error_with_its_line(rule: str, says: str):
    with pytest.raises(EngineError, match=says):
        optimised(function("()", "return"), OP + rule + "(run-schedule (saturate rules))")


def test_facts_and_tables_at_the_top_are_what_rules_ask_for():
    text = (
        OP
        + """(function known (i64) i64 :no-merge) (relation nice (i64)) (function leaf (i64) Op)
    (nice 3) (set (known 1) 2) (leaf 4)
    (rule ((= ?e (arith_addi ?x ?y ?a ?t)) (nice 3) (= 2 (known 1)) (leaf 4)) ((union ?e ?x)) :ruleset rules)
    (run-schedule (saturate rules))"""
    )
    program = function("(%x: i32, %y: i32) -> i32", "%r = arith.addi %x, %y : i32\n return %r : i32")
    assert "return %arg0" in optimised(program, text)[0]
    assert "arith.addi" in optimised(program, text.replace("(nice 3) (set", "(nice 4) (set"))[0]


def test_a_panic_tells_its_place():
    rule = '(rule ((= ?e (arith_addi ?x ?y ?a ?t)))\n ((panic "no \\"sums\\"")) :ruleset rules)'
    program = function("(%x: i32) -> i32", "%r = arith.addi %x, %x : i32\n return %r : i32")
    with pytest.raises(EngineError, match=r"^test\.egg:4: panic: no \"sums\"$"):
        optimised(program, OP + rule + "(run-schedule (saturate rules))")


def test_files_are_joined_and_may_declare_the_same():
    first, second = OP + "(run-schedule (saturate rules))", OP + "(relation seen (Op))"
    rules = translate([(first, "a.egg"), (second, "b.egg")])
    assert [name for _, name in rules.texts] == ["a.egg", "b.egg"]
    assert "ruleset" not in rules.texts[1][0] and "relation" in rules.texts[1][0]
