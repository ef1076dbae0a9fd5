"""A study of a file: everything that the page shows of it, as JSON.

The steps are those of `raise-compile`, each in a child process with its share of the time: what one of them cannot do,
or crashes on, does not take away what was found before.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from raising.commands.languages import Converted, converted, language_of, told
from raising.explore.listing import Listing, assembly, listing
from raising.support.cli_options import MEMORY, isolated
from raising.support.isolate import Finished
from raising.support.record import dataclass

T = TypeVar("T")
MOST_OF_A_PICTURE = 1 << 20  # characters
_SHARES = {"raise": 0.6, "optimise": 0.4, "compile": 0.6, "draw": 0.4}  # of the time that is left when a step begins


@dataclass(frozen=True)
class Question:
    """A request to study a text, with the name of its file and the options of reading and compiling it."""

    text: str
    file: str
    language: str = ""
    flags: tuple[str, ...] = ()
    compile_commands: str | None = None
    function: str | None = None
    fp: str = "reassoc"
    timeout: float = 120.0

    @property
    def arguments(self) -> argparse.Namespace:
        """The options of the commands that say how a file is read."""
        own = {name: getattr(self, name) for name in self.__annotations__}
        given = argparse.Namespace(**own, guard=False, whole=False)
        given.language = self.language or None
        return given


@dataclass(frozen=True)
class Program:
    """The result for a file: the module that is compiled, or the reason why there is none, and the remarks."""

    error: str = ""
    read: Converted | None = None
    raised: Listing | None = None
    optimised: Listing | None = None
    statistics: dict[str, Any] | None = None
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def compiled(self) -> Listing | None:
        """The module that is compiled."""
        return self.optimised or self.raised


def study(question: Question) -> dict[str, Any]:
    """Raise, optimise and compile a text, and collect the results."""
    end = time.monotonic() + question.timeout
    program = program_of(question, end)
    found: dict[str, Any] = {
        "file": question.file,
        "source": question.text.splitlines(),
        "fp": question.fp,
        "machine": {"system": platform.system(), "cpu": _processor()},
        "error": program.error,
        "notes": list(program.notes),
        "remarks": list(program.lines),
        "functions": (program.statistics or {}).get("functions", []),
        "loops": (program.statistics or {}).get("loops", {}).get("list", []),
        "seconds": (program.statistics or {}).get("seconds", 0),
        "versions": (program.statistics or {}).get("versions", {}),
        "raised": _shown(program.raised),
        "optimised": _shown(program.optimised),
        "assembly": None,
        "pictures": [],
    }
    if program.compiled is not None:
        code = _step("compile", end, partial(_compiled, program.compiled.text, question))
        found["assembly"] = None if isinstance(code, str) else code
        found["notes"] += [code] if isinstance(code, str) else []
    if program.raised is not None:
        drawn = _step("draw", end, partial(_pictures, program.raised.text, question))
        found["pictures"] = [] if isinstance(drawn, str) else drawn
    return found


def program_of(question: Question, end: float) -> Program:
    """The module that a text becomes, until the time `end` of the monotonic clock."""
    read, data = None, question.text.encode()
    if language_of(question.arguments) != "mlir":
        read = converted(data, question.file, question.arguments)
        if read.error:
            return Program(read.error)
        data = read.text.encode()
    seconds = _SHARES["raise"] * max(0.1, end - time.monotonic())
    raised = _step("raise", end, partial(_raised, data, question, seconds))
    if isinstance(raised, str):
        return Program(raised, read)
    outcome, text = raised
    if outcome.error:
        return Program(outcome.error, read)
    outcome = told(outcome, read, question.file)
    before = listing(text, _place_name(question))
    cheaper = _step("optimise", end, partial(_optimised, text, question))
    if isinstance(cheaper, str):
        return Program("", read, before, None, outcome.statistics, outcome.lines, (cheaper,))
    after = listing(cheaper[0], _place_name(question))
    lines = (*outcome.lines, *cheaper[1])
    return Program("", read, before, after if after.lines != before.lines else None, outcome.statistics, lines)


def _place_name(question: Question) -> str:
    """The file's name in locations: MLIR calls a text `-`."""
    return "-" if language_of(question.arguments) == "mlir" else question.file


def _step(name: str, end: float, work: Callable[[], T]) -> T | str:
    """A step in a child process; a sentence if it fails."""
    left = end - time.monotonic()
    if left <= 0:
        return f"no time was left to {name}"
    found = isolated(work, _SHARES[name] * left + 1.0, MEMORY)
    return found.value if isinstance(found, Finished) else f"to {name} {found.reason}"


def _raised(data: bytes, question: Question, seconds: float) -> tuple[Any, str]:
    from raising.commands.raise_task import Outcome
    from raising.pipeline import raise_module
    from raising.report.report import statistics, verdicts
    from raising.support.errors import InputError

    started = time.monotonic()
    strict = question.fp == "strict"
    try:
        result = raise_module(data, file=question.file, timeout=seconds, strict_fp=strict, places=True)
    except InputError as error:
        return Outcome(error=" ".join(str(error).split())), ""
    numbers = statistics(result, question.file, "linalg", time.monotonic() - started)
    lines = tuple(" ".join(str(remark).split()) for remark in (*result.remarks, *verdicts(result)))
    return Outcome(lines=lines, complete=result.complete, statistics=numbers), result.text


def _optimised(text: str, question: Question) -> tuple[str, tuple[str, ...]]:
    from raising.optimise.optimise_module import optimised_if_possible

    result = optimised_if_possible(text, file=question.file, fp=question.fp, places=True)
    return result.text, tuple(f"{question.file}: remark: {remark.why}" for remark in result.remarks)


def _pictures(text: str, question: Question) -> list[tuple[str, str]]:
    """The e-graph of each function, as SVG; none that nobody could look at."""
    from raising.optimise.optimise_module import optimise_module

    strict = "strict" if question.fp == "strict" else ""
    result = optimise_module(text, file=question.file, fp=strict, emit="svg")
    return [(f.name, f.picture) for f in result.functions if 0 < len(f.picture) <= MOST_OF_A_PICTURE]


def _compiled(text: str, question: Question) -> dict[str, Any]:
    from raising.native.base.compile_options import CompileOptions
    from raising.native.base.signature import INTEGERS
    from raising.native.compile import build

    built = build(text.encode(), question.file, CompileOptions(fp=question.fp), places=True)
    sizes = {
        s.name: [p.name for p in s.parameters if p.shape is None and p.element in INTEGERS] for s in built.signatures
    }
    return {**assembly(built.code.assembly, built.lines), "sizes": sizes}


def _shown(found: Listing | None) -> dict[str, Any] | None:
    return None if found is None else {"lines": found.lines, "sources": found.sources}


def _processor() -> str:
    from raising.native.base.target import target_for

    return target_for("native", 1).cpu
