"""Raising the 30 kernels beside another installation: `python -m tests.bench.raising.against OTHER/bin/raise [RUNS]`.

Writes `results/against.json`: processor and clock seconds of whole processes, cold, with the default checks (the proof
and a native run among them), the two installations in turn. The ratio is this one's seconds by the other's, by medians.
"""

from __future__ import annotations

import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.record import ROOT, write

COMMAND = "python -m tests.bench.raising.against OTHER/bin/raise"
KERNELS = sorted((ROOT / "tests" / "kernels").glob("*.mlir"))


def seconds(command: list[str], cache: str) -> tuple[float, float]:
    """Processor and clock seconds of a process with its children, which keeps what it keeps in a folder."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, check=True, env=os.environ | {"RAISE_CACHE": cache}, **quiet)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def row(path: Path, ways: dict[str, list[str]], runs: int, cache: Path) -> dict[str, Any]:
    """One kernel, measured in turn."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, command in ways.items():
            found[name].append(seconds([*command, "--no-cache", str(path)], str(cache / name)))
    made: dict[str, Any] = {"kernel": path.stem}
    for k, clock in enumerate(("processor", "clock")):
        medians = {name: statistics.median(each[k] for each in times) for name, times in found.items()}
        made |= {f"{name} {clock} seconds": round(value, 2) for name, value in medians.items()}
        made[f"{clock} ratio"] = round(medians["this"] / medians["other"], 3)
    return made


def main() -> int:
    """Measure all kernels, and write the record."""
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    ways = {"other": [sys.argv[1]], "this": [sys.executable, "-m", "raising.commands.raise_command"]}
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        row(KERNELS[0], ways, 1, Path(cache))  # compiles the loops of the search
        for path in KERNELS:
            rows.append(row(path, ways, runs, Path(cache)))
            print(rows[-1], flush=True)
    summary: dict[str, Any] = {"runs": runs, "kernels": len(rows)}
    for clock in ("processor", "clock"):
        ratios = [r[f"{clock} ratio"] for r in rows]
        summary[f"{clock} ratio"] = {
            "geometric mean": round(math.exp(sum(map(math.log, ratios)) / len(ratios)), 3),
            "largest": max(ratios),
            "above 1.15": sum(r > 1.15 for r in ratios),
        }
    print(write("against", COMMAND, rows, summary), summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
