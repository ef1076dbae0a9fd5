"""Contractions against the BLAS that NumPy brings: `python -m tests.bench.gemm` writes `results/gemm.json`.

Both are called in turns in one process, and each product is checked first. What is
compared is the fastest of all samples: time that passes on the clock, or with `--cpu-time`
time of the calling thread alone, for a machine that has other things to do. Beside
several threads, each call waits until the threads of the one before have come to rest.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from math import exp, log
from typing import Any

THREADS = "OPENBLAS_NUM_THREADS"
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
_How = tuple[int, float, Callable[[], float]]
ORDERS = {"nn": "ik,kj,ij", "tn": "ki,kj,ij", "nt": "ik,jk,ij", "tt": "ki,jk,ij"}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each shape is sampled")
    parser.add_argument("--cpu-time", action="store_true")
    options = parser.parse_args()
    if os.environ.get(THREADS) != str(options.threads):
        os.environ[THREADS] = str(options.threads)
        os.execv(sys.executable, [sys.executable, "-m", "tests.bench.gemm", *sys.argv[1:]])
    run(options.threads, options.seconds, time.thread_time if options.cpu_time else time.perf_counter)


def run(threads: int, seconds: float, clock: Callable[[], float]) -> None:
    """All shapes, types and orders."""
    from tests.bench.record import write

    rows = []
    for element in ("f32", "f64"):
        for group, shapes in (("large", LARGE), ("odd", ODD), ("small", SMALL)):
            for shape in shapes:
                rows.append(_row(group, shape, element, "nn", (threads, seconds, clock)))
        for order in ("tn", "nt", "tt"):
            rows.append(_row("orders", LARGE[0], element, order, (threads, seconds, clock)))
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(f"{row['element']} {row['group']}", []).append(row["ratio"])
    summary = {key: _geomean(ratios) for key, ratios in sorted(groups.items())}
    name = "gemm" if threads == 1 else f"gemm-{threads}"
    print(write(name, f"python -m tests.bench.gemm --threads {threads}", rows, summary))
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
    best = _sample(calls, how)
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
    }
    print(*row.values(), flush=True)
    return row


def _text(maps: list[str], extents: dict[str, int], element: str) -> str:
    """C = A * B, and a function that does nothing with the same arrays."""
    from tests.native.contractions import function, generic, memref, multiply_add

    types = [memref(tuple(extents[d] for d in one), element) for one in maps]
    zero = f"  %o = arith.constant 0.0 : {element}\n  linalg.fill ins(%o : {element}) outs(%z : {types[2]})\n"
    body = zero + generic(maps, "ppr", types, "xyz", multiply_add(element))
    return function("product", types, body) + function("nothing", types, "")


def _sample(calls: dict[str, Callable[[], object]], how: _How) -> dict[str, float]:
    """The least seconds that a call of each took; short ones are repeated, so that the clock can tell."""
    from raising.polybench.peers.timing import settle

    threads, seconds, clock = how
    repeat = {name: max(1, round(2e-4 / max(_once(call, 2, clock), 1e-7))) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, call in calls.items():
            if threads > 1:
                settle()
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
