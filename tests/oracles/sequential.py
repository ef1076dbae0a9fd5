"""Oracles of sequential kernels whose MLIR twin has other parameters than the C function."""

from __future__ import annotations

from typing import Any

from tests.oracles.registry import Array, oracle


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
