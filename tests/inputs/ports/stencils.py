"""Ports of the loops of stencils.c to NumPy: right ones, and slightly wrong ones."""

import numpy as np


def jacobi_port(n: np.int32, a: "f64[n]", b: "f64[n]"):
    b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])


def jacobi_wrong(n: np.int32, a: "f64[n]", b: "f64[n]"):
    b[1:] = 0.33333 * (a[:-1] + a[1:] + a[1:])


def laplace_port(n: np.int32, m: np.int32, u: "f64[n, m]", v: "f64[n, m]"):
    v[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]


def laplace_wrong(n: np.int32, m: np.int32, u: "f64[n, m]", v: "f64[n, m]"):
    v[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[2:, 2:] - 4 * u[1:-1, 1:-1]


def heat_port(n: np.int32, steps: np.int32, k: float, u: "f64[n]", v: "f64[n]"):
    for _ in range(steps):
        v[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[1:-1] = v[1:-1]


def heat_wrong(n: np.int32, steps: np.int32, k: float, u: "f64[n]", v: "f64[n]"):
    for _ in range(steps):
        v[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[:] = v


def gradient_port(n: np.int32, h: float, f: "f64[n]", g: "f64[n]"):
    g[1:-1] = (f[2:] - f[:-2]) * (0.5 / h)


def gradient_wrong(n: np.int32, h: float, f: "f64[n]", g: "f64[n]"):
    g[1:-1] = (f[2:] - f[:-2]) / 2 * h


def upwind_port(n: np.int32, c: float, u: "f64[n]", v: "f64[n]"):
    v[:1] = u[:1]
    v[1:] = (1 - c) * u[1:] + c * u[:-1]


def upwind_wrong(n: np.int32, c: float, u: "f64[n]", v: "f64[n]"):
    v[:] = u - c * (u - np.roll(u, 1))


def blurred_port(n: np.int32, m: np.int32, image: "f32[n, m]", out: "f32[n, m]"):
    out[:, 1:-1] = image[:, :-2] / 4 + image[:, 1:-1] / 2 + image[:, 2:] / 4


def blurred_wrong(n: np.int32, m: np.int32, image: "f32[n, m]", out: "f32[n, m]"):
    out[1:-1] = image[:-2] / 4 + image[1:-1] / 2 + image[2:] / 4


def pooled_port(n: np.int32, m: np.int32, x: "f64[2 * n, 2 * m]", y: "f64[n, m]"):
    y[:] = (x[::2, ::2] + x[1::2, ::2] + x[::2, 1::2] + x[1::2, 1::2]) / 4


def pooled_wrong(n: np.int32, m: np.int32, x: "f64[2 * n, 2 * m]", y: "f64[n, m]"):
    y[:] = np.maximum(np.maximum(x[::2, ::2], x[1::2, ::2]), np.maximum(x[::2, 1::2], x[1::2, 1::2]))


def staggered_port(n: np.int32, dt: float, e: "f64[n]", h: "f64[n]"):
    h[:-1] += dt * (e[1:] - e[:-1])
    e[1:] += dt * (h[1:] - h[:-1])


def staggered_wrong(n: np.int32, dt: float, e: "f64[n]", h: "f64[n]"):
    e[1:] += dt * (h[1:] - h[:-1])
    h[:-1] += dt * (e[1:] - e[:-1])
