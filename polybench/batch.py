"""Many measurements: each task in a process of its own, here or on other machines, every row saved at once."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from polybench.peers.threads import threads_environment
from polybench.records import Record, Row
from polybench.task import Task
from raising.files import UserError

STARTUP = 120.0
"""Seconds that a worker may take beside raising and sampling: compilers, references."""


def run_batch(
    tasks: Iterable[Task],
    record: Record,
    save: Callable[[Record], None],
    executor: Executor,
    progress: Callable[[Row], None],
) -> None:
    """Run the tasks that the record has no row of; after each its row is added and saved.

    A task that cannot be run is a row with the reason.
    """
    done = record.done()
    waiting = [task for task in tasks if tuple(map(str, task.key.values())) not in done]
    futures = {executor.submit(run_task, task): task for task in waiting}
    try:
        for future in as_completed(futures):
            row = _row(futures[future], future.result)
            record.add(row)
            save(record)
            progress(row)
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise


def _row(task: Task, result: Callable[[], Row]) -> Row:
    try:
        return result()
    except Exception as error:  # whatever an executor does to a task
        return failed(task, f"{type(error).__name__}: {error}")


def failed(task: Task, reason: str) -> Row:
    """The row of a task that did not finish."""
    return {"key": task.key, "status": "failed", "reason": " ".join(reason.split())[:500]}


def run_task(task: Task) -> Row:
    """One task in a worker process; whatever becomes of it, there is a row."""
    limit = STARTUP + len(task.targets) * 2 * task.timeout + (len(task.peers) + 4) * 3 * task.budget
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "row.json"
        command = [sys.executable, "-m", "polybench.worker", str(out)]
        worker = subprocess.Popen(
            command,
            env=os.environ | threads_environment(task.threads),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        try:
            _, said = worker.communicate(json.dumps(task.as_json()), timeout=limit)
        except subprocess.TimeoutExpired:
            return failed(task, f"took more than {limit:.0f} s")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
        if worker.returncode or not out.exists():
            last = said.strip().splitlines()[-1:] or ["nothing was said"]
            return failed(task, f"the worker ended with status {worker.returncode}: {last[0]}")
        row: Row = json.loads(out.read_text())
        return row


@contextlib.contextmanager
def executor(spec: str) -> Iterator[Executor]:
    """What `--executor` names: `process[:N]`, `dask:ADDRESS` or `mpi`; `UserError` for anything else."""
    kind, _, rest = spec.partition(":")
    match kind:
        case "process" if not rest or (rest.isdigit() and int(rest) > 0):
            # Threads, because each does nothing but wait for a process.
            with ThreadPoolExecutor(int(rest or 1)) as pool:
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
