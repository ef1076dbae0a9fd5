"""A task: a function to be measured, in one precision and with a number of threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from raising.polybench.records.records import Row
from raising.support.record import dataclass


@dataclass(frozen=True)
class Task:
    """What a worker has to know; all of it can be written as JSON.

    `kernel` is one of PolyBench's, or empty: then `file` and `function` say which of the user's own functions it is,
    and `extent` what the sizes are that the file leaves open. There is a row for each number of `threads`, in
    ascending order. `targets` are dialects to raise to, `peers` the names of what to compare with. Each program is
    sampled `repeat` times but not beyond `budget` seconds, and is left out if one run takes more than `patience`
    seconds; `timeout` bounds raising, in seconds. Without `repeat` nothing is timed.
    """

    name: str
    kernel: str
    file: str
    function: str
    dataset: str
    dtype: str
    threads: tuple[int, ...]
    targets: tuple[str, ...]
    peers: tuple[str, ...]
    check: str
    repeat: int
    budget: float
    timeout: float
    extent: int = 256
    patience: float = 60.0

    def key(self, threads: int) -> dict[str, str | int]:
        """The key of the row for this number of threads."""
        return {"name": self.name, "dataset": self.dataset, "dtype": self.dtype, "threads": threads}


@dataclass(frozen=True)
class Job:
    """One row of a task.

    `earlier` is a row of the same task for fewer threads, from which everything is taken that threads do not change;
    in `folder`, the jobs of a task keep what they share.
    """

    task: Task
    threads: int
    folder: Path
    earlier: Row | None = None

    @property
    def key(self) -> dict[str, str | int]:
        """The key of the row."""
        return self.task.key(self.threads)

    def as_json(self) -> dict[str, Any]:
        """The task as a JSON object."""
        return {**asdict(self), "folder": str(self.folder)}


def job_from_json(found: Mapping[str, Any]) -> Job:
    """The job that `as_json` wrote."""
    known: dict[str, Any] = {f.name: found["task"][f.name] for f in fields(Task)}
    lists: dict[str, Any] = {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
    return Job(Task(**known | lists), found["threads"], Path(found["folder"]), found["earlier"])
