"""Work on definitions of dialects in child processes: the bindings have assertions on, so a bad one ends the process.

Limits are of processor time, not of the clock: the answer is the same on a busy machine.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from typing import TypeVar, cast

from raising.support.isolate import Failed, Finished, Tell, run_telling

_PATIENCE = 10  # times as long by the clock
_LONGEST = 7200  # seconds of work that is shared, or of many small questions

T = TypeVar("T")
R = TypeVar("R")

Outcome = tuple[R | None, str | None]
"""The result, or the text of a Python error: that is a mistake here, not in what is probed."""


class Died(Exception):
    """The child process ended without an answer; the message says how."""


def guarded(work: Callable[[], R], seconds: int = 120, extra_bytes: int | None = None) -> R:
    """The result of `work`, done in a child process with so many seconds of processor time.

    With at most `extra_bytes` more address space, if given.
    """
    limits = {"timeout": _PATIENCE * seconds, "processor": seconds, "extra_bytes": extra_bytes}
    (found,) = run_telling([lambda _: _outcome(work)], **limits)  # type: ignore[arg-type]
    if isinstance(found, Failed):
        raise Died(f"the process that probed it {found.reason}")
    result, error = found.value
    if error is not None:
        raise RuntimeError(error)
    return cast(R, result)


def _outcome(work: Callable[[], R]) -> Outcome[R]:
    try:
        return work(), None
    except Exception:
        return None, traceback.format_exc()


def survivors(items: list[T], works: Callable[[T], bool]) -> list[T]:
    """The items for which `works` is true; an item that ends the process counts as false."""
    kept: list[T] = []
    start = 0
    while start < len(items):

        def answer(tell: Tell, rest: list[T] = items[start:]) -> list[bool]:  # noqa: B006
            found: list[bool] = []
            for item in rest:
                found.append(works(item))
                tell(found)
            return found

        (found,) = run_telling([answer], timeout=_LONGEST, extra_bytes=None)
        flags: list[bool] = found.value if isinstance(found, Finished) else found.told or []
        kept += [item for item, flag in zip(items[start:], flags, strict=False) if flag]
        start += len(flags) + 1
    return kept


def spread(items: list[T], work: Callable[[T], R], workers: int | None = None) -> list[R]:
    """`work` on every item, in order, by several child processes that take the next item when they are free.

    `Died` if one of them ends early; so what may end a process is to be done by `guarded` inside of `work`.
    """
    queue, fill = os.pipe()
    os.write(fill, b"".join(k.to_bytes(_NUMBER, "big") for k in range(len(items))))
    os.close(fill)

    def answer(_: Tell) -> dict[int, Outcome[R]]:
        found: dict[int, Outcome[R]] = {}
        while number := os.read(queue, _NUMBER):
            item = items[int.from_bytes(number, "big")]
            found[int.from_bytes(number, "big")] = _outcome(lambda item=item: work(item))  # type: ignore[misc]
        return found

    count = workers or len(os.sched_getaffinity(0))
    parts = run_telling([answer] * count, timeout=_LONGEST, extra_bytes=None)
    os.close(queue)
    found: dict[int, Outcome[R]] = {}
    for part in parts:
        if isinstance(part, Failed):
            raise Died(f"a process that shares the work ended early: it {part.reason}")
        found |= part.value
    failed = next((error for _, error in found.values() if error is not None), None)
    if failed is not None:
        raise RuntimeError(failed)
    return [cast(R, found[k][0]) for k in range(len(items))]


_NUMBER = 4  # bytes of an item's number in the queue; a pipe holds thousands, and hands out each once
