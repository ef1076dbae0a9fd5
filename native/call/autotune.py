"""Autotuning: which back end is faster for a contraction on this machine, measured when first asked, and kept on disk.

Both back ends compute the same square product of a few sizes, in turns; each product is what one routine of BLAS does.
A contraction goes to the one that was faster for its routine at the size whose number of multiplications is nearest.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from raising.native.base.compile_options import CompileOptions
from raising.native.base.target import target_for
from raising.native.blas.blas import Chooser
from raising.native.blas.library import Library
from raising.native.call.code_cache import made_by
from raising.support import cache

_ADD_PRODUCT = ["%p = arith.mulf %in0, %in1 : T", "%s = arith.addf %out, %p : T", "linalg.yield %s : T"]
_ADD = ["%s = arith.addf %in0, %out : T", "linalg.yield %s : T"]
_BELOW = ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%c = arith.cmpi sge, %i, %j : index"]
_CLEARED = ["%z = arith.constant 0.0 : T", "linalg.yield %z : T"]
_LOWER = ["%z = arith.constant 0.0 : T", *_BELOW, "%r = arith.select %c, %in0, %z : T", "linalg.yield %r : T"]
_ADD_BELOW = [
    "%s = arith.addf %in0, %out : T", *_BELOW, "%r = arith.select %c, %s, %out : T", "linalg.yield %r : T",
]  # fmt: skip
_MIRRORED = [*_BELOW, "%r = arith.select %c, %in0, %in1 : T", "linalg.yield %r : T"]


def program(routine: str, element: str, size: int) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """The text of a function and the shapes of its arguments."""
    matrix, vector = (size, size), (size,)
    shapes = (matrix, vector, vector) if routine == "gemv" else (matrix,) * 3
    kinds = [_kind(shape) for shape in shapes]
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip("ABC", kinds, strict=True))
    lines = [f"func.func @product({arguments}) {{", *_steps(routine), "  return", "}"]
    text = "\n".join(lines).replace("MATRIX", _kind(matrix)).replace("VECTOR", _kind(vector))
    return text.replace("xT>", f"x{element}>").replace(": T", f": {element}"), shapes


def _kind(shape: tuple[int, ...]) -> str:
    return f"memref<{'x'.join(map(str, shape))}xT>"


def _steps(routine: str) -> list[str]:
    local, other = ("  %t = memref.alloc() : MATRIX", "  %m = memref.alloc() : MATRIX")
    cleared = _generic(["i, j"], "ij", ["t"], _CLEARED)
    product = ["i, k", "k, j", "i, j"]
    match routine:
        case "gemv":
            return [_generic(["i, k", "k", "i"], "ik", ["A", "B", "C"], _ADD_PRODUCT)]
        case "gemm":
            return [_generic(product, "ijk", ["A", "B", "C"], _ADD_PRODUCT)]
        case "syrk" | "syr2k":
            pairs = ("AA",) if routine == "syrk" else ("AB", "BA")
            terms = [_generic(["i, k", "j, k", "i, j"], "ijk", [*pair, "t"], _ADD_PRODUCT) for pair in pairs]
            return [local, cleared, *terms, _generic(["i, j", "i, j"], "ij", ["t", "C"], _ADD_BELOW)]
        case "trmm":
            special = _generic(["i, j", "i, j"], "ij", ["A", "m"], _LOWER)
        case "symm":
            special = _generic(["i, j", "j, i", "i, j"], "ij", ["A", "A", "m"], _MIRRORED)
        case _:
            raise ValueError(f"no program for '{routine}'")
    result = _generic(["i, j", "i, j"], "ij", ["t", "C"], ["linalg.yield %in0 : T"] if routine == "trmm" else _ADD)
    return [other, special, local, cleared, _generic(product, "ijk", ["m", "B", "t"], _ADD_PRODUCT), result]


def _generic(maps: Sequence[str], dims: str, names: Sequence[str], body: Sequence[str]) -> str:
    """The text of a generic product, in which k is summed."""
    texts = ", ".join(f"affine_map<({', '.join(dims)}) -> ({one})>" for one in maps)
    iterators = ", ".join('"reduction"' if each == "k" else '"parallel"' for each in dims)
    kinds = ["MATRIX" if ", " in one else "VECTOR" for one in maps]
    inputs = ", ".join(f"%{name}" for name in names[:-1])
    given = f"ins({inputs} : {', '.join(kinds[:-1])}) " if inputs else ""
    values = ", ".join(f"%{name}: T" for name in [*(f"in{k}" for k in range(len(maps) - 1)), "out"])
    head = f"linalg.generic {{indexing_maps = [{texts}], iterator_types = [{iterators}]}}"
    lines = [f"{head} {given}outs(%{names[-1]} : {kinds[-1]}) {{", f"^bb0({values}):", *body, "}"]
    return "\n".join(lines)


SIZES = (64, 256, 768)
_ROUNDS = 5
Build = Callable[..., Any]
"""The compiler, `raising.native.compile.build`: what tunes it is below it."""

_USUAL = 128  # stands for a size that is not known when compiling


def measured_choice(library: Library, options: CompileOptions, build: Build) -> Chooser:
    """Whether BLAS is the faster one than what `build` makes, by measurements of this machine with these threads."""

    def measured(routine: str, element: str) -> str:
        return json.dumps(_measure(library, routine, element, options, build))

    @lru_cache
    def ratios(routine: str, element: str) -> list[float]:
        parts = key(library, options, routine, element)
        text = cache.cached("calibration", parts, lambda: measured(routine, element))
        return [float(ratio) for ratio in json.loads(text)]

    def choose(routine: str, element: str, sizes: tuple[int | None, ...]) -> bool:
        edge = _edge(routine, [_USUAL if size is None else max(1, size) for size in sizes])
        nearest = min(range(len(SIZES)), key=lambda k: abs(math.log(SIZES[k] / edge)))
        return ratios(routine, element)[nearest] < 1

    return choose


def key(library: Library, options: CompileOptions, routine: str, element: str) -> list[bytes]:
    """The key of a measurement: its entry of the cache has the ratios as JSON, one for each of `SIZES`."""
    known = Path(library.path).stat() if Path(library.path).exists() else None
    version = None if known is None else (known.st_size, known.st_mtime_ns)
    parts = (library, version, target_for(options.cpu, options.threads), options.fp, SIZES, routine, element)
    return [made_by(), *(repr(part).encode() for part in parts)]


def _edge(routine: str, sizes: Sequence[int]) -> float:
    """The extent of a square product with as many multiplications; `gemv` has two extents."""
    return float(math.prod(sizes) ** (1 / (2 if routine == "gemv" else 3)))


def _measure(library: Library, routine: str, element: str, options: CompileOptions, build: Build) -> list[float]:
    """For each size, the time of BLAS over that of our own code, with as many threads."""
    library.set_threads(options.threads)
    return [_ratio(routine, element, size, options, build) for size in SIZES]


def _ratio(routine: str, element: str, size: int, options: CompileOptions, build: Build) -> float:
    text, shapes = program(routine, element, size)
    calls = [_compiled(text.encode(), replace(options, backend=backend), build) for backend in ("blas", "mlir")]
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


def _compiled(text: bytes, options: CompileOptions, build: Build) -> Any:
    from raising.native.call.compiled import load

    built = build(text, "calibration", options, workspace=True)
    return load(built.code.object, built.signatures, built.target, built.libraries)
