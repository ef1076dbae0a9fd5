"""The kernels as a JAX expert writes them, to be compiled whole by `jax.jit`.

Each takes the arguments of the C function by name and returns its results by name. Products of matrices are as
their oracles have them. Time loops are `lax.fori_loop`, whose count is the size that it asks for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from raising.polybench.suite.oracles_linear import BLAS
from raising.polybench.suite.oracles_solvers import SOLVERS
from raising.polybench.suite.values import Oracle, by_kernel, namespace


def _kernel_trisolv(L: Any, b: Any, **_: Any) -> dict[str, Any]:
    linalg = importlib.import_module("jax.scipy.linalg")
    return {"x": linalg.solve_triangular(L, b, lower=True)}


def _kernel_fdtd_2d(ex: Any, ey: Any, hz: Any, _fict_: Any) -> dict[str, Any]:
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


def _kernel_floyd_warshall(path: Any) -> dict[str, Any]:
    lax = importlib.import_module("jax.lax")

    def step(k: Any, path: Any) -> Any:
        return namespace(path).minimum(path, path[:, k, None] + path[None, k])

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


def _kernel_heat_3d(A: Any, B: Any, TSTEPS: int) -> dict[str, Any]:
    centre = (slice(1, -1),) * 3
    return _there_and_back(lambda a: 0.125 * (_neighbours(a) - 6 * a[centre]) + a[centre], A, B, TSTEPS)


def _kernel_jacobi_1d(A: Any, B: Any, TSTEPS: int) -> dict[str, Any]:
    return _there_and_back(lambda a: 0.33333 * (a[1:-1] + _neighbours(a)), A, B, TSTEPS)


def _kernel_jacobi_2d(A: Any, B: Any, TSTEPS: int) -> dict[str, Any]:
    return _there_and_back(lambda a: 0.2 * (a[1:-1, 1:-1] + _neighbours(a)), A, B, TSTEPS)


JAX_FORMS: Mapping[str, Oracle] = {**BLAS, "cholesky": SOLVERS["cholesky"], **by_kernel(globals())}
"""Name of the kernel to its form."""
