"""BLAS's routines beside our own code: `python -m tests.bench.native.blas` writes `results/blas.json`.

PolyBench kernels that are products of triangular or symmetric matrices, from C through `raise` and each back end, on
the same values. They are called in turns in one process; what is compared is the fastest call.
"""

from __future__ import annotations

import argparse
import re
import time
from math import exp, log
from typing import Any

import numpy as np

KERNELS = ("gemm", "syrk", "syr2k", "trmm", "symm", "covariance", "correlation")
BACKENDS = ("mlir", "blas", "auto")
_CALL = re.compile(r"call @(?:scipy_)?(cblas_\w+)\(")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dataset", default="LARGE")
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each kernel is sampled")
    options = parser.parse_args()
    from tests.bench.record import write

    rows = [_row(name, dtype, options) for dtype in ("f32", "f64") for name in KERNELS]
    summary = {f"{dtype}: mlir over {other}": _geomean([r["mlir"] / r[other] for r in rows if r["dtype"] == dtype])
               for dtype in ("f32", "f64") for other in ("blas", "auto")}  # fmt: skip
    name = "blas" if options.threads == 1 else f"blas-{options.threads}"
    print(write(name, f"python -m tests.bench.native.blas --threads {options.threads}", rows, summary), summary)


def _row(name: str, dtype: str, options: argparse.Namespace) -> dict[str, Any]:
    """Seconds per call with each back end, and what `blas` and `auto` call."""
    import raising
    from raising.frontend.c import COptions, convert
    from raising.native.base.compile_options import CompileOptions
    from raising.native.blas.library import find_blas
    from raising.native.call.compiled import load
    from raising.native.compile import build
    from raising.polybench.suite.kernel import kernels

    kernel = kernels()[name]
    defines = tuple(f"{macro}={value}" for macro, value in kernel.defines(options.dataset, dtype).items())
    loops = convert(kernel.source, kernel.path.name, COptions(defines=defines, function=kernel.function))
    text = raising.raise_module(loops.mlir, check="field").text.encode()
    made = {each: build(text, name, CompileOptions(backend=each, threads=options.threads), workspace=True)
            for each in BACKENDS}  # fmt: skip
    find_blas(None).set_threads(options.threads)
    calls = {
        each: load(b.code.object, b.signatures, b.target, b.libraries)[kernel.function] for each, b in made.items()
    }
    values = kernel.inputs(options.dataset, dtype, seed=1)
    results = {each: _once(call, values)[1] for each, call in calls.items()}
    for each in BACKENDS[1:]:
        for one, other in zip(results["mlir"], results[each], strict=True):
            largest = np.abs(one).max()  # sums that cancel are as exact as the largest, not as themselves
            np.testing.assert_allclose(one, other, rtol=0, atol=(1e-4 if dtype == "f32" else 1e-11) * largest)
    row: dict[str, Any] = {"kernel": name, "dtype": dtype, **dict.fromkeys(BACKENDS, float("inf"))}
    end = time.perf_counter() + options.seconds
    while time.perf_counter() < end:
        for each, call in calls.items():
            row[each] = min(row[each], _once(call, values)[0])
    row |= {f"{each} calls": _CALL.findall(made[each].mlir) for each in BACKENDS[1:]}
    print(row, flush=True)
    return row


def _once(call: Any, values: dict[str, Any]) -> tuple[float, list[Any]]:
    """The seconds of a call on fresh copies, and what they hold afterwards."""
    given = [value.copy() if isinstance(value, np.ndarray) else value for value in values.values()]
    start = time.perf_counter()
    call(*given)
    return time.perf_counter() - start, given


def _geomean(values: list[float]) -> float:
    return round(exp(sum(map(log, values)) / len(values)), 3)


if __name__ == "__main__":
    main()
