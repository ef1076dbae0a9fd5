"""A child process: its first calls, its limits, what it sends and prints, and its end.

It is killed, or ends, when its parent does, and works without waste. `isolate` makes values of what becomes of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import os
import pickle
import resource
import select
import signal
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, NoReturn, TypeVar

from raising.support.record import dataclass
from raising.support.streams import Terminated, uninterrupted

T = TypeVar("T")

Send = Callable[[object, bool], None]
"""Sends the parent a value, and says whether it is the last one."""

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG: whatever ends the parent ends the child, and its own children in turn
_GARBAGE = 200_000, 20, 50  # objects between collections
_MAPPED_FROM, _GIVEN_BACK_FROM = -3, -1  # M_MMAP_THRESHOLD and M_TRIM_THRESHOLD
_LARGEST_KEPT, _MOST_KEPT = 32 << 20, 128 << 20  # bytes; the first is the most that there can be
_FRAMES = 66_000  # words; a little more than half of a MiB, so that CPython maps a whole one
_LENGTH = 8  # bytes before a message: its length, doubled, and one more for the last one
_leaving: list[int] | None = None  # in a child: those of its own that have answered, and end by themselves


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


def keep_memory() -> None:
    """Keep what arrays leave for the next ones, where the C library is GNU's.

    It maps a large array anew, and gives the end of its memory back: a page is then cleared for each 4 KiB of each
    array that a search makes, which took two fifths of the time of some.
    """
    with contextlib.suppress(AttributeError, OSError):
        option = ctypes.CDLL(None).mallopt
        option(_MAPPED_FROM, _LARGEST_KEPT)
        option(_GIVEN_BACK_FROM, _MOST_KEPT)


def with_room_for_frames(work: Callable[[], T]) -> T:
    """Call `work` with enough memory for the frames of whatever it calls.

    CPython keeps frames in blocks of 16 KiB, and gives one back with the last frame in it: where calls of a loop cross
    the end of a block, each of them maps and unmaps memory. A frame that needs more gets a larger block, and those of
    what it calls lie behind it.
    """
    return work()


with_room_for_frames.__code__ = with_room_for_frames.__code__.replace(co_stacksize=_FRAMES)


@dataclass(frozen=True)
class Limits:
    """Seconds of processor time, and bytes of address space beyond those of now (None: any) that a child may take."""

    seconds: int
    extra_bytes: int | None

    def apply(self) -> None:
        """From now on this process has these limits, and leaves no core."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):  # a child of a child may have stricter ones
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds))
        if self.extra_bytes is None:
            return
        with contextlib.suppress(OSError, ValueError):
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            limit = pages * resource.getpagesize() + self.extra_bytes
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


class Child:
    """A child at work: the last message that it sent, whether it may send more, and what it prints.

    Earlier messages are dropped as later ones come, so that a child may send as many as it likes.
    """

    def __init__(self, number: int, descriptor: int, log: IO[bytes]) -> None:
        self.number, self.descriptor, self.log = number, descriptor, log
        self.message, self.open, self.answered = b"", True, False
        self._rest = bytearray()

    def read(self) -> None:
        """Take what is there to be read."""
        chunk = os.read(self.descriptor, 1 << 16)
        self._rest += chunk
        while len(self._rest) >= _LENGTH:
            length, last = divmod(int.from_bytes(self._rest[:_LENGTH], "little"), 2)
            if len(self._rest) < _LENGTH + length:
                break
            self.message, self.answered = bytes(self._rest[_LENGTH : _LENGTH + length]), bool(last)
            del self._rest[: _LENGTH + length]
        self.open = bool(chunk) and not self.answered

    def end(self) -> int:
        """Kill the child unless it has ended, and return its wait status; 0 if it was waited for before."""
        with contextlib.suppress(ChildProcessError):
            return _ended(self.number)
        return 0

    def leave(self) -> None:
        """See to it that it ends: one that has answered gives its memory back beside this process, if that is a child
        itself; to a program nothing is left.
        """
        if self.answered and _leaving is not None:
            _leaving.append(self.number)
        else:
            self.end()


def start_child(work: Callable[[Send], None], log: IO[bytes], stack: contextlib.ExitStack, limits: Limits) -> Child:
    """A forked child that does `work`, until the stack is left; what it prints goes to a log."""
    read_end, write_end = os.pipe()
    parent = os.getpid()
    _reap()
    # Python drops what a handler raises in the hooks that run after a fork: signals wait until the child is known.
    with uninterrupted():
        number = os.fork()
        if number == 0:
            os.close(read_end)
            _be_the_child(parent, work, write_end, log.fileno(), limits)
        child = Child(number, read_end, log)
        stack.callback(child.leave)
        stack.callback(os.close, read_end)
        os.close(write_end)
    return child


def listen(children: Sequence[Child], deadline: float) -> None:
    """Read what children send until all of them have answered or ended, or until the deadline."""
    while left := {child.descriptor: child for child in children if child.open}:
        ready, _, _ = select.select(list(left), [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return
        for descriptor in ready:
            left[descriptor].read()


def _reap() -> None:
    """Forget the children that have answered and ended since."""
    for child in list(_leaving or ()):
        if os.waitpid(child, os.WNOHANG)[0] and _leaving is not None:
            _leaving.remove(child)


def _be_the_child(parent: int, work: Callable[[Send], None], out: int, log: int, limits: Limits) -> NoReturn:
    """What the child does: every way out of it is `os._exit`."""
    global _leaving
    try:
        _leaving = []
        faulthandler.disable()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what becomes of it
        signal.signal(signal.SIGTERM, _terminate)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        die_with_parent(parent)
        os.dup2(log, 1)
        os.dup2(log, 2)
        limits.apply()
        leave_what_is_there()
        keep_memory()
        with os.fdopen(out, "wb") as stream:
            work(partial(_send, stream))
    except Exception as error:  # such as that of a result that cannot be sent
        os.write(2, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
    finally:
        os._exit(0)


def _terminate(_: int, __: FrameType | None) -> None:
    """Leave everything in order: folders of its own are removed, programs that it runs are ended."""
    raise Terminated


def _send(stream: IO[bytes], value: object, last: bool) -> None:
    data = pickle.dumps(value)
    stream.write((2 * len(data) + last).to_bytes(_LENGTH, "little") + data)
    stream.flush()


def _ended(child: int) -> int:
    """The wait status of a child that ends by itself, or is asked to, or is killed."""
    for sent, seconds in (None, 0.02), (signal.SIGTERM, 0.2):
        if sent is not None:
            os.kill(child, sent)
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status
            _sleep(child, left)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def _sleep(child: int, seconds: float) -> None:
    """Until the child has ended, but not longer than this; a moment where the system has no such way to wait."""
    try:
        descriptor = os.pidfd_open(child)
    except OSError:
        time.sleep(min(0.001, seconds))
        return
    try:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        ended.poll(1000 * seconds)
    finally:
        os.close(descriptor)
