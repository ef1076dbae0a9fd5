"""Proofs part by part: functions of many nests, and what a cut must not hide."""

import re

import pytest

from raising.frontend.c import COptions, convert
from raising.validate.base.verdict import Proved, Unknown, Verdict, describe
from raising.validate.check import CheckOptions, check
from raising.validate.proof.composition import composed
from raising.validate.proof.proof import Equal
from raising.validate.reading.pair import Assumptions, Pair, context, generalised, read_pair
from tests.validate.proof.many_parts import many_parts


def mlir(text: str) -> str:
    return convert(text, "f.c", COptions()).mlir


def compared(source: str, target: str, level: str = "proved-all-sizes") -> Verdict:
    return check(mlir(source), mlir(target), CheckOptions(level=level))


def pair_of(source: str, target: str) -> Pair:
    return generalised(read_pair(mlir(source), mlir(target)))


@pytest.fixture
def parts_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few statements are no reason to look at the whole."""
    monkeypatch.setattr(composed, "_WHOLE", -1)


FIRST = "for (int i = 0; i < n; i++) B[i] = A[i] * A[i];"
LAST = "for (int i = 0; i < n; i++) A[i] = C[i] + B[i];"
RECURRENCE = "for (int i = 1; i < n; i++) C[i] = A[i] * C[i-1] + B[i];"
NEGATED = """double T[n];
for (int i = 0; i < n; i++) T[i] = -C[i];
for (int i = 1; i < n; i++) T[i] = A[i] * T[i-1] - B[i];
for (int i = 1; i < n; i++) C[i] = -T[i];"""


def function(*nests: str) -> str:
    body = "\n".join(nests)
    return f"void f(int n, double A[n], double B[n], double C[n]) {{\n{body}\n}}\n"


def test_many_parts_are_proved_each_by_itself(parts_first: None) -> None:
    text, both = many_parts(24), "for (int {} = 0; {} < n; {}++) for (int {} = 0; {} < n; {}++)"
    turned = text.replace(both.format(*"iiijjj"), both.format(*"jjjiii"))
    assert turned != text
    pair = pair_of(text, turned)
    assert len(composed._cuts(pair, Assumptions())[1]) > 24
    assert isinstance(composed.prove_by_parts(pair, Assumptions(), context(pair)), Equal)


@pytest.mark.parametrize("wrong", [0, 12, 23])
def test_a_part_that_differs_is_never_proved(wrong: int, parts_first: None) -> None:
    pair = pair_of(many_parts(24), many_parts(24, wrong=wrong))
    assert not isinstance(composed.prove_by_parts(pair, Assumptions(), context(pair)), Equal)


def test_a_difference_that_no_small_run_shows_is_not_lost_between_cuts(parts_first: None) -> None:
    """At the sizes of the runs both are the same, so that there are cuts; from 137 on they are not."""
    late = "for (int i = 137; i < n; i++) B[i] = A[i] * A[i] + 1.0;"
    verdict = compared(function(FIRST, LAST), function(FIRST, late, LAST))
    assert not isinstance(verdict, Proved)
    late = LAST.replace("C[i] + B[i]", "C[i] + B[i < 137 ? i : i - 1]")
    assert not isinstance(compared(function(FIRST, LAST), function(FIRST, late)), Proved)
    short = FIRST.replace("i < n", "i < n && i < 137")
    assert not isinstance(compared(function(FIRST, LAST), function(short, LAST)), Proved)


def test_arrays_that_hold_the_same_by_chance_are_not_taken_for_one(parts_first: None) -> None:
    """Up to 99 elements the two fills are one; the reader takes the wrong one of them."""
    fill = "for (int i = 0; i < n; i++) {{ B[i] = 1.0; C[i] = {}; }}"
    reads = "for (int i = 0; i < n; i++) A[i] += {}[i];"
    one = function(
        fill.format("i < 99 ? 1.0 : 2.0"), reads.format("B"), "for (int i = 0; i < n; i++) C[i] = B[i] = 0.0;"
    )
    assert isinstance(compared(one, one), Proved)
    assert not isinstance(compared(one, one.replace("+= B", "+= C")), Proved)


def test_the_parts_around_one_that_is_not_proved_are(parts_first: None) -> None:
    found = compared(function(FIRST, RECURRENCE, LAST), function(FIRST, NEGATED, LAST))
    assert isinstance(found, Unknown)
    said = re.fullmatch(r".*?(\d) of (\d) parts are proved, not line 3 \((.*)\)", found.reason)
    assert said and int(said[2]) == int(said[1]) + 1 and "recurrence" in said[3], found.reason
    assert isinstance(compared(function(FIRST, RECURRENCE, LAST), function(FIRST, RECURRENCE, LAST)), Proved)


def test_a_part_that_needs_its_neighbour_is_proved_with_it(parts_first: None) -> None:
    """Between the two halves of the target there is no state that the source has."""
    absolute = "for (int i = 0; i < n; i++) C[i] = B[i] - B[i];"
    zero = "for (int i = 0; i < n; i++) C[i] = 0.0;"
    assert isinstance(compared(function(FIRST, absolute, LAST), function(FIRST, zero, LAST)), Proved)
    halves = "for (int i = 0; i < n / 2; i++) {0}\nfor (int i = n / 2; i < n; i++) {0}"
    split = function(halves.format("B[i] = A[i] * A[i];"), RECURRENCE, LAST)
    assert isinstance(compared(function(FIRST, RECURRENCE, LAST), split), Proved)


def test_assumptions_of_all_parts_are_named(parts_first: None) -> None:
    quotient = "for (int i = 0; i < n; i++) C[i] = {};"
    found = compared(
        function(FIRST, quotient.format("A[i] / B[i]"), LAST),
        function(FIRST, quotient.format("(A[i] * B[i]) / (B[i] * B[i])"), LAST),
    )
    assert isinstance(found, Proved) and "denominators are not zero" in describe(found)


def test_scalars_between_nests_stay_with_those_that_use_them(parts_first: None) -> None:
    total = "double s = 0.0; for (int i = 0; i < n; i++) s += A[i];\nfor (int i = 0; i < n; i++) B[i] = s * {};"
    one, other = function(total.format("A[i]"), LAST), function(total.format("A[n - 1 - i]"), LAST)
    assert isinstance(compared(one, one), Proved)
    assert not isinstance(compared(one, other), Proved)
