"""What our own rules are worth: `python -m tests.bench.eqsat.optimise` writes results/optimise.json, row by row.

Raised PolyBench kernels and tensor expressions, on linalg and on StableHLO: scalar operations and calibrated cost
before and after, what the checker says of the two programs, both run on the same inputs and compared, and both
timed as `raise-compile` compiles them, in turns, on one thread.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial
from typing import Any

import numpy as np

from raising.api.options import RaiseOptions
from raising.eqsat.egraph.engine import Limits
from raising.native.base.compile_options import CompileOptions
from raising.native.base.signature import Parameter
from raising.native.call.compiled import CompiledFunction, load
from raising.native.compile import build
from raising.optimise.optimise_module import optimise_module
from raising.pipeline import raise_module
from raising.support.element_types import NUMPY
from raising.support.isolate import Finished, run_isolated
from raising.validate.base.verdict import describe
from raising.validate.check import CheckOptions, check
from tests.bench.record import ROOT, write
from tests.eqsat.expressions import EXPRESSIONS, module

COMMAND = "python -m tests.bench.eqsat.optimise"
KERNELS = ("gemver", "gesummv", "3mm", "syrk", "syr2k", "covariance", "correlation", "atax")
DIALECTS = ("linalg", "stablehlo")
PROOF, NATIVE = 20.0, 60.0  # seconds for each program
ROUNDS, SAMPLE = 7, 0.3  # at least so many runs of each program; seconds of them
SLOWER = 1.05  # ratio of times that may be chance
EQUAL = 1e-9  # relative difference of results that rounding explains


def main() -> int:
    """Measure everything; 1 if a result differs or costs more."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    rows: list[dict[str, Any]] = []
    for name, dialect, text, function in programs():
        rows.append(_measured(name, dialect, text, function))
        print({k: v for k, v in rows[-1].items() if k != "verdict"}, flush=True)
        write("optimise", COMMAND, rows, _summary(rows))
    found = _summary(rows)
    print(found)
    return int(bool(found["costlier"] or found["different"]))


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    best: dict[str, float] = {}
    for row in rows:
        best[row["program"]] = max(best.get(row["program"], 0.0), row["flops_saved"])
    said = [(f"{r['program']} ({r['dialect']})", r) for r in rows]
    ratios = [r["speedup"] for r in rows if r["speedup"]]
    return {
        "flops_saved": best,
        "costlier": [name for name, r in said if r["cost_after"] > r["cost_before"]],
        "different": [name for name, r in said if not _equal(r)],
        "slower": [name for name, r in said if r["speedup"] and r["speedup"] < 1 / SLOWER],
        "not_timed": [name for name, r in said if not r["speedup"]],
        "speedup_geomean": round(float(np.exp(np.mean(np.log(ratios)))), 3) if ratios else None,
        "slowest_optimise_seconds": max(r["optimise_seconds"] for r in rows),
    }


def _equal(row: dict[str, Any]) -> bool:
    return row["relative_error"] is not None and row["relative_error"] < EQUAL and "refuted" not in row["verdict"]


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
    result = optimise_module(text, fp="reassoc", cost="calibrated", limits=Limits())
    seconds = time.perf_counter() - started
    (report,) = result.functions
    flops = [_flops(t) for t in (text, result.text)]
    took = run_isolated(partial(timed, (text, result.text), function), timeout=NATIVE, extra_bytes=8 << 30)
    before, after, error = took.value if isinstance(took, Finished) else (None, None, None)
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
        "verdict": describe(check(text, result.text, CheckOptions(timeout=PROOF))),
        "relative_error": error,
        "native": "" if isinstance(took, Finished) else took.reason,
        "native_seconds_before": before,
        "native_seconds_after": after,
        "speedup": round(before / after, 3) if before and after else None,
    }


def timed(texts: tuple[str, str], function: str) -> tuple[float, float, float]:
    """The least seconds of one call of each program as our back end compiles it, in turns; how far results differ.

    The difference is relative to the largest element of each array.
    """
    calls = [_compiled(text, function) for text in dict.fromkeys(texts)]
    rng = np.random.default_rng(0)
    inputs = [_value(p, rng) for p in calls[0].signature.parameters if not p.result]
    outs = [_outputs(call) for call in calls]
    ends = [_called(call, inputs, out)[1] for call, out in zip(calls, outs, strict=True)]
    best = [float("inf")] * len(calls)
    began, rounds = time.perf_counter(), 0
    while rounds < ROUNDS or time.perf_counter() - began < SAMPLE * len(calls):
        for number, call in enumerate(calls):
            best[number] = min(best[number], _called(call, inputs, outs[number])[0])
        rounds += 1
    differ = [np.max(np.abs(x - y)) / np.max(np.abs(x)) for x, y in zip(ends[0], ends[-1], strict=True)]
    return best[0], best[-1], float(max(differ))


def _compiled(text: str, function: str) -> CompiledFunction:
    built = build(text.encode(), function, CompileOptions(), workspace=True)
    return load(built.code.object, built.signatures, built.target, built.libraries)[function]


def _outputs(call: CompiledFunction) -> list[Any]:
    """Memory for what a function returns: to ask for pages in each call would be measured, too."""
    return [np.zeros(_shape(p), NUMPY[p.element]) for p in call.signature.parameters if p.result]


def _called(call: CompiledFunction, inputs: list[Any], out: list[Any]) -> tuple[float, list[Any]]:
    """Seconds of a call on copies of the inputs, and all arrays that are there afterwards."""
    arguments = [v.copy() if isinstance(v, np.ndarray) else v for v in inputs]
    start = time.perf_counter()
    call(*arguments, out=out or None)
    return time.perf_counter() - start, [*(v for v in arguments if isinstance(v, np.ndarray)), *out]


def _value(parameter: Parameter, rng: np.random.Generator) -> Any:
    kind = NUMPY[parameter.element]
    if parameter.shape is None:
        return 1.25 if parameter.element[0] in "fb" else 1
    return rng.uniform(0.5, 1.5, _shape(parameter)).astype(kind)


def _shape(parameter: Parameter) -> list[int]:
    return [int(str(extent)) for extent in parameter.shape or ()]


def _flops(text: str) -> float:
    """The scalar operations of a program as it stands."""
    (report,) = optimise_module(text, cost="flops", macros=True).functions
    return report.before


if __name__ == "__main__":
    sys.exit(main())
