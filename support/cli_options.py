"""What the commands have in common. Nothing heavy is imported, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import os
import select
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn, TypeVar

from raising.support import streams
from raising.support.streams import BAD_INPUT

if TYPE_CHECKING:
    from raising.support.isolate import Failed, Finished, Tell

T = TypeVar("T")

DONE = 0
MEMORY = 64 << 30  # address space of the child that does the work, against a runaway
_MOMENT = 0.1  # seconds that a command waits for what another one kept on disk


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        raw = argparse.RawDescriptionHelpFormatter
        super().__init__(prog=prog, description=description, epilog=epilog, formatter_class=raw, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """End with the status of bad input."""
        self.exit(BAD_INPUT, f"{self.prog}: error: {message} (see {self.prog} --help)\n")

    def parsed(self, argv: Sequence[str] | None) -> argparse.Namespace:
        """The options of a command that reads one FILE: standard input where none is given and something comes in."""
        found = self.parse_args(argv)
        if found.file is None and not vars(found).get("calibrate"):
            if not _comes_in():
                self.error("a FILE is needed")
            found.file = "-"
        return found


def _comes_in() -> bool:
    """Whether standard input is a pipe or a file, and no terminal or device that nobody writes to."""
    with suppress(OSError):
        mode = os.fstat(0).st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)
    return False


def seconds(text: str) -> float:
    """A time limit on the command line."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"not a number of seconds: '{text}'")
    return value


def count(text: str) -> int:
    """A whole number from 1 on the command line."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 62):
        raise argparse.ArgumentTypeError(f"not a number from 1: '{text}'")
    return int(text)


def add_cache(parser: argparse.ArgumentParser) -> None:
    """Add the option `--no-cache`."""
    text = "use nothing that an earlier run kept on disk"
    parser.add_argument("--no-cache", dest="cache", action="store_false", help=text)


def is_awaited(path: str) -> bool:
    """Whether the input comes from a program that is still at work: meanwhile, a child can get ready."""
    with suppress(OSError, ValueError):
        return path == "-" and not select.select([0], [], [], _MOMENT)[0]
    return False


def finish(run: Callable[[], int]) -> int:
    """Do the work of a command, reading its options included, and turn what may end it into an exit status."""
    from raising.support.cache import complaint
    from raising.support.files import UserError

    said = "" if "--no-cache" in sys.argv else complaint()
    if said:
        print(f"raise: remark: {said}", file=sys.stderr)
    return streams.finish(run, (UserError,))


def isolated(work: Callable[[], T], timeout: float, memory: int = MEMORY) -> Finished[T] | Failed:
    """Do the work of a command in a child process, because some inputs crash MLIR; Ctrl-C ends both."""
    return isolated_telling(lambda _: work(), timeout, memory)


def isolated_telling(work: Callable[[Tell], T], timeout: float, memory: int = MEMORY) -> Finished[T] | Failed:
    """The same for work that tells what it found so far."""
    from raising.support.isolate import run_telling

    with streams.interruptible():
        (found,) = run_telling([work], timeout=timeout, extra_bytes=memory)
    return found


def write(data: bytes, output: str | None) -> None:
    """To a file, whole or not at all, or to standard output."""
    from raising.support.files import UserError, write_output

    if output:
        write_output(output, data)
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        streams.drop(sys.stdout)
        raise UserError(f"<stdout>: error: cannot be written: {streams.reason(error)}") from None
