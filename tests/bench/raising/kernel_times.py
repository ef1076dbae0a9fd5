"""The fifteen kernels at LARGE sizes, each by a process of its own: `python -m tests.bench.raising.kernel_times`.

Writes `results/kernel-times.json`: seconds and peak memory of the whole command, cold (nothing of an
earlier run is used but the compiled loops, and Python's bytecode as an installation has it) with each level
of checks, and warm (the same again from the cache). Processor seconds stand beside the clock's; on a machine
as busy as `load_average` says, only they tell.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from raising.grammar.field.loaded_kernels import load
from raising.support.cache import folder
from tests.bench.record import ROOT, write
from tests.kernels import ISSUE_KERNELS

KERNELS = (*ISSUE_KERNELS, "correlation", "symm", "syr2k", "trmm")
CHECKS = ("field", "proof", "native")
TARGETS = {"cold_each": 2.0, "cold_sum": 15.0, "warm_each": 0.3, "peak_mib": 2048}
COMMAND = "python -m tests.bench.raising.kernel_times"
RUNS = 3


def main() -> None:
    """Measure and write the record."""
    assert load() is not None
    _run(KERNELS[0], "native", None)
    rows = []
    for name in KERNELS:
        rows.append(measured(name))
        shown = {k: v for k, v in rows[-1].items() if k.endswith("_seconds")}
        print(f"{name:12} {shown}", flush=True)
    summary: dict[str, Any] = {"targets": TARGETS}
    for way in (*(f"cold_{check}" for check in CHECKS), "warm"):
        for clock in ("seconds", "cpu_seconds"):
            values = [row[f"{way}_{clock}"] for row in rows]
            summary[f"{way}_{clock}"] = {"sum": round(sum(values), 2), "slowest": max(values)}
    summary["load_average"] = round(os.getloadavg()[1], 1)
    summary["peak_mib"] = max(row["peak_mib"] for row in rows)
    print(write("kernel-times", COMMAND, rows, summary))


def measured(name: str) -> dict[str, Any]:
    """One kernel as a row; of several runs the fastest counts."""
    row: dict[str, Any] = {"kernel": name}
    peak = 0
    for check in CHECKS:
        found = [_run(name, check, None) for _ in range(RUNS)]
        row |= _fastest(f"cold_{check}", found)
        peak = max(peak, *(f[2] for f in found))
    with tempfile.TemporaryDirectory() as kept:
        (Path(kept) / "kernels").symlink_to(folder() / "kernels")
        _run(name, "native", kept)
        row |= _fastest("warm", [_run(name, "native", kept) for _ in range(RUNS)])
    return {**row, "peak_mib": peak}


def _fastest(way: str, found: list[tuple[float, float, int]]) -> dict[str, float]:
    wall, cpu, _ = (min(column) for column in zip(*found, strict=True))
    return {f"{way}_seconds": round(wall, 3), f"{way}_cpu_seconds": round(cpu, 3)}


def _run(name: str, check: str, kept: str | None) -> tuple[float, float, int]:
    """Seconds on the clock, seconds of the processor, and the peak memory of the largest process in MiB."""
    file = ROOT / "tests" / "kernels" / f"{name}.mlir"
    command = [sys.executable, "-m", "raising.commands.raise_command", str(file), "--check", check, "--require-all"]
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(folder() / "bytecode")}
    environment |= {"RAISE_CACHE": kept} if kept else {}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, *([] if kept else ["--no-cache"])],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{name} was not raised whole with --check {check}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10


if __name__ == "__main__":
    main()
