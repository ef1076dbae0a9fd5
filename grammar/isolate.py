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

T = TypeVar("T")
R = TypeVar("R")


class Died(Exception):
    """The child process ended without an answer; the message says how."""


def guarded(work: Callable[[], R], seconds: int = 120, extra_bytes: int = 0) -> R:
    """The result of `work`, done in a child process; with at most `extra_bytes` more address space, if given."""

    def answer(out: int) -> None:
        signal.alarm(seconds)
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


def _fork(answer: Callable[[int], None]) -> tuple[bytes, int]:
    """What `answer` wrote in a child process, and how the child ended (negative: by signal)."""
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(source)
        _silence()
        status = 1
        try:
            answer(sink)
            status = 0
        finally:
            os._exit(status)
    os.close(sink)
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
