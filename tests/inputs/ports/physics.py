"""Loops of physics as Python, each with a port to whole arrays and a slightly wrong one."""

import numpy as np


def distances(p: "f64[N, 3]", d: "f64[N, N]"):
    for i in range(p.shape[0]):
        for j in range(p.shape[0]):
            s = 0.0
            for k in range(3):
                s += (p[i, k] - p[j, k]) ** 2
            d[i, j] = s


def distances_port(p: "f64[N, 3]", d: "f64[N, N]"):
    d[:] = np.sum((p[:, None, :] - p[None, :, :]) ** 2, axis=2)


def distances_wrong(p: "f64[N, 3]", d: "f64[N, N]"):
    d[:] = np.sum(p[:, None, :] ** 2 - p[None, :, :] ** 2, axis=2)


def kinetic(m: "f64[N]", v: "f64[N, 3]"):
    s = 0.0
    for i in range(m.shape[0]):
        s += 0.5 * m[i] * (v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2)
    return s


def kinetic_port(m: "f64[N]", v: "f64[N, 3]"):
    return 0.5 * np.sum(m * np.sum(v * v, axis=1))


def kinetic_wrong(m: "f64[N]", v: "f64[N, 3]"):
    return 0.5 * np.sum(m * np.sum(v, axis=1) ** 2)


def moved(x: "f64[N, 3]", v: "f64[N, 3]", a: "f64[N, 3]", dt: float):
    for i in range(x.shape[0]):
        for k in range(3):
            v[i, k] += a[i, k] * dt
            x[i, k] += v[i, k] * dt


def moved_port(x: "f64[N, 3]", v: "f64[N, 3]", a: "f64[N, 3]", dt: float):
    v += a * dt
    x += v * dt


def moved_wrong(x: "f64[N, 3]", v: "f64[N, 3]", a: "f64[N, 3]", dt: float):
    x += v * dt
    v += a * dt


def rotated(x: "f64[N, 2]", c: float, s: float, y: "f64[N, 2]"):
    for i in range(x.shape[0]):
        y[i, 0] = c * x[i, 0] - s * x[i, 1]
        y[i, 1] = s * x[i, 0] + c * x[i, 1]


def rotated_port(x: "f64[N, 2]", c: float, s: float, y: "f64[N, 2]"):
    y[:, 0] = c * x[:, 0] - s * x[:, 1]
    y[:, 1] = s * x[:, 0] + c * x[:, 1]


def rotated_wrong(x: "f64[N, 2]", c: float, s: float, y: "f64[N, 2]"):
    y[:, 0] = c * x[:, 0] + s * x[:, 1]
    y[:, 1] = s * x[:, 0] + c * x[:, 1]
