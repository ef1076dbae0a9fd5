"""Mutants of every kernel, in its loops and in what it is raised to, held against the checks.

`python -m tests.bench.validate.mutants [COUNT [SECONDS [JOBS]]]` takes COUNT mutants of each program, or as many as
SECONDS allow for, in JOBS processes. After each program it writes `results/mutants.json`: what each level said of how
many wrong and equal programs, and every mutant on which a level and the oracle do not agree. `--seed N` takes others,
for `results/mutants-N.json`. Exit status 1 if a wrong program was accepted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from typing import Any

from raising.support.isolate import Failed, run_isolated
from raising.validate.base.verdict import FieldEvidence, Unknown, Verdict
from raising.validate.reading.pair import Pair
from tests.bench.record import write
from tests.hunt.ways import preload
from tests.mutants.brute import difference
from tests.mutants.judge import (
    Changed,
    Check,
    Judged,
    bounded_level,
    field_level,
    judged,
    oracle_sizes,
    sample,
    sample_far,
    sample_hidden,
    sample_terms,
    whole,
)
from tests.mutants.subjects import KERNELS, raised_text, subject, tasks

MEMORY = 8 << 30
ONE = 20.0  # seconds for one check
RAISING = 180.0  # and for all that is not a check: raising the kernel, changing its text, the oracle
COMMAND = "python -m tests.bench.validate.mutants"
LEVELS: dict[str, tuple[Check, int]] = {"check": (whole, 1), "bounded": (bounded_level, 12), "field": (field_level, 12)}
"""Each level, and which share of the mutants it is tried on: one of so many."""


TERMS = ("linalg", "stablehlo")
"""Forms whose text is changed, too: operations, operands and numbers of the raised program."""

_APART = 1000  # seeds of borders are less

Task = tuple[str, str, int, float, int]


def measured(task: Task) -> tuple[str, list[tuple[str, Judged]]]:
    """Every level on mutants of one program (name, form): at most so many, for so many seconds, by a seed."""
    found = run_isolated(partial(_measured, task), timeout=task[3] + 3 * ONE + RAISING, extra_bytes=2 * MEMORY)
    return (f"{task[0]} {task[1]}: {found.reason}", []) if isinstance(found, Failed) else found.value


def _measured(task: Task) -> tuple[str, list[tuple[str, Judged]]]:
    kernel, form, count, seconds, seed = task
    preload()
    pair = subject(kernel, form)
    if pair is None:
        return f"{kernel} {form}: not raised whole, or not read", []
    if difference(pair.source, pair.target, pair.outputs, oracle_sizes(pair)):
        return f"{kernel} {form}: left out, its two sides differ at small sizes", []
    chosen = _chosen(pair, form, count, seed)
    if form in TERMS:
        chosen += sample_terms((KERNELS / f"{kernel}.mlir").read_text(), raised_text(kernel, form), count // 3, seed)
        Random(seed).shuffle(chosen)
    deadline = time.monotonic() + seconds
    found: list[tuple[str, Judged]] = []
    for k in range(len(chosen)):
        for level, (check, share) in LEVELS.items():
            if k % share == 0:
                limited = partial(_limited, check)
                found += [(level, one) for one in judged(f"{kernel} {form}", chosen[k : k + 1], limited)]
        if time.monotonic() > deadline:
            break
    return f"{kernel} {form}", found


def _chosen(pair: Pair, form: str, count: int, seed: int) -> list[Changed]:
    """The mutants of a program in a form, see `tests.mutants.subjects.tasks`."""
    _, far, start = form.partition("+")
    if far:
        return sample_far(pair, int(start), count, seed)
    _, border, own = form.partition("border ")
    return sample_hidden(pair, count, int(own) + _APART * seed) if border else sample(pair, count, seed)


def _limited(check: Check, pair: Pair) -> Verdict | FieldEvidence:
    """A check as `raise-check` does it: in a child with a limit, so that one that takes long is only unknown."""
    found = run_isolated(partial(check, pair), timeout=ONE, extra_bytes=MEMORY)
    return Unknown(found.reason) if isinstance(found, Failed) else found.value


class _Tally:
    """What was found so far."""

    def __init__(self, name: str, command: str, programs: int) -> None:
        self.name, self.command, self.programs, self.done = name, command, programs, 0
        self.rows: list[dict[str, Any]] = []
        self.tables: dict[str, Counter[str]] = {level: Counter() for level in LEVELS}
        self.kinds: Counter[str] = Counter()
        self.times: list[float] = []

    def add(self, judgements: list[tuple[str, Judged]]) -> Counter[str]:
        """Take in the judgements on one program; those of the whole check, counted."""
        here: Counter[str] = Counter()
        self.done += 1
        for level, found in judgements:
            outcome = f"{found.said} {'wrong' if found.wrong else 'equal'}"
            self.tables[level][outcome] += 1
            if level == "check":
                here[outcome] += 1
                self.kinds[found.kind] += 1
                self.times.append(found.seconds)
            if outcome in ("accepted wrong", "unknown wrong", "refuted equal", "outside equal"):
                seconds = round(found.seconds, 3)
                self.rows.append({"level": level, **vars(found), "outcome": outcome, "seconds": seconds})
        return here

    def written(self, seconds: float) -> dict[str, Any]:
        """Write the record as it stands; its summary."""
        progress = {"programs": self.done, "of_programs": self.programs, "seconds": round(seconds)}
        summary = {**progress, **_summary(self.tables, self.kinds, self.times)}
        write(self.name, self.command, self.rows, summary)
        return summary


def main(count: int = 40, seconds: float = 12, jobs: int = 1, seed: int = 0) -> int:
    """Measure, print a line per program, write the record after each: a run that is stopped has what it found."""
    started = time.perf_counter()
    chosen = tasks()
    Random(0).shuffle(chosen)  # so that what is there when a run is stopped is of all kinds
    name, told = (f"mutants-{seed}", f" --seed {seed}") if seed else ("mutants", "")
    tally = _Tally(name, f"{COMMAND} {count} {seconds:g} {jobs}{told}", len(chosen))
    summary: dict[str, Any] = {"wrong_accepted": 0}
    with ProcessPoolExecutor(jobs) as pool:
        for name, judgements in pool.map(measured, [(name, form, count, seconds, seed) for name, form in chosen]):
            here, passed = tally.add(judgements), time.perf_counter() - started
            summary = tally.written(passed)
            counted = f"{summary['mutants']} mutants, {summary['wrong_accepted']} wrong accepted"
            place = f"{tally.done}/{len(chosen)} {passed:.0f} of about {passed * len(chosen) / tally.done:.0f} s"
            print(f"{place}  {counted}  {name}: {dict(here)}", flush=True)
    print(summary)
    return int(bool(summary["wrong_accepted"]))


def _summary(tables: dict[str, Counter[str]], kinds: Counter[str], seconds: list[float]) -> dict[str, Any]:
    table = tables["check"]
    wrong = sum(n for outcome, n in table.items() if outcome.endswith("wrong"))
    caught = table["refuted wrong"] + table["outside wrong"]
    return {
        "mutants": sum(table.values()),
        "wrong": wrong,
        "wrong_accepted": sum(t["accepted wrong"] for t in tables.values()),
        "wrong_refuted": caught,
        "wrong_refuted_share": round(caught / wrong, 4) if wrong else None,
        "equal_accepted": table["accepted equal"],
        "equal_unknown": table["unknown equal"],
        "refuted_though_the_oracle_saw_nothing": table["refuted equal"] + table["outside equal"],
        "levels": {level: dict(t) for level, t in tables.items()},
        "operators": dict(kinds),
        "seconds_median": round(sorted(seconds)[len(seconds) // 2], 3) if seconds else None,
        "seconds_largest": round(max(seconds, default=0.0), 3),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.validate.mutants", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=40, help="mutants of each program (default: 40)")
    parser.add_argument("seconds", type=int, nargs="?", default=12, help="for each program (default: 12)")
    parser.add_argument("jobs", type=int, nargs="?", default=1, help="processes at work (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="of the mutants (default: 0)")
    sys.exit(main(**vars(parser.parse_args())))
