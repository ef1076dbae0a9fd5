"""Each pair of a table that differs at extremes only gets the answer that the table has for it."""

from __future__ import annotations

import pytest

from raising.validate.base.verdict import Bounded, Proved, Refuted, Tested, Unknown, assumptions
from raising.validate.check import CheckOptions, check
from tests.validate.run.extreme_pairs import DIFFERENT, PAIRS, REAL, UNKNOWN

SLOW = CheckOptions(timeout=60)


@pytest.mark.parametrize("name", PAIRS)
def test_the_answer_is_that_of_the_table(name: str) -> None:
    pair = PAIRS[name]
    verdict = check(pair.source, pair.target, SLOW)
    if pair.answer in (DIFFERENT, UNKNOWN):
        assert isinstance(verdict, Refuted if pair.answer == DIFFERENT else Unknown), verdict
        return
    assert isinstance(verdict, Proved | Bounded | Tested), verdict
    assert ("real" in {a.kind for a in assumptions(verdict)}) == (pair.answer == REAL), verdict
