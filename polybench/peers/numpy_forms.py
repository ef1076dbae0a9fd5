"""The kernels as a NumPy expert writes them: whole arrays, in place, few temporaries.

Each takes the arguments of the C function by name and overwrites its results. Kernels that are not
here are run by their oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from raising.polybench.suite.values import Array, by_kernel


def _kernel_2mm(alpha: Any, beta: Any, tmp: Array, A: Array, B: Array, C: Array, D: Array) -> None:
    np.matmul(A, B, out=tmp)
    tmp *= alpha
    D *= beta
    D += tmp @ C


def _kernel_3mm(E: Array, A: Array, B: Array, F: Array, C: Array, D: Array, G: Array) -> None:
    np.matmul(A, B, out=E)
    np.matmul(C, D, out=F)
    np.matmul(E, F, out=G)


def _kernel_atax(A: Array, x: Array, y: Array, tmp: Array) -> None:
    np.dot(A, x, out=tmp)
    np.dot(A.T, tmp, out=y)


def _kernel_bicg(A: Array, s: Array, q: Array, p: Array, r: Array) -> None:
    np.dot(A.T, r, out=s)
    np.dot(A, p, out=q)


def _kernel_correlation(float_n: Any, data: Array, corr: Array, mean: Array, stddev: Array) -> None:
    np.mean(data, axis=0, out=mean)
    np.std(data, axis=0, out=stddev)
    stddev[stddev <= 0.1] = 1
    data -= mean
    data /= np.sqrt(float_n) * stddev
    np.matmul(data.T, data, out=corr)
    np.fill_diagonal(corr, 1)


def _kernel_covariance(float_n: Any, data: Array, cov: Array, mean: Array) -> None:
    np.mean(data, axis=0, out=mean)
    data -= mean
    np.matmul(data.T, data, out=cov)
    cov /= float_n - 1


def _kernel_doitgen(A: Array, C4: Array, sum: Array) -> None:
    rows = A.reshape(-1, len(C4))
    rows[:] = rows @ C4


def _kernel_gemm(alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    product = A @ B
    product *= alpha
    C *= beta
    C += product


def _kernel_gemver(
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
    A += np.outer(u1, v1)
    A += np.outer(u2, v2)
    x += beta * (A.T @ y)
    x += z
    w += alpha * (A @ x)


def _kernel_gesummv(alpha: Any, beta: Any, A: Array, B: Array, tmp: Array, x: Array, y: Array) -> None:
    np.dot(A, x, out=tmp)
    y[:] = alpha * tmp + beta * (B @ x)


def _kernel_mvt(x1: Array, x2: Array, y_1: Array, y_2: Array, A: Array) -> None:
    x1 += A @ y_1
    x2 += A.T @ y_2


def _kernel_symm(alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    product = (np.tril(A) + np.tril(A, -1).T) @ B
    product *= alpha
    C *= beta
    C += product


def _lower(new: Array, old: Array, beta: Any) -> None:
    """`old = new + beta * old` in the lower triangle."""
    new += beta * old
    np.copyto(old, new, where=np.tri(len(new), dtype=bool))


def _kernel_syrk(alpha: Any, beta: Any, C: Array, A: Array) -> None:
    product = A @ A.T
    product *= alpha
    _lower(product, C, beta)


def _kernel_syr2k(alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> None:
    product = A @ B.T
    both = product + product.T
    both *= alpha
    _lower(both, C, beta)


def _kernel_trmm(alpha: Any, A: Array, B: Array) -> None:
    B += np.tril(A, -1).T @ B
    B *= alpha


NUMPY_FORMS: Mapping[str, Callable[..., None]] = by_kernel(globals())
"""Name of the kernel to its form."""
