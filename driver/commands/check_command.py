"""The command `raise-check`. Only the standard library is imported here, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from raising.commands.languages import EVERY, READ, add_reading, affine_form
from raising.commands.split_input import add_splitting, complain, modules, unsplit
from raising.support.cli_options import Parser, finish, isolated, seconds
from raising.support.record import replace
from raising.support.streams import say

if TYPE_CHECKING:
    from raising.commands.check_worker import Answer, Question
    from raising.frontend.lower.ir.module import Condition

AS_ASKED, REFUTED, UNKNOWN, WEAKER = 0, 1, 3, 4
_WORSE = (AS_ASKED, WEAKER, UNKNOWN, REFUTED)  # of several, the status is the worst
GRACE = 1.5  # seconds beyond the timeout after which the work is ended from outside
LEVELS = ("proved-all-sizes", "proved-this-size", "bounded", "tested-field", "tested-float")
SHORT = {"proved": "proved-this-size", "tested": "tested-float"}  # a verdict's name for the weakest level of its kind

DESCRIPTION = """\
Are two functions equal? Each may be loops or tensors, in any dialect that raise knows.
Ways of finding out are tried from the strongest down; the first that answers is reported."""

EPILOG = """\
exit status: 0 equal, as strong as asked; 1 refuted, with a counterexample; 2 bad input or usage; 3 unknown;
4 equal as far as it was looked at, which is less than was asked"""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    p = Parser("raise-check", DESCRIPTION, EPILOG)
    p.add_argument("source", metavar="A", help="a module in MLIR, C or Python; - is MLIR from standard input")
    p.add_argument("target", metavar="B", help="the one to compare with it")
    p.add_argument("--function", metavar="F[:G]", default="", help="the functions, if a module has several")
    p.add_argument(
        "--level",
        choices=("proved", "bounded", "tested", *(name for name in LEVELS if name != "bounded")),
        default="proved",
        help="the weakest answer that ends with status 0 (default: proved, at least at the sizes of the files)",
    )
    p.add_argument(
        "--size",
        metavar="N=V",
        action="append",
        default=[],
        help="compare at this value of an open size: an integer argument of A, or A.0 for the first extent of A",
    )
    p.add_argument(
        "--assume",
        metavar="KIND:A",
        action="append",
        default=[],
        help="what is known of an argument: symmetric:A, lower:A or upper:A (triangular)",
    )
    add_splitting(p)
    add_reading(p)
    p.add_argument("--strict-fp", action="store_true", help="floats have to be equal to the last bit")
    p.add_argument("--timeout", type=seconds, default=300.0, metavar="S", help="seconds for everything (default: 300)")
    p.add_argument("--json", action="store_true", help="answer as JSON")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    return finish(lambda: _run(_arguments(argv)))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    p = parser()
    arguments = p.parse_args(argv)
    if arguments.source == arguments.target == "-":
        p.error("only one of the two can be standard input")
    return arguments


def _run(arguments: argparse.Namespace) -> int:
    from raising.commands.check_worker import Question

    started = time.monotonic()
    texts = _read(arguments.source, arguments), _read(arguments.target, arguments)
    first, _, second = arguments.function.partition(":")
    question = Question(
        texts=(texts[0][0], texts[1][0]),
        files=(texts[0][1], texts[1][1]),
        functions=(first or None, second or first or None),
        level=SHORT.get(arguments.level, arguments.level),
        sizes=tuple(arguments.size),
        assumed=tuple(arguments.assume),
        timeout=arguments.timeout,
        strict=arguments.strict_fp,
        conditions=(texts[0][2], texts[1][2]),
    )
    answers = [_isolated(replace(question, texts=pair)) for pair in _pairs(question, arguments.split)]
    complain(one.error for one in answers)
    records = [_record(one, time.monotonic() - started) for one in answers]
    if arguments.json:
        print(json.dumps(records if arguments.split else records[0], indent=2))
    for number, one in enumerate([] if arguments.json else answers, 1):
        print(f"module {number}: {one.text}" if arguments.split else one.text)
    return max((_status(one.level, question.level) for one in answers), key=_WORSE.index)


def _pairs(question: Question, split: bool) -> list[tuple[bytes, bytes]]:
    """The modules that are compared: those at the same place in the two files."""
    from raising.support.files import UserError

    first, second = (modules(text, split) for text in question.texts)
    if len(first) != len(second):
        a, b = question.files
        raise UserError(f"raise-check: error: {a} has {len(first)} modules, {b} has {len(second)}")
    return list(zip(first, second, strict=True))


def _read(path: str, arguments: argparse.Namespace) -> tuple[bytes, str, tuple[Condition, ...]]:
    """The module in a file, and the name to call it by; what is assumed of C or Python is said, and comes along."""
    from raising.support.files import UserError, read_input

    data, file = read_input(path, READ if arguments.language is None else EVERY)
    given = argparse.Namespace(**{**vars(arguments), "file": path, "function": None, "guard": False, "whole": False})
    unsplit(given, file)
    read = affine_form(data, file, given)
    for line in read.lines if read is not None else ():
        say(line)
    if read is not None and not (read.complete or arguments.function):
        raise UserError(f"{file}: error: a function could not be read whole; name what to compare with --function")
    return (data, file, ()) if read is None else (read.text.encode(), file, read.conditions)


def _status(level: str, asked: str) -> int:
    if level not in LEVELS:
        return REFUTED if level == "refuted" else UNKNOWN
    return AS_ASKED if LEVELS.index(level) <= LEVELS.index(asked) else WEAKER


def _isolated(question: Question) -> Answer:
    """Ask in a child process: some inputs crash MLIR."""
    from raising.commands.check_worker import Answer, answer
    from raising.support.isolate import Finished

    found = isolated(partial(answer, question), question.timeout + GRACE)
    if isinstance(found, Finished):
        return found.value
    return Answer("unknown", f"unknown: the check {found.reason}", {"reason": found.reason})


def _record(answer: Answer, seconds: float) -> dict[str, Any]:
    return {"verdict": answer.level, "text": answer.text, **answer.details, "seconds": round(seconds, 3)}


if __name__ == "__main__":
    sys.exit(main())
