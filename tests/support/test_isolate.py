"""Work in child processes: what becomes of it, and what it told before its end."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from raising.support import fork
from raising.support.errors import InputError
from raising.support.isolate import (
    Failed,
    Finished,
    Tell,
    run_fresh,
    run_isolated,
    run_telling,
    run_with_mlir,
    waiting,
)
from raising.support.source import Loc

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
    (failed,) = run_telling([lambda _: 1 // 0], **LIMITS)
    assert failed == Failed("ZeroDivisionError: integer division or modulo by zero")


def _with_place(file: str) -> int:
    raise InputError(Loc(file, 1, 2), "no module")


def test_what_is_expected_is_raised_here_and_nothing_else() -> None:
    work = partial(_with_place, "a.mlir")
    for run in (partial(run_isolated, **LIMITS), run_fresh):
        with pytest.raises(InputError, match=r"^a\.mlir:1:2: error: no module$"):
            run(work, expected=(InputError,))
        assert run(work, expected=(KeyError,)) == Failed("InputError: a.mlir:1:2: error: no module")


def test_a_new_interpreter_has_a_result_a_reason_or_a_crash() -> None:
    assert run_fresh(partial(divmod, 7, 2)) == Finished((3, 1))
    assert run_fresh(partial(print, "not the answer")) == Finished(None)
    assert run_fresh(partial(divmod, 1, 0)) == Failed("ZeroDivisionError: integer division or modulo by zero")
    assert run_fresh(os.abort) == Failed("crashed with signal SIGABRT")
    assert run_fresh(partial(os._exit, 3)) == Failed("ended without a result")


class _Unreadable:
    """What can be sent, and not be read."""

    def __reduce__(self):
        return _refuse, ()


def _refuse():
    raise ValueError


def test_results_that_cannot_be_sent_or_read_are_said_so():
    unsent = run_isolated(lambda: lambda: 0, timeout=10, extra_bytes=1 << 30)
    assert isinstance(unsent, Failed) and unsent.reason.startswith("ended without a result: ")
    assert "pickle" in unsent.reason
    unread = run_isolated(_Unreadable, timeout=10, extra_bytes=1 << 30)
    assert unread == Failed("sent a result that cannot be read")


def test_a_new_interpreter_has_nothing_of_this_one_but_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", ["", "/nowhere", *sys.path])
    assert run_fresh(_path) == Finished(sys.path)


def _path() -> list[str]:
    return sys.path


def test_a_new_interpreter_ends_with_its_parent(tmp_path: Path) -> None:
    note = tmp_path / "number"
    assert isinstance(run_isolated(lambda: run_fresh(partial(_noted, note)), timeout=3.0, extra_bytes=1 << 32), Failed)
    number = int(note.read_text())
    for _ in range(100):
        if not Path(f"/proc/{number}/fd").exists():
            return
        time.sleep(0.05)
    pytest.fail("it is still there")


def test_no_fork_beside_other_threads() -> None:
    """In one, OpenBLAS ends its threads: those who multiply matrices at the time would wait for them for ever."""
    forks: list[int] = []
    os.register_at_fork(before=lambda: forks.append(threading.active_count()))
    work, limits = partial(_with_place, "a.mlir"), {**LIMITS, "expected": (InputError,)}
    over = threading.Event()
    beside = threading.Thread(target=over.wait)
    beside.start()
    try:
        assert run_with_mlir(partial(divmod, 7, 2), _nothing, **limits) == Finished((3, 1))
        assert run_with_mlir(os.abort, _nothing, **limits) == Failed("crashed with signal SIGABRT")
        with pytest.raises(InputError, match="no module"):
            run_with_mlir(work, _nothing, **limits)
    finally:
        over.set()
        beside.join()
    assert not forks
    assert run_with_mlir(partial(divmod, 7, 2), _nothing, **limits) == Finished((3, 1))
    assert forks == [1]


def _nothing() -> None:
    pass


def _noted(note: Path) -> None:
    note.write_text(str(os.getpid()))
    time.sleep(60)


def test_an_error_of_an_input_is_the_same_from_a_child() -> None:
    error = pickle.loads(pickle.dumps(InputError(Loc("t.c", 3, 4), "what")))
    assert (type(error), str(error), error.loc) == (InputError, "t.c:3:4: error: what", Loc("t.c", 3, 4))


def _length(given: bytes, tell: Tell) -> int:
    tell(len(given) - 1)
    return len(given)


def test_a_child_that_waits_is_given_its_work_later(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    with waiting(ready.touch, _length, **LIMITS) as answer:
        assert run_isolated(lambda: 7, **LIMITS) == Finished(7)
        assert answer(bytes(BIG), 20.0) == Finished(BIG)
    assert ready.exists()


def test_a_child_may_begin_before_it_is_asked() -> None:
    with waiting(int, _length, **LIMITS) as child:
        child.begin(bytes(BIG))
        assert run_isolated(lambda: 7, **LIMITS) == Finished(7)
        assert child.result(20.0) == Finished(BIG)


def test_a_child_at_work_that_nobody_asks_is_killed() -> None:
    started = time.monotonic()
    with waiting(int, lambda seconds, _: time.sleep(seconds), **LIMITS) as child:
        child.begin(60)
    assert time.monotonic() - started < 10


def test_a_child_that_cannot_get_ready_or_takes_too_long_says_so() -> None:
    with waiting(partial(divmod, 1, 0), _length, **LIMITS) as answer:
        assert answer(bytes(BIG), 20.0) == Failed("ZeroDivisionError: integer division or modulo by zero")
    with waiting(os.abort, _length, **LIMITS) as answer:
        assert answer(bytes(BIG), 20.0) == Failed("crashed with signal SIGABRT")
    with waiting(partial(time.sleep, 60), _length, **LIMITS) as answer:
        assert answer(b"", 0.3) == Failed("stopped after 0.3 s", timed_out=True)


def test_a_child_that_is_given_nothing_is_killed(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(KeyError), waiting(partial(time.sleep, 60), _length, **LIMITS):
        raise KeyError
    assert time.monotonic() - started < 10
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_an_answer_is_an_answer_whoever_still_holds_the_pipe() -> None:
    def answered() -> int:
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
        return 7

    started = time.monotonic()
    assert run_isolated(answered, **LIMITS) == Finished(7)
    assert time.monotonic() - started < 4


def test_a_child_waits_for_no_end_of_its_own_children_and_they_are_reaped() -> None:
    def twice() -> int:
        for _ in range(20):
            run_isolated(lambda: bytes(BIG), **LIMITS)
        time.sleep(0.2)
        run_isolated(lambda: 1, **LIMITS)
        return len(fork._leaving or [])

    assert run_isolated(twice, **LIMITS) == Finished(1)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_a_child_that_answers_and_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def stays(_: int) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)

    monkeypatch.setattr(os, "_exit", stays)
    started = time.monotonic()
    assert run_isolated(lambda: 7, **LIMITS) == Finished(7)
    assert time.monotonic() - started < 10
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_where_the_system_cannot_wait_for_a_child_it_is_looked_at_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: int) -> int:
        raise OSError

    monkeypatch.setattr(os, "pidfd_open", refused)
    assert run_isolated(lambda: 7, **LIMITS) == Finished(7)
    assert run_isolated(os.abort, **LIMITS) == Failed("crashed with signal SIGABRT")
