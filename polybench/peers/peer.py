"""What is compared with: a way to run a function that is not ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from affine.record import dataclass
from polybench.timing import Program
from polybench.values import Value


class Skipped(Exception):
    """A peer that is not installed, or has nothing for this subject; the message says why, in one line."""


@dataclass(frozen=True)
class Subject:
    """A function to measure: where its source is, how it is called, what it is called with.

    `kernel` is the name under which hand-written forms are looked up, empty for a
    user's own function; `mlir` is its affine form; `values` are its arguments in
    order, `outputs` those that are its result.
    """

    name: str
    kernel: str
    source: Path
    function: str
    defines: Mapping[str, str]
    mlir: str
    values: Mapping[str, Value]
    outputs: tuple[str, ...]
    flops: float = 0.0
    bytes: float = 0.0


@dataclass(frozen=True)
class Peer:
    """`version` says what it is, `prepare` makes a program of a subject; both raise `Skipped`.

    What is not `threaded` uses one thread, however many it may.
    """

    name: str
    version: Callable[[], str]
    prepare: Callable[[Subject], Program]
    threaded: bool = True
