"""Functions of 10, 40 and 160 loop nests of mixed kinds: raised, and proved part by part.

`python -m tests.bench.raising.parts [COUNT:TARGET …]` writes `results/parts.json`: the verdict, the number of parts,
and the processor seconds of raising, of reading both functions, of the proof, and of comparing it with runs. StableHLO
takes known sizes, which are symbols again in the proof.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from raising.frontend.c import COptions, convert
from raising.pipeline import RaiseOptions, raise_module
from raising.validate.base.verdict import Unknown
from raising.validate.proof.composition.composed import parts_of, prove_by_parts
from raising.validate.proof.in_bounds import check_inbounds
from raising.validate.proof.proof import Equal
from raising.validate.reading.pair import Assumptions, generalised, read_pair
from tests.bench.record import ROOT, write
from tests.validate.proof.many_parts import many_parts

COMMAND = "python -m tests.bench.raising.parts"
COUNTS, TARGETS = (10, 40, 160), ("linalg", "stablehlo")
SIZE = {"linalg": "n", "stablehlo": "24"}

T = TypeVar("T")


def _timed(row: dict[str, Any], name: str, work: Callable[[], T]) -> T:
    started = time.process_time()
    found = work()
    row[f"{name}_cpu_seconds"] = round(time.process_time() - started, 2)
    return found


def measured(count: int, target: str) -> dict[str, Any]:
    """One function as a row."""
    source = convert(many_parts(count, SIZE[target]), "parts.c", COptions()).mlir
    row: dict[str, Any] = {"nests": count, "target": target}
    options = RaiseOptions(target=target, check="field", cache=False)
    raised = _timed(row, "raise", lambda: raise_module(source, options=options))
    row["raised"] = sum(f.raised for f in raised.functions)
    pair = _timed(row, "read", lambda: generalised(read_pair(source, raised.text)))
    row["statements"] = sum(1 for program in (pair.source, pair.target) for _ in program.stores())
    row["parts"] = parts_of(pair, Assumptions())
    bounds = check_inbounds(pair)
    found = _timed(row, "proof", lambda: prove_by_parts(pair, Assumptions(), bounds.context))
    row["proved"] = isinstance(found, Equal)
    row["reason"] = found.reason if isinstance(found, Unknown) else ""
    return row


def main(wanted: Sequence[str]) -> int:
    """Measure and write the record, with the rows that it has of others; status 1 if one is not proved."""
    record = ROOT / "results" / "parts.json"
    old = json.loads(record.read_text())["rows"] if wanted and record.exists() else []
    rows = {(r["nests"], r["target"]): r for r in old}
    for count, target in [(c, t) for c in COUNTS for t in TARGETS if not wanted or f"{c}:{t}" in wanted]:
        rows[count, target] = measured(count, target)
        print(rows[count, target], flush=True)
        _recorded([rows[key] for key in sorted(rows)])
    return int(not all(r["proved"] for r in rows.values()))


def _recorded(rows: Sequence[dict[str, Any]]) -> None:
    """Write what there is so far."""
    each = {f"{r['nests']} {r['target']}": round(1000 * r["proof_cpu_seconds"] / r["nests"], 1) for r in rows}
    proved = sum(r["proved"] for r in rows)
    print(write("parts", COMMAND, list(rows), {"proved": proved, "of": len(rows), "proof_milliseconds_a_nest": each}))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
