"""Steps of integer set calculations, counted: what is bounded by them depends on the input, not on the machine.

isl counts its elementary operations itself; on a processor of the 2020s an idle machine does one to three million of
them in a second, with what Python does around them. From the call on that reaches a bound, every one fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import islpy as isl

from raising.support.errors import OutOfWork

_QUOTA = "maximal number of operations exceeded"  # isl's words for it


_FORGET: list[Callable[[], None]] = []


def until_restart(forget: Callable[[], None]) -> None:
    """Register a function that forgets what is remembered; it is called when the count restarts.

    What is remembered is not counted again. So the count depends on what has been asked since the restart, and not on
    what else the process has done.
    """
    _FORGET.append(forget)


def restart() -> None:
    """Count from zero again."""
    for forget in _FORGET:
        forget()
    isl.DEFAULT_CONTEXT.reset_operations()


@contextmanager
def fresh(steps: int) -> Iterator[None]:
    """No more than so many steps from here on, whatever was counted before; the count goes on from there."""
    restart()
    with at_most(steps):
        yield


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """No more than so many steps since the count was restarted; `OutOfWork` from the call that would go beyond.

    Of nested bounds the inner one holds. Objects that exist stay whole.
    """
    context = isl.DEFAULT_CONTEXT
    before = context.get_max_operations()
    context.set_max_operations(steps)
    try:
        yield
    except isl.Error as error:
        if _QUOTA in str(error):
            raise OutOfWork from None
        raise
    finally:
        context.set_max_operations(before)
