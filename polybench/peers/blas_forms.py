"""The kernels that are one BLAS or LAPACK call, or a few, as an expert calls them: in place, no copies.

BLAS is column-major: a row-major matrix is passed as its transpose, so `C = A B` is `C' = B' A'`, and a
lower triangle is an upper one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from raising.polybench.suite.values import Array, by_kernel


class Blas:
    """The routines of one precision, without their letter."""

    def __init__(self, dtype: Any) -> None:
        self._routines: Any = importlib.import_module("scipy.linalg.blas")
        self._letter = {"float32": "s", "float64": "d"}[np.dtype(dtype).name]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._routines, self._letter + name)


def _kernel_2mm(blas: Blas, alpha: Any, beta: Any, tmp: Array, A: Array, B: Array, C: Array, D: Array) -> None:
    blas.gemm(alpha, B.T, A.T, 0.0, tmp.T, overwrite_c=1)
    blas.gemm(1.0, C.T, tmp.T, beta, D.T, overwrite_c=1)


def _kernel_3mm(blas: Blas, E: Array, A: Array, B: Array, F: Array, C: Array, D: Array, G: Array) -> None:
    for left, right, out in ((A, B, E), (C, D, F), (E, F, G)):
        blas.gemm(1.0, right.T, left.T, 0.0, out.T, overwrite_c=1)


def _kernel_atax(blas: Blas, A: Array, x: Array, y: Array, tmp: Array) -> None:
    blas.gemv(1.0, A.T, x, 0.0, tmp, trans=1, overwrite_y=1)
    blas.gemv(1.0, A.T, tmp, 0.0, y, overwrite_y=1)


def _kernel_bicg(blas: Blas, A: Array, s: Array, q: Array, p: Array, r: Array) -> None:
    blas.gemv(1.0, A.T, r, 0.0, s, overwrite_y=1)
    blas.gemv(1.0, A.T, p, 0.0, q, trans=1, overwrite_y=1)


def _kernel_doitgen(blas: Blas, A: Array, C4: Array, sum: Array) -> None:
    rows = A.reshape(-1, len(C4))
    rows[:] = blas.gemm(1.0, C4.T, rows.T).T


def _kernel_gemm(blas: Blas, alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    blas.gemm(alpha, B.T, A.T, beta, C.T, overwrite_c=1)


def _kernel_gemver(
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


def _kernel_gesummv(blas: Blas, alpha: Any, beta: Any, A: Array, B: Array, tmp: Array, x: Array, y: Array) -> None:
    blas.gemv(1.0, A.T, x, 0.0, tmp, trans=1, overwrite_y=1)
    np.multiply(tmp, alpha, out=y)
    blas.gemv(beta, B.T, x, 1.0, y, trans=1, overwrite_y=1)


def _kernel_mvt(blas: Blas, x1: Array, x2: Array, y_1: Array, y_2: Array, A: Array) -> None:
    blas.gemv(1.0, A.T, y_1, 1.0, x1, trans=1, overwrite_y=1)
    blas.gemv(1.0, A.T, y_2, 1.0, x2, overwrite_y=1)


def _kernel_symm(blas: Blas, alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    blas.symm(alpha, A.T, B.T, beta, C.T, side=1, lower=0, overwrite_c=1)


def _kernel_syrk(blas: Blas, alpha: Any, beta: Any, C: Array, A: Array) -> None:
    blas.syrk(alpha, A.T, beta, C.T, trans=1, lower=0, overwrite_c=1)


def _kernel_syr2k(blas: Blas, alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    blas.syr2k(alpha, A.T, B.T, beta=beta, c=C.T, trans=1, lower=0, overwrite_c=1)


def _kernel_trmm(blas: Blas, alpha: Any, A: Array, B: Array) -> None:
    blas.trmm(alpha, A.T, B.T, side=1, lower=0, trans_a=1, diag=1, overwrite_b=1)


def _kernel_trisolv(blas: Blas, L: Array, x: Array, b: Array) -> None:
    np.copyto(x, b)
    blas.trsv(L.T, x, lower=0, trans=1, overwrite_x=1)


BLAS_FORMS: Mapping[str, Callable[..., None]] = by_kernel(globals())
"""Name of the kernel to its form."""
