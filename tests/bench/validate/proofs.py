"""Proves raised kernels equal to their loops for all sizes.

`python -m tests.bench.validate.proofs [TARGET …]` raises every PolyBench kernel at LARGE sizes (not timed), compares
the module that `raise` prints with the source, as `raise-check` does, and writes `results/proofs.json`: the verdict and
the seconds of the whole check, and the processor seconds of reading both and of the proof alone.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.unreadable import Unreadable
from raising.validate.base.verdict import describe, level
from raising.validate.check import CheckOptions, check
from raising.validate.proof.in_bounds import check_inbounds
from raising.validate.proof.proof import prove
from raising.validate.reading.pair import Assumptions, generalised, read_pair
from tests.bench.record import write
from tests.kernels import EVERY, kernel
from tests.kernels.sources import SOURCES

COMMAND = "python -m tests.bench.validate.proofs"
TARGETS = ("linalg", "stablehlo")
TIMEOUT = 60.0


def measured(name: str, target: str) -> dict[str, Any] | None:
    """One kernel; None if nothing of it is raised to the target."""
    source = kernel(name)
    result = raise_module(source, options=RaiseOptions(target=target, check="field"))
    if not any(f.changed for f in result.functions):
        return None
    started = time.perf_counter()
    verdict = check(source, result.text, CheckOptions(level="bounded", timeout=TIMEOUT))
    whole = time.perf_counter() - started
    reading, proving = _parts(source, result.text)
    return {
        "kernel": name,
        "target": target,
        "raised_whole": result.complete,
        "level": level(verdict),
        "verdict": describe(verdict),
        "check_seconds": round(whole, 3),
        "read_cpu_seconds": reading,
        "proof_cpu_seconds": proving,
    }


def _parts(source: str, target: str) -> tuple[float | None, float | None]:
    """Processor seconds of reading and of proving, in this process."""
    started = time.process_time()
    try:
        pair = generalised(read_pair(source, target))
    except Unreadable:
        return None, None
    read = time.process_time()
    prove(pair, Assumptions(), check_inbounds(pair).context)
    return round(read - started, 3), round(time.process_time() - read, 3)


def main(*wanted: str) -> None:
    """Measure all kernels and write the record."""
    rows = []
    for name in EVERY:
        for target in wanted or TARGETS:
            row = measured(name, target)
            if row is not None:
                rows.append(row)
                print(f"{name:15} {target:10} {row['check_seconds']:6.2f} s  {row['verdict'][:120]}", flush=True)
    print(write("proofs", COMMAND, rows, _summary(rows)))


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    closed = [r for r in rows if r["kernel"] in SOURCES]
    summary: dict[str, Any] = {"compared": len(rows)}
    summary["proved_all_sizes"] = sum(r["level"] == "proved-all-sizes" for r in rows)
    for target in sorted({r["target"] for r in rows}):
        own = [r for r in closed if r["target"] == target]
        summary[f"{target}: first fifteen proved"] = sum(r["level"] == "proved-all-sizes" for r in own)
        for part in ("check_seconds", "proof_cpu_seconds"):
            summary[f"{target}: first fifteen, {part}"] = round(sum(r[part] or 0.0 for r in own), 2)
    return summary


if __name__ == "__main__":
    main(*sys.argv[1:])
