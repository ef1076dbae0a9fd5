"""Saturation in a child: fixpoints, limits, errors."""

import time

import pytest

from raising.eqsat.egraph.engine import EngineError, Limits, Ref, Row, Saturated, Schedule, commands
from raising.eqsat.egraph.engine import saturate as saturate_files

RULES = """
(datatype M (N i64) (F M M)) (ruleset rules)
(rewrite (F x y) (F y x) :ruleset rules)
(rewrite (F (F x y) z) (F x (F y z)) :ruleset rules)
"""
EVERYTHING = ("saturate", ("run", "rules"))


def saturate(program: str, schedule: Schedule, limits: Limits, filename: str = "rules") -> Saturated:
    return saturate_files([(program, filename)], schedule, limits)


def chain(length: int) -> str:
    term = f"(N {length})"
    for n in reversed(range(1, length)):
        term = f"(F (N {n}) {term})"
    return RULES + f"(let $root {term})"


def classes(rows: tuple[Row, ...]) -> set[Ref]:
    return {r.output for r in rows if r.name in ("N", "F")}


def test_a_commutative_sum_has_a_class_for_each_subset():
    done = saturate(chain(6), EVERYTHING, Limits())
    assert done.stopped == "saturated"
    assert len(classes(done.rows)) == 2**6 - 1
    assert all(count > 0 for count in done.matches.values()) and len(done.matches) == 2


def test_numbers_texts_and_vectors_are_read_back():
    program = "(sort V (Vec i64)) (datatype T (Box V String f64 bool)) (ruleset rules)"
    program += ' (let $b (Box (vec-of 3 4) "a\\"b" 2.5 true))'
    done = saturate(program, EVERYTHING, Limits())
    assert [r.inputs for r in done.rows if r.name == "Box"] == [((3, 4), 'a"b', 2.5, True)]


@pytest.mark.parametrize(
    ("limits", "why"),
    [(Limits(iterations=2), "iterations"), (Limits(nodes=100), "nodes"), (Limits(seconds=1.0, nodes=10**9), "time")],
)
def test_an_explosion_stops_at_its_limit_and_has_tables(limits: Limits, why: str):
    started = time.monotonic()
    done = saturate(chain(12), EVERYTHING, limits)
    assert done.stopped == why
    assert time.monotonic() - started < limits.seconds + 30
    assert len(classes(done.rows)) >= 23


@pytest.mark.parametrize("nodes", [100, 300, 1000, 4000])
def test_the_limit_on_nodes_is_not_overshot_by_a_round_that_explodes(nodes: int):
    done = saturate(chain(12), EVERYTHING, Limits(nodes=nodes))
    assert done.stopped == "nodes" and nodes / 10 < len(done.rows) < 2.1 * nodes


def test_rounds_of_other_rules_do_not_hide_an_explosion():
    """How much the last round grew says nothing of the next one, if that has other rules."""
    program = chain(12) + "(ruleset quiet) (relation seen (M)) (rule ((N a)) ((seen (N a))) :ruleset quiet)"
    quiet = ("saturate", ("run", "quiet"))
    done = saturate(program, ("saturate", ("seq", quiet, ("run", "rules"))), Limits(nodes=5000))
    assert done.stopped == "nodes" and len(done.rows) < 10_000


def test_last_rules_run_beyond_a_limit():
    program = chain(12) + "(function big (M) i64 :merge (min old new)) (ruleset last)"
    program += "(rule ((= e (F a b))) ((set (big e) 1)) :ruleset last)"
    done = saturate_files([(program, "rules")], EVERYTHING, Limits(nodes=300), "last")
    assert done.stopped == "nodes"
    made = {r.output for r in done.rows if r.name == "F"}
    assert made == {r.inputs[0] for r in done.rows if r.name == "big"}


def test_schedules_repeat_and_follow_one_another():
    program = chain(6) + "(ruleset none)"
    done = saturate(program, ("seq", ("repeat", 2, ("run", "rules")), ("run", "none")), Limits())
    assert (done.stopped, done.iterations) == ("saturated", 3)


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("(datatype M (N i64)", "parse error"),
        ("(let $x (Unknown 1))", "Unbound function Unknown"),
        ("(datatype M (N i64)) (rewrite (N a) (N b))", "b"),
    ],
)
def test_a_wrong_program_is_an_error_with_its_place(program: str, says: str):
    with pytest.raises(EngineError, match=rf"^my\.egg:1: .*{says}"):
        saturate(program, EVERYTHING, Limits(), "my.egg")


def test_a_program_goes_to_the_engine_by_whole_commands_in_their_lines():
    text = '(sort S) ; a comment: (\n\n(constructor c\n (String) S)\n(let $x (c "(\n"))\n(let $y (c ")"))'
    pieces = list(commands(text))
    assert [piece.strip() for piece in pieces] == [
        "(sort S) ; a comment: (",
        "(constructor c\n (String) S)",
        '(let $x (c "(\n"))',
        '(let $y (c ")"))',
    ]
    assert [piece.count("\n") - piece.lstrip().count("\n") for piece in pieces] == [0, 2, 4, 6]
    with pytest.raises(EngineError, match=r"^my\.egg:8: "):
        saturate(text + "\n(let $z (Unknown 1))", EVERYTHING, Limits(), "my.egg")


def test_a_rule_that_fails_while_it_runs_is_an_error():
    program = "(datatype M (N i64)) (function f (M) i64 :no-merge) (ruleset rules) (let $n (N 1)) (set (f $n) 1)"
    with pytest.raises(EngineError, match="merge"):
        saturate(program + "(rule ((N a)) ((set (f (N a)) 2)) :ruleset rules)", EVERYTHING, Limits())
