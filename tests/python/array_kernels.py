# ruff: noqa: F821 (names of sizes)
"""Whole arrays as people write them; each is run by NumPy, too, and has to give the same, at every size."""

import numpy as np


def jac(A: "f64[N, N]", B: "f64[N, N]", T: int):
    for _ in range(T):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = B[1:-1, 1:-1]


def gemm(alpha: np.float64, beta: np.float64, C: "f64[N, M]", A: "f64[N, K]", B: "f64[K, M]"):
    C[:] = alpha * A @ B + beta * C


def gemm2(C: "f64[N, M]", A: "f64[N, K]", B: "f64[K, M]"):
    C[:] = A @ B


def shift(x: "f64[N]"):
    x[1:] = x[:-1] + 1
    x[::2] *= 2.0
    x[1:] += x[:-1]


def softmax(x: "f32[N, M]", y: "f32[N, M]"):
    m = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - m)
    s = np.sum(e, axis=1, keepdims=True)
    y[:] = e / s


def total(x: "f64[N, M]") -> float:
    return np.sum(x * 2) + x.max() - np.mean(x)


def ret(x: "f64[N, M]", v: "f64[M]"):
    t = np.maximum(x, 0) + v
    t += 1
    return t


def outer(A: "f64[N, N]", u: "f64[N]", v: "f64[N]"):
    A += np.outer(u, v)
    u[:] = A.T @ v
    v[:] = A @ u * 2


def back(x: "f64[N]", y: "f64[N]"):
    y[:] = x[::-1]
    x[:] = np.where(x > 0, x, np.clip(y, -1, 1))


def newax(x: "f64[N]", y: "f64[M]", A: "f64[N, M]"):
    A[:] = x[:, None] * y[None, :]
    A[0] = y
    A[:, -1] = x


def dots(x: "f64[N]", y: "f64[N]") -> float:
    return x @ y + np.dot(x, y)


def _relu(x):
    return np.maximum(x, 0)


def _scale(x, by):
    x *= by


def _norm(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
    return np.sqrt(s)


def layer(x: "f64[N, K]", w: "f64[K, M]", b: "f64[M]"):
    return _relu(x @ w + b)


def two(x: "f64[N, K]", w: "f64[K, M]"):
    return x.sum(axis=0), w[0:1] + 1, w.T


def helped(x: "f64[N]", y: "f64[N]") -> float:
    _scale(x, 2.0)
    y[:] = _relu(x - 1) * _norm(y)
    return _norm(x + y) + _norm(x[1:])


def inout(x: "f64[N]", y: "f64[N]"):
    np.add(x, 1, out=y)
    x.fill(3)
    x[:] = np.subtract(y, x)
    x[1:-1] = x[2:] - x[:-2]
    t = x.copy()
    t = t * 2
    t += y
    y[:] = t


def loops(A: "f64[N, M]", x: "f64[M]", T: int):
    for i in range(A.shape[0]):
        A[i, :] -= np.mean(A[i])
        A[i] /= np.sqrt(np.sum(A[i] * A[i])) + 1
        A[i, :i] = 0 if A.shape[0] <= A.shape[1] else 1


def ints(x: "i32[N]", y: "i8[N]") -> int:
    x[:] = x // 2 + y
    y[::-1] = y * 2
    return np.sum(x) + y.max() + np.min(x)


def bools(x: "f64[N]", m: "bool[N]", y: "f64[N]"):
    m[:] = x > 0
    y[:] = np.where(m, x, -x)
    y[:] = y * m


def chol(A: "f64[N, N]"):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[j, :j]
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(np.abs(A[i, i]))


def three(x: "f64[N, M, K]", y: "f64[N, M]"):
    y[:] = np.sum(x, axis=2) + np.max(x[..., :1], axis=(2,))
    x[..., 0] = y
    x[:, 1:, :] += y[:, 1:, None] * 2


def f32s(x: "f32[N]", a: float, b: np.float64):
    x[:] = a * x
    x[:] = np.exp(-x * 0.5) / (1 + np.abs(x))
    x += a


def promoted(x: "f32[N]", b: np.float64):
    return x * b


def _column_sums(x):
    return np.sum(x, axis=0)


def nested_calls(x: "f64[N, M]", y: "f64[M]"):
    y[:] = _column_sums(_relu(x)) + _column_sums(x * x[:, :1] if x.shape[1] == 1 else x)


def swapped_rows(A: "f64[N, N]"):
    t = A[0].copy()
    A[0] = A[-1]
    A[-1] = t
    A[:] = A.T


def while_it_moves(x: "f64[N]", y: "f64[N]", T: int):
    t = np.zeros_like(x)
    for _ in range(T):
        t[1:-1] = x[:-2] - 2 * x[1:-1] + x[2:]
        x[1:-1] += y[1:-1] * t[1:-1]
        y[...] = -y


def fixed(x: "f64[6]", y: "f64[6]"):
    y[1:9:2] = x[-9:-3]
    y[:3] = x[10:2:-1]
    y[::-2] += x[:3]


def parts_of_parts(A: "f64[N, M]", y: "f64[M]"):
    y[:] = A[1:][0] + A.T[:, 0] - A[::2, ::-1][0]
