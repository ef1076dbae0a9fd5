"""The command `raise-grammar`. Only the standard library is imported here, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from raising.support.cli_options import Parser, add_cache
from raising.support.streams import BAD_INPUT, finish, say

if TYPE_CHECKING:
    from raising.grammar.dialects.load import Grammar
    from raising.grammar.dialects.op_signature import Op
    from raising.grammar.open_target import Opened

DESCRIPTION = """\
Show what a target dialect can say: each operation, its signature, and what it was found to
mean, or why it was left out. The grammar is read from dialect definitions and probed."""

EPILOG = """\
exit status: 0 done; 2 bad input or usage"""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    p = Parser("raise-grammar", DESCRIPTION, EPILOG)
    p.add_argument(
        "--target",
        default="linalg",
        metavar="NAME",
        help="the dialect to show (default: linalg), or the path of a .toml file that describes one",
    )
    p.add_argument("--op", metavar="NAME", help="show everything about one operation")
    p.add_argument("--json", action="store_true", help="print JSON")
    p.add_argument("--td", metavar="PATH", type=Path, help="read the operations from this TableGen file (probes them)")
    p.add_argument("--regenerate", action="store_true", help="probe the dialect again instead of reading what is kept")
    add_cache(p)
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    return finish(lambda: _run(parser().parse_args(argv)))


def _run(arguments: argparse.Namespace) -> int:
    try:
        _show(arguments)
    except (LookupError, RuntimeError, ValueError) as error:
        say(f"raise-grammar: error: {_line(error)}")
        return BAD_INPUT
    return 0


def _show(arguments: argparse.Namespace) -> None:
    from raising.grammar.show import as_json, details, listing, origin

    opened = _opened(arguments)
    grammar = opened.grammar
    op = _named(grammar, arguments.op, str(arguments.td or arguments.target)) if arguments.op else None
    if arguments.json:
        data = as_json(grammar)
        if op is not None:
            kept = ("productions", "op"), ("excluded", "operation")
            data["operations"] = [o for o in data["operations"] if f"{o['dialect']}.{o['name']}" == op.full_name]
            data |= {key: [e for e in data[key] if e[field] == op.full_name] for key, field in kept}
        print(json.dumps(data, indent=1))
        return
    lines = [*origin(opened.target, arguments.td), "", *listing(grammar)] if op is None else details(grammar, op)
    for line in lines:
        print(line)


def _opened(arguments: argparse.Namespace) -> Opened:
    from raising.grammar.open_target import open_target, probe_again

    cache = arguments.cache and not arguments.regenerate
    if arguments.td or arguments.regenerate:
        return probe_again(arguments.target, arguments.td, cache)
    return open_target(arguments.target, cache)


def _named(grammar: Grammar, name: str, where: str) -> Op:
    """The operation of a full name, or of one without its dialect; `where` is the target or its file."""
    from raising.grammar.open_target import close

    for op in grammar.operations:
        if name in (op.full_name, op.name):
            return op
    names = [op.full_name if "." in name else op.name for op in grammar.operations]
    raise ValueError(f"target '{where}' has no operation '{name}'{close(name, names)}")


def _line(error: Exception) -> str:
    """An error in one line."""
    return " ".join(str(error).split()) or type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
