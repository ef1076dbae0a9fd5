"""Batches on other executors: a real Dask cluster of two workers gives the same rows, also when one is killed."""

from __future__ import annotations

import os
import signal

import pytest

from raising.polybench.batch.batch import executor, run_batch
from raising.polybench.records.records import key_of, new_record
from raising.polybench.records.task import Task

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

TASKS = [
    Task(name, name, "", f"kernel_{name}", "MINI", "f32", (1,), ("linalg",), (), "none", 0, 1.0, 60.0)
    for name in ("atax", "mvt", "bicg")
]


def rows_of(pool, progress=lambda rows: None):
    record = new_record("test", {})
    run_batch(TASKS, record, lambda r: None, pool, progress)
    return {key_of(row): stable(row) for row in record.rows}


def stable(row):
    """What does not change from run to run."""
    raised = row["targets"]["linalg"]
    agreement = {name: p["agreement"] for name, p in row["programs"].items()}
    return row["status"], raised["text"], raised["level"], agreement


def test_dask_gives_the_same_rows_although_a_worker_is_killed():
    with executor("process:2") as pool:
        here = rows_of(pool)
    assert len(here) == len(TASKS)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        killed = []

        def kill_one(rows):
            if not killed:
                nanny = next(iter(cluster.workers.values()))
                killed.append(nanny.process.pid)
                os.kill(nanny.process.pid, signal.SIGKILL)

        with executor(f"dask:{cluster.scheduler_address}") as pool:
            there = rows_of(pool, kill_one)
    assert killed
    assert there == here
