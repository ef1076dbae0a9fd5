"""Raises every variant of the kernels, LARGE and small: `python -m tests.bench.raising.variants`.

Writes `results/variants-linalg.json`: per variant whether it was raised whole, what was found, and
whether it computes what the oracle says at small sizes.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from raising.support.isolate import Failed, run_isolated
from tests.bench.record import write
from tests.kernels import ISSUE_KERNELS
from tests.raising.algebra import kinds, loops
from tests.raising.running import SQUARE, kept, medium, raised, wrong
from tests.variants import Variant, variants_of

COMMAND = "python -m tests.bench.raising.variants"


def large(variant: Variant) -> dict[str, Any]:
    """What is found at LARGE sizes."""
    started = time.perf_counter()
    result = raised(variant.text)
    return {
        "whole": not loops(result.text),
        "seconds": round(time.perf_counter() - started, 3),
        "algebra": kinds(result.text),
        "kept": kept(result),
    }


def small(variant: Variant) -> dict[str, Any]:
    """Whether what is found at small sizes is right."""
    result = raised(variant.text)
    return {"whole_small": not loops(result.text), "wrong": wrong(variant, result.text)}


def measured(at_large: Variant, at_small: Variant) -> dict[str, Any]:
    """One variant; each step in a process of its own, so that a crash is a row and not the end."""
    row: dict[str, Any] = {"kernel": at_large.kernel, "variant": at_large.label}
    for step, variant in ((large, at_large), (small, at_small)):
        outcome = run_isolated(lambda step=step, variant=variant: step(variant), timeout=120, extra_bytes=8 << 30)  # type: ignore[misc]
        row |= {"failed": outcome.reason} if isinstance(outcome, Failed) else outcome.value
    return row


def main() -> None:
    """Measure all variants and write the record."""
    rows = []
    for name in ISSUE_KERNELS:
        pairs = zip(variants_of(name), variants_of(name, medium(name), SQUARE), strict=True)
        found = [measured(at_large, at_small) for at_large, at_small in pairs]
        rows += found
        good = sum(_good(r) for r in found)
        print(f"{name:12} {good} of {len(found)} raised whole and right", flush=True)
        for row in found:
            if not _good(row):
                print(f"  {row['variant']}: {row.get('failed') or row.get('wrong') or row.get('kept')}")
    summary = {
        "variants": len(rows),
        "whole_and_right": sum(map(_good, rows)),
        "wrong": sum(bool(r.get("wrong")) for r in rows),
        "slowest_seconds": max(r.get("seconds", 0.0) for r in rows),
        "per_kernel": dict(Counter(r["kernel"] for r in rows if _good(r))),
    }
    print(write("variants-linalg", COMMAND, rows, summary))


def _good(row: dict[str, Any]) -> bool:
    return bool(row.get("whole") and row.get("whole_small") and not row.get("wrong") and "failed" not in row)


if __name__ == "__main__":
    main()
