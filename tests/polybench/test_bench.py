"""`raise-bench` as its users run it: a batch, going on with one, folders of their own, mistakes."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from raising.eqsat.egraph.engine import EngineError
from raising.native.base.unsupported import CallError
from raising.polybench.bench_command import main
from raising.polybench.measure.agreement import Reference
from raising.polybench.measure.comparison import first_run
from raising.polybench.measure.raised import raised
from raising.polybench.measure.subjects import read
from raising.polybench.measure.trial import Trial
from raising.polybench.peers import Skipped, peers
from raising.polybench.peers.timing import functional
from raising.polybench.records.records import load
from raising.polybench.records.task import Job, Task

QUICK = ("--dataset", "MINI", "--target", "linalg", "--check", "field", "--repeat", "1", "--executor", "process:2")


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    """Two kernels at MINI: the path of the record, and what was printed."""
    out = tmp_path_factory.mktemp("batch") / "record.json"
    command = [
        sys.executable,
        "-m",
        "raising.polybench.bench_command",
        "polybench",
        "--kernels",
        "gemm,trisolv",
        *QUICK,
    ]
    command += ["--peers", "gcc-O3,numpy,jax", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return out, done


def test_every_kernel_is_a_row_with_its_forms_and_times(batch):
    rows = {row["key"]["name"]: row for row in load(batch[0]).rows}
    assert rows.keys() == {"gemm", "trisolv"}
    gemm = rows["gemm"]
    assert gemm["status"] == "ok"
    assert "linalg.matmul" in gemm["targets"]["linalg"]["text"]
    assert gemm["targets"]["linalg"]["level"] == "tested-field"
    assert gemm["targets"]["linalg"]["assembly"]
    assert gemm["work"] == {"operations": 2 * 20 * 25 * 30 + 20 * 30 + 20 * 25, "traffic": 4 * (2 * 500 + 600 + 750)}
    for name in ("raise-mlir", "numpy", "jax"):
        assert gemm["programs"][name]["agreement"]["equal"], name
        assert len(gemm["programs"][name]["samples"]) == 1


def test_progress_and_summary_are_plain_lines_when_nobody_looks(batch):
    _, done = batch
    assert re.search(r"\[2/2, about 0 s left\] (gemm|trisolv) \(1 thread\)", done.stderr)
    assert "\x1b" not in done.stderr + done.stdout
    assert "MINI, f32, 1 thread: 2 kernels" in done.stdout


def test_going_on_with_a_record_measures_what_is_missing(batch, tmp_path, capsys):
    out = tmp_path / "record.json"
    record = load(batch[0])
    record.rows = [row for row in record.rows if row["key"]["name"] == "trisolv"]
    record.save(out)
    kept = record.rows[0]["programs"]["numpy"]["samples"]
    given = ["polybench", "--kernels", "gemm,trisolv", *QUICK, "--peers", "gcc-O3,numpy,jax", "--out", str(out)]
    assert main(given) == 2, "a record is not overwritten"
    assert main([*given, "--resume"]) == 0
    rows = {row["key"]["name"]: row for row in load(out).rows}
    assert rows.keys() == {"gemm", "trisolv"}
    assert rows["trisolv"]["programs"]["numpy"]["samples"] == kept
    capsys.readouterr()
    assert main([*given, "--resume", "--repeat", "2"]) == 2
    assert "other settings" in capsys.readouterr().err


def test_more_threads_start_from_the_row_of_one(tmp_path):
    out = tmp_path / "record.json"
    given = ["polybench", "--kernels", "mvt", *QUICK, "--peers", "gcc-O3,numpy", "--out", str(out)]
    assert main(given) == 0
    assert main([*given, "--resume", "--threads", "2,1"]) == 0
    one, two = load(out).rows
    assert [row["key"]["threads"] for row in (one, two)] == [1, 2]
    assert one["roofline"]["reading"] > 0 and "reading" not in two["roofline"]
    assert two["programs"]["gcc-O3"]["samples"] == one["programs"]["gcc-O3"]["samples"]
    assert two["programs"]["gcc-O3"]["measured_with_threads"] == 1
    for name in ("raise-mlir", "numpy"):
        assert two["programs"][name]["samples"]
        assert "measured_with_threads" not in two["programs"][name]  # two measurements may agree to the last digit
        assert two["programs"][name]["agreement"]["equal"]
    assert two["targets"]["linalg"]["level"] == one["targets"]["linalg"]["level"]
    assert "text" not in two["targets"]["linalg"]


def test_a_folder_of_files(tmp_path, capsys):
    own = tmp_path / "own"
    own.mkdir()
    (own / "scale.c").write_text(
        "void scale(float x[64], float y[64], float a) { for (int i = 0; i < 64; i++) y[i] = a * x[i]; }\n"
        "void copy(int n, float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] = x[i]; }\n"
    )
    (own / "twice.py").write_text(
        "from numpy import float32, zeros\n"
        "def twice(x: 'float32[N]'):\n"
        "    y = zeros(x.shape[0], float32)\n"
        "    for i in range(x.shape[0]):\n"
        "        y[i] = 2 * x[i]\n"
        "    return y\n"
    )
    (own / "broken.mlir").write_text("func.func @f(\n")
    out = tmp_path / "record.json"
    assert main([str(own), *QUICK, "--peers", "none", "--out", str(out)]) == 0
    rows = {row["key"]["name"]: row for row in load(out).rows}
    assert rows.keys() == {"scale.c:scale", "scale.c:copy", "twice.py:twice", "broken.mlir:"}
    assert rows["broken.mlir:"]["status"] == "failed"
    assert "broken.mlir:1:" in rows["broken.mlir:"]["reason"]
    for name in ("scale.c:scale", "scale.c:copy", "twice.py:twice"):
        assert rows[name]["programs"]["raise-mlir"]["agreement"]["equal"]
        assert rows[name]["programs"]["loops"]["samples"]
    assert "FAILED broken.mlir:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["polybench", "--kernels", "gem"], "unknown kernel 'gem'"),
        (["polybench", "--peers", "icc"], "unknown peer 'icc'"),
        (["polybench", "--target", "hlo"], "unknown target 'hlo'"),
        (["polybench", "--threads", "0"], "--threads takes numbers from 1"),
        (["polybench", "--executor", "slurm"], "is none of process"),
        (["nowhere"], "neither 'polybench' nor a folder"),
        (["report", "nothing.json"], "cannot be read: no such file"),
    ],
)
def test_mistakes_are_one_line(given, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(given) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def _job(folder, **settings):
    task = Task("f", "", "", "f", "MINI", "f32", (1,), (), (), "none", 5, 0.02, 1.0, **settings)
    return Job(task, 1, folder)


def test_a_program_that_takes_too_long_is_given_up(tmp_path):
    def forever():
        while True:
            pass

    endless = replace(functional(forever, ()), stoppable=True)
    with pytest.raises(Skipped, match="takes more than 0.1 s"):
        first_run(endless, Reference({}, {}), _job(tmp_path, patience=0.1), lambda: None)


def test_what_fails_elsewhere_does_not_run_here(tmp_path):
    def ends_the_process(limit):
        raise CallError(f"f was ended within {limit} s")

    fatal = replace(functional(lambda: os.abort(), ()), rehearse=ends_the_process)
    with pytest.raises(CallError, match="ended within 60.0 s"):
        first_run(fatal, Reference({}, {}), _job(tmp_path), lambda: None)


def test_what_cannot_be_optimised_in_time_stays_as_it_was(monkeypatch):
    def too_late(*_, **__):
        raise EngineError("the program alone takes more than 5 s")

    monkeypatch.setattr("raising.polybench.measure.raised.optimise_module", too_late)
    task = Task("mvt", "mvt", "", "kernel_mvt", "MINI", "f32", (1,), ("linalg",), (), "none", 0, 1.0, 60.0)
    found = raised(read(task).subject, "linalg", task)
    assert found["optimised"] == found["text"]
    assert "takes more than 5 s" in found["not_optimised"]


def test_a_slow_first_run_is_the_sample_there_is(tmp_path):
    runs = []

    def slow():
        runs.append(0)
        time.sleep(0.03)
        return {"x": np.ones(1)}

    program, reference = functional(slow, ("x",)), Reference({"x": np.ones(1)}, {"x": np.zeros(1)})
    checked = first_run(program, reference, _job(tmp_path), lambda: None)
    assert checked.agreement.equal
    assert checked.seconds > 0.02
    there = first_run(program, reference, _job(tmp_path), lambda: None, Trial(3.0, {"x": np.zeros(1)}))
    assert len(runs) == 1, "a slow program that was tried elsewhere does not run here"
    assert there.seconds == 3.0
    assert not there.agreement.equal


@pytest.mark.parametrize("name", ["numba", "jax", "scipy-blas", "enzyme"])
def test_what_is_not_installed_is_no_peer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(Skipped, match="is not installed"):
        peers()[name].version()
