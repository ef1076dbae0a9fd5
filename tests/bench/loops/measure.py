"""One function of the corpus: raised, run beside its source, and what became of it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from mlir import ir

from raising.pipeline import RaiseOptions, RaiseResult, raise_module
from raising.support.isolate import Failed, run_isolated
from raising.validate.native.foreign_call import Compiled
from tests.bench.loops.corpus import Function
from tests.bench.loops.reference import Module, Source, _on_heap
from tests.c.gcc import Library
from tests.raising.algebra import loops, without_fallbacks

SEEDS = (0, 1)
TIMEOUT = 60.0


def measured(function: Function, library: Library | None, target: str) -> dict[str, Any]:
    """A row of the record; the work is done in a process of its own."""
    row: dict[str, Any] = {"class": function.kind, "file": function.path.name, "line": function.line}
    row |= {"function": function.name, "none": function.none}
    started = time.perf_counter()
    outcome = run_isolated(lambda: _became(function, library, target), timeout=3 * TIMEOUT, extra_bytes=8 << 30)
    row |= {"became": "failed", "why": outcome.reason} if isinstance(outcome, Failed) else outcome.value
    return row | {"seconds": round(time.perf_counter() - started, 2)}


def _became(function: Function, library: Library | None, target: str) -> dict[str, Any]:
    if function.path.suffix == ".mlir":
        subject: Module | Source = Module(function)
        text = function.text
    else:
        subject = Source(function, library)
        if subject.module.refused:
            return {"became": "refused", "why": subject.module.refused[0].reason}
        text = subject.module.mlir
    result = raise_module(text, options=RaiseOptions(check="proof", timeout=TIMEOUT, target=target, cache=False))
    row = _fate(result)
    if row["became"] != "kept" and target == "linalg":
        row["runs"], wrong = _compared(function, subject, result.text)
        row |= {"wrong": wrong} if wrong else {}
    return row


def _fate(result: RaiseResult) -> dict[str, Any]:
    left = _left(result.text)
    report = result.functions[0] if result.functions else None
    kept = [remark.why for remark in result.remarks if remark.kind == "kept"]
    verdict = report.verdict if report else None
    row: dict[str, Any] = {"left": left, "verdict": type(verdict).__name__ if verdict else ""}
    if verdict and row["verdict"] != "Proved":
        row["unproved"] = str(verdict)[:300]
    if left == 0 and not kept:
        return row | {"became": "whole"}
    if report and report.changed and not report.kept:
        return row | {"became": "essential", "why": (kept or [""])[0]}
    return row | {"became": "part" if report and report.changed else "kept", "why": (kept or [""])[0]}


def _left(text: str) -> int:
    """The loops that are left, but for those that run at sizes for which the tensor form does not stand."""
    if not loops(text):
        return 0
    try:
        return len(loops(without_fallbacks(text)))
    except ir.MLIRError:  # an `else` of the source's own
        return len(loops(text))


def _compared(function: Function, subject: Module | Source, text: str) -> tuple[int, str]:
    compiled = Compiled(_on_heap(text), function.name, 0)
    runs = 0
    for sizes in function.sizes:
        for seed in SEEDS:
            values = subject.arguments(sizes, seed)
            want, got = subject.called(values), subject.raised(compiled, values)
            runs += 1
            for place, (a, b) in enumerate(zip(want, got, strict=True)):
                if not _same(np.asarray(a), np.asarray(b)):
                    return runs, f"{sizes} seed {seed} value {place}: {np.ravel(a)[:8]} but {np.ravel(b)[:8]}"
    return runs, ""


def _same(a: Any, b: Any) -> bool:
    if a.dtype.kind == "f":
        scale = float(np.max(np.abs(a[np.isfinite(a)]), initial=1.0))
        close = 1e-4 if a.dtype.itemsize == 4 else 1e-9
        return bool(np.allclose(np.ravel(a), np.ravel(b), rtol=close, atol=close * scale, equal_nan=True))
    return bool(np.array_equal(np.ravel(a), np.ravel(b).astype(a.dtype)))
