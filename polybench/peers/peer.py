"""A peer: a way to run a function that is not ours, on a given number of threads."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from raising.polybench.peers.timing import Program
from raising.polybench.suite.values import Value
from raising.support.record import dataclass


class Skipped(Exception):
    """A peer that is not installed, or has nothing for this subject; the message says why, in one line."""


def version_of(package: str) -> str:
    """The version of a package; `Skipped` where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise Skipped(f"{package} is not installed") from None


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


def threads_environment(threads: int) -> dict[str, str]:
    """Environment variables that keep the libraries to so many threads; set before any of them is loaded."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    flags = os.environ.get("XLA_FLAGS", "")
    single = " --xla_cpu_multi_thread_eigen=false" if threads == 1 else ""
    return {**{name: str(threads) for name in names}, "XLA_FLAGS": flags + single}
