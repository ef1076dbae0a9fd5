"""Loops of learning as Python, each with a port to whole arrays and a slightly wrong one."""

import numpy as np


def relu(x: "f32[N, M]", y: "f32[N, M]"):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] if x[i, j] > 0 else 0.0


def relu_port(x: "f32[N, M]", y: "f32[N, M]"):
    y[:] = np.where(x > 0, x, 0)


def relu_wrong(x: "f32[N, M]", y: "f32[N, M]"):
    y[:] = np.where(x > 1, x, 0)


def leaky(x: "f64[N]", a: float, y: "f64[N]"):
    for i in range(x.shape[0]):
        if x[i] < 0:
            y[i] = a * x[i]
        else:
            y[i] = x[i]


def leaky_port(x: "f64[N]", a: float, y: "f64[N]"):
    y[:] = np.where(x < 0, x * a, x)


def leaky_wrong(x: "f64[N]", a: float, y: "f64[N]"):
    y[:] = np.where(x < a, x * a, x)


def dense(x: "f32[N, K]", w: "f32[K, M]", b: "f32[M]", y: "f32[N, M]"):
    for i in range(x.shape[0]):
        for j in range(w.shape[1]):
            y[i, j] = b[j]
            for k in range(x.shape[1]):
                y[i, j] += x[i, k] * w[k, j]


def dense_port(x: "f32[N, K]", w: "f32[K, M]", b: "f32[M]", y: "f32[N, M]"):
    y[:] = x @ w + b


def dense_wrong(x: "f32[N, K]", w: "f32[K, M]", b: "f32[M]", y: "f32[N, M]"):
    y[:] = (x + 1) @ w + b


def sigmoid(x: "f64[N]", y: "f64[N]"):
    for i in range(x.shape[0]):
        y[i] = 1 / (1 + np.exp(-x[i]))


def sigmoid_port(x: "f64[N]", y: "f64[N]"):
    y[:] = 1 / (np.exp(-x) + 1)


def sigmoid_wrong(x: "f64[N]", y: "f64[N]"):
    y[:] = 1 / (1 + np.exp(x))


def squared_error(p: "f64[N]", t: "f64[N]"):
    s = 0.0
    for i in range(p.shape[0]):
        s += (p[i] - t[i]) ** 2
    return s / p.shape[0]


def squared_error_port(p: "f64[N]", t: "f64[N]"):
    return np.mean((t - p) ** 2)


def squared_error_wrong(p: "f64[N]", t: "f64[N]"):
    return np.mean(t**2 - p**2)


def scores(q: "f64[L, D]", k: "f64[L, D]", c: float, s: "f64[L, L]"):
    for i in range(q.shape[0]):
        for j in range(k.shape[0]):
            s[i, j] = 0.0
            for d in range(q.shape[1]):
                s[i, j] += q[i, d] * k[j, d]
            s[i, j] *= c


def scores_port(q: "f64[L, D]", k: "f64[L, D]", c: float, s: "f64[L, L]"):
    s[:] = c * (q @ k.T)


def scores_wrong(q: "f64[L, D]", k: "f64[L, D]", c: float, s: "f64[L, L]"):
    s[:] = c * (k @ q.T)


def row_sums(x: "f64[N, M]", s: "f64[N]", y: "f64[N, M]"):
    for i in range(x.shape[0]):
        s[i] = 0
        for j in range(x.shape[1]):
            s[i] += np.exp(x[i, j])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = np.exp(x[i, j]) / s[i]


def row_sums_port(x: "f64[N, M]", s: "f64[N]", y: "f64[N, M]"):
    e = np.exp(x)
    s[:] = e.sum(axis=1)
    y[:] = e / s[:, None]


def row_sums_wrong(x: "f64[N, M]", s: "f64[N]", y: "f64[N, M]"):
    e = np.exp(x)
    s[:] = e.sum(axis=1)
    y[:] = x / s[:, None]


def momentum(w: "f64[N]", v: "f64[N]", g: "f64[N]", rate: float, beta: float):
    for i in range(w.shape[0]):
        v[i] = beta * v[i] + g[i]
        w[i] = w[i] - rate * v[i]


def momentum_port(w: "f64[N]", v: "f64[N]", g: "f64[N]", rate: float, beta: float):
    v[:] = beta * v + g
    w -= rate * v


def momentum_wrong(w: "f64[N]", v: "f64[N]", g: "f64[N]", rate: float, beta: float):
    w -= rate * v
    v[:] = beta * v + g
