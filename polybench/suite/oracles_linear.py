"""Oracles of the kernels that are matrix products, and of those on data sets, on whole arrays of NumPy or of JAX.

An oracle takes the arguments of the C function by name and returns the final contents of those it
changes. Elements outside a triangle that the loops do not write keep their input, as in the loops.
Each is also how a JAX expert writes the kernel: XLA computes once what stands twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from raising.polybench.suite.values import Array, Oracle, by_kernel, namespace


def lower_of(new: Array, old: Array) -> Array:
    """The lower triangle of `new` over `old`."""
    numpy = namespace(new)
    chosen: Array = numpy.where(numpy.tri(len(new), dtype=bool), new, old)
    return chosen


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
    numpy, means = namespace(data), data.sum(0) / float_n
    deviations = numpy.sqrt(((data - means) ** 2).sum(0) / float_n)
    deviations = numpy.where(deviations <= 0.1, 1.0, deviations)
    scaled = (data - means) / (numpy.sqrt(float_n) * deviations)
    products = numpy.where(numpy.eye(scaled.shape[1], dtype=bool), 1.0, scaled.T @ scaled)
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
    updated = A + u1[:, None] * v1 + u2[:, None] * v2
    solution = x + beta * (updated.T @ y) + z
    return {"A": updated, "x": solution, "w": w + alpha * (updated @ solution)}


def _kernel_gesummv(alpha: Any, beta: Any, A: Array, B: Array, tmp: Array, x: Array, y: Array) -> dict[str, Any]:
    return {"tmp": A @ x, "y": alpha * (A @ x) + beta * (B @ x)}


def _kernel_mvt(x1: Array, x2: Array, y_1: Array, y_2: Array, A: Array) -> dict[str, Any]:
    return {"x1": x1 + A @ y_1, "x2": x2 + A.T @ y_2}


def _kernel_symm(alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> dict[str, Any]:
    numpy = namespace(A)
    return {"C": alpha * ((numpy.tril(A) + numpy.tril(A, -1).T) @ B) + beta * C}


def _kernel_syr2k(alpha: Any, beta: Any, C: Array, A: Array, B: Array) -> dict[str, Any]:
    product = A @ B.T
    return {"C": lower_of(alpha * (product + product.T) + beta * C, C)}


def _kernel_syrk(alpha: Any, beta: Any, C: Array, A: Array) -> dict[str, Any]:
    return {"C": lower_of(alpha * (A @ A.T) + beta * C, C)}


def _kernel_trmm(alpha: Any, A: Array, B: Array) -> dict[str, Any]:
    return {"B": alpha * (B + namespace(A).tril(A, -1).T @ B)}


BLAS: Mapping[str, Oracle] = by_kernel(globals())
