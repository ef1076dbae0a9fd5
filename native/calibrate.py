"""Which back end is faster for a contraction on this machine: measured when first asked, and kept.

Both do the same square product of a few sizes, in turns. A contraction goes to the one
that was faster for this routine at the size whose number of multiplications is nearest.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from grammar import cache
from native.blas import Chooser
from native.blas_library import Library
from native.calibration_programs import program
from native.kept import versions
from native.options import CompileOptions
from native.target import target_for

SIZES = (64, 256, 768)
_ROUNDS = 5
_USUAL = 128  # stands for a size that is not known when compiling


def measured_choice(library: Library, options: CompileOptions) -> Chooser:
    """Whether BLAS is the faster one, by measurements of this machine with these threads."""

    @lru_cache
    def ratios(routine: str, element: str) -> list[float]:
        parts = key(library, options, routine, element)
        text = cache.cached("calibration", parts, lambda: json.dumps(_measure(library, routine, element, options)))
        return [float(ratio) for ratio in json.loads(text)]

    def choose(routine: str, element: str, sizes: tuple[int | None, ...]) -> bool:
        edge = _edge(routine, [_USUAL if size is None else max(1, size) for size in sizes])
        nearest = min(range(len(SIZES)), key=lambda k: abs(math.log(SIZES[k] / edge)))
        return ratios(routine, element)[nearest] < 1

    return choose


def key(library: Library, options: CompileOptions, routine: str, element: str) -> list[bytes]:
    """What a measurement depends on: its entry of the cache has the ratios as JSON, one for each of `SIZES`."""
    known = Path(library.path).stat() if Path(library.path).exists() else None
    version = None if known is None else (known.st_size, known.st_mtime_ns)
    parts = (library, version, target_for(options.cpu, options.threads), options.fp, SIZES, routine, element)
    return [versions(), *(repr(part).encode() for part in parts)]


def _edge(routine: str, sizes: Sequence[int]) -> float:
    """The extent of a square product with as many multiplications; `gemv` has two extents."""
    return float(math.prod(sizes) ** (1 / (2 if routine == "gemv" else 3)))


def _measure(library: Library, routine: str, element: str, options: CompileOptions) -> list[float]:
    """For each size, the time of BLAS over that of our own code, with as many threads."""
    library.set_threads(options.threads)
    return [_ratio(routine, element, size, options) for size in SIZES]


def _ratio(routine: str, element: str, size: int, options: CompileOptions) -> float:
    text, shapes = program(routine, element, size)
    calls = [_compiled(text.encode(), replace(options, backend=backend)) for backend in ("blas", "mlir")]
    arrays = [np.zeros(shape, np.float32 if element == "f32" else np.float64) for shape in shapes]
    repeats = min(20, max(1, 10**7 // size**3))
    best = [math.inf, math.inf]
    for _ in range(_ROUNDS):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeats):
                call(*arrays)
            best[k] = min(best[k], time.perf_counter() - start)
    return best[0] / best[1]


def _compiled(text: bytes, options: CompileOptions) -> Any:
    from native.build import build
    from native.compiled import load

    built = build(text, "calibration", options, workspace=True)
    return load(built.code.object, built.signatures, built.target, built.libraries)
