"""A few of the mutants of `tests.bench.validate.mutants`: none that is wrong is accepted, nearly all are refuted."""

from collections import Counter
from dataclasses import replace

import pytest

from raising.affine.ir.affine_expr import Cond, var
from raising.validate.base.verdict import Bounded, Refuted, Unknown
from tests.mutants.brute import difference
from tests.mutants.edits import mutants
from tests.mutants.hidden import FAR, changed_on, functions
from tests.mutants.judge import (
    Check,
    bounded_level,
    field_level,
    judged,
    oracle_sizes,
    sample,
    sample_far,
    sample_hidden,
    sample_terms,
    whole,
)
from tests.mutants.subjects import KERNELS, raised_text, subjects
from tests.validate.pairs import pointwise

LEVELS: dict[str, tuple[Check, int]] = {"whole": (whole, 8), "bounded": (bounded_level, 24), "field": (field_level, 10)}
SUBJECTS = [*subjects("loops", ("gemm", "trisolv", "nussinov")), *subjects("linalg", ("syrk", "atax"))]


@pytest.mark.parametrize("level", LEVELS)
def test_no_wrong_mutant_is_accepted(level: str) -> None:
    check, count = LEVELS[level]
    outcomes: Counter[str] = Counter()
    for subject, pair in SUBJECTS:
        assert not difference(pair.source, pair.target, pair.outputs, oracle_sizes(pair)), subject
        for found in judged(subject, sample(pair, count, seed=1), check):
            assert not (found.said == "accepted" and found.wrong), found
            outcomes[f"{found.said} {bool(found.wrong)}"] += 1
    wrong = sum(n for outcome, n in outcomes.items() if outcome.endswith("True"))
    assert wrong > 0.7 * count * len(SUBJECTS), outcomes
    assert outcomes["unknown True"] <= 0.05 * wrong, outcomes


def test_no_wrong_change_of_a_raised_text_is_accepted() -> None:
    source, target = (KERNELS / "trisolv.mlir").read_text(), raised_text("trisolv", "linalg")
    found = list(judged("trisolv", sample_terms(source, target, 10), whole))
    assert len(found) >= 5 and not [f for f in found if f.said == "accepted" and f.wrong]
    assert sum(f.said in ("refuted", "outside") for f in found) >= 0.8 * sum(bool(f.wrong) for f in found)


@pytest.mark.parametrize("start", FAR)
def test_what_begins_beyond_the_reach_of_small_runs_is_not_accepted(start: int) -> None:
    pair = next(p for name, p in SUBJECTS if name == "trisolv loops")
    found = list(judged("trisolv", sample_far(pair, start, 4), whole))
    assert any(f.wrong for f in found) and not [f for f in found if f.said == "accepted" and f.wrong]


@pytest.mark.parametrize("name", ["delay", "sum", "last"])
def test_what_is_changed_on_one_border_of_the_parameters_is_not_accepted(name: str) -> None:
    found = list(judged(name, sample_hidden(functions()[name], 5), whole))
    assert any(f.wrong for f in found) and not [f for f in found if f.said == "accepted" and f.wrong]


@pytest.mark.parametrize("border", [1_000_000, -137])
def test_a_case_at_a_large_parameter_is_unknown_or_refuted_and_no_error(border: int) -> None:
    pair = functions()["delay"]
    changed = next(m for m in mutants(pair.target) if m.kind == "operator")
    at = Cond(var("n3") - border, equality=True)
    verdict = whole(replace(pair, target=changed_on(pair.target, changed, at).program))
    assert isinstance(verdict, Unknown | Refuted | Bounded)


def test_the_operators_cover_what_can_go_wrong() -> None:
    kinds = {m.kind for _, pair in SUBJECTS for m in mutants(pair.target)}
    assert kinds >= {"bound", "step", "dropped", "index", "array", "operator", "operand", "constant", "comparison"}


def test_the_oracle_tells_apart_what_differs_at_ties_only() -> None:
    strict = "%c = arith.cmpf ogt, %x, %y : f64\n %r = arith.select %c, %x, %z : f64"
    pair = pointwise(strict, strict.replace("ogt", "oge"))
    assert difference(pair.source, pair.target, pair.outputs, oracle_sizes(pair))
    assert not difference(pair.source, pair.source, pair.outputs, oracle_sizes(pair))
