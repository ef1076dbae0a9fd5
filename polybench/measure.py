"""One task, from the loops to a row: read, raise, check, optimise, compile, compare, time."""

from __future__ import annotations

import re
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from affine.errors import InputError
from polybench.agreement import Reference
from polybench.ours import LOOPS, NotCompiled, assembly, compiled, loops, name_of
from polybench.peers import Skipped, Subject, peers
from polybench.records import Row
from polybench.references import reference_of
from polybench.roofline import Roofline
from polybench.roofline import measured as roofline
from polybench.subjects import Read, read
from polybench.task import Task
from polybench.timing import Program, in_place, interleaved
from polybench.trial import tried
from raising.optimise import optimise_module
from raising.options import RaiseOptions
from raising.pipeline import raise_module
from raising.result import RaiseResult
from validate.verdict import describe, level

WARM_UP_TO = 60.0
"""Seconds of raising beyond which it is not done twice more to see what the cache saves."""
PATIENCE = 8.0
"""How many times the budget a program may take for one run before it is given up."""


def measure(task: Task) -> Row:
    """The row of a task. What goes wrong with one target or one program is told there, and the rest goes on."""
    row: Row = {"key": task.key, "status": "ok"}
    try:
        found = read(task)
    except InputError as error:
        return {**row, "status": "failed", "reason": str(error)}
    row |= {"source": found.text, "loops": found.subject.mlir, "work": asdict(found.work) if found.work else None}
    row["targets"] = {target: raised(found.subject, target, task) for target in task.targets}
    row |= compared(found, task, row["targets"])
    return row


# ---- raising -------------------------------------------------------------------------------------


def raised(subject: Subject, target: str, task: Task) -> dict[str, Any]:
    """What raising to a target gives and takes, and the text after optimisation; or why it failed."""
    options = RaiseOptions(target=target, check=task.check, timeout=task.timeout, cache=False)
    seconds, result = _timed(lambda: raise_module(subject.mlir, file=subject.source.name, options=options))
    (report,) = (f for f in result.functions if f.name == subject.function)
    stats = [part.stats for part in report.parts]
    found = {
        "text": result.text,
        "optimised": optimise_module(result.text).text,
        "verdict": describe(report.verdict) if report.verdict else "kept: no loop was raised",
        "level": level(report.verdict) if report.verdict else "kept",
        "remarks": [str(remark) for remark in result.remarks],
        "seconds": round(seconds, 4),
        "loops_left": report.kept + report.sequential,
        "operations": _operations(result.text, target),
        "enumerated": sum(s.enumerated for s in stats),
        "static_filtered": sum(s.static_filtered for s in stats),
        "evaluated": sum(s.evaluated for s in stats),
        "equivalence_filtered": sum(s.equivalence_filtered for s in stats),
    }
    if task.repeat and seconds < WARM_UP_TO:
        found["seconds_warm"] = round(_warm(subject, target, task), 4)
    return found


def _warm(subject: Subject, target: str, task: Task) -> float:
    """Seconds to raise what the cache knows."""
    options = RaiseOptions(target=target, check=task.check, timeout=task.timeout)

    def again() -> RaiseResult:
        return raise_module(subject.mlir, file=subject.source.name, options=options)

    again()
    return _timed(again)[0]


def _timed(work: Callable[[], RaiseResult]) -> tuple[float, RaiseResult]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def _operations(text: str, target: str) -> dict[str, int]:
    """How often each operation of the target occurs."""
    found = Counter(re.findall(rf"\b{re.escape(target)}\.[a-z_]\w*", text))
    return {name: n for name, n in sorted(found.items()) if not name.endswith((".yield", ".index", ".return"))}


# ---- running -------------------------------------------------------------------------------------


def compared(found: Read, task: Task, targets: dict[str, Any]) -> dict[str, Any]:
    """The programs that compute the same as the loops, with their times; and what was skipped."""
    programs, versions, skipped = _programs(found.subject, task, targets)
    reference = reference_of(found.subject, task.dataset, task.dtype)
    rows: dict[str, Any] = {}
    for name, program in programs.items():
        try:
            tried(program.on_xla, task, PATIENCE * task.budget)
            agreement = _agreement(program, reference, PATIENCE * task.budget)
        except Skipped as error:
            skipped[name] = str(error)
            continue
        except Exception as error:  # of a library: the other programs are still worth their times
            skipped[name] = f"failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
            continue
        about = {"version": versions[name], "notes": dict(program.notes)}
        rows[name] = {"ours": name.startswith("raise-"), **about, "agreement": agreement}
    right = {name: programs[name] for name, row in rows.items() if row["agreement"]["equal"]}
    if task.repeat:
        roof = roofline(task.dtype, task.threads)
        for name, measurement in interleaved(right, task.repeat, task.budget).items():
            rows[name] |= {
                "samples": [round(s, 7) for s in measurement.samples],
                "best": measurement.best,
                "median": measurement.median,
                "noisy": measurement.noisy,
                "fraction": _fraction(found, roof, measurement.median),
            }
        return {"programs": rows, "skipped": skipped, "roofline": asdict(roof)}
    return {"programs": rows, "skipped": skipped}


def _programs(
    subject: Subject, task: Task, targets: dict[str, Any]
) -> tuple[dict[str, Program], dict[str, str], dict[str, str]]:
    """Ours, then the peers: each as a program, with what it is; and the reasons of those that are not there."""
    programs: dict[str, Program] = {}
    versions: dict[str, str] = {}
    skipped: dict[str, str] = {}
    known = peers()
    for target, found in targets.items():
        name = name_of(target)
        try:
            programs[name], versions[name] = compiled(found["optimised"], subject, target, task.threads)
            found["assembly"] = assembly(found["optimised"], target, task.threads)
        except NotCompiled as error:
            skipped[name] = found["failed_to_compile"] = str(error)
    if not subject.kernel:
        programs[LOOPS] = in_place(loops(subject), subject.values, subject.outputs)
        versions[LOOPS] = "the loops as they are, by our back end"
    for name in task.peers:
        try:
            versions[name] = known[name].version()
            programs[name] = known[name].prepare(subject)
        except Skipped as error:
            skipped[name] = str(error)
    return programs, versions, skipped


def _agreement(program: Program, reference: Reference, limit: float) -> dict[str, Any]:
    """Run once, and compare; `Skipped` if that takes more than `limit` seconds."""

    def too_slow(*_: object) -> None:
        raise Skipped(f"takes more than {limit:g} s")

    before = signal.signal(signal.SIGALRM, too_slow)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        program.reset()
        program.run()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return asdict(reference.judge(program.results()))


def _fraction(found: Read, roof: Roofline, seconds: float) -> float | None:
    if found.work is None:
        return None
    return roof.seconds(found.work.operations, found.work.traffic) / seconds
