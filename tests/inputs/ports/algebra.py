"""Ports of the loops of algebra.c to NumPy: right ones, and slightly wrong ones."""

import numpy as np


def gemm_port(
    n: np.int32, m: np.int32, k: np.int32, alpha: float, beta: float, C: "f64[n, m]", A: "f64[n, k]", B: "f64[k, m]"
):
    C[:] = beta * C + alpha * (A @ B)


def gemm_wrong(
    n: np.int32, m: np.int32, k: np.int32, alpha: float, beta: float, C: "f64[n, m]", A: "f64[n, k]", B: "f64[k, m]"
):
    C[:] = beta * (C + alpha * (A @ B))


def matvec_port(n: np.int32, m: np.int32, A: "f64[n, m]", x: "f64[m]", y: "f64[n]"):
    y[:] = np.sum(A * x, axis=1)


def matvec_wrong(n: np.int32, m: np.int32, A: "f64[n, m]", x: "f64[m]", y: "f64[n]"):
    y[1:] = A[1:] @ x


def transposed_port(n: np.int32, m: np.int32, A: "f64[n, m]", x: "f64[n]", y: "f64[m]"):
    y[:] = A.T @ x


def transposed_wrong(n: np.int32, m: np.int32, A: "f64[n, m]", x: "f64[n]", y: "f64[m]"):
    y += A.T @ x


def rank_one_port(n: np.int32, m: np.int32, alpha: float, A: "f64[n, m]", x: "f64[n]", y: "f64[m]"):
    A += alpha * np.outer(x, y)


def rank_one_wrong(n: np.int32, m: np.int32, alpha: float, A: "f64[n, m]", x: "f64[n]", y: "f64[m]"):
    A += alpha * (x[:, None] + y)


def dot_port(n: np.int32, x: "f64[n]", y: "f64[n]"):
    return np.sum(x * y)


def dot_wrong(n: np.int32, x: "f64[n]", y: "f64[n]"):
    return np.sum(x) * np.sum(y)


def axpy_port(n: np.int32, a: float, x: "f64[n]", y: "f64[n]"):
    y += a * x


def axpy_wrong(n: np.int32, a: float, x: "f64[n]", y: "f64[n]"):
    y[:] = x + a * y


def frobenius_port(n: np.int32, m: np.int32, A: "f64[n, m]"):
    return np.sum(A**2)


def frobenius_wrong(n: np.int32, m: np.int32, A: "f64[n, m]"):
    return np.sum(np.sum(A, axis=0) ** 2)


def trace_port(n: np.int32, A: "f64[n, n]"):
    return np.einsum("ii->", A)


def trace_wrong(n: np.int32, A: "f64[n, n]"):
    return np.sum(A[0])


def gesummv_port(n: np.int32, alpha: float, beta: float, A: "f64[n, n]", B: "f64[n, n]", x: "f64[n]", y: "f64[n]"):
    y[:] = (alpha * A + beta * B) @ x


def gesummv_wrong(n: np.int32, alpha: float, beta: float, A: "f64[n, n]", B: "f64[n, n]", x: "f64[n]", y: "f64[n]"):
    y[:] = (alpha * A + alpha * B) @ x


def atax_port(n: np.int32, m: np.int32, A: "f64[n, m]", x: "f64[m]", t: "f64[n]", y: "f64[m]"):
    t[:] = A @ x
    y[:] = t @ A


def atax_wrong(n: np.int32, m: np.int32, A: "f64[n, m]", x: "f64[m]", t: "f64[n]", y: "f64[m]"):
    y[:] = t @ A
    t[:] = A @ x


def gram_port(n: np.int32, m: np.int32, A: "f64[n, m]", G: "f64[m, m]"):
    G[:] = np.einsum("ki,kj->ij", A, A)


def gram_wrong(n: np.int32, m: np.int32, A: "f64[n, m]", G: "f64[m, m]"):
    G[:] = A[:-1].T @ A[:-1]


def symmetrised_port(n: np.int32, A: "f64[n, n]", S: "f64[n, n]"):
    S[:] = (A + A.T) / 2


def symmetrised_wrong(n: np.int32, A: "f64[n, n]", S: "f64[n, n]"):
    S[:] = A + A.T / 2
