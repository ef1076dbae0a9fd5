"""Contractions against the BLAS that NumPy brings: `python -m tests.bench.native.gemm` writes `results/gemm.json`.

Both are called in turns in one process, and each product is checked first. What is
compared is the fastest of all samples: time that passes on the clock, or with `--cpu-time`
time of the calling thread alone, for a machine that has other things to do. Beside
several threads, each sample waits until the threads of the one before have come to rest, and then begins with a call
that does not count. oneDNN and MKL are compared with, too, where their wheels are installed or their paths given.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import time
from collections.abc import Callable
from math import exp, log
from pathlib import Path
from typing import Any

from tests.bench.native.vendors import MKL, ONEDNN, THREADS, library

LARGE = [(1000, 1100, 1200), (1024, 1024, 1024)]
ODD = [
    (127, 1023, 511),
    (333, 777, 1111),
    (1999, 97, 301),
    (65, 2049, 129),
    (513, 513, 513),
    (97, 101, 4001),
    (1537, 1153, 769),
    (251, 509, 1021),
    (3001, 211, 67),
    (719, 1427, 37),
]
SMALL = [(31, 33, 29), (64, 64, 64), (100, 100, 100), (200, 200, 200)]
_How = tuple[int, float, Callable[[], float], dict[str, Any]]
_SAMPLE = 1e-3
"""Seconds of a sample, at least: as many calls as that takes."""
ORDERS = {"nn": "ik,kj,ij", "tn": "ki,kj,ij", "nt": "ik,jk,ij", "tt": "ki,jk,ij"}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each shape is sampled")
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--onednn", type=Path)
    parser.add_argument("--mkl", type=Path)
    options = parser.parse_args()
    if any(os.environ.get(name) != str(options.threads) for name in THREADS):
        os.environ |= dict.fromkeys(THREADS, str(options.threads)) | {"MKL_THREADING_LAYER": "GNU"}
        os.execv(sys.executable, [sys.executable, "-m", "tests.bench.native.gemm", *sys.argv[1:]])
    vendors = {"onednn": library(ONEDNN, options.onednn), "mkl": library(MKL, options.mkl)}
    others = {name: each for name, each in vendors.items() if each is not None}
    run(options.threads, options.seconds, time.thread_time if options.cpu_time else time.perf_counter, others)


def run(threads: int, seconds: float, clock: Callable[[], float], others: dict[str, Any]) -> None:
    """All shapes, types and orders."""
    from tests.bench.record import write

    how = threads, seconds, clock, others
    rows = []
    for element in ("f32", "f64"):
        for group, shapes in (("large", LARGE), ("odd", ODD), ("small", SMALL)):
            for shape in shapes:
                rows.append(_row(group, shape, element, "nn", how))
        for order in ("tn", "nt", "tt"):
            rows.append(_row("orders", LARGE[0], element, order, how))
    groups: dict[str, list[float]] = {}
    for row in rows:
        for name in ("ratio", *(f"{each}_ratio" for each in others)):
            if name in row:
                beside = "" if name == "ratio" else f" {name.removesuffix('_ratio')}"
                groups.setdefault(f"{row['element']} {row['group']}{beside}", []).append(row[name])
    summary = {key: _geomean(ratios) for key, ratios in sorted(groups.items())}
    name = "gemm" if threads == 1 else f"gemm-{threads}"
    print(write(name, f"python -m tests.bench.native.gemm --threads {threads}", rows, summary))
    print(*(f"{key}: {value:.3f}" for key, value in summary.items()), sep="\n")


def _row(group: str, shape: tuple[int, int, int], element: str, order: str, how: _How) -> dict[str, Any]:
    import numpy as np

    import raising

    threads = how[0]
    dtype = np.float32 if element == "f32" else np.float64
    extents = dict(zip("ijk", shape, strict=True))
    maps = ORDERS[order].split(",")
    a, b, c = (np.random.default_rng(0).random([extents[d] for d in one]).astype(dtype) for one in maps)
    left, right, out = (a.T if order[0] == "t" else a), (b.T if order[1] == "t" else b), np.empty_like(c)
    compiled = raising.compile(_text(maps, extents, element), threads=threads)
    product, nothing = compiled["product"], compiled["nothing"]
    calls = {
        "raise": lambda: product(a, b, c),
        "numpy": lambda: np.matmul(left, right, out=out),
        "nothing": lambda: nothing(a, b, c),
    }
    own = np.empty_like(c)
    calls |= {name: _vendor(name, each, order, (a, b, own)) for name, each in how[3].items() if _has(name, element)}
    best = _sample(calls, how)
    assert all(np.allclose(own, out, rtol=1e-3) for name in how[3] if name in calls), (shape, element, order)
    assert np.allclose(c, out, rtol=1e-3 if element == "f32" else 1e-10), (shape, element, order)
    best["raise"] -= best["nothing"]
    flops = 2 * shape[0] * shape[1] * shape[2]
    row = {
        "group": group,
        "shape": "x".join(map(str, shape)),
        "element": element,
        "order": order,
        "gflops": round(flops / best["raise"] / 1e9, 2),
        "numpy_gflops": round(flops / best["numpy"] / 1e9, 2),
        "ratio": round(best["numpy"] / best["raise"], 3),
        **{f"{name}_ratio": round(best[name] / best["raise"], 3) for name in how[3] if name in best},
    }
    print(*row.values(), flush=True)
    return row


def _has(name: str, element: str) -> bool:
    """Whether a library has a product of these elements."""
    return name == "mkl" or element == "f32"


def _vendor(name: str, library: Any, order: str, arrays: tuple[Any, Any, Any]) -> Callable[[], object]:
    """C = A B by `dnnl_sgemm`, or by `cblas_sgemm` or `cblas_dgemm` of MKL, row by row."""
    a, b, c = arrays
    m, n, k = *c.shape, a.shape[0 if order[0] == "t" else 1]
    single = c.itemsize == 4
    integer, number = (
        (ctypes.c_int64 if name == "onednn" else ctypes.c_int),
        ctypes.c_float if single else ctypes.c_double,
    )
    sizes, leading = [integer(each) for each in (m, n, k)], [integer(each.shape[1]) for each in arrays]
    one, zero = number(1), number(0)
    pa, pb, pc = (ctypes.c_void_p(each.ctypes.data) for each in arrays)
    if name == "onednn":
        call, head = library.dnnl_sgemm, [ctypes.c_char(each.upper().encode()) for each in order]
    else:
        call = library.cblas_sgemm if single else library.cblas_dgemm
        head = [ctypes.c_int(101), *(ctypes.c_int(112 if each == "t" else 111) for each in order)]
    return lambda: call(*head, *sizes, one, pa, leading[0], pb, leading[1], zero, pc, leading[2])


def _text(maps: list[str], extents: dict[str, int], element: str) -> str:
    """C = A * B, and a function that does nothing with the same arrays."""
    from tests.native.contraction.contractions import function, generic, memref, multiply_add

    types = [memref(tuple(extents[d] for d in one), element) for one in maps]
    zero = f"  %o = arith.constant 0.0 : {element}\n  linalg.fill ins(%o : {element}) outs(%z : {types[2]})\n"
    body = zero + generic(maps, "ppr", types, "xyz", multiply_add(element))
    return function("product", types, body) + function("nothing", types, "")


def _sample(calls: dict[str, Callable[[], object]], how: _How) -> dict[str, float]:
    """The least seconds that a call of each took; short ones are repeated, so that the clock can tell."""
    from raising.polybench.peers.timing import settle

    threads, seconds, clock, _ = how
    once = {name: min(_once(call, 3, clock) for _ in range(4)) for name, call in calls.items()}
    repeat = {name: max(1, round(_SAMPLE / max(each, 1e-7))) for name, each in once.items()}
    best = dict.fromkeys(calls, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, call in calls.items():
            if threads > 1:
                settle()
                call()
            best[name] = min(best[name], _once(call, repeat[name], clock))
    return best


def _once(call: Callable[[], object], repeat: int, clock: Callable[[], float]) -> float:
    started = clock()
    for _ in range(repeat):
        call()
    return (clock() - started) / repeat


def _geomean(values: list[float]) -> float:
    return round(exp(sum(map(log, values)) / len(values)), 4)


if __name__ == "__main__":
    main()
