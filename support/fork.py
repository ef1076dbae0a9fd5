"""The first calls of every child process: it is killed, or ends, when its parent does."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG: whatever ends the parent ends the child, and its own children in turn


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
