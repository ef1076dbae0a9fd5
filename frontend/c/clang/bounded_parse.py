"""A limit on what a call of libclang takes: a few lines of macros can keep it busy for days."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

MAX_SECONDS = 20.0
MAX_MEMORY = 2 << 30  # bytes more than before
_STATUS = Path("/proc/self/statm")
_PAGE = 4096
_STACK = 512 << 20  # bytes, of which only those are used that deep syntax needs

T = TypeVar("T")


class TooMuch(Exception):
    """The call takes more time or memory than it may. It goes on in a thread of its own until the process ends."""


def bounded(call: Callable[[], T]) -> T:
    """The result of a call that releases the interpreter's lock; `TooMuch` if it does not end in time."""
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(call())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    end, before, pause = time.monotonic() + MAX_SECONDS, _memory(), 0.02
    usual = threading.stack_size(_STACK)
    try:
        thread.start()
    except RuntimeError:  # there is no room for its stack
        raise TooMuch from None
    finally:
        threading.stack_size(usual)
    thread.join(0.2)  # most calls end here
    while thread.is_alive():
        if time.monotonic() > end or _memory() - before > MAX_MEMORY:
            raise TooMuch
        thread.join(pause)
    if failed:
        raise failed[0]
    return found[0]


def _memory() -> int:
    """The memory of this process in bytes; 0 where the system does not tell."""
    try:
        return int(_STATUS.read_text().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
