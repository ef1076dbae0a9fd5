"""Oracles of the kernels that are matrix products, and of those on data sets, in whole-array NumPy.

An oracle takes the arguments of the C function by name and returns the final contents of those it
changes. Elements outside a triangle that the loops do not write keep their input, as in the loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from raising.polybench.suite.values import Array, Oracle, by_kernel


def _lower(new: Array, old: Array) -> Array:
    """The lower triangle of `new` over `old`."""
    return np.where(np.tri(len(new), dtype=bool), new, old)


def _kernel_2mm(alpha: Any, beta: Any, tmp: Array, A: Array, B: Array, C: Array, D: Array) -> dict[str, Any]:
    product = alpha * (A @ B)
    return {"tmp": product, "D": product @ C + beta * D}


def _kernel_3mm(E: Array, A: Array, B: Array, F: Array, C: Array, D: Array, G: Array) -> dict[str, Any]:
    return {"E": A @ B, "F": C @ D, "G": A @ B @ (C @ D)}


def _kernel_atax(A: Array, x: Array, y: Array, tmp: Array) -> dict[str, Any]:
    return {"tmp": A @ x, "y": A.T @ (A @ x)}


def _kernel_bicg(A: Array, s: Array, q: Array, p: Array, r: Array) -> dict[str, Any]:
    return {"s": r @ A, "q": A @ p}


def _kernel_correlation(float_n: Any, data: Array, corr: Array, mean: Array, stddev: Array) -> dict[str, Any]:
    means = data.sum(0) / float_n
    deviations = np.sqrt(((data - means) ** 2).sum(0) / float_n)
    deviations = np.where(deviations <= 0.1, 1.0, deviations)
    scaled = (data - means) / (np.sqrt(float_n) * deviations)
    products = scaled.T @ scaled
    np.fill_diagonal(products, 1.0)
    return {"mean": means, "stddev": deviations, "data": scaled, "corr": products}


def _kernel_covariance(float_n: Any, data: Array, cov: Array, mean: Array) -> dict[str, Any]:
    means = data.sum(0) / float_n
    centred = data - means
    return {"mean": means, "data": centred, "cov": centred.T @ centred / (float_n - 1)}


def _kernel_doitgen(A: Array, C4: Array, sum: Array) -> dict[str, Any]:
    product = A @ C4
    return {"A": product, "sum": product[-1, -1]}


def _kernel_gemm(alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> dict[str, Any]:
    return {"C": alpha * (A @ B) + beta * C}


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
) -> dict[str, Any]:
    updated = A + np.outer(u1, v1) + np.outer(u2, v2)
    solution = x + beta * (updated.T @ y) + z
    return {"A": updated, "x": solution, "w": w + alpha * (updated @ solution)}


def _kernel_gesummv(alpha: Any, beta: Any, A: Array, B: Array, tmp: Array, x: Array, y: Array) -> dict[str, Any]:
    return {"tmp": A @ x, "y": alpha * (A @ x) + beta * (B @ x)}


def _kernel_mvt(x1: Array, x2: Array, y_1: Array, y_2: Array, A: Array) -> dict[str, Any]:
    return {"x1": x1 + A @ y_1, "x2": x2 + A.T @ y_2}


def _kernel_symm(alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> dict[str, Any]:
    symmetric = np.tril(A) + np.tril(A, -1).T
    return {"C": alpha * (symmetric @ B) + beta * C}


def _kernel_syr2k(alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> dict[str, Any]:
    return {"C": _lower(alpha * (A @ B.T + B @ A.T) + beta * C, C)}


def _kernel_syrk(alpha: Any, beta: Any, C: Array, A: Array) -> dict[str, Any]:
    return {"C": _lower(alpha * (A @ A.T) + beta * C, C)}


def _kernel_trmm(alpha: Any, A: Array, B: Array) -> dict[str, Any]:
    return {"B": alpha * ((np.tril(A, -1) + np.eye(len(A))).T @ B)}


BLAS: Mapping[str, Oracle] = by_kernel(globals())
