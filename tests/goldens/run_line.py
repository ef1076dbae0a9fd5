"""`RUN:` lines: parsed here, run in this process, and their output matched by FileCheck. No shell is involved.

A line is `// RUN: [not] TOOL [--PASS[=KEY=VALUE,...]] ... %s | filecheck %s [--check-prefix=NAME]`; in Python it
begins with `#`. A backslash at its end continues it in the next `RUN:` line. `not` says that the tool has to refuse the
input; the output is then what it says.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser

_RUN = re.compile(r"^\s*(?://|#|/\*)\s*RUN:(.*?)(?:\*/)?\s*$", re.MULTILINE)


class BadRunLine(ValueError):
    """A `RUN:` line that is none of those above."""


@dataclass(frozen=True)
class RunLine:
    """One line: the tool, its options in order with their values, whether it has to refuse, and the check prefix."""

    tool: str
    options: tuple[tuple[str, dict[str, str]], ...]
    refuses: bool
    prefix: str


def run_lines(text: str) -> list[RunLine]:
    """The `RUN:` lines of a file; BadRunLine if there is none, or one cannot be read."""
    found = list(_joined(_RUN.findall(text)))
    if not found:
        raise BadRunLine("there is no RUN line")
    return [_parsed(line) for line in found]


def _joined(lines: list[str]) -> Iterator[str]:
    begun = ""
    for line in lines:
        if line.endswith("\\"):
            begun += line[:-1]
        else:
            yield begun + line
            begun = ""
    if begun:
        raise BadRunLine(f"the last RUN line is continued: {begun}")


def _parsed(line: str) -> RunLine:
    command, bar, check = line.partition("|")
    words, checks = shlex.split(command), shlex.split(check)
    refuses = words[:1] == ["not"]
    words = words[refuses:]
    if not bar or len(words) < 2 or words[-1] != "%s" or checks[:2] != ["filecheck", "%s"]:
        raise BadRunLine(f"not of the form TOOL OPTION ... %s | filecheck %s: {line.strip()}")
    prefix = "CHECK"
    for word in checks[2:]:
        option, _, prefix = word.partition("=")
        if option != "--check-prefix" or not prefix:
            raise BadRunLine(f"unknown option of filecheck: {word}")
    return RunLine(words[0], tuple(map(_option, words[1:-1])), refuses, prefix)


def _option(word: str) -> tuple[str, dict[str, str]]:
    name, _, rest = word.partition("=")
    if not name.startswith("--"):
        raise BadRunLine(f"an option begins with '--': {word}")
    if rest and "=" not in rest:
        return name[2:], {"": rest}
    pairs = dict(part.split("=", 1) for part in rest.split(",")) if rest else {}
    return name[2:], pairs


def mismatch(path: Path, prefix: str, output: str) -> str:
    """What FileCheck says where an output does not match the `CHECK` lines of a file; empty where it does."""
    options = Options(match_filename=str(path), check_prefixes=[prefix])
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        checked = FInput(path.name, FInput.canonicalize_line_ends(output))
        status = Matcher(options, checked, Parser.from_opts(options)).run()
    return said.getvalue() if status else ""
