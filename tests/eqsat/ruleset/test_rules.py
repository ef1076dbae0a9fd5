"""Tables of rules: what is shipped was checked, what is wrong is refused with a counterexample."""

import json
import re
from importlib import resources
from pathlib import Path

import pytest

from raising.eqsat.egraph.sexpr import RuleError
from raising.eqsat.ruleset.book import RECORD, load_table, recorded
from raising.eqsat.ruleset.rule_check import check
from raising.eqsat.ruleset.table import Rule, UnknownRuleset, chosen, families, read_table, shipped
from raising.eqsat.ruleset.to_egglog import rewrite
from tests.bench.eqsat.rules_page import PAGE, page

WRONG = Path(__file__).parents[2] / "inputs" / "rules" / "wrong.toml"
PUBLISHED = ("divide-by-power-of-two", "quotient-of-product", "add-zero", "sinh-of-sum")


def rule(left: str, right: str, klass: str = "reassociates", **more: object) -> Rule:
    fields = {"name": "r", "left": left, "right": right, "class": klass} | more
    text = "[[rule]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in fields.items())
    (found,) = read_table(text, "t.toml")
    return found


def test_every_shipped_rule_is_in_the_record_as_it_stands():
    record = recorded()
    assert {r.name: r.digest for r in shipped()} == {name: entry["row"] for name, entry in record.items()}
    ways = [how for entry in record.values() for how in entry["how"]]
    assert all(re.search(r"(field|floats) at \d+ of \d+ shapes", how) for how in ways)
    unproved = [r for r in shipped() if any("undecided" in how for how in record[r.name]["how"])]
    functions = re.compile(r"/|exp|log|sqrt|powf")
    assert all(functions.search(str(r.left)) for r in unproved), "only quotients and functions may lack a proof"


def test_the_record_is_what_the_checks_say():
    """Of a few rules of each class, as all of them take a while."""
    record = recorded()
    for r in [r for r in shipped() if r.family in ("matmul", "identity")]:
        assert list(check(r).how) == record[r.name]["how"]


def test_the_page_is_what_the_tables_say():
    assert PAGE.read_text() == page(shipped(), recorded())
    assert (resources.files("raising.eqsat") / "rules" / RECORD).is_file()


@pytest.mark.parametrize("wrong", read_table(WRONG.read_text(), str(WRONG)), ids=lambda r: r.name)
def test_wrong_rules_are_refused_with_a_counterexample(wrong: Rule):
    with pytest.raises(RuleError, match=rf"wrong\.toml:\d+: rule '{wrong.name}.* is wrong .* at \w+( = |: )\S"):
        check(wrong)


@pytest.mark.parametrize(
    ("left", "right", "klass", "when"),
    [
        ("pick(A @ B)", "A @ pick(B)", "exact", []),
        ("pick(x + y)", "pick(x) + pick(y)", "exact", []),
        ("pick(pick(A))", "pick(A)", "exact", []),
        ("bilinear(A, B)", "bilinear(B, A)", "reassociates", []),
        ("bilinear(s * A, B)", "s * bilinear(A, B)", "reassociates", ["rows(s) == 1", "cols(s) == 1"]),
        ("diag(v) @ A", "v * A", "exact", []),
        ("diag(v) @ A", "A * v.T", "finite-only", ["rows(A) == cols(A)"]),
        ("x * diag(v)", "diag(diagonal(x) * v)", "finite-only", []),
        ("diagonal(A @ B)", "rowsum(A * B)", "reassociates", []),
        ("reshape(A.T, y)", "reshape(A, y)", "exact", []),
        ("rowmax(x * s)", "rowmax(x) * s", "finite-only", ["cols(s) == 1"]),
        ("(x + s) - (y + s)", "x - y", "finite-only", []),
        ("like(1, y) * x", "x", "exact", ["cols(y) == 1"]),
        ("rowsum(like(s, y))", "colsum(like(s, y))", "reassociates", ["cols(s) == 1", "rows(s) == 1"]),
    ],
)
def test_wrong_rules_about_structure_are_refused(left: str, right: str, klass: str, when: list[str]):
    with pytest.raises(RuleError, match="is wrong"):
        check(rule(left, right, klass, when=when))


def test_what_a_program_says_of_an_operation_comes_from_the_left():
    with pytest.raises(RuleError, match="which 'pick' it is"):
        rule("A @ B", "pick(A) @ B")


def test_the_published_ones_are_among_them():
    names = [r.name for r in read_table(WRONG.read_text(), "wrong.toml")]
    assert {f"published-{p}" for p in PUBLISHED} <= set(names) and len(names) >= 12


def test_loading_a_table_checks_it(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text('[[rule]]\nname = "mine"\nleft = "A @ B"\nright = "B @ A"\nclass = "reassociates"\n')
    with pytest.raises(RuleError, match=r"mine\.toml:1: rule 'mine"):
        load_table(file)
    file.write_text('[[rule]]\nname = "mine"\nleft = "x - y"\nright = "x + (-1) * y"\nclass = "reassociates"\n')
    assert [r.name for r in load_table(file)] == ["mine"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[rule]\n", r"t\.toml:1: "),
        ('[[rule]]\nname = "a"\nleft = "x +"\nright = "x"\nclass = "exact"', "t.toml:1: rule 'a': 'x \\+' is no expr"),
        ('\n[[rule]]\nname = "a"\nleft = "x + y"\nright = "z"\nclass = "exact"', "t.toml:2: .*'z' is not bound"),
        ('[[rule]]\nname = "a"\nleft = "x"\nright = "x + 0"\nclass = "exact"', "matches everything"),
        ('[[rule]]\nname = "a"\nleft = "x + y"\nright = "y + x"\nclass = "true"', "unknown class 'true'"),
        ('[[rule]]\nname = "a"\nleft = "open(x)"\nright = "x"\nclass = "exact"', "there is no 'open'"),
        ('[[rule]]\nname = "a"\nleft = "__import__(x).f(x)"\nright = "x"\nclass = "exact"', "nothing that a rule can"),
        ('[[rule]]\nname = "a"\nleft = "x + y"\nright = "x"\nclass = "exact"\nwhen = ["x > 1"]', "is no condition"),
        ('[[rule]]\nname = "a"\nright = "x"\nclass = "exact"', "has no text 'left'"),
        ('[other]\nname = "a"', r"\[\[rule\]\] sections and nothing else"),
        ('[[rule]]\nname = "a"\nleft = "x * 0.5"\nright = "x / 2"\nclass = "exact"', "0.5 is no integer"),
    ],
)
def test_malformed_tables_are_errors_with_their_place(text: str, message: str):
    with pytest.raises(RuleError, match=message):
        read_table(text, "t.toml")


def test_a_condition_makes_a_rule_right():
    with pytest.raises(RuleError):
        check(rule("rowsum(A + B)", "rowsum(A) + rowsum(B)"))
    check(rule("rowsum(A + B)", "rowsum(A) + rowsum(B)", when=["cols(A) == cols(B)"]))


def test_both_directions_are_checked():
    with pytest.raises(RuleError, match="back"):
        check(rule("(A * s) @ B", "A @ (s.T * B)", both=True, when=["rows(s) == 1", "cols(s) == cols(A)"]))


def test_a_rule_for_no_shapes_is_refused():
    with pytest.raises(RuleError, match="no shapes"):
        check(rule("A @ B", "A @ B", when=["cols(A) == 2", "rows(B) == 3"]))


def test_what_a_rule_only_asks_the_shape_of_is_no_array():
    """To look for an array of that shape finds each that there is: matches grow with the square of their number."""
    (twice,) = rule("like(like(s, x), y)", "like(s, y).T.T").directed()[:1]
    text = rewrite(twice)
    assert "v.x" not in text and "v.y" not in text
    assert "(t.spread (t.spread v.s s.x.batch s.x.rows s.x.cols) s.y.batch s.y.rows s.y.cols)" in text
    (turned,) = rule("like(s, x).T", "like(s.T, x.T)").directed()[:1]
    assert "(t.spread (t.transpose v.s) s.x.batch s.x.cols s.x.rows)" in rewrite(turned)
    (used,) = rule("like(s, x) + x", "s + x").directed()[:1]
    assert "(t.rows v.x)" in rewrite(used)


def test_rule_sets_by_name():
    rules = shipped()
    assert {r.family for r in chosen(rules, ["matmul"])} == {"matmul"}
    assert set(chosen(rules, ["default"])) < set(chosen(rules, ["all"])) == set(rules)
    with pytest.raises(UnknownRuleset, match="known: all, .*matmul"):
        chosen(rules, ["nothing"])
    assert "associativity" in families(rules)
