"""What the commands have in common. Only the standard library is imported, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

DONE, BAD_INPUT = 0, 2
INTERRUPTED, PIPE_CLOSED = 130, 141
MEMORY = 64 << 30  # address space of the child that does the work, against a runaway


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        raw = argparse.RawDescriptionHelpFormatter
        super().__init__(prog=prog, description=description, epilog=epilog, formatter_class=raw, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """End with the status of bad input."""
        self.exit(BAD_INPUT, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


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


def finish(run: Callable[[], int]) -> int:
    """Do the work of a command and turn what may end it into an exit status."""
    from raising.files import UserError

    try:
        status = run()
        sys.stdout.flush()
        return status
    except UserError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Nobody reads: say nothing, also not when the interpreter flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED


def write(data: bytes, output: str | None) -> None:
    """To a file, whole or not at all, or to standard output."""
    from raising.files import write_output

    if output:
        write_output(output, data)
    else:
        sys.stdout.buffer.write(data)
