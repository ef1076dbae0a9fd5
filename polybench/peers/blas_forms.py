"""The kernels that are one BLAS or LAPACK call, or a few, as an expert calls them: in place, no copies.

BLAS is column-major: a row-major matrix is passed as its transpose, so `C = A B` is `C' = B' A'`, and a
lower triangle is an upper one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from raising.polybench.suite.values import Array


class Blas:
    """The routines of one precision, without their letter."""

    def __init__(self, dtype: Any) -> None:
        self._routines: Any = importlib.import_module("scipy.linalg.blas")
        self._letter = {"float32": "s", "float64": "d"}[np.dtype(dtype).name]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._routines, self._letter + name)


def _2mm(blas: Blas, alpha: Any, beta: Any, tmp: Array, A: Array, B: Array, C: Array, D: Array) -> None:
    blas.gemm(alpha, B.T, A.T, 0.0, tmp.T, overwrite_c=1)
    blas.gemm(1.0, C.T, tmp.T, beta, D.T, overwrite_c=1)


def _3mm(blas: Blas, E: Array, A: Array, B: Array, F: Array, C: Array, D: Array, G: Array) -> None:
    for left, right, out in ((A, B, E), (C, D, F), (E, F, G)):
        blas.gemm(1.0, right.T, left.T, 0.0, out.T, overwrite_c=1)


def _atax(blas: Blas, A: Array, x: Array, y: Array, tmp: Array) -> None:
    blas.gemv(1.0, A.T, x, 0.0, tmp, trans=1, overwrite_y=1)
    blas.gemv(1.0, A.T, tmp, 0.0, y, overwrite_y=1)


def _bicg(blas: Blas, A: Array, s: Array, q: Array, p: Array, r: Array) -> None:
    blas.gemv(1.0, A.T, r, 0.0, s, overwrite_y=1)
    blas.gemv(1.0, A.T, p, 0.0, q, trans=1, overwrite_y=1)


def _doitgen(blas: Blas, A: Array, C4: Array, sum: Array) -> None:
    rows = A.reshape(-1, len(C4))
    rows[:] = blas.gemm(1.0, C4.T, rows.T).T


def _gemm(blas: Blas, alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    blas.gemm(alpha, B.T, A.T, beta, C.T, overwrite_c=1)


def _gemver(
    blas: Blas,
    alpha: Any,
    beta: Any,
    A: Array,
    u1: Array,
    v1: Array,
    u2: Array,
    v2: Array,
    w: Array,
    x: Array,
    y: Array,
    z: Array,
) -> None:
    blas.ger(1.0, v1, u1, a=A.T, overwrite_a=1)
    blas.ger(1.0, v2, u2, a=A.T, overwrite_a=1)
    blas.gemv(beta, A.T, y, 1.0, x, overwrite_y=1)
    x += z
    blas.gemv(alpha, A.T, x, 1.0, w, trans=1, overwrite_y=1)


def _gesummv(blas: Blas, alpha: Any, beta: Any, A: Array, B: Array, tmp: Array, x: Array, y: Array) -> None:
    blas.gemv(1.0, A.T, x, 0.0, tmp, trans=1, overwrite_y=1)
    np.multiply(tmp, alpha, out=y)
    blas.gemv(beta, B.T, x, 1.0, y, trans=1, overwrite_y=1)


def _mvt(blas: Blas, x1: Array, x2: Array, y_1: Array, y_2: Array, A: Array) -> None:
    blas.gemv(1.0, A.T, y_1, 1.0, x1, trans=1, overwrite_y=1)
    blas.gemv(1.0, A.T, y_2, 1.0, x2, overwrite_y=1)


def _symm(blas: Blas, alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    blas.symm(alpha, A.T, B.T, beta, C.T, side=1, lower=0, overwrite_c=1)


def _syrk(blas: Blas, alpha: Any, beta: Any, C: Array, A: Array) -> None:
    blas.syrk(alpha, A.T, beta, C.T, trans=1, lower=0, overwrite_c=1)


def _syr2k(blas: Blas, alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    blas.syr2k(alpha, A.T, B.T, beta=beta, c=C.T, trans=1, lower=0, overwrite_c=1)


def _trmm(blas: Blas, alpha: Any, A: Array, B: Array) -> None:
    blas.trmm(alpha, A.T, B.T, side=1, lower=0, trans_a=1, diag=1, overwrite_b=1)


def _trisolv(blas: Blas, L: Array, x: Array, b: Array) -> None:
    np.copyto(x, b)
    blas.trsv(L.T, x, lower=0, trans=1, overwrite_x=1)


BLAS_FORMS: Mapping[str, Callable[..., None]] = {
    "2mm": _2mm,
    "3mm": _3mm,
    "atax": _atax,
    "bicg": _bicg,
    "doitgen": _doitgen,
    "gemm": _gemm,
    "gemver": _gemver,
    "gesummv": _gesummv,
    "mvt": _mvt,
    "symm": _symm,
    "syr2k": _syr2k,
    "syrk": _syrk,
    "trisolv": _trisolv,
    "trmm": _trmm,
}
"""Name of the kernel to its form."""
