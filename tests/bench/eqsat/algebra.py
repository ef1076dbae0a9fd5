"""Programs that an expert would shorten: `python -m tests.bench.eqsat.algebra` writes results/algebra.json, row by row.

Each program of `algebra_programs` goes through the optimiser; its cost by the estimate is compared with that of what
the expert wrote (also after optimisation), the checker compares the result with the program, and both are timed as our
back end compiles them, in turns, on one thread (programs with known sizes; `--quick` leaves the times out).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from typing import Any

from raising.api.options import RaiseOptions
from raising.frontend.c import COptions
from raising.frontend.c import convert as convert_c
from raising.frontend.python import convert as convert_python
from raising.optimise.optimise_module import OptimiseResult, optimise_module
from raising.pipeline import raise_module
from raising.support.isolate import Finished, run_isolated
from raising.validate.base.verdict import describe
from raising.validate.check import CheckOptions, check
from tests.bench.eqsat.algebra_programs import ENTRIES, PYTHON, C, Entry
from tests.bench.eqsat.optimise import SLOWER, timed
from tests.bench.record import write

COMMAND = "python -m tests.bench.eqsat.algebra"
PROOF, NATIVE = 20.0, 60.0  # seconds for each program
SAME = 1.02  # ratio of costs that is no difference: the model is not more exact


def main() -> int:
    """Measure everything; 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without times")
    parser.add_argument("--only", default="", help="programs whose names have this in them")
    options = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    rows: list[dict[str, Any]] = []
    for entry in (e for e in ENTRIES if options.only in e.label):
        rows.append(measured(entry, not options.quick))
        print(rows[-1], flush=True)
    summary = _summary(rows)
    if not options.only:
        write("algebra", COMMAND, rows, summary)
    print(summary)
    return int(bool(summary["not_equal"]))


def optimised(entry: Entry) -> tuple[str, OptimiseResult, OptimiseResult]:
    """The program as MLIR, its result, and that of the expert's form."""
    texts = [_as_mlir(entry, source) for source in entry.texts()]
    return texts[0], *(optimise_module(text, fp=entry.fp) for text in texts)  # type: ignore[return-value]


def reached(ours: OptimiseResult, expert: OptimiseResult) -> bool:
    """Whether a result costs no more than the expert's form as it was written."""
    return ours.functions[0].after <= expert.functions[0].before * SAME


def _as_mlir(entry: Entry, source: str) -> str:
    if entry.dialect not in (C, PYTHON):
        return source
    read = convert_c(source, "f.c", COptions()) if entry.dialect == C else convert_python(source, "f.py", None)
    return raise_module(read.mlir, options=RaiseOptions(check="field")).text


def measured(entry: Entry, times: bool) -> dict[str, Any]:
    """One row."""
    began = time.process_time()
    text, ours, expert = optimised(entry)
    seconds = time.process_time() - began
    verdict = describe(check(text, ours.text, CheckOptions(timeout=PROOF, sizes=entry.sizes())))
    took = None
    if times and entry.known:
        took = run_isolated(partial(timed, (text, ours.text), "f"), timeout=NATIVE, extra_bytes=8 << 30)
    before, after, error = took.value if isinstance(took, Finished) else (None, None, None)
    return {
        "program": entry.name,
        "source": entry.dialect,
        "sizes": "known" if entry.known else "open",
        "fp": entry.fp,
        "cost": ours.functions[0].before,
        "optimised": ours.functions[0].after,
        "expert": expert.functions[0].before,
        "reached": reached(ours, expert),
        "verdict": verdict,
        "seconds": round(seconds, 2),
        "native_seconds_before": before,
        "native_seconds_after": after,
        "relative_error": error,
    }


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    said = [(f"{r['program']} ({r['source']}, {r['sizes']})", r) for r in rows]
    return {
        "programs": len(rows),
        "open": sum(r["sizes"] == "open" for r in rows),
        "reached": sum(r["reached"] for r in rows),
        "not_reached": [name for name, r in said if not r["reached"]],
        "not_equal": [name for name, r in said if "refuted" in r["verdict"]],
        "not_proved": [name for name, r in said if "proved" not in r["verdict"]],
        "slower": [name for name, r in said if _slower(r)],
    }


def _slower(row: dict[str, Any]) -> bool:
    before, after = row["native_seconds_before"], row["native_seconds_after"]
    return bool(before and after > SLOWER * before)


if __name__ == "__main__":
    sys.exit(main())
