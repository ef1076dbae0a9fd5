"""Which back end is faster for a contraction on this machine: measured once, and kept.

Both do a square product of a few sizes, in turns. A contraction goes to the one that
was faster at the size whose number of multiplications is nearest.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np

from grammar import cache
from native.blas import Blas, Chooser
from native.options import CompileOptions
from native.target import target_for

SIZES = (64, 256, 768)
_ROUNDS = 5
_USUAL = 128  # stands for a size that is not known when compiling

_TEXT = """
func.func @product(%A: memref<SIZExSIZExTYPE>, %B: memref<SIZExSIZExTYPE>, %C: memref<SIZExSIZExTYPE>) {
  linalg.matmul ins(%A, %B : memref<SIZExSIZExTYPE>, memref<SIZExSIZExTYPE>) outs(%C : memref<SIZExSIZExTYPE>)
  return
}
"""


def measured_choice(blas: Blas, options: CompileOptions) -> Chooser:
    """Whether BLAS is the faster one, by measurements of this machine with these threads."""
    parts = [blas.path, repr(target_for(options.cpu, options.threads)), options.fp, repr(SIZES)]
    text = cache.cached("calibration", [part.encode() for part in parts], lambda: json.dumps(_measure(options)))
    ratios: dict[str, list[float]] = json.loads(text)

    def choose(element: str, sizes: tuple[int | None, ...]) -> bool:
        edge = math.prod(_USUAL if size is None else max(1, size) for size in sizes) ** (1 / len(sizes))
        nearest = min(range(len(SIZES)), key=lambda k: abs(math.log(SIZES[k] / edge)))
        return ratios[element][nearest] < 1

    return choose


def _measure(options: CompileOptions) -> dict[str, list[float]]:
    """Per element type and size, the time of BLAS over that of our own code."""
    return {element: [_ratio(element, size, options) for size in SIZES] for element in ("f32", "f64")}


def _ratio(element: str, size: int, options: CompileOptions) -> float:
    text = _TEXT.replace("SIZE", str(size)).replace("TYPE", element).encode()
    calls = [_compiled(text, replace(options, backend=backend)) for backend in ("blas", "mlir")]
    a, b, c = np.ones((3, size, size), np.float32 if element == "f32" else np.float64)
    repeats = min(20, max(1, 10**7 // size**3))
    best = [math.inf, math.inf]
    for _ in range(_ROUNDS):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeats):
                call(a, b, c)
            best[k] = min(best[k], time.perf_counter() - start)
    return best[0] / best[1]


def _compiled(text: bytes, options: CompileOptions) -> Any:
    from native.build import build
    from native.compiled import load

    built = build(text, "calibration", options, workspace=True)
    return load(built.code.object, built.signatures, built.target, built.libraries)
