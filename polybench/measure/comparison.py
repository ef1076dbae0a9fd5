"""Programs that do the same, side by side: each is checked against the loops, and only a right one is timed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from dataclasses import asdict, field
from typing import Any

from raising.polybench.measure.agreement import Agreement, Reference
from raising.polybench.measure.ours import LOOPS, NotCompiled, assembly, compiled, loops, name_of
from raising.polybench.measure.references import reference_of
from raising.polybench.measure.roofline import Roofline, reading
from raising.polybench.measure.roofline import measured as roofline
from raising.polybench.measure.subjects import Read
from raising.polybench.measure.trial import Trial, tried
from raising.polybench.peers import Skipped, peers
from raising.polybench.peers.timing import Measurement, Program, flusher, in_place, interleaved, sampled
from raising.polybench.records.task import Job
from raising.polybench.report.summary import OURS
from raising.support.record import dataclass

_READING = "reading"
"""In the samples, what only reads as many bytes as the loops move."""
SMALL = 1_000_000
"""Operations of loops that are run on XLA without a trial: some microseconds each, in the worst case."""


@dataclass
class _Side:
    """The programs of a job: those to be run, the notes on each, and why some are missing."""

    rows: dict[str, dict[str, Any]]
    skipped: dict[str, str]
    programs: dict[str, Program] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Checked:
    """The result of a program's first run: whether it is right, and how many seconds it takes."""

    agreement: Agreement
    seconds: float


def compared(found: Read, job: Job, targets: Mapping[str, Any]) -> dict[str, Any]:
    """The programs of a row, those that compute the same as the loops with their times; and what was skipped.

    What uses one thread, however many it may, is not measured again: its figures are those of the earlier row.
    """
    side = _from_earlier(job)
    _prepare(side, found, job, targets)
    reference = reference_of(found.subject, job.task.dataset, job.task.dtype, job.folder)
    flush = flusher() if job.task.repeat else lambda: None
    seconds: dict[str, float] = {}
    for name, program in side.programs.items():
        try:
            safe = _is_small(found) or _was_fast(name, job)
            trial = tried(program.on_xla, job) if program.on_xla and not safe else None
            checked = first_run(program, reference, job, flush, trial)
        except Skipped as error:
            side.skipped[name] = str(error)
        except Exception as error:  # of a library: the other programs are still worth their times
            side.skipped[name] = f"failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        else:
            about = {"version": side.versions[name], "notes": dict(program.notes)}
            side.rows[name] = {"ours": name.startswith(OURS), **about, "agreement": asdict(checked.agreement)}
            seconds[name] = checked.seconds
    told = {"programs": side.rows, "skipped": side.skipped}
    return told | (_times(side, seconds, found, job) if job.task.repeat else {})


# ---- which programs there are --------------------------------------------------------------------


def _from_earlier(job: Job) -> _Side:
    """The results that stand from an earlier row: programs of one thread, and programs missing or too slow."""
    if not job.earlier:
        return _Side({}, {})
    before = {"measured_with_threads": job.earlier["key"]["threads"]}
    alone = {name for name, peer in peers().items() if not peer.threaded} | {LOOPS}
    rows = {name: {**before, **row} for name, row in job.earlier["programs"].items() if name in alone}
    return _Side(rows, dict(job.earlier["skipped"]))


def _prepare(side: _Side, found: Read, job: Job, targets: Mapping[str, Any]) -> None:
    """Make the programs that are still missing: ours, then the peers."""
    subject, known = found.subject, peers()

    def missing(name: str) -> bool:
        return name not in side.rows and name not in side.skipped

    for target, raised in targets.items():
        if not missing(name := name_of(target)):
            continue
        try:
            side.programs[name], side.versions[name] = compiled(raised["optimised"], subject, target, job.threads)
            raised["assembly"] = assembly(raised["optimised"], target, job.threads) if job.task.repeat else ""
        except NotCompiled as error:
            side.skipped[name] = raised["failed_to_compile"] = str(error)
    if not subject.kernel and missing(LOOPS):
        side.programs[LOOPS] = in_place(loops(subject), subject.values, subject.outputs)
        side.versions[LOOPS] = "the loops as they are, by our back end"
    for name in filter(missing, job.task.peers):
        try:
            side.versions[name] = known[name].version()
            side.programs[name] = known[name].prepare(subject)
        except Skipped as error:
            side.skipped[name] = str(error)


# ---- running -------------------------------------------------------------------------------------


def _is_small(found: Read) -> bool:
    """Whether the loops do so little that a program which takes each operation as a step of its own ends soon."""
    return found.work is not None and found.work.operations < SMALL


def _was_fast(name: str, job: Job) -> bool:
    """Whether a program is known to end soon from the earlier row."""
    earlier = job.earlier["programs"].get(name, {}) if job.earlier else {}
    return bool(earlier.get("median", job.task.budget + 1) <= job.task.budget)


def first_run(
    program: Program, reference: Reference, job: Job, flush: Callable[[], None], trial: Trial | None = None
) -> Checked:
    """Run once, and compare; `Skipped` if it takes more than the task's patience. A slow trial is that run."""
    if trial and trial.seconds > job.task.budget:
        return Checked(reference.judge(trial.results), trial.seconds)
    if program.rehearse:
        program.rehearse(job.task.patience)
    limit = job.task.patience if program.stoppable else 0.0

    def too_slow(*_: object) -> None:
        raise Skipped(f"takes more than {limit:g} s")

    before = signal.signal(signal.SIGALRM, too_slow)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        seconds = sampled(program, flush)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return Checked(reference.judge(program.results()), seconds)


def _times(side: _Side, first: Mapping[str, float], found: Read, job: Job) -> dict[str, Any]:
    """Add the times of programs that are right. The first run of a slow one is its only sample."""
    right = [name for name in first if side.rows[name]["agreement"]["equal"]]
    slow = {name: Measurement((first[name],)) for name in right if first[name] > job.task.budget}
    rest = {name: side.programs[name] for name in right if name not in slow}
    roof = roofline(job.task.dtype, job.threads)
    if found.work and job.threads == 1:
        rest[_READING] = reading(found.work.traffic)
    measured = interleaved(rest, job.task.repeat, job.task.budget)
    cold = measured.pop(_READING, None)
    for name, measurement in (slow | measured).items():
        side.rows[name] |= {
            "samples": [round(s, 7) for s in measurement.samples],
            "best": measurement.best,
            "median": measurement.median,
            "noisy": measurement.noisy,
        }
    for row in side.rows.values():
        if row.get("median"):
            row["fraction"] = _fraction(found, roof, row["median"])
    return {"roofline": asdict(roof) | ({"reading": cold.median} if cold else {})}


def _fraction(found: Read, roof: Roofline, seconds: float) -> float | None:
    if found.work is None:
        return None
    return roof.seconds(found.work.operations, found.work.traffic) / seconds
