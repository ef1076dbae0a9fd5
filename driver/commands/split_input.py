"""`--split-input-file`: one file of MLIR that holds several modules, with a line `// -----` between them.

Each module is read by itself, as `mlir-opt` reads it; what is made of them is joined by the same line.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable

from raising.support.files import BYTECODE

MARKER = "// -----"
_LINE = re.compile(rb"^[ \t]*// -----[ \t]*\r?(?:\n|\Z)", re.M)


def add_splitting(parser: argparse.ArgumentParser) -> None:
    """Add the option `--split-input-file`."""
    parser.add_argument(
        "--split-input-file",
        dest="split",
        action="store_true",
        help=f"FILE holds several modules with a line '{MARKER}' between them, and so does what is written",
    )


def modules(data: bytes, split: bool) -> list[bytes]:
    """The modules of a file, each behind as many empty lines as stand before it in the file, so that places in it are
    places in the file; all of the file as one where it is not split, or is bytecode.
    """
    if not split or data.startswith(BYTECODE):
        return [data]
    starts = [0, *(line.end() for line in _LINE.finditer(data))]
    ends = [*(line.start() for line in _LINE.finditer(data)), len(data)]
    return [b"\n" * data.count(b"\n", 0, a) + data[a:b] for a, b in zip(starts, ends, strict=True)]


def joined(texts: Iterable[str]) -> str:
    """The texts made of the modules of a file, joined to one."""
    return f"{MARKER}\n".join(text if text.endswith("\n") or not text else text + "\n" for text in texts)


def complain(errors: Iterable[str]) -> None:
    """End the command where a module of the file was bad: `UserError` with the last error, the others are said."""
    from raising.support.files import UserError
    from raising.support.streams import say

    found = [error for error in errors if error]
    for error in found[:-1]:
        say(error)
    if found:
        raise UserError(found[-1])


def unsplit(arguments: argparse.Namespace, file: str) -> None:
    """`UserError` where the option is given for a file in another language, whose parts are no modules."""
    from raising.commands.languages import language_of
    from raising.support.files import UserError

    if arguments.split and language_of(arguments) != "mlir":
        raise UserError(f"{file}: error: --split-input-file is for MLIR")
