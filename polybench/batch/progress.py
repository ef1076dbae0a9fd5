"""How far a batch is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from raising.polybench.records.records import Row
from raising.polybench.report.summary import baseline, rounded, speedups_of


@contextlib.contextmanager
def shown(total: int, done: int) -> Iterator[Callable[[Sequence[Row]], None]]:
    """A function to call with new rows, those of a task together; everything goes to standard error."""
    if sys.stderr.isatty():
        with _bar(total, done) as tell:
            yield tell
        return
    count, started = done, time.monotonic()

    def plain(rows: Sequence[Row]) -> None:
        nonlocal count
        count += len(rows)
        left = (time.monotonic() - started) / (count - done) * (total - count)
        for n, row in enumerate(rows, start=count - len(rows) + 1):
            print(f"[{n}/{total}, {_minutes(left)} left] {told(row)}", file=sys.stderr, flush=True)

    yield plain


@contextlib.contextmanager
def _bar(total: int, done: int) -> Iterator[Callable[[Sequence[Row]], None]]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task("measuring", total=total, completed=done)

        def tell(rows: Sequence[Row]) -> None:
            for row in rows:
                progress.console.print(escape(told(row)))
            progress.advance(bar, len(rows))

        yield tell


def _minutes(seconds: float) -> str:
    return f"about {seconds / 60:.0f} min" if seconds >= 90 else f"about {seconds:.0f} s"


def told(row: Row) -> str:
    """A row in one line."""
    name = f"{row['key']['name']} ({row['key']['threads']} thread{'s' if row['key']['threads'] > 1 else ''})"
    if row["status"] == "failed":
        return f"{name}: failed: {row['reason']}"
    raised = [f"{target} {found.get('level', 'failed')}" for target, found in row["targets"].items()]
    ratios = {p: r for p, r in speedups_of(row).items() if p != baseline(row)}
    best = max(ratios, key=lambda p: ratios[p], default=None)
    ours = [f"{p} {rounded(r)}x" for p, r in ratios.items() if row["programs"][p]["ours"]]
    fastest = [f"fastest {best} {rounded(ratios[best])}x"] if best else []
    wrong = [f"{p} WRONG" for p, found in row["programs"].items() if not found["agreement"]["equal"]]
    return f"{name}: {', '.join([*raised, *ours, *fastest, *wrong])}"
