"""Oracles of PolyBench's stencils, after the number of time steps that the tests run (no argument tells it)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracles.registry import Array, oracle

STEPS = 6


@oracle("jacobi-1d")
def _jacobi_1d(A: Array, B: Array) -> dict[str, Any]:
    a, b = A.copy(), B.copy()
    for _ in range(STEPS):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return {"A": a, "B": b}


@oracle("jacobi-2d")
def _jacobi_2d(A: Array, B: Array) -> dict[str, Any]:
    a, b = A.copy(), B.copy()
    for _ in range(STEPS):
        for new, old in ((b, a), (a, b)):
            near = old[1:-1, :-2] + old[1:-1, 2:] + old[:-2, 1:-1] + old[2:, 1:-1]
            new[1:-1, 1:-1] = 0.2 * (old[1:-1, 1:-1] + near)
    return {"A": a, "B": b}


@oracle("heat-3d")
def _heat_3d(A: Array, B: Array) -> dict[str, Any]:
    a, b = A.copy(), B.copy()
    inner = (slice(1, -1),) * 3
    for _ in range(STEPS):
        for new, old in ((b, a), (a, b)):
            curved = sum(np.roll(old, s, axis) for axis in range(3) for s in (1, -1)) - 6 * old
            new[inner] = (0.125 * curved + old)[inner]
    return {"A": a, "B": b}


@oracle("fdtd-2d")
def _fdtd_2d(ex: Array, ey: Array, hz: Array, fict: Array) -> dict[str, Any]:
    x, y, z = ex.copy(), ey.copy(), hz.copy()
    for source in fict:
        y[0] = source
        y[1:] -= 0.5 * np.diff(z, axis=0)
        x[:, 1:] -= 0.5 * np.diff(z, axis=1)
        z[:-1, :-1] -= 0.7 * (np.diff(x, axis=1)[:-1] + np.diff(y, axis=0)[:, :-1])
    return {"ex": x, "ey": y, "hz": z}


@oracle("seidel-2d")
def _seidel_2d(A: Array) -> dict[str, Any]:
    a = A.copy()
    for _ in range(STEPS):
        for i in range(1, len(a) - 1):
            for j in range(1, len(a) - 1):
                a[i, j] = a[i - 1 : i + 2, j - 1 : j + 2].mean()
    return {"A": a}


@oracle("adi")
def _adi(u: Array, v: Array, p: Array, q: Array) -> dict[str, Any]:
    n = len(u)
    ratio = n * n / STEPS
    outer, inner = -ratio, -ratio / 2
    rows, columns, first, second = u.copy(), v.copy(), p.copy(), q.copy()
    for _ in range(STEPS):
        _swept(columns, rows.T, first, second, outer, inner)
        _swept(rows.T, columns, first, second, inner, outer)
    return {"u": rows, "v": columns, "p": first, "q": second}


def _swept(new: Array, old: Array, p: Array, q: Array, near: float, across: float) -> None:
    """One tridiagonal solve (near, 1 - 2 near, near) along the first axis of `new`; all arrays are changed in place."""
    lines, last = slice(1, -1), len(new) - 1
    new[0, lines], p[lines, 0], q[lines, 0] = 1, 0, 1
    for j in range(1, last):
        source = -across * old[:-2, j] + (1 + 2 * across) * old[1:-1, j] - across * old[2:, j]
        pivot = near * p[lines, j - 1] + 1 - 2 * near
        q[lines, j] = (source - near * q[lines, j - 1]) / pivot
        p[lines, j] = -near / pivot
    new[last, lines] = 1
    for j in range(last - 1, 0, -1):
        new[j, lines] = p[lines, j] * new[j + 1, lines] + q[lines, j]
