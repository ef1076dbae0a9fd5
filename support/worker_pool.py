"""Runs work in child processes: the bindings have assertions on, so a bad operation ends the process."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import resource
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from raising.support.fork import die_with_parent

_PATIENCE = 10  # times as long by the clock

T = TypeVar("T")
R = TypeVar("R")


class Died(Exception):
    """The child process ended without an answer; the message says how."""


def guarded(work: Callable[[], R], seconds: int = 120, extra_bytes: int = 0) -> R:
    """The result of `work`, done in a child process with so many seconds of processor time.

    With at most `extra_bytes` more address space, if given.
    """

    def answer(out: int) -> None:
        signal.setitimer(signal.ITIMER_PROF, seconds)  # not of the clock: the answer is the same on a busy machine
        signal.alarm(_PATIENCE * seconds)
        if extra_bytes:
            _limit_memory(extra_bytes)
        with os.fdopen(out, "wb", closefd=False) as stream:
            pickle.dump(_outcome(work), stream)

    data, status = _fork(answer)
    if status != 0 or not data:
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        raise Died(f"the process that probed it ended with {how}")
    result, error = pickle.loads(data)
    if error is not None:
        raise RuntimeError(error)
    return cast(R, result)


def _outcome(work: Callable[[], R]) -> tuple[R | None, str | None]:
    """The result, or the text of a Python error: that is a mistake here, not in what is probed."""
    try:
        return work(), None
    except Exception:
        return None, traceback.format_exc()


def survivors(items: list[T], works: Callable[[T], bool]) -> list[T]:
    """The items for which `works` is true; an item that ends the process counts as false."""
    kept: list[T] = []
    start = 0
    while start < len(items):
        rest = items[start:]

        def answer(out: int, rest: list[T] = rest) -> None:
            for item in rest:
                os.write(out, b"1" if works(item) else b"0")

        flags, _ = _fork(answer)
        kept += [item for item, flag in zip(rest, flags, strict=False) if flag == ord("1")]
        start += len(flags) + 1
    return kept


def spread(items: list[T], work: Callable[[T], R], workers: int | None = None) -> list[R]:
    """`work` on every item, in order, by several child processes that take the next item when they are free.

    `Died` if one of them ends early; so what may end a process is to be done by `guarded` inside of `work`.
    """
    queue, fill = os.pipe()
    os.write(fill, b"".join(k.to_bytes(_NUMBER, "big") for k in range(len(items))))
    os.close(fill)

    def answer(out: int) -> None:
        found: dict[int, tuple[R | None, str | None]] = {}
        while number := os.read(queue, _NUMBER):
            item = items[int.from_bytes(number, "big")]
            found[int.from_bytes(number, "big")] = _outcome(lambda item=item: work(item))  # type: ignore[misc]
        with os.fdopen(out, "wb", closefd=False) as stream:
            pickle.dump(found, stream)

    started = [_start(answer) for _ in range(workers or len(os.sched_getaffinity(0)))]
    os.close(queue)
    parts = [_collected(child) for child in started]
    if any(status != 0 for _, status in parts):
        raise Died("a process that shares the work ended early")
    found = {k: outcome for data, _ in parts for k, outcome in pickle.loads(data).items()}
    failed = next((error for _, error in found.values() if error is not None), None)
    if failed is not None:
        raise RuntimeError(failed)
    return [cast(R, found[k][0]) for k in range(len(items))]


_NUMBER = 4  # bytes of an item's number in the queue; a pipe holds thousands, and hands out each once


def _fork(answer: Callable[[int], None]) -> tuple[bytes, int]:
    """What `answer` wrote in a child process, and how the child ended (negative: by signal)."""
    return _collected(_start(answer))


def _start(answer: Callable[[int], None]) -> tuple[int, int]:
    """A child process that writes an answer: its number, and where to read."""
    source, sink = os.pipe()
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(source)
            _silence()
            die_with_parent(parent)
            answer(sink)
            status = 0
        finally:
            os._exit(status)
    os.close(sink)
    return pid, source


def _collected(child: tuple[int, int]) -> tuple[bytes, int]:
    """All that a child wrote, and how it ended (negative: by signal)."""
    pid, source = child
    with os.fdopen(source, "rb") as stream:
        data = stream.read()
    return data, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _limit_memory(extra_bytes: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _silence() -> None:
    """Failed assertions print a trace and dump core; neither is of use here."""
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
