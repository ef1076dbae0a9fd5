"""The first calls of every child process: it is killed, or ends, when its parent does, and works without waste."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG: whatever ends the parent ends the child, and its own children in turn
_GARBAGE = 200_000, 20, 50  # objects between collections
_FRAMES = 66_000  # words; a little more than half of a MiB, so that CPython maps a whole one


def die_with_parent(parent: int) -> None:
    """From now on this process is killed when the thread that forked it ends; at once if `parent` is gone already."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def end_with_parent() -> None:
    """From now on this process ends when its parent does, with all that it runs: of a killed batch nothing is left."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def collect_rarely() -> None:
    """Look for garbage less often: a search makes many objects, and few that refer to each other."""
    gc.set_threshold(*_GARBAGE)


def leave_what_is_there() -> None:
    """Look for garbage among new objects only: to look at those of the parent copies the memory that they lie in."""
    gc.freeze()
    collect_rarely()


def with_room_for_frames(work: Callable[[], T]) -> T:
    """Call `work` with enough memory for the frames of whatever it calls.

    CPython keeps frames in blocks of 16 KiB, and gives one back with the last frame in it: where calls of a loop cross
    the end of a block, each of them maps and unmaps memory. A frame that needs more gets a larger block, and those of
    what it calls lie behind it.
    """
    return work()


with_room_for_frames.__code__ = with_room_for_frames.__code__.replace(co_stacksize=_FRAMES)
