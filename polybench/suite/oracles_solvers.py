"""Oracles of the solvers, and of the kernels of dynamic programming and filtering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from raising.polybench.suite.oracles_linear import lower_of
from raising.polybench.suite.values import Array, Oracle, by_kernel, namespace


def _factors(A: Array) -> Array:
    """L and U in one matrix, by elimination of one column after the other."""
    A = A.copy()
    for k in range(len(A) - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A


def _kernel_cholesky(A: Array) -> dict[str, Any]:
    return {"A": lower_of(namespace(A).linalg.cholesky(A), A)}


def _kernel_durbin(r: Array, y: Array) -> dict[str, Any]:
    """Solve T y = -r, T Toeplitz with the first column (1, r[0], r[1], ...)."""
    column = np.concatenate(([1.0], r[:-1]))
    distance = np.abs(np.subtract.outer(np.arange(len(r)), np.arange(len(r))))
    return {"y": np.linalg.solve(column[distance], -r)}


def _kernel_gramschmidt(A: Array, R: Array, Q: Array) -> dict[str, Any]:
    """Column by column, each orthogonal to those before it."""
    A, R, Q = A.copy(), R.copy(), Q.copy()
    for k in range(A.shape[1]):
        R[k, k] = np.linalg.norm(A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        R[k, k + 1 :] = Q[:, k] @ A[:, k + 1 :]
        A[:, k + 1 :] -= np.outer(Q[:, k], R[k, k + 1 :])
    return {"A": A, "R": R, "Q": Q}


def _kernel_lu(A: Array) -> dict[str, Any]:
    return {"A": _factors(A)}


def _kernel_ludcmp(A: Array, b: Array, x: Array, y: Array) -> dict[str, Any]:
    both = _factors(A)
    lower = np.tril(both, -1) + np.eye(len(A))
    return {"A": both, "y": np.linalg.solve(lower, b), "x": np.linalg.solve(A, b)}


def _kernel_trisolv(L: Array, x: Array, b: Array) -> dict[str, Any]:
    return {"x": np.linalg.solve(np.tril(L), b)}


def _kernel_floyd_warshall(path: Array) -> dict[str, Any]:
    """A row in two pieces: paths of negative length may change the way to k before the way beyond it."""
    path = path.copy()
    for k in range(len(path)):
        for row in path:
            for piece in (slice(k + 1), slice(k + 1, None)):
                row[piece] = np.minimum(row[piece], row[k] + path[k, piece])
    return {"path": path}


def _kernel_nussinov(seq: Array, table: Array) -> dict[str, Any]:
    """Best of: one end left out, the two ends paired, the interval cut in two."""
    table, pairs = table.copy(), np.add.outer(seq, seq) == 3
    size = len(seq)
    for i in reversed(range(size)):
        for j in range(i + 1, size):
            inner = table[i + 1, j - 1] + (pairs[i, j] if i < j - 1 else 0)
            cut = table[i, i + 1 : j] + table[i + 2 : j + 1, j]
            table[i, j] = max(table[i, j], table[i, j - 1], table[i + 1, j], inner, *cut)
    return {"table": table}


def _kernel_deriche(alpha: Any, imgIn: Array, imgOut: Array, y1: Array, y2: Array) -> dict[str, Any]:
    e = np.exp(-alpha)
    k = (1 - e) ** 2 / (1 + 2 * alpha * e - np.exp(2 * alpha))
    causal = (k, k * e * (alpha - 1))
    anticausal = (0, k * e * (alpha + 1), -k * e * e)
    back = (2.0**-alpha, -e * e)
    image = imgIn.T  # a filter runs along the first axis
    for _ in range(2):
        forward = _filter(image, causal, back)
        backward = _filter(image[::-1], anticausal, back)[::-1]
        image = (forward + backward).T
    return {"imgOut": image.T, "y1": forward, "y2": backward}


def _filter(image: Array, ahead: tuple[Any, ...], back: tuple[Any, ...]) -> Array:
    """y[t] = sum_k ahead[k] x[t-k] + sum_k back[k] y[t-1-k], along the first axis, zero before it."""
    out = np.zeros_like(image)
    for t in range(len(image)):
        out[t] = sum(a * image[t - k] for k, a in enumerate(ahead) if t >= k)
        out[t] += sum(b * out[t - 1 - k] for k, b in enumerate(back) if t > k)
    return out


SOLVERS: Mapping[str, Oracle] = by_kernel(globals())
