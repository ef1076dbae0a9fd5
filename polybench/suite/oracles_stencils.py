"""Oracles of the stencils: one step in whole-array NumPy, as often as the kernel takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from raising.polybench.suite.values import Array, Oracle, by_kernel


def _sweep(rows: Array, sides: Array, half: float, other: float) -> tuple[Array, Array, Array]:
    """One implicit sweep along the second axis of every inner row.

    Solves (1 - half D) new = (1 + other D) old by the Thomas algorithm, D the second difference:
    along the row on the left, across rows (`sides`) on the right; ends of a row are 1.
    Returns the rows, and the two coefficient arrays of the elimination.
    """
    size = len(rows)
    p, q, new = np.zeros((size, size)), np.ones((size, size)), rows.copy()
    a, b = -half, 1 + 2 * half
    d = -other
    for j in range(1, size - 1):
        known = -d * sides[:-2, j] + (1 + 2 * d) * sides[1:-1, j] - d * sides[2:, j]
        p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
        q[1:-1, j] = (known - a * q[1:-1, j - 1]) / (a * p[1:-1, j - 1] + b)
    new[1:-1, 0] = new[1:-1, -1] = 1
    for j in reversed(range(1, size - 1)):
        new[1:-1, j] = p[1:-1, j] * new[1:-1, j + 1] + q[1:-1, j]
    return new, p, q


def _kernel_adi(u: Array, v: Array, p: Array, q: Array, TSTEPS: int) -> dict[str, Any]:
    size = len(u)
    first, second = size**2 / TSTEPS, size**2 / TSTEPS / 2  # B DT / DX^2 / 2 with B = 2 and B = 1
    p, q = p.copy(), q.copy()
    inner = np.s_[1:-1, : size - 1]
    for _ in range(TSTEPS):
        across, p_new, q_new = _sweep(v.T, u.T, first, second)
        v = across.T
        u, p_new, q_new = _sweep(u, v, second, first)
        p[inner], q[inner] = p_new[inner], q_new[inner]
    return {"u": u, "v": v, "p": p, "q": q}


def _kernel_fdtd_2d(ex: Array, ey: Array, hz: Array, _fict_: Array) -> dict[str, Any]:
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for value in _fict_:
        ey[0] = value
        ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return {"ex": ex, "ey": ey, "hz": hz}


def _shifted(A: Array, axis: int, by: int) -> Array:
    """The interior of A, moved by one along an axis."""
    starts = [1 + by if k == axis else 1 for k in range(A.ndim)]
    return A[tuple(slice(start, start + size - 2) for start, size in zip(starts, A.shape, strict=True))]


def _inner(A: Array) -> tuple[slice, ...]:
    return (slice(1, -1),) * A.ndim


def _neighbours(A: Array) -> Any:
    """The sum of the nearest neighbours of each inner element."""
    return sum(_shifted(A, axis, by) for axis in range(A.ndim) for by in (-1, 1))


def _kernel_heat_3d(A: Array, B: Array, TSTEPS: int) -> dict[str, Any]:
    A, B = A.copy(), B.copy()
    for _ in range(TSTEPS):
        for old, new in ((A, B), (B, A)):
            new[_inner(old)] = 0.125 * (_neighbours(old) - 6 * old[_inner(old)]) + old[_inner(old)]
    return {"A": A, "B": B}


def _mean(A: Array, B: Array, steps: int, factor: float) -> dict[str, Any]:
    """A to B and back: factor times the sum of an element and its neighbours."""
    A, B = A.copy(), B.copy()
    for _ in range(steps):
        for old, new in ((A, B), (B, A)):
            new[_inner(old)] = factor * (old[_inner(old)] + _neighbours(old))
    return {"A": A, "B": B}


def _kernel_jacobi_1d(A: Array, B: Array, TSTEPS: int) -> dict[str, Any]:
    return _mean(A, B, TSTEPS, 0.33333)


def _kernel_jacobi_2d(A: Array, B: Array, TSTEPS: int) -> dict[str, Any]:
    return _mean(A, B, TSTEPS, 0.2)


def _kernel_seidel_2d(A: Array, TSTEPS: int) -> dict[str, Any]:
    """Row by row; within a row each element needs the one before it."""
    A = A.copy()
    for _ in range(TSTEPS):
        for i in range(1, len(A) - 1):
            above_and_below = A[i - 1] + A[i + 1]
            others = above_and_below[:-2] + above_and_below[1:-1] + above_and_below[2:] + A[i, 1:-1] + A[i, 2:]
            for j, known in enumerate(others, 1):
                A[i, j] = (known + A[i, j - 1]) / 9
    return {"A": A}


STENCILS: Mapping[str, Oracle] = by_kernel(globals())
