"""Run a function in a child process, so that a crash, a hang or a leak stays there.

Freshly generated native code may do anything. The child has limits on memory,
processor time and wall time; whatever becomes of it is a value in the parent.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from raising.support.errors import NEEDS, described
from raising.support.fork import Child, Limits, Send, die_with_parent, listen, start_child, with_room_for_frames
from raising.support.record import dataclass

T = TypeVar("T")
G = TypeVar("G")


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


Tell = Callable[[Any], None]
"""Sends the parent a value that stands in for the result if there will be none; a later one takes its place."""


def failure(subject: str, found: Failed) -> str:
    """The message of a command whose work was not done."""
    if found.reason.startswith(NEEDS):
        return f"{subject}: error: this {found.reason}; nothing was written"
    return f"{subject}: error: internal: the worker {found.reason}; nothing was written"


def attempted(work: Callable[[], T]) -> Finished[T] | Failed:
    """What a function returned, or why it did not."""
    try:
        return Finished(with_room_for_frames(work))
    except MemoryError:
        return Failed("out of memory")
    except Exception as error:
        return Failed(described(error))


def run_isolated(
    work: Callable[[], T], *, timeout: float, extra_bytes: int, expected: tuple[type[Exception], ...] = ()
) -> Finished[T] | Failed:
    """Call `work` in a forked child with at most `extra_bytes` more address space than now.

    An error that is `expected` of it is raised here, too.
    """
    (found,) = run_telling([lambda _: _unless(expected, work)], timeout=timeout, extra_bytes=extra_bytes)
    return _raised(found)


@dataclass(frozen=True)
class _Expected:
    error: Exception


def _raised(found: Finished[T | _Expected] | Failed) -> Finished[T] | Failed:
    if isinstance(found, Failed):
        return found
    if isinstance(found.value, _Expected):
        raise found.value.error
    return Finished(found.value)


def _unless(expected: tuple[type[Exception], ...], work: Callable[[], T]) -> T | _Expected:
    try:
        return work()
    except expected as error:
        return _Expected(error)


def run_telling(
    works: Sequence[Callable[[Tell], T]], *, timeout: float, extra_bytes: int | None, processor: int = 0
) -> list[Finished[T] | Failed]:
    """Call each of `works` in a forked child of its own, all at once; what became of them, in their order.

    What they tell on the way is not lost if they do not come to their end. Each has so many seconds of `processor`
    time, if given, and any memory if `extra_bytes` is None.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    deadline, limits = time.monotonic() + timeout, Limits(processor or _most(timeout), extra_bytes)
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(tempfile.TemporaryFile()) for _ in works]
        pairs = zip(works, logs, strict=True)
        children = [start_child(partial(_answer, work), log, stack, limits) for work, log in pairs]
        listen(children, deadline)
        return [_outcome(child, timeout) for child in children]


class Waiting(Generic[G, T]):
    """A child that gets ready, while this process does something else: it is said what it works on, and asked later."""

    def __init__(self, child: Child, write_end: int) -> None:
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
        listen([self._child], deadline)
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
        log = stack.enter_context(tempfile.TemporaryFile())
        child = start_child(partial(_answer, late), log, stack, Limits(_most(timeout), extra_bytes))
        os.close(read_end)
        found: Waiting[G, T] = Waiting(child, write_end)
        try:
            yield found
        finally:
            found.drop()


def _answer(work: Callable[[Tell], T], send: Send) -> None:
    """What a child does: it sends what it is told on the way, and the outcome last."""
    send(attempted(lambda: work(lambda value: send(value, False))), True)


def _outcome(child: Child, timeout: float) -> Finished[Any] | Failed:
    """What became of a child, which has ended then unless it answered."""
    last = _loaded(child.message)
    if child.answered and isinstance(last, Finished | Failed):
        return last
    if child.answered:
        return Failed("sent a result that cannot be read")
    status, told = child.end(), last
    if child.open:
        return Failed(f"stopped after {timeout:.3g} s", timed_out=True, told=told)
    child.log.seek(0)
    return Failed(_end_of(status, child.log.read().decode(errors="replace")), told=told)


def _most(timeout: float) -> int:
    """Seconds of processor time that are more than enough for so many by the clock."""
    return 2 * int(timeout) + 2


# ---- a new interpreter ---------------------------------------------------------------------------


def another_mlir() -> bool:
    """Whether this process has loaded CIRCT, whose copy of MLIR and ours crash where both are used."""
    return "circt._mlir_libs._mlir" in sys.modules


def run_with_mlir(
    work: partial[T],
    prepare: Callable[[], None],
    *,
    timeout: float,
    extra_bytes: int,
    expected: tuple[type[Exception], ...],
) -> Finished[T] | Failed:
    """Call `work` in a child after `prepare`: in a forked one, or in one of a new interpreter where another copy of
    MLIR is loaded, or where other threads run. What they hold at a fork stays held in the child, and OpenBLAS ends its
    own threads before a fork: a thread that multiplies matrices then waits for them for ever.
    """
    isolated = partial(run_isolated, work, timeout=timeout, extra_bytes=extra_bytes, expected=expected)
    if another_mlir() or threading.active_count() > 1:
        found = run_fresh(partial(_after, prepare, isolated), expected)
        return found.value if isinstance(found, Finished) else found
    return _after(prepare, isolated)


def _after(prepare: Callable[[], None], work: Callable[[], T]) -> T:
    prepare()
    return work()


_FRESH = "import sys; sys.path[:] = sys.argv[3:]; from raising.support.isolate import serve; serve(*sys.argv[1:3])"


def run_fresh(work: Callable[[], T], expected: tuple[type[Exception], ...] = ()) -> Finished[T] | Failed:
    """Call `work` in a new interpreter, for a library that crashes in a process where certain others were used.

    An error that is `expected` of it is raised here, too.

    `work` is a function of a module that can be imported (not of `__main__`), or a `partial` of one. It has the limits
    of this process, and ends with it.
    """
    import subprocess

    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as log:
        numbers = (str(os.getpid()), str(answer.fileno()))
        command = [sys.executable, "-c", _FRESH, *numbers, *(p for p in sys.path if isinstance(p, str))]
        given = pickle.dumps(partial(_unless, expected, work))
        done = subprocess.run(command, input=given, stdout=log, stderr=log, pass_fds=(answer.fileno(),), check=False)
        answer.seek(0)
        last = _loaded(answer.read())
        if isinstance(last, Finished | Failed):
            return _raised(last)
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


# ---- how a child ended ---------------------------------------------------------------------------


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
    return f": {' '.join(telling[0].split())[:300]}" if telling else ""
