"""Run a function in a child process, so that a crash, a hang or a leak stays there.

Freshly generated native code may do anything. The child has limits on memory,
processor time and wall time; whatever becomes of it is a value in the parent.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any, Generic, TypeVar

from raising.support.errors import NEEDS, described
from raising.support.fork import die_with_parent, leave_what_is_there, with_room_for_frames
from raising.support.record import dataclass
from raising.support.streams import Terminated, uninterrupted

T = TypeVar("T")
G = TypeVar("G")

_LENGTH = 8  # bytes before a message: its length, doubled, and one more for the last one
_leaving: list[int] | None = None  # in a child: those of its own that have answered, and end by themselves


@dataclass(frozen=True)
class Finished(Generic[T]):
    """The child returned this value."""

    value: T


@dataclass(frozen=True)
class Failed:
    """The child raised, crashed or ran out of a limit; `told` is what it told last before that, if anything."""

    reason: str
    timed_out: bool = False
    told: Any = None


def failure(subject: str, found: Failed) -> str:
    """The message of a command whose work was not done."""
    if found.reason.startswith(NEEDS):
        return f"{subject}: error: this {found.reason}; nothing was written"
    return f"{subject}: error: internal: the worker {found.reason}; nothing was written"


@dataclass(frozen=True)
class _Told:
    """What a child found on the way."""

    value: Any


Tell = Callable[[Any], None]
"""Sends the parent a value that stands in for the result if there will be none; a later one takes its place."""


def run_isolated(work: Callable[[], T], *, timeout: float, extra_bytes: int) -> Finished[T] | Failed:
    """Call `work` in a forked child with at most `extra_bytes` more address space than now."""
    return run_together([work], timeout=timeout, extra_bytes=extra_bytes)[0]


def run_together(works: Sequence[Callable[[], T]], *, timeout: float, extra_bytes: int) -> list[Finished[T] | Failed]:
    """Call each of `works` in a forked child of its own, all at once; what became of them, in their order."""
    return run_telling([partial(_untold, work) for work in works], timeout=timeout, extra_bytes=extra_bytes)


def _untold(work: Callable[[], T], _: Tell) -> T:
    return work()


_FRESH = "import sys; sys.path[:] = sys.argv[3:]; from raising.support.isolate import serve; serve(*sys.argv[1:3])"


def run_fresh(work: Callable[[], T]) -> Finished[T] | Failed:
    """Call `work` in a new interpreter, for a library that crashes in a process where certain others were used.

    `work` is a function of a module that can be imported (not of `__main__`), or a `partial` of one. It has the limits
    of this process, and ends with it.
    """
    import subprocess

    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as log:
        numbers = (str(os.getpid()), str(answer.fileno()))
        command = [sys.executable, "-c", _FRESH, *numbers, *(p for p in sys.path if isinstance(p, str))]
        done = subprocess.run(
            command, input=pickle.dumps(work), stdout=log, stderr=log, pass_fds=(answer.fileno(),), check=False
        )
        answer.seek(0)
        last = _loaded(answer.read())
        if isinstance(last, Finished | Failed):
            return last
        log.seek(0)
        code = done.returncode
        return Failed(_end_of(-code if code < 0 else code << 8, log.read().decode(errors="replace")))


def serve(parent: str, out: str) -> None:
    """What the interpreter of `run_fresh` does; never returns, as a library may crash when it is unloaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what becomes of it
    die_with_parent(int(parent))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    result = attempted(lambda: pickle.load(sys.stdin.buffer)())
    with os.fdopen(int(out), "wb") as stream:
        pickle.dump(result, stream)
    os._exit(0)


def attempted(work: Callable[[], T]) -> Finished[T] | Failed:
    """What a function returned, or why it did not."""
    try:
        return Finished(with_room_for_frames(work))
    except MemoryError:
        return Failed("out of memory")
    except Exception as error:
        return Failed(described(error))


def run_telling(
    works: Sequence[Callable[[Tell], T]], *, timeout: float, extra_bytes: int | None, processor: int = 0
) -> list[Finished[T] | Failed]:
    """The same for works that tell what they found so far, which is not lost if they do not come to their end.

    Each has so many seconds of `processor` time, if given, and any memory if `extra_bytes` is None.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    deadline = time.monotonic() + timeout
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(tempfile.TemporaryFile()) for _ in works]
        seconds = processor or _most(timeout)
        children = [_start(work, log, stack, seconds, extra_bytes) for work, log in zip(works, logs, strict=True)]
        _listen(children, deadline)
        return [_outcome(child, timeout) for child in children]


class Waiting(Generic[G, T]):
    """A child that gets ready, while this process does something else: it is said what it works on, and asked later."""

    def __init__(self, child: _Child, write_end: int) -> None:
        self._child, self._write_end, self.asked = child, write_end, False

    def begin(self, given: G) -> None:
        """Say what it works on."""
        data = pickle.dumps(given)
        with contextlib.suppress(BrokenPipeError), open(self._write_end, "wb", closefd=False) as stream:  # noqa: PTH123
            stream.write(data)

    def result(self, seconds: float) -> Finished[T] | Failed:
        """What becomes of it within so many seconds."""
        return self._until(time.monotonic() + seconds, seconds)

    def __call__(self, given: G, seconds: float) -> Finished[T] | Failed:
        """Say what it works on, and for how long; what becomes of it."""
        deadline = time.monotonic() + seconds
        self.begin(given)
        return self._until(deadline, seconds)

    def _until(self, deadline: float, seconds: float) -> Finished[T] | Failed:
        self.asked = True
        _listen([self._child], deadline)
        return _outcome(self._child, seconds)

    def drop(self) -> None:
        """Kill it if nobody has asked for its result."""
        if not self.asked:
            os.kill(self._child.number, signal.SIGKILL)


class Ahead(Generic[G, T]):
    """Work that a child does on what is expected, while this process finds out whether that is so."""

    def __init__(self, child: Callable[[], Waiting[G, T]]) -> None:
        self._child = child
        self._begun: list[tuple[G, Waiting[G, T]]] = []

    @property
    def begun(self) -> bool:
        """Whether anything was expected."""
        return bool(self._begun)

    def begin(self, given: G) -> None:
        """Begin with what is expected; only what comes first is."""
        if not self._begun:
            self._begun.append((given, self._child()))
            self._begun[0][1].begin(given)

    def result(self, given: G, seconds: float) -> T | None:
        """What becomes of it; None where something else was expected, or the child did not come to its end."""
        self.begin(given)
        expected, child = self._begun[0]
        found = child.result(seconds) if given == expected else None
        return found.value if isinstance(found, Finished) else None


@contextlib.contextmanager
def waiting(
    ready: Callable[[], None], work: Callable[[G, Tell], T], *, timeout: float, extra_bytes: int
) -> Iterator[Waiting[G, T]]:
    """A child that gets `ready` while this process does something else; then it is said what it works on, and for how
    long.

    It is killed where nothing is asked of it before the end of the `with` statement. `timeout` is for all of its life.
    """
    read_end, write_end = os.pipe()

    def late(tell: Tell) -> T:
        os.close(write_end)
        ready()
        with os.fdopen(read_end, "rb") as stream:
            given = pickle.load(stream)
        return work(given, tell)

    with contextlib.ExitStack() as stack:
        stack.callback(os.close, write_end)
        child = _start(late, stack.enter_context(tempfile.TemporaryFile()), stack, _most(timeout), extra_bytes)
        os.close(read_end)
        found: Waiting[G, T] = Waiting(child, write_end)
        try:
            yield found
        finally:
            found.drop()


class _Child:
    """A child at work: its number, where its messages come from, the log that it writes, and its last message.

    Earlier messages are dropped as later ones come, so that a child may tell as much as it likes.
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

    def end(self) -> None:
        """See to it that it ends: one that has answered gives its memory back beside this process, if that is a child
        itself; to a program nothing is left.
        """
        if self.answered and _leaving is not None:
            _leaving.append(self.number)
        else:
            _end(self.number)


def _start(
    work: Callable[[Tell], T], log: IO[bytes], stack: contextlib.ExitStack, seconds: int, extra_bytes: int | None
) -> _Child:
    """A child at work."""
    read_end, write_end = os.pipe()
    parent = os.getpid()
    _reap()
    # Python drops what a handler raises in the hooks that run after a fork: signals wait until the child is known.
    with uninterrupted():
        child = os.fork()
        if child == 0:
            os.close(read_end)
            _be_the_child(parent, work, write_end, log.fileno(), seconds, extra_bytes)
        found = _Child(child, read_end, log)
        stack.callback(found.end)
        stack.callback(os.close, read_end)
        os.close(write_end)
    return found


def _reap() -> None:
    """Forget the children that have answered and ended since."""
    for child in list(_leaving or ()):
        if os.waitpid(child, os.WNOHANG)[0] and _leaving is not None:
            _leaving.remove(child)


def _listen(children: Sequence[_Child], deadline: float) -> None:
    """Read what the children send until all of them have ended, or until the deadline."""
    while left := {child.descriptor: child for child in children if child.open}:
        ready, _, _ = select.select(list(left), [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return
        for descriptor in ready:
            left[descriptor].read()


def _outcome(child: _Child, timeout: float) -> Finished[Any] | Failed:
    last = _loaded(child.message)
    if isinstance(last, Finished | Failed):
        return last
    status = _end(child.number)
    told = last.value if isinstance(last, _Told) else None
    if child.open:
        return Failed(f"stopped after {timeout:.3g} s", timed_out=True, told=told)
    child.log.seek(0)
    return Failed(_end_of(status, child.log.read().decode(errors="replace")), told=told)


def _be_the_child(
    parent: int, work: Callable[[Tell], T], out: int, log: int, seconds: int, extra_bytes: int | None
) -> None:
    """Never returns: every way out of the child is `os._exit`."""
    global _leaving
    try:
        _leaving = []
        faulthandler.disable()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what becomes of it
        signal.signal(signal.SIGTERM, _leave)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        die_with_parent(parent)
        os.dup2(log, 1)
        os.dup2(log, 2)
        _limit(seconds, extra_bytes)
        leave_what_is_there()
        with os.fdopen(out, "wb") as stream:
            _send(stream, attempted(lambda: work(lambda value: _send(stream, _Told(value)))))
    finally:
        os._exit(0)


def _leave(_: int, __: FrameType | None) -> None:
    """Leave everything in order: folders of its own are removed, programs that it runs are ended."""
    raise Terminated


def _send(stream: IO[bytes], message: Finished[Any] | Failed | _Told) -> None:
    """A message, after its length in bytes."""
    data = pickle.dumps(message)
    stream.write((2 * len(data) + (not isinstance(message, _Told))).to_bytes(_LENGTH, "little") + data)
    stream.flush()


def _most(timeout: float) -> int:
    """Seconds of processor time that are more than enough for so many by the clock."""
    return 2 * int(timeout) + 2


def _limit(seconds: int, extra_bytes: int | None) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):  # a child of a child may have stricter ones
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if extra_bytes is None:
        return
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + extra_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _end(child: int) -> int:
    """Kill the child unless it has ended, and return its wait status; 0 if it was waited for before."""
    with contextlib.suppress(ChildProcessError):
        return _ended(child)
    return 0


def _ended(child: int) -> int:
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


def _loaded(message: bytes) -> Any:
    """What a message says; None if there is none, or none that can be read."""
    with contextlib.suppress(Exception):  # a child may have written anything
        return pickle.loads(message)
    return None


def _end_of(status: int, log: str) -> str:
    """How a child ended that sent no result."""
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return f"crashed with signal {name}{_last_words(log)}"
    return f"ended without a result{_last_words(log)}"


def _last_words(log: str) -> str:
    """What the child complained about, in one line: an assertion, an error or a missing symbol."""
    telling = [line for line in log.splitlines() if any(w in line for w in ("ssertion", "rror", "ymbol"))]
    return f": {_one_line(telling[0])}" if telling else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
