"""Oracles of the PolyBench kernels that run in sequence."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracles.kernels import _lower
from tests.oracles.registry import Array, oracle


@oracle("cholesky")
def _cholesky(A: Array) -> dict[str, Any]:
    symmetric = np.tril(A) + np.tril(A, -1).T
    return {"A": _lower(np.linalg.cholesky(symmetric), A)}


@oracle("trisolv")
def _trisolv(L: Array, x: Array, b: Array) -> dict[str, Any]:
    return {"x": np.linalg.solve(np.tril(L), b)}


@oracle("lu")
def _lu(A: Array) -> dict[str, Any]:
    return {"A": _factors(A)}


@oracle("ludcmp")
def _ludcmp(A: Array, b: Array, x: Array, y: Array) -> dict[str, Any]:
    factors = _factors(A)
    lower = np.tril(factors, -1) + np.eye(len(A), dtype=A.dtype)
    half = np.linalg.solve(lower, b)
    return {"A": factors, "y": half, "x": np.linalg.solve(np.triu(factors), half)}


def _factors(matrix: Array) -> Array:
    found = matrix.copy()
    for k in range(len(found)):
        found[k + 1 :, k] /= found[k, k]
        found[k + 1 :, k + 1 :] -= np.outer(found[k + 1 :, k], found[k, k + 1 :])
    return found


@oracle("gramschmidt")
def _gramschmidt(A: Array, R: Array, Q: Array) -> dict[str, Any]:
    rest, upper, unit = A.copy(), R.copy(), Q.copy()
    for k in range(A.shape[1]):
        upper[k, k] = np.sqrt(rest[:, k] @ rest[:, k])
        unit[:, k] = rest[:, k] / upper[k, k]
        upper[k, k + 1 :] = unit[:, k] @ rest[:, k + 1 :]
        rest[:, k + 1 :] -= np.outer(unit[:, k], upper[k, k + 1 :])
    return {"A": rest, "R": upper, "Q": unit}


@oracle("durbin")
def _durbin(r: Array, y: Array, z: Array) -> dict[str, Any]:
    found, last, beta, alpha = y.copy(), z.copy(), 1.0, -r[0]
    found[0] = -r[0]
    for k in range(1, len(r)):
        beta = (1 - alpha * alpha) * beta
        alpha = -(r[k] + r[:k][::-1] @ found[:k]) / beta
        last[:k] = found[:k] + alpha * found[:k][::-1]
        found[:k] = last[:k]
        found[k] = alpha
    return {"y": found, "z": last}


@oracle("floyd-warshall")
def _floyd_warshall(path: Array) -> dict[str, Any]:
    found = path.copy()
    for k in range(len(found)):  # row by row: paths may have negative length, so the order tells
        for i in range(len(found)):
            for j in range(len(found)):
                found[i, j] = min(found[i, j], found[i, k] + found[k, j])
    return {"path": found}


@oracle("nussinov")
def _nussinov(seq: Array, table: Array) -> dict[str, Any]:
    found = table.copy()
    for i in reversed(range(len(seq))):
        for j in range(i + 1, len(seq)):
            pair = float(seq[i] + seq[j] == 3) if j > i + 1 else 0.0
            inner = found[i + 1, j - 1] + pair
            splits = found[i, i + 1 : j] + found[i + 2 : j + 1, j]
            found[i, j] = max([found[i, j], found[i, j - 1], found[i + 1, j], inner, *splits])
    return {"table": found}


@oracle("deriche")
def _deriche(alpha: Any, imgIn: Array, imgOut: Array, y1: Array, y2: Array) -> dict[str, Any]:
    drop = np.exp(-alpha)
    k = (1 - drop) ** 2 / (1 + 2 * alpha * drop - np.exp(2 * alpha))
    forward = (k, k * drop * (alpha - 1))
    backward = (0.0, k * drop * (alpha + 1), -k * np.exp(-2 * alpha))
    back = (2.0**-alpha, -np.exp(-2 * alpha))
    rows = _filtered(imgIn, forward, back) + _filtered(imgIn[:, ::-1], backward, back)[:, ::-1]
    down = _filtered(rows.T, forward, back).T
    up = _filtered(rows.T[:, ::-1], backward, back)[:, ::-1].T
    return {"imgOut": down + up, "y1": down, "y2": up}


def _filtered(image: Array, ahead: tuple[float, ...], back: tuple[float, ...]) -> Array:
    """Σ ahead[n] image[:, j-n] + Σ back[n] result[:, j-1-n]."""
    result = np.zeros_like(image)
    for j in range(image.shape[1]):
        for n, factor in enumerate(ahead[: j + 1]):
            result[:, j] += factor * image[:, j - n]
        for n, factor in enumerate(back[:j]):
            result[:, j] += factor * result[:, j - 1 - n]
    return result
