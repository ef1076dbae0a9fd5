"""The command `raise-cc`. Hardly anything is imported here: most commands are the compiler's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from raising.cc.choice_of_compiler import chosen, has_no_source, replaced_by, takes_c_for_cpp

TYPE_CHECKING = False  # as that of `typing`, which would take longer to import than all the rest
if TYPE_CHECKING:
    from raising.cc.command_line import CommandLine

USAGE = """\
usage: raise-cc [--raise-report FILE] [--fp strict|reassoc|fast] [--raise-timeout S] [--raise-no-cache]
                [COMPILER] ARGUMENT ...

Compile C as COMPILER does (gcc, cc or clang; $RAISE_CC, else the system's, where none is named), with the same
arguments. In objects, functions and loops that raise are replaced by their raised machine code.

  make CC=raise-cc
  make CC="raise-cc --raise-report raised.jsonl gcc"

  --raise-report FILE  add what was done to each function to FILE: JSON lines if it ends in .json or .jsonl, else text
  --fp strict|reassoc|fast
                       whether sums may be added in any order, and no float is NaN (default: as -fassociative-math and
                       -ffast-math say)
  --raise-timeout S    seconds for raising a file (default: 120)
  --raise-no-cache     neither use nor keep objects
"""
_LONGEST = 1 << 17  # characters of arguments; longer ones fit into response files only
_VALUED = ("--raise-report", "--fp", "--raise-timeout")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status, unless the compiler takes its place."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given == ["--raise-help"]:
        print(USAGE, end="")
        return 0
    values, rest, error = _own(given)
    if error:
        print(f"raise-cc: error: {error} (see raise-cc --raise-help)", file=sys.stderr)
        return 2
    compiler, arguments = chosen(rest)
    line = None if _is_inside() or has_no_source(arguments) else _line(compiler, arguments)
    if line is None or not line.sources:
        return replaced_by(compiler, arguments)
    os.environ[_INSIDE] = "1"
    try:
        return _compile(compiler, line, arguments, values)
    except (Exception, RecursionError):
        from raising.cc.system_compiler import run

        return run(compiler, arguments, told=True).status


def _line(compiler: str, arguments: list[str]) -> CommandLine | None:
    """The parsed arguments; None if the compiler has to report an error in them."""
    from raising.cc.command_line import parsed
    from raising.cc.response_files import expanded

    texts = expanded(arguments)
    if texts is None or sum(map(len, texts)) > _LONGEST:
        return None
    return parsed(texts, "c++" if takes_c_for_cpp(compiler) else "c")


_INSIDE = "RAISE_CC_INSIDE"


def _is_inside() -> bool:
    """Whether this is run by itself, as a compiler that calls itself `cc`."""
    return _INSIDE in os.environ


def _own(given: list[str]) -> tuple[dict[str, str], list[str], str]:
    """The options of the command itself from the front of the arguments, the rest; and what is wrong with them."""
    values: dict[str, str] = {}
    rest = list(given)
    while rest and (rest[0].startswith("--raise-") or rest[0].partition("=")[0] == "--fp"):
        name, joined, value = rest.pop(0).partition("=")
        if name == "--raise-no-cache":
            values[name] = "1"
            continue
        if name not in _VALUED or not (joined or rest):
            return {}, [], f"{name} is no option" if name not in _VALUED else f"{name} needs a value"
        values[name] = value if joined else rest.pop(0)
    if values.get("--fp", "strict") not in ("strict", "reassoc", "fast"):
        return {}, [], f"--fp is strict, reassoc or fast, not '{values['--fp']}'"
    return values, rest, _wrong_seconds(values.get("--raise-timeout", "120"))


def _wrong_seconds(text: str) -> str:
    try:
        right = 0 < float(text) < 1e6
    except ValueError:
        right = False
    return "" if right else f"--raise-timeout is a number of seconds, not '{text}'"


def _compile(compiler: str, line: CommandLine, arguments: list[str], own: dict[str, str]) -> int:
    import tempfile
    from pathlib import Path

    from raising.cc.one_file import Options, compiled, worth_it
    from raising.cc.plan import plans
    from raising.cc.raise_report import report
    from raising.cc.system_compiler import run

    seconds = float(own.get("--raise-timeout", "120"))
    options = Options(own.get("--fp", ""), seconds, "--raise-no-cache" not in own)
    with tempfile.TemporaryDirectory(prefix="raise-cc-") as name:
        folder, objects, status = Path(name), dict[int, str](), 0
        todo = plans(compiler, line, folder)
        if not line.compiles_only and not any(worth_it(plan, folder) for plan in todo):
            return run(compiler, arguments, told=True).status
        for k, plan in zip(line.sources, todo, strict=True):
            made = compiled(plan, options, folder)
            status = status or made.status
            if own.get("--raise-report"):
                report(own["--raise-report"], plan.source, made.rows)
            objects[k] = plan.target
        if line.compiles_only or status:
            return status
        return run(compiler, _linking(line, objects), told=True).status


def _linking(line: CommandLine, made: dict[int, str]) -> list[str]:
    """The arguments that link, with objects in place of C files."""
    found: list[str] = []
    for k, a in enumerate(line.arguments):
        found += ["-x", "none", made[k], *_language(line, k)] if k in made else a.texts
    return found


def _language(line: CommandLine, k: int) -> list[str]:
    """The flag that says again what language the inputs behind an argument have."""
    given = [a.texts for a in line.arguments[:k] if a.flag.startswith("-x")]
    return [*given[-1]] if given else []


if __name__ == "__main__":
    sys.exit(main())
