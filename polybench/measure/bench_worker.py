"""One job from the loops to a row: read, raise, check, optimise, compile, compare, time.

It runs in a process of its own, `python -m raising.polybench.measure.bench_worker ROW.json` with the job as JSON on
standard input: the threads, aborts and memory of a library end with the process.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from raising.polybench.measure.comparison import compared
from raising.polybench.measure.raised import in_short, raised
from raising.polybench.measure.subjects import read
from raising.polybench.records.records import Row
from raising.polybench.records.task import Job, job_from_json
from raising.support.errors import InputError
from raising.support.fork import collect_rarely, end_with_parent


def measure(job: Job) -> Row:
    """The row of a job. What goes wrong with one target or one program is told there, and the rest goes on."""
    row: Row = {"key": job.key, "status": "ok"}
    try:
        found = read(job.task)
    except InputError as error:
        return {**row, "status": "failed", "reason": str(error)}
    row["work"] = asdict(found.work) if found.work else None
    if job.earlier:
        targets = job.earlier["targets"]
        row["targets"] = {target: in_short(told) for target, told in targets.items()}
    else:
        targets = {target: raised(found.subject, target, job.task) for target in job.task.targets}
        row |= {"source": found.text, "loops": found.subject.mlir, "targets": targets}
    return row | compared(found, job, targets)


def main(out: str) -> None:
    """Do the job of standard input and write its row."""
    job = job_from_json(json.load(sys.stdin))
    end_with_parent()
    _pin(job)
    collect_rarely()
    Path(out).write_text(json.dumps(measure(job)))


def _pin(job: Job) -> None:
    """Keep to as many processors as there are threads, always the same ones."""
    if job.task.repeat and hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, allowed[-job.threads :])


if __name__ == "__main__":
    main(sys.argv[1])
