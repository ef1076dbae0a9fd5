"""Loops over signals as Python, each with a port to whole arrays and a slightly wrong one."""

import numpy as np


def filtered(x: "f64[N]", h: "f64[3]", y: "f64[N]"):
    for i in range(2, x.shape[0]):
        s = 0.0
        for k in range(3):
            s += h[k] * x[i - k]
        y[i] = s


def filtered_port(x: "f64[N]", h: "f64[3]", y: "f64[N]"):
    y[2:] = h[0] * x[2:] + h[1] * x[1:-1] + h[2] * x[:-2]


def filtered_wrong(x: "f64[N]", h: "f64[3]", y: "f64[N]"):
    y[2:] = h[2] * x[2:] + h[1] * x[1:-1] + h[0] * x[:-2]


def halved(x: "f64[2 * N]", y: "f64[N]"):
    for i in range(y.shape[0]):
        y[i] = x[2 * i]


def halved_port(x: "f64[2 * N]", y: "f64[N]"):
    y[:] = x[::2]


def halved_wrong(x: "f64[2 * N]", y: "f64[N]"):
    y[:] = x[1::2]


def backwards(x: "f64[N]", y: "f64[N]"):
    for i in range(x.shape[0]):
        y[i] = x[x.shape[0] - 1 - i]


def backwards_port(x: "f64[N]", y: "f64[N]"):
    y[:] = x[::-1]


def backwards_wrong(x: "f64[N]", y: "f64[N]"):
    y[:] = -x[::-1]


def running(x: "f64[N]", y: "f64[N]"):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        y[i] = s


def running_port(x: "f64[N]", y: "f64[N]"):
    y[:] = np.cumsum(x)


def running_wrong(x: "f64[N]", y: "f64[N]"):
    y[:] = np.cumsum(x) - x


def differences(x: "f64[N]", y: "f64[N]"):
    for i in range(1, x.shape[0]):
        y[i] = x[i] - x[i - 1]


def differences_port(x: "f64[N]", y: "f64[N]"):
    y[1:] = x[1:] - x[:-1]


def differences_wrong(x: "f64[N]", y: "f64[N]"):
    y[:-1] = x[1:] - x[:-1]


def mixed(a: "f32[N, M]", b: "f32[N, M]", t: np.float32, c: "f32[N, M]"):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            c[i, j] = (1 - t) * a[i, j] + t * b[i, j]


def mixed_port(a: "f32[N, M]", b: "f32[N, M]", t: np.float32, c: "f32[N, M]"):
    c[:] = a + t * (b - a)


def mixed_wrong(a: "f32[N, M]", b: "f32[N, M]", t: np.float32, c: "f32[N, M]"):
    c[:] = b + t * (b - a)


def energy(x: "f64[N]"):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    return s


def energy_port(x: "f64[N]"):
    return x @ x


def energy_wrong(x: "f64[N]"):
    return np.sum(np.abs(x))
