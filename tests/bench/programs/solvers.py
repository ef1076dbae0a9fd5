"""Solvers of equations."""

import numpy as np

from tests.bench.programs.register import double, program


def _dominant(g, n):
    A = double(g, n, n)
    return A @ A.T / n + np.eye(n), double(g, n)


@program(lambda g, n: (*_dominant(g, n), 10), 8, 400)
def conjugate_gradient(A, b, steps):
    x = np.zeros_like(b)
    r = b.copy()
    p = b.copy()
    old = r @ r
    for _ in range(steps):
        Ap = A @ p
        alpha = old / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p[:] = r + (new / old) * p
        old = new
    return x, old


@program(lambda g, n: (*_dominant(g, n), 10), 8, 400)
def jacobi_solver(A, b, steps):
    n = b.shape[0]
    d = np.zeros(n)
    for i in range(n):
        d[i] = A[i, i]
    x = np.zeros(n)
    for _ in range(steps):
        x = x + (b - A @ x) / d
    return x


@program(lambda g, n: (_dominant(g, n)[0], 10), 8, 400)
def power_iteration(A, steps):
    v = np.ones(A.shape[0])
    for _ in range(steps):
        w = A @ v
        v = w / np.sqrt(np.sum(w * w))
    return v, v @ (A @ v)


@program(lambda g, n: (double(g, n), double(g, n) + 4, double(g, n), double(g, n)), 8, 5000)
def tridiagonal(a, b, c, d):
    n = d.shape[0]
    x = np.zeros(n)
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    x[n - 1] = d[n - 1] / b[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (d[i] - c[i] * x[i + 1]) / b[i]
    return x


@program(lambda g, n: (np.tril(double(g, n, n)) + n * np.eye(n), double(g, n)), 8, 500)
def trisolv(L, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


@program(lambda g, n: (double(g, n) / n,), 8, 500)
def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(r[k - 1 :: -1], y[:k])) / beta
        y[:k] += alpha * y[k - 1 :: -1]
        y[k] = alpha
    return y


@program(lambda g, n: (6, double(g, n, n)), 8, 100)
def adi(steps, u):
    n = u.shape[0]
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    h = 1.0 / n
    a = -h / 2.0
    b = 1.0 + h
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -a / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (-a * u[j, :-2] + (1.0 + 2.0 * a) * u[j, 1:-1] - a * u[j, 2:] - a * q[1:-1, j - 1]) / (
                a * p[1:-1, j - 1] + b
            )
        v[n - 1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 1:-1] = 0.5 * (u[1:-1, 1:-1] + v[1:-1, 1:-1])


@program(lambda g, n: (4, 8, 0.001, double(g, n, n), double(g, n, n), double(g, n, n)), 10, 80)
def cavity_flow(steps, inner, dt, u, v, p):
    n = u.shape[0]
    h = 2.0 / (n - 1)
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()
        b = np.zeros_like(p)
        b[1:-1, 1:-1] = (
            (u[1:-1, 2:] - u[1:-1, :-2] + v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * h * dt)
            - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * h)) ** 2
            - 2 * ((u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * h) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * h))
            - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * h)) ** 2
        )
        for _ in range(inner):
            pn = p.copy()
            p[1:-1, 1:-1] = (pn[1:-1, 2:] + pn[1:-1, :-2] + pn[2:, 1:-1] + pn[:-2, 1:-1]) / 4 - h * h / 4 * b[
                1:-1, 1:-1
            ]
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0
        u[1:-1, 1:-1] = un[1:-1, 1:-1] - un[1:-1, 1:-1] * dt / h * (un[1:-1, 1:-1] - un[1:-1, :-2])
        v[1:-1, 1:-1] = vn[1:-1, 1:-1] - vn[1:-1, 1:-1] * dt / h * (vn[1:-1, 1:-1] - vn[:-2, 1:-1])
        u[1:-1, 1:-1] -= dt / (2 * h) * (p[1:-1, 2:] - p[1:-1, :-2])
        v[1:-1, 1:-1] -= dt / (2 * h) * (p[2:, 1:-1] - p[:-2, 1:-1])
        u[0, :] = 0
        u[-1, :] = 1
        v[0, :] = 0


@program(lambda g, n: (2.0 + double(g, n), 12), 8, 100000)
def newton_roots(a, steps):
    x = np.ones_like(a)
    for _ in range(steps):
        x = x - (x * x - a) / (2 * x)
    return x
