"""Hunt for wrong results: random functions through raise, raise-opt and raise-compile, pairs through raise-check.

Each function is called beside gcc's code (or Python) at sizes around 0, 1 and where its loops begin, each pair held
against runs of both. Array programs as JAX exports them are held against StableHLO's interpreter. What is wrong is
made small and kept; the exit status is 1 if there is any.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from tests.hunt import pairs, ways, workers
from tests.hunt.drawn.draw import generators
from tests.hunt.exported import judge as exported
from tests.hunt.generic import judge as generic
from tests.hunt.tally import Row, Tally

PAIRS = "pairs-"
SIZE = 12
WRITTEN = 30.0  # seconds after which the record is written again
NO_PAIRS = (
    "stablehlo",
    "python",
    "alias",
    "globals",
    "loops",
    "python-algebra",
    "python-stencils",
    "python-branches",
    "python-interactions",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    arguments = _parser().parse_args(argv)
    ways.preload()
    chosen = tuple(dict.fromkeys(g for name in arguments.generator or GROUPS for g in GROUPS.get(name, (name,))))
    tally = Tally(_said(arguments), arguments.keep, arguments.out)
    begun = written = time.monotonic()
    tasks = endless(chosen, arguments.seed, arguments.size)
    end = begun + arguments.seconds
    if arguments.rounds:
        tasks, end = islice(tasks, arguments.rounds * len(chosen)), math.inf
    for found in _results(tasks, end, arguments.jobs, arguments.minimise):
        for row in found:
            tally.add(row)
            if row.bad:
                print(row.text(), flush=True)
        if time.monotonic() > written + WRITTEN:
            written = time.monotonic()
            tally.write(written - begun)
    print(tally.report())
    tally.write(time.monotonic() - begun)
    return 1 if tally.bad else 0


def _parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m tests.hunt", description=__doc__)
    p.add_argument("--seconds", type=float, default=60, metavar="S", help="how long to hunt (default: 60)")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="the first number (default: 0)")
    p.add_argument(
        "--generator", choices=(*GROUPS, *names()), action="append", metavar="NAME", help=", ".join((*GROUPS, *names()))
    )
    p.add_argument("--jobs", type=int, default=1, metavar="J", help="processes at work (default: 1)")
    p.add_argument("--size", type=int, default=SIZE, metavar="K", help=f"functions in a batch (default: {SIZE})")
    p.add_argument(
        "--rounds", type=int, default=0, metavar="R", help="R batches of each generator, however long they take"
    )
    p.add_argument("--out", type=Path, metavar="FILE", help="a record in JSON; one that is there is added to")
    p.add_argument("--keep", type=Path, metavar="FOLDER", help="write each failure to a file there")
    p.add_argument(
        "--minimise", type=float, default=0, metavar="S", help="seconds for making a failure smaller (default: 0)"
    )
    return p


def _said(arguments: argparse.Namespace) -> str:
    """The command as a record has it: without the places of this machine."""
    given = {k: v for k, v in vars(arguments).items() if v and k not in ("out", "keep")}
    chosen = " ".join(f"--generator {name}" for name in given.pop("generator", ()))
    return " ".join(["python -m tests.hunt", *(f"--{k} {v}" for k, v in given.items()), chosen]).strip()


MODULES = {exported.GENERATOR: exported.batch, generic.GENERATOR: generic.batch}
"""Generators of MLIR: what judges a batch of each."""
GROUPS = {
    "functions": tuple(generators()),
    **{name: (name,) for name in MODULES},
    "pairs": tuple(PAIRS + name for name in generators() if name not in NO_PAIRS),
}
"""Names of many generators."""


def names() -> tuple[str, ...]:
    """All generators: of functions, of array programs, and of pairs."""
    return tuple(name for group in GROUPS.values() for name in group if name not in GROUPS)


Task = tuple[str, range]


def endless(chosen: tuple[str, ...], first: int, size: int) -> Iterator[Task]:
    """Batches without an end, the generators in turn."""
    start = first
    while True:
        for generator in chosen:
            yield generator, range(start, start + size)
        start += size


def once(task: Task, minimise: float = 0) -> list[Row]:
    """What one batch shows."""
    generator, seeds = task
    if generator in MODULES:
        return MODULES[generator](seeds)
    if generator.startswith(PAIRS):
        return pairs.batch(generator.removeprefix(PAIRS), seeds, minimise)
    return workers.batch(generator, seeds, minimise)


def _results(tasks: Iterator[Task], end: float, jobs: int, minimise: float) -> Iterator[list[Row]]:
    """The rows of batches, until the time is over."""
    if jobs == 1:
        for task in tasks:
            if time.monotonic() >= end:
                return
            yield once(task, minimise)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        going: set[Future[list[Row]]] = set()
        while True:
            while len(going) < jobs and time.monotonic() < end and (following := next(tasks, None)):
                going.add(pool.submit(once, following, minimise))
            if not going:
                return
            done, going = wait(going, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)
