"""A batch over the ranks of an MPI job: the same rows as here."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from raising.polybench.records.records import load

MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
FLAGS = [
    "--dataset",
    "MINI",
    "--target",
    "linalg",
    "--check",
    "field",
    "--repeat",
    "0",
    "--peers",
    "none",
    "--kernels",
    "atax,mvt",
]


def batch(out, executor, *command):
    done = subprocess.run(
        [*command, "raising.polybench.bench_command", "polybench", *FLAGS, "--executor", executor, "--out", str(out)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {row["key"]["name"]: stable(row) for row in load(out).rows}


def stable(row):
    """What does not change from run to run."""
    raised = row["targets"]["linalg"]
    return row["status"], raised["text"], raised["level"], {n: p["agreement"] for n, p in row["programs"].items()}


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed")
@pytest.mark.skipif(MPIEXEC is None, reason="there is no mpiexec")
def test_two_ranks_give_the_same_rows(tmp_path):
    here = batch(tmp_path / "here.json", "process:2", sys.executable, "-m")
    ranks = (MPIEXEC, "-n", "2")
    there = batch(tmp_path / "mpi.json", "mpi", *ranks, sys.executable, "-m", "mpi4py.futures", "-m")
    assert here.keys() == {"atax", "mvt"}
    assert there == here
