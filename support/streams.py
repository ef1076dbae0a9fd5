"""How a command ends, by itself or by a signal, and the streams it is started with, which may be closed or full."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import PurePath
from types import FrameType
from typing import TextIO

BAD_INPUT, INTERRUPTED, PIPE_CLOSED, TERMINATED = 2, 130, 141, 143
_LONGEST = 2000  # characters of a line for people
_STREAMS = ("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_WRONLY)


class Terminated(BaseException):
    """The process was asked to end, by SIGTERM."""


def finish(run: Callable[[], int], mistakes: tuple[type[Exception], ...] = ()) -> int:
    """Do the work of a command and turn what may end it into an exit status; `mistakes` are those of its user.

    Ctrl-C ends the process at once, except in what is `interruptible`: some libraries crash if an exception ends their
    import.
    """
    open_streams()
    changed = _is_main() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if changed:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        return _finish(run, mistakes)
    finally:
        if changed:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_main() -> bool:
    """Whether this thread may say what becomes of signals."""
    return threading.current_thread() is threading.main_thread()


def _finish(run: Callable[[], int], mistakes: tuple[type[Exception], ...]) -> int:
    try:
        try:
            return run()
        finally:
            sys.stdout.flush()
    except mistakes as error:
        say(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except Terminated:
        signal.raise_signal(signal.SIGTERM)  # with nothing left to be put in order
        return TERMINATED
    except BrokenPipeError:
        drop(sys.stdout)
        return PIPE_CLOSED
    except OSError as error:
        drop(sys.stdout)
        about = f"'{error.filename}': " if error.filename else ""
        say(f"{PurePath(sys.argv[0]).name}: error: {about}{reason(error)}")
        return BAD_INPUT


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """In a command: here Ctrl-C is `KeyboardInterrupt` and SIGTERM is `Terminated`, so that order can be made.

    Signals that the process was told to ignore stay ignored.
    """
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: _terminated}
    changed = [n for n in handlers if _is_main() and signal.getsignal(n) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, handlers[number])
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _terminated(_: int, __: FrameType | None) -> None:
    raise Terminated


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """A context that Ctrl-C and SIGTERM do not interrupt: they wait until its end."""
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def open_streams() -> None:
    """Put something in the place of standard streams that are closed, lest the next file that is opened takes it.

    To read from it or to write to standard output there is an error; what is said to nobody is lost. Characters that
    the locale does not have are written as their numbers.
    """
    for number, (name, flags) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def say(line: str) -> None:
    """A line on standard error; it is lost if nobody can read it, and the work goes on."""
    try:
        print(shortened(line), file=sys.stderr, flush=True)
    except OSError:
        drop(sys.stderr)


def shortened(line: str) -> str:
    """A line for people: of a very long one the middle is left out."""
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"


def drop(stream: TextIO) -> None:
    """Lose what a stream still holds and all that it is given from now on, also when the interpreter ends."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def reason(error: OSError) -> str:
    """The system's reason for an error, as part of a sentence."""
    return (error.strerror or str(error)).lower()
