# ruff: noqa: F821 (names of sizes)
"""Loops over NumPy arrays as people write them; each is run by Python, too, and has to give the same."""

import itertools
import math
from math import exp

import numpy as np
from numpy import float32, float64, int32
from numpy.typing import NDArray

N, M = 6, 5
HALF = 0.5
REAL = np.float32


def gemm(alpha: float32, beta: float32, C: "float32[N_, M_]", A: "float32[N_, K_]", B: "float32[K_, M_]"):
    """C = alpha A B + beta C, with the extents asked of the arrays."""
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[i, j] *= beta
        for k in range(A.shape[1]):
            for j in range(C.shape[1]):
                C[i, j] += alpha * A[i, k] * B[k, j]


def dot(x: "f64[:]", y: "f64[:]") -> float:
    s = 0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def matmul(A: "float32[P, Q]", B: "float32[Q, R]"):
    n, k = A.shape
    m = B.shape[1]
    C = np.zeros((n, m), dtype=np.float32)
    for i, j in np.ndindex(n, m):
        s = 0.0
        for p in range(k):
            s += A[i, p] * B[p, j]
        C[i, j] = s
    return C


def chain(A: "float32[P, Q]", B: "float32[Q, R]", D: "float32[R, S]"):
    T = matmul(A, B)
    return matmul(T, D)


def relu(x: "float32[P]", y: "float32[P]"):
    for i in range(len(x)):
        y[i] = max(x[i], 0.0)


def clipped(x: "float32[6, 5]", y: "float32[6, 5]", low: float, high: float):
    for i, j in itertools.product(range(N), range(M)):
        y[i][j] = np.minimum(np.maximum(x[i][j], np.float32(low)), np.float32(high))


def jacobi(A: "float64[6]", B: "float64[6]", steps: int):
    for _ in range(steps):
        for i in range(1, len(A) - 1):
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1])
        for i in range(1, len(A) - 1):
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1])


def mixed(x: "float32[6]", y: "float64[6]", z: "float32[6]"):
    for i in range(N):
        z[i] = x[i] * 0.1 + y[i] * i / N + HALF


def backwards(x: "float64[6]", y: "float64[6]"):
    for i in range(N - 1, -1, -1):
        y[N - 1 - i] = x[i] - x[-1]
    y[-2] = 7


def halves(x: "int32[6]", y: "int32[6]", z: "int64[6]"):
    for i in range(N):
        y[i] = x[i] // 4 + x[i] % 3 + (x[i] << 1) - (x[i] >> 1) + (x[i] & 5)
        z[i] = -x[i] // 3 + abs(x[i]) ** 2


def every_other(x: "float64[6]", y: "float64[6]"):
    for i in range(0, N, 2):
        y[i // 2] = x[i]
    for i in range(3, N):
        y[i] = x[i % 3]


def small_integers(x: "uint8[6]", y: "int8[6]", z: "uint8[6]"):
    for i in range(N):
        z[i] = x[i] + x[i]
        y[i] = y[i] * y[i] + 1


def divided(x: "int32[6]", y: "float64[6]"):
    for i in range(N):
        y[i] = x[i] / 3 + i / (i + 1)


def functions(x: "float64[6]", y: "float64[6]"):
    for i in range(N):
        y[i] = math.sqrt(abs(x[i])) + np.exp(-x[i]) * math.pi + exp(0.5) - np.tanh(x[i]) ** 2 + np.abs(x[i]) ** 0.5


def singles(x: NDArray[float32], y: NDArray[float32]):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = np.sqrt(x[i, j] * x[i, j] + REAL(0.25)) + x[i, j] ** 3


def triangle(A: "float64[6, 6]"):
    for i in range(N):
        for j in range(i):
            A[i, j] = A[j, i]
        if i > 0 and i < N - 1:
            A[i, i] = 0
        elif i == 0 or not i < 3:
            A[i, i] = 1


def between(x: "float32[6]", y: "float32[6]"):
    for i in range(N):
        if -0.5 <= x[i] < 0.5:
            y[i] = x[i]
        else:
            y[i] = 0


def selected(x: "float64[6]", y: "float64[6]"):
    for i in range(N):
        y[i] = x[i] if x[i] > y[i] and i != 2 else -1


def running(x: "float64[6]", y: "float64[6]"):
    last = 1.0
    for i in range(N):
        y[i] = last
        last = x[i] * last


def swapped(x: "float64[6]", y: "float64[6]"):
    a, b = 0.0, 1.0
    for i in range(N):
        a, b = b, a + b
        y[i] = a * x[i]


def norms(A: "float64[P, Q]"):
    n, m = A.shape
    rows = np.empty(n)
    columns = np.full((m,), 1.0, dtype=np.float64)
    for i in range(n):
        rows[i] = 0.0
        for j in range(m):
            rows[i] += A[i, j] * A[i, j]
            columns[j] += A[i, j]
    return rows, columns


def both(A: "float64[P, Q]", y: "float64[P]"):
    r, c = norms(A)
    for i in range(len(y)):
        y[i] = r[i]
        for j in range(len(c)):
            y[i] += c[j]


def _scaled(x: float, by: float) -> float:
    return x * by + N


def helped(x: "float64[6]", y: "float64[6]"):
    for i in range(N):
        y[i] = _scaled(x[i], by=2.0)


def counted(x: "int64[6]", n: int) -> int:
    total = 0
    i = 0
    while i < n:
        total += x[i]
        i += 1
    return total


def largest(x: "float32[P]") -> float32:
    best: float32 = x[0]
    for i in range(1, len(x)):
        best = max(best, x[i])
    return best


def skipped(x: "float64[6]", y: "float64[6]"):
    for i in range(N):
        if i == 3:
            continue
        y[i] = x[i]


def bits(x: "bool[6]", y: "bool[6]", z: "int32[6]"):
    for i in range(N):
        y[i] = x[i] ^ (z[i] > 2)
        z[i] = ~z[i]


def scalar_matrix(A: "float64[P, P]", s: float64):
    n = len(A)
    for i in range(n):
        for j in range(n):
            A[i, j] = s if i == j else 0.0


def integer_sum(x: "int32[6]") -> int32:
    s: int32 = 0
    for i in range(N):
        s += x[i] * i
    return s


def beside_negative(x: "int8[6]", y: "int64[6]", z: "uint16[6]"):
    for i in range(N):
        z[i] = x[i] * x[i]
        y[i] = 1 if z[i] > i - 3 else 0
        y[i] = y[i] + 2 if z[i] > -1 else 0
        y[i] = y[i] + 4 if x[i] < 300 else 0


def through_elements(x: "float64[P]", y: "float64[P]"):
    P = x.shape[0]
    low = high = 0.0
    for v in x:
        low = min(low, v)
        for i, w in enumerate(y):
            high += v * w
            y[i] = w + high
    x[0] = y[P - 1] = low + high / x.size


def told_apart(A: "float64[P, Q]", B: "float64[Q, P]"):
    P, Q = A.shape
    for i in range(P):
        for j in range(Q):
            A[i, j] = B[j, i] = A[i, j] * B[j, i] + A.size


def by_anything(x: "int32[6]", y: "int32[6]", z: "int8[6]", w: "int8[6]"):
    """NumPy's integers have a value also where they are divided by 0 or shifted too far."""
    for i in range(N):
        a, b = x[i] // y[i], x[i] % y[i]
        w[i] = (w[i] << z[i]) + (w[i] >> z[i]) + w[i] // z[i]
        x[i], y[i] = a + (x[i] << (y[i] * 7)), b - (x[i] >> y[i])
    z[0] = np.int8(-128) // np.int8(-1) + z[1]


def wraps_around(x: "int8[6]", y: "int16[6]"):
    for i in range(N):
        x[i] = np.int8(i) * np.int8(100) + x[i]
        y[i] = np.int16(i) * np.int16(30000) - y[i] * np.int16(3000)


def _next(x: "float64[6]") -> float:
    x[0] = x[0] + 1
    return x[0]


def in_order(x: "float64[6]", y: "float64[6]"):
    y[0] = x[0] + _next(x) * 10 + x[0]
    y[1] = 5.0 if x[0] > 100 or _next(x) < 0 else _next(x)
    y[2] += _next(x)
    if 0 < x[0] < _next(x) < 1000:
        y[3] = _next(x)
    y[4], y[5] = x[0], _next(x)


def at_no_columns(A: "float64[P, Z]", B: "float64[P, Q]", y: "float64[P]"):
    for i in range(len(y)):
        y[i] = 1 if A.shape[1] == 0 else 2
        if B.shape[1] == 0:
            y[i] = 3


def smallest(x: "float32[P]") -> float32:
    best = np.inf
    for v in x:
        best = min(best, v, 100.0)
    return best


def counted_twice(x: "float64[6]"):
    for _ in range(2):
        for _ in range(3):
            x[0] += 1
    for i in range(2):
        x[i] *= 2
    for i in range(3, 5):
        x[i] *= 3
