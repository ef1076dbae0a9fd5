"""Results of earlier runs of `raise`, kept on disk; each is compared with the loops again before it is used.

An entry belongs to one text, one set of options, one target and one version of everything that computes, this machine
included. It holds text and numbers, no code.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from raising.commands.preload import import_beside_mlir
from raising.support import cache
from raising.support.record import dataclass
from raising.support.versions import stamp

if TYPE_CHECKING:
    from raising.commands.raise_task import Outcome, Task

_ROOTS = 4  # to look at when an entry is compared again
_SHARE = 0.5  # of the time limit; what took longer may have been shaped by it, and is not kept
IGNORED = "remark: an entry of the cache was ignored: it does not hold what was written"


@dataclass(frozen=True)
class Recalled:
    """An outcome found in the cache, or None; and what there is to say about an entry that was of no use."""

    outcome: Outcome | None
    note: str = ""


def entry_file(task: Task) -> Path:
    """The file for what becomes of a task."""
    options = [task.file, task.abi, task.check, task.timeout, task.explain, task.verbose, task.strict_fp, task.guard]
    search = sorted((name, sorted(v) if isinstance(v, frozenset) else v) for name, v in task.search.items())
    texts = [repr(options), repr(search), repr(task.target), stamp()]
    return cache.entry("raised", [task.data, *(t.encode(errors="surrogateescape") for t in texts)])


def recall(task: Task, file: Path) -> Recalled:
    """The result of an earlier run of the same task, if it equals the loops at fresh points of the field."""
    text = cache.read(file)
    if text is None:
        return Recalled(None, f"{task.file}: {IGNORED}" if file.exists() else "")
    try:
        outcome, functions = _outcome(json.loads(text))
        points = _compared(task, outcome, functions)
    except Exception:  # whatever an entry holds, the worst that it may do is to be computed again
        return Recalled(None, f"{task.file}: {IGNORED}")
    if points is None:
        return Recalled(None)
    said = (
        f"{task.file}: remark: result and verdict are those of an earlier run on this text;"
        f" compared with the loops again at {points} field points"
    )
    return Recalled(replace(outcome, lines=(*outcome.lines, said)))


def keep(file: Path, outcome: Outcome, functions: list[str], seconds: float, task: Task) -> None:
    """Keep an outcome that can be compared again and that the time limit had no part in."""
    if functions and not outcome.error and seconds < _SHARE * task.timeout:
        cache.write(file, json.dumps({"outcome": asdict(outcome), "functions": functions}))


def _outcome(entry: dict[str, Any]) -> tuple[Outcome, list[str]]:
    from raising.commands.raise_task import Outcome

    found = entry["outcome"]
    lines = tuple(str(line) for line in found["lines"])
    outcome = Outcome(str(found["text"]), lines, bool(found["complete"]), {**found["statistics"], "cached": True})
    return outcome, [str(name) for name in entry["functions"]]


def _compared(task: Task, outcome: Outcome, functions: list[str]) -> int | None:
    """Compare the loops of the task with the kept text; the number of points, None if they cannot be compared."""
    import_beside_mlir(
        ("numpy",),
        (
            "raising.affine.transforms.symbolic_sizes",
            "raising.grammar.evaluate.evaluator",
            "raising.validate.field.degree",
        ),
    )
    from raising.validate.arithmetic.residues import PRIMES
    from raising.validate.base.verdict import FieldEvidence
    from raising.validate.field.pair_check import check_field_pair
    from raising.validate.reading.overlap_tests import read_tested_pair
    from raising.validate.reading.pair import Assumptions, generalised
    from raising.validate.reading.reading import Unreadable

    points = 0
    for name in functions:
        try:
            pair = generalised(read_tested_pair(task.data, outcome.text, (name, name)))
        except Unreadable:
            return None
        found = check_field_pair(pair, Assumptions(), int.from_bytes(os.urandom(4)), 1, _ROOTS, PRIMES[:1])
        if not isinstance(found, FieldEvidence):
            return None
        points += found.points
    return points or None
