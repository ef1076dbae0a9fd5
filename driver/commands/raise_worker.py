"""The child process of `raise`: it raises a module and collects everything there is to say about it.

Everything heavy is imported here and in the child, so that the parent starts at once and survives whatever the input
does to MLIR.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from raising.commands.preload import import_beside_mlir
from raising.commands.raise_task import Outcome, Task

if TYPE_CHECKING:
    from raising.api.result import RaiseResult
    from raising.frontend.mlir.reader import InputError
    from raising.support.isolate import Tell

_BYTECODE = b"ML\xefR"
_LEAST = 0.01  # seconds that are left if none are
_TELLING = 0.03  # of the time may go into outcomes that are told before the end


def import_shared() -> None:
    """Import what all children need, in the order that takes least time."""
    import_beside_mlir(
        ("numpy", "islpy"),
        ("raising.segment.compose_parts", "raising.segment.part_search", "raising.segment.recurrence"),
    )


def prepare() -> None:
    """Import what raising needs."""
    import_shared()
    import raising.pipeline
    import raising.report.report  # noqa: F401


def work(task: Task, tell: Tell, expected: Callable[[str], None] | None = None) -> Outcome:
    """Raise the module of a task; tell the outcome if the time ended now, and the text that is `expected` of it."""
    prepare()
    started = time.monotonic()
    from raising.api.options import RaiseOptions
    from raising.frontend.mlir.reader import InputError
    from raising.grammar.dialects.target_dialect import UnusableTarget
    from raising.pipeline import raise_module
    from raising.synth.search_options import Options

    try:
        left = max(_LEAST, task.timeout - (time.monotonic() - task.started))
        ways = {**task.options, "search": Options(**task.options.get("search", {}))}
        options = RaiseOptions(target=task.target, timeout=left, **ways)
    except ValueError as error:
        return Outcome(error=f"raise: error: {error}")
    try:
        with _progress(task.terminal) as progress:
            telling = _Telling(task, tell, started)
            result = raise_module(
                task.data, file=task.file, options=options, progress=progress, so_far=telling, expected=expected
            )
    except UnusableTarget as error:
        return Outcome(error=f"raise: error: {error}")
    except InputError as error:
        return Outcome(error=_one_line(_explained(error, task.data)))
    return _outcome(result, task, started)


def _outcome(result: RaiseResult, task: Task, started: float) -> Outcome:
    from raising.report.report import statistics

    numbers = statistics(result, task.file, task.target_name, time.monotonic() - started)
    return Outcome(result.text, _lines(result, task), result.complete, numbers)


class _Telling:
    """Tells outcomes on the way; in a module with many functions not after each, so that it takes a small share."""

    def __init__(self, task: Task, tell: Tell, started: float) -> None:
        self.task, self.tell, self.started = task, tell, started
        self.spent = 0.0

    def __call__(self, result: Callable[[], RaiseResult]) -> None:
        now = time.monotonic()
        if self.spent > _TELLING * (now - self.started):
            return
        self.tell(_outcome(result(), self.task, self.started))
        self.spent += time.monotonic() - now


def _lines(result: RaiseResult, task: Task) -> tuple[str, ...]:
    from raising.report.report import counts, explanations, verdicts

    remarks = [*result.remarks]
    remarks += explanations(result) if task.explain else []
    remarks += verdicts(result)
    remarks += counts(result) if task.verbose else []
    return tuple(_one_line(str(remark)) for remark in remarks)


def _explained(error: InputError, data: bytes) -> str:
    text = str(error)
    if b"\0" in data and not data.startswith(_BYTECODE):
        return f"{text} (the file is binary, but not MLIR bytecode)"
    return text.partition(". If this is intended, please use -allow-unregistered-dialect")[0]


def _one_line(text: str) -> str:
    shown = "".join(c if c.isprintable() or c.isspace() else "?" for c in text)
    return " ".join(shown.split())


@contextmanager
def _progress(terminal: int | None) -> Iterator[Callable[[str], None]]:
    """A line on the terminal that says what is being done and goes away at the end."""
    if terminal is None:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    # No refreshing thread: the native check forks.
    with os.fdopen(terminal, "w") as stream:
        console = Console(file=stream)
        with Live(console=console, auto_refresh=False, transient=True) as live:
            yield lambda text: live.update(Text(text, overflow="ellipsis", no_wrap=True), refresh=True)
