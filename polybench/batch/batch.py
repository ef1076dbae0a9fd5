"""Many measurements: each task in a process of its own, here or on other machines, its rows saved at once."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from raising.polybench.batch.workers import Threads, Workers
from raising.polybench.peers.peer import threads_environment
from raising.polybench.records.records import Record, Row, key_of
from raising.polybench.records.task import Job, Task
from raising.support.files import UserError

STARTUP = 120.0
"""Seconds that a worker may take beside raising and running programs: compilers, references."""
OTHERS = 6
"""Programs beside the peers: ours, and the reference runs."""


def run_batch(
    tasks: Iterable[Task],
    record: Record,
    save: Callable[[Record], None],
    executor: Executor,
    progress: Callable[[list[Row]], None],
) -> None:
    """Run the tasks that the record has not all rows of; after each its rows are added and saved.

    A task that cannot be run is a row with the reason.
    """
    rows = {key_of(row): row for row in record.rows}
    futures = {executor.submit(run_task, *given): given[0] for task in tasks if (given := _missing(task, rows))}
    try:
        for future in as_completed(futures):
            found = _rows(futures[future], future.result)
            for row in found:
                record.add(row)
            save(record)
            progress(found)
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise


def _missing(task: Task, rows: Mapping[tuple[str, ...], Row]) -> tuple[Task, Row | None] | None:
    """The part of a task that is left, and the row for fewer threads to start from if there is one; None if none is."""
    there = {n: row for n in task.threads if (row := rows.get(tuple(map(str, task.key(n).values()))))}
    left = tuple(n for n in task.threads if n not in there)
    if not left:
        return None
    return replace(task, threads=left), next((row for n, row in there.items() if n < left[0] and _whole(row)), None)


def _whole(row: Row) -> bool:
    """Whether a row holds all that one for more threads starts from."""
    return row["status"] == "failed" or "source" in row


def _rows(task: Task, result: Callable[[], list[Row]]) -> list[Row]:
    try:
        return result()
    except Exception as error:  # whatever an executor does to a task
        return [failed(task.key(n), f"{type(error).__name__}: {error}") for n in task.threads]


def failed(key: Mapping[str, str | int], reason: str) -> Row:
    """The row of what did not finish."""
    return {"key": dict(key), "status": "failed", "reason": " ".join(reason.split())[:500]}


def run_task(task: Task, earlier: Row | None = None, workers: Workers | None = None) -> list[Row]:
    """The rows of a task, each made in a process of its own; whatever becomes of it, there is a row."""
    workers = workers or Workers()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for threads in task.threads:
            row = _row(Job(task, threads, Path(folder), earlier), workers)
            found.append(row)
            earlier = earlier or row
    return found


def _row(job: Job, workers: Workers) -> Row:
    if job.earlier and job.earlier["status"] == "failed":
        return failed(job.key, f"with fewer threads: {job.earlier['reason']}")
    task, started = job.task, time.monotonic()
    limit = STARTUP + len(task.targets) * 2 * task.timeout
    limit += (len(task.peers) + OTHERS) * (task.patience + 2 * task.budget)
    out = job.folder / f"row{job.threads}.json"
    command = [sys.executable, "-m", "raising.polybench.measure.bench_worker", str(out)]
    with workers.started(command, os.environ | threads_environment(job.threads)) as worker:
        try:
            _, said = worker.communicate(json.dumps(job.as_json()), timeout=limit)
        except subprocess.TimeoutExpired:
            return failed(job.key, f"took more than {limit:.0f} s")
    if worker.returncode or not out.exists():
        last = said.strip().splitlines()[-1:] or ["nothing was said"]
        return failed(job.key, f"the worker ended with status {worker.returncode}: {last[0]}")
    row: Row = json.loads(out.read_text())
    return {**row, "took": round(time.monotonic() - started, 1)}


@contextlib.contextmanager
def executor(spec: str) -> Iterator[Executor]:
    """The executor that `--executor` names: `process[:N]`, `dask:ADDRESS` or `mpi`; else `UserError`."""
    kind, _, rest = spec.partition(":")
    match kind:
        case "process" if not rest or (rest.isdigit() and int(rest) > 0):
            with Threads(int(rest or 1)) as pool:
                yield pool
        case "dask" if rest:
            with _dask(rest) as pool:
                yield pool
        case "mpi" if not rest:
            with _mpi() as pool:
                yield pool
        case _:
            raise UserError(f"--executor: error: '{spec}' is none of process[:N], dask:ADDRESS, mpi")


@contextlib.contextmanager
def _dask(address: str) -> Iterator[Any]:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise UserError("--executor: error: dask needs the package 'distributed'") from None
    try:
        client = distributed.Client(address, timeout=20)
    except (OSError, ValueError) as error:
        raise UserError(f"--executor: error: no Dask scheduler at '{address}': {error}") from None
    with client:
        yield client.get_executor(pure=False)


def _mpi() -> Any:
    try:
        futures = importlib.import_module("mpi4py.futures")
    except (ImportError, RuntimeError):  # the package, or the MPI library under it
        raise UserError("--executor: error: mpi needs the package 'mpi4py' and an MPI library") from None
    return futures.MPIPoolExecutor()
