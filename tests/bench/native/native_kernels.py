"""The kernels as raised and compiled, beside their C by gcc: one core, cold caches, samples in turns.

`python -m tests.bench.native.native_kernels [--kernels NAME ...] [--dtypes f32 f64] [--dataset LARGE]` writes
`results/native-kernels.json`. Each kernel has a process of its own; outputs are compared before times count.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

from raising.polybench import Kernel, kernels
from raising.polybench.peers.c_compiler import CompilerError, compiled, compiler
from raising.polybench.peers.timing import Program, in_place, interleaved
from tests.bench.record import write

COMMAND = "python -m tests.bench.native.native_kernels"
PEERS = {"gcc": ("-O3", "-march=native"), "gcc-fast": ("-O3", "-march=native", "-ffast-math")}
REPEAT, BUDGET, TIMEOUT = 7, 20.0, 900.0
TOLERANCE = {"f64": 1e-9, "f32": 2e-3, "i32": 0.0}
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}


def raised(kernel: Kernel, dataset: str, dtype: str) -> str:
    """The kernel's C as linalg, by the command."""
    defines = [part for name, value in kernel.defines(dataset, dtype).items() for part in ("-D", f"{name}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "raised.mlir"
        command = [
            sys.executable,
            "-m",
            "raising.commands.raise_command",
            str(kernel.path),
            *defines,
            "--check",
            "proof",
            "-o",
            str(out),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT)
        return out.read_text()


def programs(kernel: Kernel, dataset: str, dtype: str, text: str) -> dict[str, Program]:
    """What is compared, by name; the first is ours."""
    from raising.compile_module import compile_module

    values: Any = kernel.inputs(dataset, dtype)
    found = {"raise": in_place(compile_module(text), values, kernel.live_out)}
    for name, flags in PEERS.items():
        try:
            call = compiled(kernel.path, kernel.function, compiler("gcc"), flags, kernel.defines(dataset, dtype))
        except CompilerError:
            continue
        found[name] = in_place(call, values, kernel.live_out)
    return found


def difference(ours: Program, theirs: Program) -> float:
    """The largest difference of an output, relative to its largest element."""
    worst = 0.0
    for name, value in ours.results().items():
        other = np.asarray(theirs.results()[name], np.float64)
        scale = max(float(np.max(np.abs(other), initial=0)), 1e-30)
        worst = max(worst, float(np.max(np.abs(other - value), initial=0)) / scale)
    return worst


def measure(name: str, dataset: str, dtype: str, text: str | None = None) -> dict[str, Any]:
    """One kernel: seconds of each program, and how far our result is from that of gcc."""
    kernel = kernels()[name]
    found = programs(kernel, dataset, dtype, text or raised(kernel, dataset, dtype))
    times = interleaved(found, REPEAT, BUDGET)
    error = difference(found["raise"], found["gcc"]) if "gcc" in found else None
    row = {"kernel": name, "dtype": dtype, "dataset": dataset, "relative_error": error}
    row |= {f"{each}_ms": round(time.best * 1e3, 4) for each, time in times.items()}
    row |= {f"{each}_median_ms": round(time.median * 1e3, 4) for each, time in times.items()}
    return row | {"agrees": error is not None and error <= TOLERANCE[dtype]}


def _in_process(name: str, dataset: str, dtype: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.native.native_kernels", "--one", name, dataset, dtype]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=TIMEOUT, env=os.environ | ONE_THREAD
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        return {"kernel": name, "dtype": dtype, "dataset": dataset, "agrees": False, "failed": last}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _speedups(rows: list[dict[str, Any]], peer: str) -> float | None:
    ratios = [row[f"{peer}_ms"] / row["raise_ms"] for row in rows if row["agrees"] and f"{peer}_ms" in row]
    return round(geometric_mean(ratios), 3) if ratios else None


def main(arguments: list[str]) -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(prog=COMMAND)
    parser.add_argument("--kernels", nargs="*", default=list(kernels()))
    parser.add_argument("--dtypes", nargs="*", default=["f32", "f64", "i32"])
    parser.add_argument("--dataset", default="LARGE")
    parser.add_argument("--one", nargs=3)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(measure(*options.one)))
        return
    rows = []
    for name in options.kernels:
        for dtype in (each for each in kernels()[name].dtypes if each in options.dtypes):
            rows.append(_in_process(name, options.dataset, dtype))
            print(json.dumps(rows[-1]), flush=True)
    summary = {f"geomean_over_{peer}": _speedups(rows, peer) for peer in PEERS}
    summary["disagree"] = [f"{row['kernel']} {row['dtype']}" for row in rows if not row["agrees"]]
    write("native-kernels", COMMAND, rows, summary)
    print(summary)


if __name__ == "__main__":
    main(sys.argv[1:])
