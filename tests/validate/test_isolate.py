"""Work in child processes: what becomes of it, and what it told before its end."""

from __future__ import annotations

import os
import time
from functools import partial

import pytest

from raising.support.isolate import Failed, Finished, Tell, run_isolated, run_telling, run_together

LIMITS = {"timeout": 20.0, "extra_bytes": 1 << 32}
BIG = 1 << 20  # bytes, more than a pipe holds


def _in_turn(tell: Tell, count: int, end: str) -> int:
    for k in range(count):
        tell([k, bytes(BIG)])
    if end == "crash":
        os.abort()
    if end == "hang":
        time.sleep(60)
    return count


def test_a_result_is_what_was_returned_whatever_was_told() -> None:
    assert run_telling([partial(_in_turn, count=3, end="")], **LIMITS) == [Finished(3)]
    assert run_isolated(lambda: bytes(BIG), **LIMITS) == Finished(bytes(BIG))


@pytest.mark.parametrize(("count", "told"), [(3, [2, bytes(BIG)]), (0, None)])
def test_what_a_child_told_last_outlives_it(count: int, told: object) -> None:
    (crashed,) = run_telling([partial(_in_turn, count=count, end="crash")], **LIMITS)
    assert crashed == Failed("crashed with signal SIGABRT", told=told)


def test_children_that_hang_leave_what_they_told_and_the_others_their_results() -> None:
    works = [partial(_in_turn, count=2, end=end) for end in ("hang", "", "hang")]
    hung, done, also = run_telling(works, timeout=1.0, extra_bytes=1 << 32)
    assert done == Finished(2)
    assert hung == also == Failed("stopped after 1 s", timed_out=True, told=[1, bytes(BIG)])


def test_an_exception_is_a_reason() -> None:
    (failed,) = run_together([lambda: 1 // 0], **LIMITS)
    assert failed == Failed("ZeroDivisionError: integer division or modulo by zero")
