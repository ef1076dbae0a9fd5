"""One measurement to be made: a function, a precision, a number of threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Task:
    """What a worker has to know; all of it can be written as JSON.

    `kernel` is one of PolyBench's, or empty: then `file` and `function` say which of the user's own functions it is,
    and `extents` what the sizes are that the file leaves open. `targets` are dialects to raise to, `peers` the names
    of what to compare with. Each program is sampled `repeat` times but not beyond `budget` seconds; `timeout` bounds
    raising, in seconds. Without `repeat` nothing is timed.
    """

    name: str
    kernel: str
    file: str
    function: str
    dataset: str
    dtype: str
    threads: int
    targets: tuple[str, ...]
    peers: tuple[str, ...]
    check: str
    repeat: int
    budget: float
    timeout: float
    extent: int = 256

    @property
    def key(self) -> dict[str, str | int]:
        """What the row of this task is known by."""
        return {"name": self.name, "dataset": self.dataset, "dtype": self.dtype, "threads": self.threads}

    def as_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return asdict(self)


def task_from_json(found: Mapping[str, Any]) -> Task:
    """The task that `as_json` wrote."""
    known: dict[str, Any] = {f.name: found[f.name] for f in fields(Task) if f.name in found}
    return Task(**{**known, "targets": tuple(found["targets"]), "peers": tuple(found["peers"])})
