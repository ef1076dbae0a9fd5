"""Dense linear algebra."""

import numpy as np

from tests.bench.programs.register import double, program


@program(lambda g, n: (1.5, 1.2, double(g, n, n + 1), double(g, n, n + 2), double(g, n + 2, n + 1)), 6, 200)
def gemm(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C


@program(lambda g, n: (1.5, 1.2, *(double(g, n, n) for _ in range(4))), 6, 200)
def two_products(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D


@program(lambda g, n: tuple(double(g, n, n) for _ in range(4)), 6, 200)
def three_products(A, B, C, D):
    return A @ B @ C @ D


@program(lambda g, n: (double(g, n, n + 2), double(g, n + 2)), 6, 1000)
def atax(A, x):
    return (A @ x) @ A


@program(lambda g, n: (double(g, n + 2, n), double(g, n), double(g, n + 2)), 6, 1000)
def bicg(A, p, r):
    return r @ A, A @ p


@program(lambda g, n: (*(double(g, n) for _ in range(4)), double(g, n, n)), 6, 1000)
def mvt(x1, x2, y1, y2, A):
    x1 += A @ y1
    x2 += y2 @ A


@program(lambda g, n: (1.5, 1.2, double(g, n, n), *(double(g, n) for _ in range(8))), 6, 800)
def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x


@program(lambda g, n: (1.5, 1.2, double(g, n, n), double(g, n, n), double(g, n)), 6, 800)
def gesummv(alpha, beta, A, B, x):
    return alpha * A @ x + beta * B @ x


@program(lambda g, n: (1.5, 1.2, double(g, n, n), double(g, n, n + 2)), 7, 150)
def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


@program(lambda g, n: (1.5, 1.2, double(g, n, n), double(g, n, n + 2), double(g, n, n + 2)), 7, 120)
def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]


@program(lambda g, n: (1.5, 1.2, double(g, n, n + 1), double(g, n, n), double(g, n, n + 1)), 7, 150)
def symm(alpha, beta, C, A, B):
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            C[i, j] += alpha * B[i, j] * A[i, i] + alpha * (B[:i, j] @ A[i, :i])


@program(lambda g, n: (1.5, double(g, n, n), double(g, n, n + 1)), 7, 150)
def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha


@program(lambda g, n: (double(g, n, n + 1, n + 2), double(g, n + 2, n + 2)), 5, 60)
def doitgen(A, C4):
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            A[r, q, :] = A[r, q, :] @ C4


@program(lambda g, n: (double(g, n + 3, n),), 6, 100)
def gramschmidt(A):
    n = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    for k in range(n):
        norm = np.sqrt(np.dot(A[:, k], A[:, k]))
        R[k, k] = norm
        Q[:, k] = A[:, k] / norm
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


def _positive(g, n):
    A = double(g, n, n)
    return (A @ A.T + n * np.eye(n),)


@program(_positive, 7, 150)
def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


@program(_positive, 7, 120)
def lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


@program(lambda g, n: (double(g, n, n + 3),), 6, 200)
def covariance(data):
    centred = data - np.mean(data, axis=0)
    return centred.T @ centred / (data.shape[0] - 1.0)


@program(lambda g, n: (double(g, n + 3, n),), 6, 200)
def correlation(data):
    mean = np.mean(data, axis=0)
    spread = np.sqrt(np.mean((data - mean) ** 2, axis=0))
    spread = np.where(spread <= 0.1, 1.0, spread)
    scaled = (data - mean) / (np.sqrt(float(data.shape[0])) * spread)
    return scaled.T @ scaled
