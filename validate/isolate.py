"""Run a function in a forked child, so that a crash, a hang or a leak stays there.

Freshly generated native code may do anything. The child has limits on memory,
processor time and wall time; whatever becomes of it is a value in the parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from affine.record import dataclass

T = TypeVar("T")

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG: whatever ends the parent ends the child, and its own children in turn


@dataclass(frozen=True)
class Finished(Generic[T]):
    """The child returned this value."""

    value: T


@dataclass(frozen=True)
class Failed:
    """The child raised, crashed or ran out of a limit."""

    reason: str
    timed_out: bool = False


def run_isolated(work: Callable[[], T], *, timeout: float, extra_bytes: int) -> Finished[T] | Failed:
    """Call `work` in a forked child with at most `extra_bytes` more address space than now."""
    return run_together([work], timeout=timeout, extra_bytes=extra_bytes)[0]


def run_together(works: Sequence[Callable[[], T]], *, timeout: float, extra_bytes: int) -> list[Finished[T] | Failed]:
    """Call each of `works` in a forked child of its own, all at once; what became of them, in their order."""
    sys.stdout.flush()
    sys.stderr.flush()
    deadline = time.monotonic() + timeout
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(tempfile.TemporaryFile()) for _ in works]
        started = [_start(work, log, stack, timeout, extra_bytes) for work, log in zip(works, logs, strict=True)]
        return [_finish(*one, deadline, timeout) for one in started]


def _start(
    work: Callable[[], T], log: IO[bytes], stack: contextlib.ExitStack, timeout: float, extra_bytes: int
) -> tuple[int, int, IO[bytes]]:
    """A child at work: its number, where its result will come from, and the log that it writes."""
    read_end, write_end = os.pipe()
    # Python drops what a handler raises in the hooks that run after a fork: Ctrl-C waits until the child is known.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        child = os.fork()
        if child == 0:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.close(read_end)
            _be_the_child(work, write_end, log.fileno(), timeout, extra_bytes)
        stack.callback(_end, child)
        stack.callback(os.close, read_end)
        os.close(write_end)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return child, read_end, log


def _finish(child: int, read_end: int, log: IO[bytes], deadline: float, timeout: float) -> Finished[Any] | Failed:
    message, in_time = _read_until(read_end, deadline)
    status = _end(child)
    if not in_time:
        return Failed(f"stopped after {timeout:.3g} s", timed_out=True)
    log.seek(0)
    return _outcome(message, status, log.read().decode(errors="replace"))


def _be_the_child(work: Callable[[], T], out: int, log: int, timeout: float, extra_bytes: int) -> None:
    """Never returns: every way out of the child is `os._exit`."""
    with contextlib.suppress(BaseException):
        faulthandler.disable()
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        os.dup2(log, 1)
        os.dup2(log, 2)
        _limit(timeout, extra_bytes)
        result: Finished[T] | Failed
        try:
            result = Finished(work())
        except MemoryError:
            result = Failed("out of memory")
        except Exception as error:
            result = Failed(f"{type(error).__name__}: {_one_line(str(error))}")
        with os.fdopen(out, "wb") as stream:
            pickle.dump(result, stream)
    os._exit(0)


def _limit(timeout: float, extra_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    seconds = 2 * int(timeout) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _read_until(descriptor: int, deadline: float) -> tuple[bytes, bool]:
    """All that is written until end of file, and whether that came before the deadline."""
    chunks: list[bytes] = []
    while True:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return b"".join(chunks), False
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            return b"".join(chunks), True
        chunks.append(chunk)


def _end(child: int) -> int:
    """Kill the child unless it has ended, and return its wait status; 0 if it was waited for before."""
    with contextlib.suppress(ChildProcessError):
        return _ended(child)
    return 0


def _ended(child: int) -> int:
    for _ in range(20):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _outcome(message: bytes, status: int, log: str) -> Finished[T] | Failed:
    if message:
        with contextlib.suppress(pickle.UnpicklingError, EOFError):
            result: Finished[T] | Failed = pickle.loads(message)
            return result
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return Failed(f"crashed with signal {name}{_last_words(log)}")
    return Failed(f"ended without a result{_last_words(log)}")


def _last_words(log: str) -> str:
    """What the child complained about, in one line: an assertion, an error or a missing symbol."""
    telling = [line for line in log.splitlines() if any(w in line for w in ("ssertion", "rror", "ymbol"))]
    return f": {_one_line(telling[0])}" if telling else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
