"""`make demo`: a file and what it is raised to, side by side."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from raising.api.result import RaiseResult
from raising.frontend.mlir.reader import InputError
from raising.pipeline import raise_module
from raising.report.report import explanations, verdicts

SIDE_BY_SIDE = 110  # columns; narrower terminals show the result below the source
PAGE = 160  # columns of the plain text that goes to a file or a pipe


def show(console: Console, file: str, source: str, result: RaiseResult, seconds: float) -> None:
    """Print source and result, what each part computes, and how the result is known to be right."""
    panels: list[RenderableType] = [
        Panel(_mlir(source), title=f"{file}: loops"),
        Panel(_mlir(result.text), title="raised to linalg"),
    ]
    if console.width >= SIDE_BY_SIDE:
        table = Table.grid(expand=True)
        table.add_column(ratio=1)
        table.add_column(ratio=1)
        table.add_row(*panels)
        console.print(table)
    else:
        console.print(Group(*panels))
    for remark in [*explanations(result), *result.remarks, *verdicts(result)]:
        console.print(Text(str(remark)))
    searched = sum(f.seconds for f in result.functions)
    console.print(Text(f"raised in {searched:.2f} s; {seconds:.2f} s with the checks", style="bold"))


def _mlir(text: str) -> Syntax:
    return Syntax(text.rstrip(), "llvm", word_wrap=True, background_color="default")


def _console() -> Console:
    """A terminal as it is; for a file or a pipe plain text of a fixed width."""
    if sys.stdout.isatty():
        return Console()
    columns = os.environ.get("COLUMNS", "")
    return Console(width=int(columns) if columns.isdigit() else PAGE, no_color=True, highlight=False)


def main(argv: Sequence[str] | None = None) -> int:
    """Show one file; returns the exit status."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if len(arguments) != 1:
        print("usage: python -m raising.demo FILE", file=sys.stderr)
        return 2
    (file,) = arguments
    started = time.monotonic()
    try:
        source = Path(file).read_text()
        result = raise_module(source, file=file)
    except (OSError, UnicodeDecodeError, InputError) as error:
        print(error, file=sys.stderr)
        return 2
    show(_console(), file, source, result, time.monotonic() - started)
    return 0


if __name__ == "__main__":
    sys.exit(main())
