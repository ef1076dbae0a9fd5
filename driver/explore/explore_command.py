"""The command `raise-explore`. Only the standard library is imported here, so that `--help` is immediate."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from raising.commands.languages import READ, add_reading, language_of
from raising.support.cli_options import DONE, Parser, finish, seconds, write

if TYPE_CHECKING:
    from raising.explore.server import Explorer

DESCRIPTION = """\
Show on a page what raising makes of a file: the source beside the raised program beside the assembly, line by line,
with verdicts, parts, and what keeps the loops that stay. The page is served on this machine until Ctrl-C, for the
browser that is opened alone, and raises again what is edited on it; --out writes it to a file instead."""

EPILOG = """\
exit status: 0 done; 2 bad input or usage"""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    p = Parser("raise-explore", DESCRIPTION, EPILOG)
    p.add_argument("file", metavar="FILE", help="a file in C or Python, or a module in MLIR as text")
    p.add_argument("--out", metavar="HTML", help="write the page to this file, which needs nothing else; serve nothing")
    p.add_argument("--port", type=_port, default=0, metavar="N", help="serve on this port (default: any that is free)")
    p.add_argument("--no-open", dest="open", action="store_false", help="start no browser, only print the address")
    p.add_argument("--function", metavar="NAME", help="only this function; what it calls is inlined")
    p.add_argument(
        "--fp",
        default="reassoc",
        choices=("strict", "reassoc"),
        help="floats as written, or sums in any order (default)",
    )
    p.add_argument(
        "--timeout", type=seconds, default=120.0, metavar="S", help="seconds for each study of the file (default: 120)"
    )
    add_reading(p)
    return p


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 1 << 16):
        raise argparse.ArgumentTypeError(f"no port: '{text}'")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    return finish(lambda: _run(parser().parse_args(argv)))


def _run(arguments: argparse.Namespace) -> int:
    from raising.explore.page_of_study import page
    from raising.explore.study import Question, study
    from raising.support.files import BYTECODE, UserError, check_outputs, read_input

    data, file = read_input(arguments.file, READ)
    if data.startswith(BYTECODE):
        raise UserError(f"{file}: error: bytecode has no lines to show")
    check_outputs((arguments.out,), (file,))
    question: dict[str, Any] = {
        "file": file,
        "language": language_of(arguments),
        "flags": tuple(arguments.flags or ()),
        "compile_commands": arguments.compile_commands,
        "function": arguments.function,
        "fp": arguments.fp,
    }
    found = study(Question(text=data.decode(errors="replace"), timeout=arguments.timeout, **question))
    if arguments.out:
        write(page(found)[0].encode(), arguments.out)
        return DONE
    from raising.explore.server import Explorer

    with Explorer(lambda token: page(found, token), question, arguments.timeout, arguments.port) as server:
        _serve(server, arguments.open)
    return DONE


def _serve(server: Explorer, opens: bool) -> None:
    import webbrowser

    print(server.address, flush=True)
    if opens:
        webbrowser.open(server.address)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
