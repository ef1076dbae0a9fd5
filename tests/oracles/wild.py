"""Oracles of `tests/inputs/wild` and of the examples, under the names of the functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracles.registry import Array, oracle


@oracle("axpy")
def _axpy(a: Any, x: Array, y: Array) -> dict[str, Any]:
    return {"y": a * x + y}


@oracle("batch_matmul")
def _batch_matmul(A: Array, B: Array, C: Array) -> dict[str, Any]:
    return {"C": C + A @ B}


@oracle("chain4")
def _chain4(A: Array, B: Array, C: Array, D: Array, E: Array) -> dict[str, Any]:
    return {"E": E + A @ B @ C @ D}


@oracle("clamp")
def _clamp(low: Any, high: Any, x: Array, y: Array) -> dict[str, Any]:
    return {"y": np.minimum(np.maximum(x, low), high)}


@oracle("column_max")
def _column_max(A: Array, m: Array) -> dict[str, Any]:
    return {"m": A.max(0)}


@oracle("copy")
def _copy(A: Array, B: Array) -> dict[str, Any]:
    return {"B": A}


@oracle("dense_relu")
def _dense_relu(X: Array, W: Array, bias: Array, Y: Array) -> dict[str, Any]:
    return {"Y": np.maximum(X @ W + bias, 0)}


@oracle("diagonal")
def _diagonal(A: Array, d: Array) -> dict[str, Any]:
    return {"d": np.diag(A)}


@oracle("dot")
def _dot(x: Array, y: Array) -> dict[str, Any]:
    return {"return": x @ y}


@oracle("dot_i32")
def _dot_i32(x: Array, y: Array, sum: Array) -> dict[str, Any]:
    return {"sum": x @ y}


@oracle("fill")
def _fill(v: Any, x: Array) -> dict[str, Any]:
    return {"x": np.full_like(x, v)}


@oracle("identity")
def _identity(A: Array) -> dict[str, Any]:
    return {"A": np.eye(len(A))}


@oracle("l1_distance")
def _l1_distance(X: Array, Y: Array, D: Array) -> dict[str, Any]:
    return {"D": np.abs(X[:, None, :] - Y[None, :, :]).sum(2)}


@oracle("layernorm")
def _layernorm(X: Array, gamma: Array, shift: Array, mean: Array, variance: Array, Y: Array) -> dict[str, Any]:
    means, variances = X.mean(1), X.var(1)
    normal = (X - means[:, None]) / np.sqrt(variances + 1e-5)[:, None]
    return {"mean": means, "variance": variances, "Y": normal * gamma + shift}


@oracle("masked_update")
def _masked_update(rate: Any, threshold: Any, g: Array, x: Array) -> dict[str, Any]:
    return {"x": np.where(np.abs(g) >= threshold, x + rate * g, x)}


@oracle("nrm2")
def _nrm2(x: Array) -> dict[str, Any]:
    return {"return": np.sqrt((x * x).sum())}


@oracle("outer_product")
def _outer_product(x: Array, y: Array, A: Array) -> dict[str, Any]:
    return {"A": np.outer(x, y)}


@oracle("prefix_sum")
def _prefix_sum(x: Array, y: Array) -> dict[str, Any]:
    return {"y": np.cumsum(x)}


@oracle("relu")
def _relu(x: Array) -> dict[str, Any]:
    return {"x": np.maximum(x, 0)}


@oracle("reversed_step")
def _reversed_step(x: Array, y: Array) -> dict[str, Any]:
    result = y.copy()
    result[::3] = x[::-3]
    return {"y": result}


@oracle("row_sums")
def _row_sums(A: Array, s: Array) -> dict[str, Any]:
    return {"s": A.sum(1)}


@oracle("saxpby")
def _saxpby(n: Any, a: Any, x: Array, b: Any, y: Array, z: Array) -> dict[str, Any]:
    reached = np.arange(len(z)) < min(n, 7)
    return {"z": np.where(reached, a * x + b * y, z)}


@oracle("shifted_copy")
def _shifted_copy(x: Array, y: Array) -> dict[str, Any]:
    return {"y": np.concatenate([y[:10], x[1::2]])}


@oracle("sigmoid")
def _sigmoid(x: Array, y: Array) -> dict[str, Any]:
    return {"y": 1 / (1 + np.exp(-x))}


@oracle("softmax_rows")
def _softmax_rows(X: Array, P: Array) -> dict[str, Any]:
    powers = np.exp(X)
    return {"P": powers / powers.sum(1, keepdims=True)}


@oracle("stencil3")
def _stencil3(x: Array, y: Array) -> dict[str, Any]:
    return {"y": np.concatenate([y[:1], (x[:-2] + x[1:-1] + x[2:]) / 3, y[-1:]])}


@oracle("sum_new")
def _sum_new(x: Array, y: Array) -> dict[str, Any]:
    return {"return": x + y}


@oracle("tiled_matvec")
def _tiled_matvec(A: Array, x: Array, y: Array) -> dict[str, Any]:
    return {"y": A @ x}


@oracle("transpose")
def _transpose(A: Array, B: Array) -> dict[str, Any]:
    return {"B": A.T}


@oracle("zero_upper")
def _zero_upper(A: Array) -> dict[str, Any]:
    return {"A": np.tril(A)}


# --- examples


@oracle("relax")
def _relax(A: Array, x: Array, b: Array, u: Array) -> dict[str, Any]:
    product, relaxed = A @ x, u.copy()
    for i in range(1, len(u) - 1):
        relaxed[i] = (relaxed[i - 1] + relaxed[i + 1] + product[i]) / 2
    return {"b": product, "u": relaxed}


@oracle("softmax")
def _softmax(X: Array, P: Array) -> dict[str, Any]:
    return _softmax_rows(X, P)
