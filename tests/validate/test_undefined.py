"""Operations are read with their preconditions, and what is assumed of a pair is a value of the answer."""

from __future__ import annotations

import pytest

from raising.validate.base.assumption import KINDS
from raising.validate.base.verdict import Bounded, Proved, Refuted, Tested, Unknown, assumptions
from raising.validate.check import CheckOptions, check
from tests.validate.undefined_pairs import EQUAL, assumed, wrong

WRONG, ASSUMED = wrong(), assumed()
SLOW = CheckOptions(timeout=60)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_pair_is_not_accepted(name: str) -> None:
    verdict = check(*WRONG[name], SLOW)
    assert isinstance(verdict, Refuted | Unknown), verdict
    assert "internal error" not in str(verdict)


@pytest.mark.parametrize("name", ASSUMED)
def test_what_makes_a_pair_equal_is_named(name: str) -> None:
    source, target, kind = ASSUMED[name]
    verdict = check(source, target, SLOW)
    assert isinstance(verdict, Proved | Bounded | Tested), verdict
    assert kind in {a.kind for a in assumptions(verdict)}


@pytest.mark.parametrize("name", EQUAL)
def test_a_right_pair_is_proved_with_no_such_assumption(name: str) -> None:
    verdict = check(*EQUAL[name], SLOW)
    assert isinstance(verdict, Proved), verdict
    assert {a.kind for a in assumptions(verdict)} <= {"alias", "bounds", "sizes", "numbers"}


def test_each_kind_of_assumption_is_met() -> None:
    """The table of kinds is what answers are made of; those of `--assume` and of algebra have tests of their own."""
    assert {kind for _, _, kind in ASSUMED.values()} <= KINDS.keys()
