"""How long the command takes from a cold start: `python -m tests.bench.cli_times` writes results/cli-times.json."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Any

from tests.bench.record import ROOT, write

RAISE = [sys.executable, "-m", "raising.commands.raise_command"]
RUNS = 11
NAIVE = ["--no-guide", "--no-oe", "--no-types", "--no-backward"]
CASES: dict[str, tuple[list[str], float]] = {
    "help": (["--help"], 0.3),
    "gemm": (["examples/gemm.mlir", "--no-cache"], 3.0),
    "gemm without the native run": (["examples/gemm.mlir", "--no-cache", "--check", "field"], 3.0),
    "a search that does not end": (["tests/kernels/syr2k.mlir", *NAIVE, "--no-cache", "--timeout", "1"], 2.0),
    "gemm again": (["examples/gemm.mlir"], 0.3),
}
"""Arguments, and the seconds that the program promises."""


def main() -> int:
    """Measure every case and write the medians; 1 if one is over its promise."""
    rows = [_measured(name, *case) for name, case in CASES.items()]
    summary = {row["case"]: row["median_seconds"] for row in rows}
    print(write("cli-times", "python -m tests.bench.cli_times", rows, summary))
    print(*(f"{row['case']}: {row['median_seconds']} s of {row['target_seconds']} s" for row in rows), sep="\n")
    return int(any(row["median_seconds"] > row["target_seconds"] for row in rows))


def _measured(name: str, arguments: list[str], target: float) -> dict[str, Any]:
    seconds = [_once(arguments) for _ in range(RUNS)]
    return {
        "case": name,
        "command": " ".join(["raise", *arguments]),
        "target_seconds": target,
        "median_seconds": round(statistics.median(seconds), 3),
        "slowest_seconds": round(max(seconds), 3),
        "runs": RUNS,
    }


def _once(arguments: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run([*RAISE, *arguments], cwd=ROOT, capture_output=True, check=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
