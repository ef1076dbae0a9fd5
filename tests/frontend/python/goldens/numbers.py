# ruff: noqa: F821 (names of sizes)
"""Types of numbers, conversions, and operators where NumPy says what others leave undefined."""

import math

import numpy as np

HALF = 0.5


def quotients(x: "int32[N]", y: "int32[N]", u: "uint8[N]", n: int):
    for i in range(len(x) - 1, -1, -1):
        x[i] = x[i] // y[i] + x[i] % y[i] - x[i] // 3
        u[i] = u[i] // u[0] + (u[i] >> u[1])
        y[i] = (y[i] << x[i]) + (i // n)


def kinds(a: "f32[N, M]", b: "f64[N]", flag: bool):
    total = 0
    best = np.inf
    for i, j in np.ndindex(a.shape[0], a.shape[1]):
        total += HALF * a[i, j]
        best = min(best, a[i, j], 1.0)
        b[i] = b[-1] + a[i][j] * (i / 3) + math.floor(b[i]) if flag else 0.0
    b[0] = best
    return total


def makes(a: "f32[N, M]"):
    n, m = a.shape
    t = np.full((n, 2 * m), 1.5, dtype=np.float32)
    for i in range(n):
        for j in range(0, m, 2):
            t[i, j + m] = a[i, j] ** 2 - abs(a[i, j])
    return t
