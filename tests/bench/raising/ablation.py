"""What each part of the search is worth: `python -m tests.bench.raising.ablation [SECONDS [KERNEL ...]]`.

Raises five kernels with each switch off by itself, and with all of them off, and writes
`results/ablation.json` and `.md`. Every run is a process of its own; SECONDS bounds the naive runs
(default 600), a tenth of it the others. What finds nothing within the bounds that the command has
runs again with bounds that only memory and SECONDS set, and says why if that finds nothing either.
With kernels named, the rows of the others stay as they are.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import replace
from functools import partial
from typing import Any

from raising.api.options import RaiseOptions
from raising.api.result import RaiseResult
from raising.pipeline import raise_module
from raising.support.isolate import Failed, run_isolated
from raising.synth.search_options import EVERY, NAIVE, Options
from tests.bench.record import ROOT, write
from tests.kernels import kernel

KERNELS = ("gemm", "syrk", "syr2k", "symm", "correlation")
COMMAND = "python -m tests.bench.raising.ablation"
MEMORY = 4 << 30
WIDE = {"max_values": 600_000, "max_candidates": 10**12, "max_work": 10**15, "max_computed": 10**15}
"""Bounds that leave it to time and memory to end a search."""

SEARCHED = EVERY - {"composites"}  # what takes the loops' own body when the search has failed is no search
WHOLE = Options(guides=SEARCHED)
OFF = {
    "all on": WHOLE,
    **{f"no {name}": replace(WHOLE, guides=SEARCHED - {name}) for name in sorted(SEARCHED)},
    "no guide": replace(WHOLE, guides=frozenset()),
    "no equivalence": replace(WHOLE, equivalence=False),
    "no types": replace(WHOLE, types=False),
    "no backward": replace(WHOLE, backward=False),
    "naive": NAIVE,
}
COUNTS = ("enumerated", "static_filtered", "evaluated", "equivalence_filtered")


def measured(name: str, options: Options, seconds: float) -> dict[str, Any]:
    """One kernel with these switches, as a row."""
    started = time.process_time()
    given = replace(options, timeout=seconds)
    result = raise_module(kernel(name), options=RaiseOptions(check="field", timeout=seconds, search=given, cache=False))
    took = time.process_time() - started
    (report,) = result.functions
    stats = [part.stats for part in report.parts]
    return {
        "raised": not report.kept,
        "cpu_seconds": round(took, 3),
        **{key: sum(getattr(s, key) for s in stats) for key in COUNTS},
        "operations": report.operations,
        "largest_part": max((part.operations for part in report.parts), default=0),
        "parts_found": sum(part.found is not None for part in report.parts),
        "parts": len(report.parts),
        "reason": next((part.reason for part in report.parts if part.found is None), "") or _why(result),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def _why(result: RaiseResult) -> str:
    """Why a loop stays where no part says so: an error of the program, out of memory for one."""
    return next((r.why for r in result.remarks if r.kind == "kept"), "")


def row(name: str, label: str, options: Options, seconds: float) -> dict[str, Any]:
    """The same as a row; once more with wide bounds if nothing was found."""
    found = _isolated(name, label, options, seconds)
    if not found["raised"] and "bound on candidates" in found["reason"]:
        found = _isolated(name, label, replace(options, **WIDE), seconds)  # type: ignore[arg-type]
        found["wide_bounds"] = True
    return found


def _isolated(name: str, label: str, options: Options, seconds: float) -> dict[str, Any]:
    found = run_isolated(partial(measured, name, options, seconds), timeout=seconds + 30, extra_bytes=MEMORY)
    head = {"kernel": name, "switch": label, "cap_seconds": seconds}
    if isinstance(found, Failed):
        return {**head, "raised": False, "cpu_seconds": seconds, "reason": found.reason}
    return {**head, **found.value}


def main(naive_seconds: float = 600.0, kernels: tuple[str, ...] = KERNELS) -> None:
    """Measure and write the record and the table."""
    record = ROOT / "results" / "ablation.json"
    kept = json.loads(record.read_text())["rows"] if len(kernels) < len(KERNELS) else []
    rows = [r for r in kept if r["kernel"] not in kernels]
    for name in kernels:
        for label, options in OFF.items():
            seconds = naive_seconds if label == "naive" else naive_seconds / 10
            rows.append(row(name, label, options, seconds))
            print(f"{name:12} {label:15} {_shown(rows[-1])}", flush=True)
    rows.sort(key=lambda r: KERNELS.index(r["kernel"]))
    (ROOT / "results" / "ablation.md").write_text(table(rows))
    base = {r["kernel"]: r["cpu_seconds"] for r in rows if r["switch"] == "all on"}
    summary = {
        "naive_ratio_at_least": {
            r["kernel"]: round(r["cpu_seconds"] / base[r["kernel"]], 1) for r in rows if r["switch"] == "naive"
        },
        "naive_raised": sorted(r["kernel"] for r in rows if r["switch"] == "naive" and r["raised"]),
    }
    print(write("ablation", f"{COMMAND} {naive_seconds:g}", rows, summary))


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a table: kernels down, switches across."""
    labels = list(OFF)
    lines = ["| kernel | " + " | ".join(labels) + " |", "|---|" + "---|" * len(labels)]
    for name in KERNELS:
        cells = [_shown(r) for label in labels for r in rows if (r["kernel"], r["switch"]) == (name, label)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    head = (
        "Processor seconds (candidates enumerated) to raise a kernel with one part off; `naive` has all off.\n"
        f"`>`: not found in that time, or the bound on memory was reached. Made by `{COMMAND}`.\n\n"
    )
    return head + "\n".join(lines) + "\n"


def _shown(found: dict[str, Any]) -> str:
    mark = "" if found["raised"] else "> "
    return f"{mark}{found['cpu_seconds']:.2f} ({found.get('enumerated', 0):,})"


if __name__ == "__main__":
    main(float(sys.argv[1]) if sys.argv[1:] else 600.0, tuple(sys.argv[2:]) or KERNELS)
