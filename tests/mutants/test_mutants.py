"""A few of the mutants of `tests.bench.mutants`: none that is wrong is accepted, nearly all are refuted."""

from collections import Counter

import pytest

from tests.mutants.brute import difference
from tests.mutants.edits import mutants
from tests.mutants.judge import Check, bounded_level, field_level, judged, oracle_sizes, sample, sample_terms, whole
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


def test_the_operators_cover_what_can_go_wrong() -> None:
    kinds = {m.kind for _, pair in SUBJECTS for m in mutants(pair.target)}
    assert kinds >= {"bound", "step", "dropped", "index", "array", "operator", "operand", "constant", "comparison"}


def test_the_oracle_tells_apart_what_differs_at_ties_only() -> None:
    strict = "%c = arith.cmpf ogt, %x, %y : f64\n %r = arith.select %c, %x, %z : f64"
    pair = pointwise(strict, strict.replace("ogt", "oge"))
    assert difference(pair.source, pair.target, pair.outputs, oracle_sizes(pair))
    assert not difference(pair.source, pair.source, pair.outputs, oracle_sizes(pair))
