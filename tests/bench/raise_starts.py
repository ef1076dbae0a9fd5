"""Whole processes of `raise` for small functions, beside importing what it needs: `python -m tests.bench.raise_starts`.

Writes `results/raise-starts.json`. The functions are the first two in C of each class of `tests/inputs/loops`; each is
raised cold (`--no-cache`: with its proof and native run) and from the cache, in turn with
`python -c "import mlir.ir, numpy, islpy"`. The ratios are of medians, by that import's.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.bench.loops.corpus import HEADERS, functions
from tests.bench.record import write

COMMAND = "python -m tests.bench.raise_starts"
RUNS = 3
IMPORT = [sys.executable, "-c", "import mlir.ir, numpy, islpy"]


def seconds(command: list[str], cache: str) -> float:
    """The clock seconds of a process."""
    started = time.perf_counter()
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, check=True, env=os.environ | {"RAISE_CACHE": cache}, **quiet)
    return time.perf_counter() - started


def row(path: Path, cache: str) -> dict[str, Any]:
    """One function: the medians of its two ways and of the import, in turn."""
    command = [sys.executable, "-m", "raising.commands.raise_command", str(path)]
    seconds(command, cache)  # fills the cache
    ways = {"import": IMPORT, "cold": [*command, "--no-cache"], "kept": command}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(RUNS):
        for name, way in ways.items():
            taken[name].append(seconds(way, cache))
    medians = {name: statistics.median(each) for name, each in taken.items()}
    ratios = {f"{name} ratio": round(medians[name] / medians["import"], 2) for name in ("cold", "kept")}
    return {"function": path.stem} | {f"{name} seconds": round(v, 3) for name, v in medians.items()} | ratios


def main() -> int:
    """Measure, and write the record."""
    chosen = [f for f in functions([]) if f.path.suffix == ".c"]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for _, each in groupby(chosen, key=lambda f: f.kind):
            for function in list(each)[:2]:
                path = Path(folder) / f"{function.name}.c"
                path.write_text(HEADERS + function.text)
                rows.append(row(path, folder))
                print(rows[-1], flush=True)
    summary: dict[str, Any] = {"functions": len(rows), "runs": RUNS}
    for way in ("cold", "kept"):
        found = [r[f"{way} ratio"] for r in rows]
        mean = math.exp(statistics.fmean(map(math.log, found)))
        summary[f"{way} by import"] = {"geometric mean": round(mean, 2), "largest": max(found)}
    write("raise-starts", COMMAND, rows, summary)
    print(summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
