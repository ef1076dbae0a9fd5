"""What our own rules are worth: `python -m tests.bench.optimise` writes results/optimise.json.

Raised PolyBench kernels and tensor expressions, on linalg and on StableHLO: scalar operations and calibrated cost
before and after, what the checker says of the two programs, and both run natively on the same inputs.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from eqsat.engine import Limits
from grammar.target import read_target
from raising.optimise import optimise_module
from raising.options import RaiseOptions
from raising.pipeline import raise_module
from raising.pure import lowered
from tests.bench.record import ROOT, write
from tests.eqsat.expressions import EXPRESSIONS, module
from validate.check import CheckOptions, check
from validate.native import compare_native
from validate.verdict import FloatEvidence, describe

KERNELS = ("gemver", "gesummv", "3mm", "syrk", "syr2k", "covariance", "correlation", "atax")
DIALECTS = ("linalg", "stablehlo")
SECONDS = 20.0  # of saturation, and again of extraction
NATIVE = 300.0
_FUSION = "builtin.module(func.func(linalg-generalize-named-ops,linalg-fuse-elementwise-ops,canonicalize,cse))"


def main() -> int:
    """Measure everything; 1 if a result differs or costs more."""
    rows = []
    for name, dialect, text, function in programs():
        rows.append(_measured(name, dialect, text, function))
        print({k: v for k, v in rows[-1].items() if k != "verdict"}, flush=True)
    best: dict[str, float] = {}
    for row in rows:
        best[row["program"]] = max(best.get(row["program"], 0.0), row["flops_saved"])
    summary = {
        "flops_saved": best,
        "costlier": [r["program"] for r in rows if r["cost_after"] > r["cost_before"]],
        "different": [r["program"] for r in rows if r["relative_error"] is None or "refuted" in r["verdict"]],
    }
    print(write("optimise", "python -m tests.bench.optimise", rows, summary))
    return int(bool(summary["costlier"] or summary["different"]))


def programs() -> list[tuple[str, str, str, str]]:
    """Names, dialects, texts and functions."""
    found = []
    for dialect in DIALECTS:
        for kernel in KERNELS:
            source = (ROOT / "tests" / "kernels" / f"{kernel}.mlir").read_text()
            result = raise_module(source, options=RaiseOptions(target=dialect, check="field"))
            found.append((kernel, dialect, result.text, result.functions[0].name))
        found += [(name, dialect, module(*expression, dialect), "f") for name, expression in EXPRESSIONS.items()]
    return found


def _measured(name: str, dialect: str, text: str, function: str) -> dict[str, Any]:
    started = time.perf_counter()
    result = optimise_module(text, fp="reassoc", cost="calibrated", limits=Limits(seconds=SECONDS))
    seconds = time.perf_counter() - started
    (report,) = result.functions
    flops = [_flops(t) for t in (text, result.text)]
    native = compare_native(_upstream(text, dialect), _upstream(result.text, dialect), function, timeout=NATIVE)
    ran = isinstance(native, FloatEvidence)
    return {
        "program": name,
        "dialect": dialect,
        "flops_before": flops[0],
        "flops_after": flops[1],
        "flops_saved": round(flops[0] / max(1.0, flops[1]), 3),
        "cost_before": report.before,
        "cost_after": report.after,
        "gap": None if report.gap != report.gap else round(report.gap, 4),
        "stopped": report.stopped,
        "nodes": report.nodes,
        "optimise_seconds": round(seconds, 2),
        "verdict": describe(check(text, result.text, CheckOptions(level="tested-float", timeout=60.0))),
        "relative_error": native.relative_error if ran else None,
        "native": "" if ran else describe(native),
        "native_seconds_before": native.seconds_source if ran else None,
        "native_seconds_after": native.seconds_target if ran else None,
    }


def _flops(text: str) -> float:
    """The scalar operations of a program as it stands."""
    (report,) = optimise_module(text, cost="flops", macros=True).functions
    return report.before


def _upstream(text: str, dialect: str) -> str:
    """The program in upstream's dialects, truth values computed where they are used."""
    target = read_target(dialect)
    if target.general:
        return text
    with ir.Context(), ir.Location.unknown():
        lower = ir.Module.parse(lowered(text, target))
        PassManager.parse(_FUSION).run(lower.operation)
        return str(lower)


if __name__ == "__main__":
    sys.exit(main())
