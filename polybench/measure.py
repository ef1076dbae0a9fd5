"""One job, from the loops to a row: read, raise, check, optimise, compile, compare, time."""

from __future__ import annotations

from dataclasses import asdict

from affine.errors import InputError
from polybench.compared import compared
from polybench.raised import in_short, raised
from polybench.records import Row
from polybench.subjects import read
from polybench.task import Job


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
