"""The kernels as a JAX expert writes them, to be compiled whole by `jax.jit`.

Each takes the arguments of the C function by name, and `jnp` and `lax`; it returns its results by name.
Time loops are `lax.fori_loop`, whose count is the size that it asks for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from raising.polybench.suite.values import by_kernel

Form = Callable[..., dict[str, Any]]


def _kernel_2mm(jnp: Any, alpha: Any, beta: Any, A: Any, B: Any, C: Any, D: Any, **_: Any) -> dict[str, Any]:
    product = alpha * (A @ B)
    return {"tmp": product, "D": product @ C + beta * D}


def _kernel_3mm(jnp: Any, A: Any, B: Any, C: Any, D: Any, **_: Any) -> dict[str, Any]:
    left, right = A @ B, C @ D
    return {"E": left, "F": right, "G": left @ right}


def _kernel_atax(jnp: Any, A: Any, x: Any, **_: Any) -> dict[str, Any]:
    product = A @ x
    return {"tmp": product, "y": product @ A}


def _kernel_bicg(jnp: Any, A: Any, p: Any, r: Any, **_: Any) -> dict[str, Any]:
    return {"s": r @ A, "q": A @ p}


def _kernel_correlation(jnp: Any, float_n: Any, data: Any, **_: Any) -> dict[str, Any]:
    mean = data.sum(0) / float_n
    deviation = jnp.sqrt(((data - mean) ** 2).sum(0) / float_n)
    deviation = jnp.where(deviation <= 0.1, 1.0, deviation)
    scaled = (data - mean) / (jnp.sqrt(float_n) * deviation)
    products = jnp.fill_diagonal(scaled.T @ scaled, 1, inplace=False)
    return {"data": scaled, "mean": mean, "stddev": deviation, "corr": products}


def _kernel_covariance(jnp: Any, float_n: Any, data: Any, **_: Any) -> dict[str, Any]:
    mean = data.sum(0) / float_n
    centred = data - mean
    return {"data": centred, "mean": mean, "cov": centred.T @ centred / (float_n - 1)}


def _kernel_doitgen(jnp: Any, A: Any, C4: Any, **_: Any) -> dict[str, Any]:
    return {"A": A @ C4}


def _kernel_gemm(jnp: Any, alpha: Any, beta: Any, C: Any, A: Any, B: Any) -> dict[str, Any]:
    return {"C": alpha * (A @ B) + beta * C}


def _kernel_gemver(
    jnp: Any,
    alpha: Any,
    beta: Any,
    A: Any,
    u1: Any,
    v1: Any,
    u2: Any,
    v2: Any,
    w: Any,
    x: Any,
    y: Any,
    z: Any,
) -> dict[str, Any]:
    updated = A + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    solution = x + beta * (y @ updated) + z
    return {"A": updated, "x": solution, "w": w + alpha * (updated @ solution)}


def _kernel_gesummv(jnp: Any, alpha: Any, beta: Any, A: Any, B: Any, x: Any, **_: Any) -> dict[str, Any]:
    return {"y": alpha * (A @ x) + beta * (B @ x)}


def _kernel_mvt(jnp: Any, x1: Any, x2: Any, y_1: Any, y_2: Any, A: Any) -> dict[str, Any]:
    return {"x1": x1 + A @ y_1, "x2": x2 + y_2 @ A}


def _kernel_symm(jnp: Any, alpha: Any, beta: Any, C: Any, A: Any, B: Any) -> dict[str, Any]:
    return {"C": alpha * ((jnp.tril(A) + jnp.tril(A, -1).T) @ B) + beta * C}


def _lower(jnp: Any, new: Any, old: Any) -> Any:
    return jnp.where(jnp.tri(len(old), dtype=bool), new, old)


def _kernel_syrk(jnp: Any, alpha: Any, beta: Any, C: Any, A: Any) -> dict[str, Any]:
    return {"C": _lower(jnp, alpha * (A @ A.T) + beta * C, C)}


def _kernel_syr2k(jnp: Any, alpha: Any, beta: Any, C: Any, A: Any, B: Any) -> dict[str, Any]:
    product = A @ B.T
    return {"C": _lower(jnp, alpha * (product + product.T) + beta * C, C)}


def _kernel_trmm(jnp: Any, alpha: Any, A: Any, B: Any) -> dict[str, Any]:
    return {"B": alpha * (B + jnp.tril(A, -1).T @ B)}


def _kernel_cholesky(jnp: Any, A: Any) -> dict[str, Any]:
    return {"A": _lower(jnp, jnp.linalg.cholesky(A), A)}


def _kernel_trisolv(jnp: Any, L: Any, b: Any, **_: Any) -> dict[str, Any]:
    linalg = importlib.import_module("jax.scipy.linalg")
    return {"x": linalg.solve_triangular(L, b, lower=True)}


def _kernel_fdtd_2d(jnp: Any, ex: Any, ey: Any, hz: Any, _fict_: Any) -> dict[str, Any]:
    lax = importlib.import_module("jax.lax")

    def step(t: Any, fields: Any) -> Any:
        ex, ey, hz = fields
        ey = ey.at[0].set(_fict_[t])
        ey = ey.at[1:].add(-0.5 * (hz[1:] - hz[:-1]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        hz = hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
        return ex, ey, hz

    ex, ey, hz = lax.fori_loop(0, len(_fict_), step, (ex, ey, hz))
    return {"ex": ex, "ey": ey, "hz": hz}


def _kernel_floyd_warshall(jnp: Any, path: Any) -> dict[str, Any]:
    lax = importlib.import_module("jax.lax")

    def step(k: Any, path: Any) -> Any:
        return jnp.minimum(path, path[:, k, None] + path[None, k])

    return {"path": lax.fori_loop(0, len(path), step, path)}


def _neighbours(A: Any) -> Any:
    total = 0
    for axis in range(A.ndim):
        for start in (0, 2):
            moved = tuple(slice(start, n - 2 + start) if k == axis else slice(1, -1) for k, n in enumerate(A.shape))
            total = total + A[moved]
    return total


def _there_and_back(update: Callable[[Any], Any], A: Any, B: Any, steps: Any) -> dict[str, Any]:
    lax = importlib.import_module("jax.lax")

    inner = (slice(1, -1),) * A.ndim

    def step(_: Any, both: Any) -> Any:
        A, B = both
        B = B.at[inner].set(update(A))
        return A.at[inner].set(update(B)), B

    A, B = lax.fori_loop(0, steps, step, (A, B))
    return {"A": A, "B": B}


def _kernel_heat_3d(jnp: Any, A: Any, B: Any, TSTEPS: int) -> dict[str, Any]:
    centre = (slice(1, -1),) * 3
    return _there_and_back(lambda a: 0.125 * (_neighbours(a) - 6 * a[centre]) + a[centre], A, B, TSTEPS)


def _kernel_jacobi_1d(jnp: Any, A: Any, B: Any, TSTEPS: int) -> dict[str, Any]:
    return _there_and_back(lambda a: 0.33333 * (a[1:-1] + _neighbours(a)), A, B, TSTEPS)


def _kernel_jacobi_2d(jnp: Any, A: Any, B: Any, TSTEPS: int) -> dict[str, Any]:
    return _there_and_back(lambda a: 0.2 * (a[1:-1, 1:-1] + _neighbours(a)), A, B, TSTEPS)


JAX_FORMS: Mapping[str, Form] = by_kernel(globals())
"""Name of the kernel to its form."""
