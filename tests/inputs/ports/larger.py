"""Loops of several steps as Python, each with a port to whole arrays and a slightly wrong one."""

import numpy as np


def normalised(x: "f64[N, M]", mean: "f64[N]", var: "f64[N]", y: "f64[N, M]", eps: float):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j]
        mean[i] = s / x.shape[1]
        q = 0.0
        for j in range(x.shape[1]):
            q += (x[i, j] - mean[i]) * (x[i, j] - mean[i])
        var[i] = q / x.shape[1]
        for j in range(x.shape[1]):
            y[i, j] = (x[i, j] - mean[i]) / np.sqrt(var[i] + eps)


def normalised_port(x: "f64[N, M]", mean: "f64[N]", var: "f64[N]", y: "f64[N, M]", eps: float):
    mean[:] = np.mean(x, axis=1)
    var[:] = np.mean((x - mean[:, None]) ** 2, axis=1)
    y[:] = (x - mean[:, None]) / np.sqrt(var + eps)[:, None]


def normalised_wrong(x: "f64[N, M]", mean: "f64[N]", var: "f64[N]", y: "f64[N, M]", eps: float):
    mean[:] = np.mean(x, axis=1)
    var[:] = np.mean((x - mean[:, None]) ** 2, axis=1)
    y[:] = (x - mean[:, None]) / (np.sqrt(var)[:, None] + eps)


def convolved(x: "f32[N, M]", w: "f32[3, 3]", y: "f32[N, M]"):
    for i in range(1, x.shape[0] - 1):
        for j in range(1, x.shape[1] - 1):
            y[i, j] = 0
            for a in range(3):
                for b in range(3):
                    y[i, j] += w[a, b] * x[i + a - 1, j + b - 1]


def convolved_port(x: "f32[N, M]", w: "f32[3, 3]", y: "f32[N, M]"):
    n, m = x.shape
    y[1:-1, 1:-1] = 0
    for a in range(3):
        for b in range(3):
            y[1:-1, 1:-1] += w[a, b] * x[a : n - 2 + a, b : m - 2 + b]


def convolved_wrong(x: "f32[N, M]", w: "f32[3, 3]", y: "f32[N, M]"):
    n, m = x.shape
    y[1:-1, 1:-1] = 0
    for a in range(3):
        for b in range(3):
            y[1:-1, 1:-1] += w[b, a] * x[a : n - 2 + a, b : m - 2 + b]


def batched(a: "f64[B, N, K]", b: "f64[B, K, M]", c: "f64[B, N, M]"):
    for z in range(a.shape[0]):
        for i in range(a.shape[1]):
            for j in range(b.shape[2]):
                c[z, i, j] = 0
                for k in range(a.shape[2]):
                    c[z, i, j] += a[z, i, k] * b[z, k, j]


def batched_port(a: "f64[B, N, K]", b: "f64[B, K, M]", c: "f64[B, N, M]"):
    c[:] = np.einsum("bik,bkj->bij", a, b)


def batched_wrong(a: "f64[B, N, K]", b: "f64[B, K, M]", c: "f64[B, N, M]"):
    c[:] = np.einsum("bik,ckj->bij", a, b)


def chained(A: "f64[N, N]", B: "f64[N, N]", x: "f64[N]", t: "f64[N]", y: "f64[N]"):
    n = x.shape[0]
    for i in range(n):
        t[i] = 0
        for j in range(n):
            t[i] += B[i, j] * x[j]
    for i in range(n):
        y[i] = 0
        for j in range(n):
            y[i] += A[i, j] * t[j]


def chained_port(A: "f64[N, N]", B: "f64[N, N]", x: "f64[N]", t: "f64[N]", y: "f64[N]"):
    t[:] = B @ x
    y[:] = (A @ B) @ x


def chained_wrong(A: "f64[N, N]", B: "f64[N, N]", x: "f64[N]", t: "f64[N]", y: "f64[N]"):
    t[:] = B @ x
    y[:] = (B @ A) @ x


def triangle(A: "f64[N, N]", x: "f64[N]", y: "f64[N]"):
    for i in range(x.shape[0]):
        y[i] = 0
        for j in range(i + 1):
            y[i] += A[i, j] * x[j]


def triangle_port(A: "f64[N, N]", x: "f64[N]", y: "f64[N]"):
    n = x.shape[0]
    r = np.arange(n)
    y[:] = np.where(r[:, None] >= r, A, 0.0) @ x


def triangle_wrong(A: "f64[N, N]", x: "f64[N]", y: "f64[N]"):
    n = x.shape[0]
    r = np.arange(n)
    y[:] = np.where(r[:, None] > r, A, 0.0) @ x


def shifted(x: "f64[N, M]", y: "f64[N]"):
    for i in range(x.shape[0]):
        best = x[i, 0]
        for j in range(1, x.shape[1]):
            best = max(best, x[i, j])
        y[i] = 0
        for j in range(x.shape[1]):
            y[i] += np.exp(x[i, j] - best)
        y[i] = best + np.log(y[i])


def shifted_port(x: "f64[N, M]", y: "f64[N]"):
    best = np.max(x, axis=1)
    y[:] = np.log(np.sum(np.exp(x - best[:, None]), axis=1)) + best


def shifted_wrong(x: "f64[N, M]", y: "f64[N]"):
    best = np.max(x, axis=1)
    y[:] = np.log(np.sum(np.exp(x - best[:, None]), axis=1)) - best


def solved(L: "f64[N, N]", b: "f64[N]", x: "f64[N]"):
    for i in range(b.shape[0]):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]


def solved_port(L: "f64[N, N]", b: "f64[N]", x: "f64[N]"):
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def solved_wrong(L: "f64[N, N]", b: "f64[N]", x: "f64[N]"):
    for i in range(b.shape[0]):
        x[i] = b[i] - L[i, :i] @ x[:i] / L[i, i]


def smoothed(x: "f64[N]", a: float, y: "f64[N]"):
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = a * x[i] + (1 - a) * y[i - 1]


def smoothed_port(x: "f64[N]", a: float, y: "f64[N]"):
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] + a * (x[i] - y[i - 1])


def smoothed_wrong(x: "f64[N]", a: float, y: "f64[N]"):
    y[0] = x[0]
    y[1:] = a * x[1:] + (1 - a) * x[:-1]
