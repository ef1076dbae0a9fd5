"""A file that takes longer than it may: what was raised by then is in its object."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from raising import pipeline
from raising.api.result import RaiseResult
from raising.cc import one_file
from raising.cc.raise_file import FileTask, raise_file
from raising.segment.part_search import LATE

LOOP = "for (int i = 0; i < n; i++) b[i] = 2 * a[i];"
NAMES = ("first", "second", "third")
SOURCE = "".join(f"void {n}(int n, const double *restrict a, double *restrict b) {{ {LOOP} }}\n" for n in NAMES)


def _task(seconds: float) -> FileTask:
    return FileTask(SOURCE, "three.c", (), "strict", "x86-64", False, seconds, frozenset())


def _hangs(until: Callable[[], object]) -> Callable[..., RaiseResult]:
    """Raising that tells of its first function and then does not come to an end."""
    whole = pipeline.raise_module

    def hanging(*given: Any, so_far: pipeline.SoFar, **settings: Any) -> RaiseResult:
        def tell(result: Callable[[], RaiseResult]) -> None:
            so_far(result)
            until()

        return whole(*given, so_far=tell, **settings)

    return hanging


def test_a_file_in_time_is_the_same_the_next_time() -> None:
    found = raise_file(_task(500))
    assert [(row["function"], row["done"]) for row in found.rows] == [(name, "replaced") for name in NAMES]
    assert found.lasting


def test_what_is_done_is_kept_where_the_next_function_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "raise_module", _hangs(lambda: time.sleep(500)))
    found = raise_file(_task(12))
    assert [(row["function"], row["done"]) for row in found.rows] == [
        ("first", "replaced"),
        ("second", "left"),
        ("third", "left"),
    ]
    assert LATE in found.rows[1]["why"]
    assert [r.name for r in found.replacements] == ["first"] and found.code
    assert not found.lasting  # in more time, there is more


def test_a_crash_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "raise_module", _hangs(os.abort))
    found = raise_file(_task(500))
    assert [r.name for r in found.replacements] == ["first"]
    assert found.lasting


def test_nothing_is_kept_where_nothing_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> RaiseResult:
        time.sleep(500)
        raise AssertionError

    monkeypatch.setattr(pipeline, "raise_module", never)
    found = raise_file(_task(1))
    assert not found.code and not found.lasting
    assert "stopped after" in found.why


def test_on_a_busy_machine_files_get_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    for load, times in ((0.0, 1.0), (1.5, 1.0), (7.0, 3.5), (900.0, 8.0)):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0))
        assert one_file.sharing() == times
