"""A first run on XLA where it can be ended: `python -m raising.polybench.measure.trial`, with JSON on standard input.

Nothing stops XLA once it runs: a loop of a billion small steps would hold up the whole row. So a program with loops is
run once in a process of its own. Of a slow program this is the only run: its results and its time are taken.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from raising.polybench.peers import Skipped
from raising.polybench.peers.timing import OnXla, flusher
from raising.polybench.records.task import Job, job_from_json
from raising.polybench.suite.values import Array
from raising.support.record import dataclass

COMPILING = 60.0
"""Seconds that starting, compiling and making inputs may take on top."""
TOO_SLOW = 75
"""The exit status of a run that was ended because it took too long."""


@dataclass(frozen=True)
class Trial:
    """The seconds of the first run, and its results by name."""

    seconds: float
    results: Mapping[str, Array]


def tried(form: OnXla, job: Job) -> Trial | None:
    """Run a function with loops elsewhere; None if it has none, `Skipped` if it fails or takes too long."""
    if "stablehlo.while" not in form.text:
        return None
    limit, out = job.task.patience, job.folder / "trial.npz"
    given = json.dumps({"job": job.as_json(), "text": form.text, "out": str(out)})
    command = [sys.executable, "-m", "raising.polybench.measure.trial"]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, check=False, timeout=COMPILING + limit
        )
    except subprocess.TimeoutExpired:
        raise Skipped(f"takes more than {COMPILING + limit:g} s to compile and run on XLA") from None
    if done.returncode == TOO_SLOW:
        raise Skipped(f"takes more than {limit:g} s on XLA")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["nothing was said"]
        raise Skipped(f"a first run on XLA ended with status {done.returncode}: {last[0][:200]}")
    with np.load(out) as found:
        seconds, results = float(found["seconds"]), [found[f"r{k}"] for k in range(len(found.files) - 1)]
    return Trial(seconds, form.named(results))


def main() -> None:
    """Compile and run what standard input holds."""
    from raising.compile_module import compile_module
    from raising.polybench.measure.subjects import read
    from raising.support.fork import end_with_parent

    end_with_parent()
    given: dict[str, Any] = json.load(sys.stdin)
    task = job_from_json(given["job"]).task
    subject = read(task).subject
    run = compile_module(given["text"], backend="xla")[subject.function]
    arguments = [np.asarray(value) for value in subject.values.values()]
    flusher()()
    late = threading.Timer(task.patience, os._exit, (TOO_SLOW,))
    late.daemon = True
    late.start()
    started = time.perf_counter()
    results = run(*arguments)
    seconds = time.perf_counter() - started
    late.cancel()
    arrays = results if isinstance(results, tuple) else (results,)
    np.savez(given["out"], seconds=np.float64(seconds), **{f"r{k}": array for k, array in enumerate(arrays)})


if __name__ == "__main__":
    main()
