"""Raises the kernels at LARGE sizes and runs them beside their loops.

`python -m tests.bench.raising.raise_times [TARGET]` writes `results/raise-TARGET.json`: per kernel the
seconds of search and of the whole, what was enumerated, the operations found, the verdict, and the
relative error at full size; for StableHLO also that of XLA on the CPU, and its time.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from typing import Any

from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import describe, evidence
from tests.bench.native.xla import beside_the_loops
from tests.bench.record import write
from tests.kernels import ISSUE_KERNELS, SEQUENTIAL, kernel
from tests.raising.algebra import kinds

LATER = ("correlation", "symm", "syr2k", "trmm")
COMMAND = "python -m tests.bench.raising.raise_times"


def measured(name: str, target: str) -> dict[str, Any]:
    """One kernel, raised and checked natively at full size."""
    text = kernel(name)
    started = time.perf_counter()
    raise_module(text, options=RaiseOptions(target=target, check="field", cache=False))
    alone = time.perf_counter() - started
    result = raise_module(text, options=RaiseOptions(target=target, check="full", timeout=600, cache=False))
    (report,) = result.functions
    stats = [part.stats for part in report.parts]
    found = evidence(report.verdict)
    native = found.native if found else None
    return {
        "kernel": name,
        "search_seconds": round(sum(s.seconds for s in stats), 3),
        "raise_seconds": round(alone, 3),
        "enumerated": sum(s.enumerated for s in stats),
        "static_filtered": sum(s.static_filtered for s in stats),
        "evaluated": sum(s.evaluated for s in stats),
        "equivalence_filtered": sum(s.equivalence_filtered for s in stats),
        "goals": sum(s.goals for s in stats),
        "operations": report.operations,
        "largest_part": max((part.operations for part in report.parts), default=0),
        "algebra": kinds(result.text) if target == "linalg" else _counted(result.text, target),
        "loops_left": report.kept,
        "loops_in_sequence": report.sequential,
        "verdict": describe(report.verdict) if report.verdict is not None else "kept",
        "relative_error": native.relative_error if native else None,
        "seconds_loops": round(native.seconds_source, 4) if native else None,
        "seconds_raised": round(native.seconds_target, 4) if native else None,
    } | (_on_xla(name, text, result.text) if target == "stablehlo" and result.complete else {})


def _on_xla(name: str, loops: str, raised: str) -> dict[str, Any]:
    """How far XLA's results are from those of the loops, and how long it takes."""
    found = beside_the_loops(name, loops, raised)
    return {"xla_relative_error": found.error, "seconds_xla": round(found.seconds, 4)}


def _counted(text: str, target: str) -> dict[str, int]:
    """How often each operation of the target occurs."""
    return dict(sorted(Counter(re.findall(rf"\b{target}\.\w+", text)).items()))


def main(target: str = "linalg") -> None:
    """Measure all kernels and write the record."""
    rows = []
    for name in (*ISSUE_KERNELS, *LATER, *SEQUENTIAL):
        rows.append(measured(name, target))
        row = rows[-1]
        print(f"{name:12} search {row['search_seconds']:6.2f} s  whole {row['raise_seconds']:6.2f} s  {row['verdict']}")
    summary = {
        "raised_whole": sum(not r["loops_left"] for r in rows),
        "without_loops": sum(not r["loops_left"] and not r["loops_in_sequence"] for r in rows),
        "kernels": len(rows),
        "slowest_search_seconds": max(r["search_seconds"] for r in rows),
        "largest_relative_error": max(
            (r["relative_error"] for r in rows if r["relative_error"] is not None), default=None
        ),
        "largest_xla_relative_error": max(
            (r["xla_relative_error"] for r in rows if "xla_relative_error" in r), default=None
        ),
        "run_natively": sum(r["relative_error"] is not None for r in rows),
    }
    print(write(f"raise-{target}", f"{COMMAND} {target}", rows, summary))


if __name__ == "__main__":
    main(*sys.argv[1:2])
