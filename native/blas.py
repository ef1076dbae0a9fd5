"""Contractions as calls of BLAS, through its C interface."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from mlir import ir

from affine.record import dataclass
from native.blas_call import read_contraction, replace_by_call
from native.errors import CompileError

_PREFIXES = ("scipy_", "")


@dataclass(frozen=True)
class Blas:
    """A library with 32-bit integers, and what its symbols begin with."""

    path: str
    prefix: str

    def set_threads(self, number: int) -> None:
        """Have the library use at most as many threads in this process, if it can be told."""
        found = getattr(ctypes.CDLL(self.path), f"{self.prefix}openblas_set_num_threads", None)
        if found is not None:
            found(ctypes.c_int(number))


Chooser = Callable[[str, tuple[int | None, ...]], bool]
"""Whether BLAS does a contraction: its element type and the sizes m, n, k (None: not known; n is 1 for a vector)."""


def find_blas(path: str | None) -> Blas:
    """The library at a path, or the one of scipy-openblas32; CompileError if there is none."""
    place = path or _packaged()
    try:
        library = ctypes.CDLL(place)
    except OSError as error:
        raise CompileError(f"the library of BLAS cannot be loaded: {' '.join(str(error).split())}") from None
    prefix = next((p for p in _PREFIXES if hasattr(library, f"{p}cblas_sgemm")), None)
    if prefix is None:
        raise CompileError(f"'{place}' has no C interface of BLAS with 32-bit integers (cblas_sgemm)")
    return Blas(str(Path(place).resolve()) if Path(place).exists() else place, prefix)


def _packaged() -> str:
    try:
        package = import_module("scipy_openblas32")
    except ImportError:
        raise CompileError("BLAS needs the package scipy-openblas32, or a library given by --blas-lib") from None
    found = sorted(Path(package.get_lib_dir()).glob(f"lib{package.get_library()}.*"))
    if not found:
        raise CompileError("the package scipy-openblas32 has no library")
    return str(found[0])


def call_blas(module: Any, blas: Blas, choose: Chooser) -> int:
    """Replace the contractions of a module that BLAS can do, and that are chosen, by calls of it; how many."""
    generics: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "linalg.generic":
            generics.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    found = [(op, contraction) for op in generics if (contraction := read_contraction(op)) is not None]
    chosen = [(op, c) for op, c in found if choose(c.element, c.sizes)]
    for op, contraction in chosen:
        replace_by_call(module, op, contraction, blas.prefix)
    return len(chosen)
