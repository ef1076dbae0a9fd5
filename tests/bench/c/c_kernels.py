"""PolyBench's kernels from C, beside gcc and beside their MLIR twins: `python -m tests.bench.c.c_kernels [NAME ...]`.

Writes `results/c-kernels.json`: per kernel whether the affine form computes the same bits as
`gcc -O1 -ffp-contract=off` at MINI and SMALL, in both precisions, on three random inputs; how long
the front end takes; and what raising makes of it at LARGE, beside what it makes of the twin.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from raising.pipeline import RaiseOptions, raise_module
from raising.polybench import Kernel, kernels
from raising.support.isolate import Failed, run_isolated
from tests.bench.record import write
from tests.c.beside import Beside
from tests.c.gcc import Library
from tests.c.reading import read
from tests.c.twins import twin
from tests.raising.algebra import kinds, loops

COMMAND = "python -m tests.bench.c.c_kernels"
SEEDS = (1, 2, 3)
TIMEOUT = 120.0


def equal(kernel: Kernel) -> dict[str, Any]:
    """Per dataset and dtype: `equal`, or the first difference."""
    found = {}
    for dataset in ("MINI", "SMALL"):
        for dtype in kernel.dtypes:
            defines = kernel.defines(dataset, dtype)
            both = Beside(Library(kernel.path, defines), read(kernel.path, defines).mlir, kernel.function)
            inputs = [list(kernel.inputs(dataset, dtype, seed).values()) for seed in SEEDS]
            differences = [difference for values in inputs if (difference := both.difference(values))]
            found[f"{dataset} {dtype}"] = differences[0] if differences else "equal"
    return {"equals_gcc": found}


def converted(kernel: Kernel) -> dict[str, Any]:
    """Milliseconds to preprocess, parse and convert, the best of five; what was assumed and refused."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        module = read(kernel.path, kernel.defines("LARGE", "f64"))
        times.append(time.perf_counter() - started)
    return {
        "milliseconds": round(1000 * min(times), 1),
        "assumptions": [a.reason for a in module.assumptions],
        "refused": [str(r) for r in module.refused],
    }


def raised(text: str) -> dict[str, Any]:
    """What raising finds: the loops that stay, and the kinds of operations."""
    started = time.perf_counter()
    result = raise_module(text, options=RaiseOptions(check="field", timeout=TIMEOUT))
    return {
        "loops_left": len(loops(result.text)),
        "algebra": dict(sorted(kinds(result.text).items())),
        "seconds": round(time.perf_counter() - started, 2),
    }


def measured(kernel: Kernel) -> dict[str, Any]:
    """One kernel; each step in a process of its own."""
    row: dict[str, Any] = {"kernel": kernel.name}
    row |= _apart(lambda: equal(kernel)) | _apart(lambda: converted(kernel))
    row["from_c"] = _apart(lambda: raised(read(kernel.path, kernel.defines("LARGE", "f64")).mlir))
    row["twin"] = _apart(lambda: raised(twin(kernel, "LARGE", "f64")))
    row["as_well_as_twin"] = _as_well(row["from_c"], row["twin"])
    return row


def _apart(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    outcome = run_isolated(work, timeout=2 * TIMEOUT, extra_bytes=8 << 30)
    return {"failed": outcome.reason} if isinstance(outcome, Failed) else outcome.value


def _as_well(from_c: dict[str, Any], from_twin: dict[str, Any]) -> bool:
    """No more loops stay. What the operations are is in the record: scalar factors may be spelt in other ways."""
    if "failed" in from_c or "failed" in from_twin:
        return False
    return bool(from_c["loops_left"] <= from_twin["loops_left"])


def _all_equal(row: dict[str, Any]) -> bool:
    return set(row.get("equals_gcc", {"": "failed"}).values()) == {"equal"}


def main(names: list[str]) -> None:
    """Measure and write the record; with names, only print those."""
    rows = []
    for kernel in kernels().values():
        if not names or kernel.name in names:
            row = measured(kernel)
            rows.append(row)
            equals = "equal" if _all_equal(row) else f"DIFFERS {row.get('equals_gcc')} {row.get('failed')}"
            well = "as the twin" if row["as_well_as_twin"] else f"OTHERWISE THAN {row['twin']}"
            print(f"{kernel.name:16} {equals}; {row['from_c']}: {well}", flush=True)
    if names:
        return
    summary = {
        "kernels": len(rows),
        "equal_to_gcc": sum(map(_all_equal, rows)),
        "raised_as_well_as_twin": sum(row["as_well_as_twin"] for row in rows),
        "raised_whole": sum(row["from_c"].get("loops_left") == 0 for row in rows),
        "slowest_milliseconds": max(row.get("milliseconds", 0.0) for row in rows),
    }
    print(write("c-kernels", COMMAND, rows, summary))


if __name__ == "__main__":
    main(sys.argv[1:])
