# ruff: noqa: F821 (names of sizes)
"""More functions of whole arrays, as their users write them: gathers, copies side by side, layers."""

import numpy as np


def attention(q: "f32[N, K]", k: "f32[N, K]", v: "f32[N, K]"):
    scores = q @ k.T / np.sqrt(np.float32(q.shape[1]))
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights /= np.sum(weights, axis=1, keepdims=True)
    return weights @ v


def padded(a: "f64[N, M]", x: "i32[K]"):
    edge = np.pad(a, ((1, 2), (2, 0)), mode="edge")
    symmetric = np.pad(a, ((1, 1), (0, 1)), mode="symmetric")
    return edge, symmetric, np.pad(x, (1, 1), "wrap")


def copies(a: "f64[N, M]", x: "i32[K]"):
    return (
        np.tile(a, (2, 3)),
        np.tile(x, 3),
        np.repeat(x, 2),
        np.repeat(a * 2.0, 3, axis=0),
        a.repeat(2, axis=1),
        np.tile(x, (2, 1)),
    )


def spaced(a: float, n: int, x: "f64[N]", y: "f32[M]"):
    one = np.linspace(a, 3, n)
    two = np.linspace(-1.2, 1.2, 5)
    wide, high = np.meshgrid(x, y)
    rows, columns = np.meshgrid(x, y * 2, indexing="ij")
    return one, two, wide, high, rows, columns


def squeezed(a: "f64[N, M]"):
    most = np.max(a, axis=1, keepdims=True)
    return (
        np.squeeze(most, axis=1) + np.squeeze(most[:1]) + 0.5,
        np.expand_dims(most, 0) * 2.0,
        np.expand_dims(a, axis=-1) + 0.0,
    )


def windows(x: "f64[N]", w: int):
    c = np.cumsum(x)
    return (c[w:] - c[:-w]) / w, x[-w:] * 2.0


def diagonals(a: "f64[N, N]"):
    d = np.diag(a)
    a[0] = 2.0
    return np.outer(d, d) + a


def neighbours(board: "f64[N, M]"):
    total = np.zeros_like(board)
    for dx in (-1, 0, 1):
        for dy in (-1, 1):
            if dx != 0:
                total += dx * board + dy
    return total


def returned_later(x: "f64[N]"):
    height = x.shape[0] - 2
    out = np.zeros(x.shape[0])
    for i in range(height):
        out[i] = np.sum(x[i : i + 3])
    return out * 2.0


def along_no_axis(a: "f64[N, M]"):
    return np.mean(a, axis=()), np.sum(a, axis=()), np.max(a, axis=())


def selected_rows(a: "f64[N, M]", b: "f64[N, M]", x: "f64[N]"):
    m = x > 0
    a[m] = b[m] ** 2 - 1.0
    a[~m, 0] = b[~m, 0] - x[~m]
    x[np.logical_and(m, x < 2)] *= 3.0
    b[b < 0] = 1.0 - b[b < 0]
    b[:, b[0] > 2] = 0.5
    return b[x > 1].sum(axis=0), np.sum(a[m]), a[x < 0].std(axis=0)


def walked(a: "f64[N, M]", x: "f64[N]", w: "f64[N, 2]", y: "f64[M]"):
    total = 0.0
    for k, (row, v) in enumerate(zip(a, x, strict=True)):
        for e in reversed(row):
            total = 0.5 * total + v * e
        total += k
    for i in reversed(range(1, len(x))):
        total = total - x[i] * i
    for p, q in w:
        total += p * q
    for v, u in zip(x, y, strict=False):
        total -= u * v
    x **= 2
    return total


def bounded(x: "f64[N]", k: "i64[N]", a: "f64[N, M]"):
    y: np.ndarray = x.clip(-1.0, 1.0)
    return y + np.clip(x, 0, None), np.clip(k, None, 2), a.clip(min=0.5)


def stacks(a: "f64[K, N, M]", b: "f64[M, N]", c: "f64[K, M, N]"):
    return a @ b, np.matmul(a, c), b @ a


def guarded(x: "f64[N]", y: "f64[M]", a: "f64[N, M]"):
    if x.ndim != 1 or a.shape != (len(x), len(y)):
        raise ValueError("never")
    if len(x) < len(y):
        raise ValueError("too short")
    return a * 1.0
