"""Programs that need another form in JAX: shapes are fixed there, so triangles are masks.

`jax_form` rewrites stores and loops of these as well.
"""

import jax.numpy as np
import jax.scipy as scipy


def syrk(alpha, beta, C, A):
    C[:] = np.where(np.tri(C.shape[0], dtype=bool), beta * C + alpha * A @ A.T, C)


def syr2k(alpha, beta, C, A, B):
    C[:] = np.where(np.tri(C.shape[0], dtype=bool), beta * C + alpha * (A @ B.T + B @ A.T), C)


def symm(alpha, beta, C, A, B):
    C[:] = beta * C + alpha * (np.tril(A) + np.tril(A, -1).T) @ B


def trmm(alpha, A, B):
    B[:] = alpha * (B + np.tril(A, -1).T @ B)


def cholesky(A):
    A[:] = np.tril(np.linalg.cholesky(A)) + np.triu(A, 1)


def lu(A):
    at = np.arange(A.shape[0])
    for k in range(A.shape[0]):
        column = np.where(at > k, A[:, k] / A[k, k], 0)
        A[:] = A - np.outer(column, np.where(at > k, A[k], 0))
        A[:, k] = np.where(at > k, column, A[:, k])


def trisolv(L, b):
    return scipy.linalg.solve_triangular(L, b, lower=True)


def durbin(r):
    n = r.shape[0]
    at = np.arange(n)
    y = np.zeros(n)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta = beta * (1.0 - alpha * alpha)
        alpha = -(r[k] + np.where(at < k, np.roll(r[::-1], k - n), 0) @ y) / beta
        y[:] = np.where(at < k, y + alpha * np.roll(y[::-1], k - n), y)
        y[k] = alpha
    return y


def life(grid, steps):
    for _ in range(steps):
        near = (
            grid[:-2, :-2] + grid[:-2, 1:-1] + grid[:-2, 2:] + grid[1:-1, :-2]
            + grid[1:-1, 2:] + grid[2:, :-2] + grid[2:, 1:-1] + grid[2:, 2:]
        )  # fmt: skip
        stays = ((near == 2) | (near == 3)) & (grid[1:-1, 1:-1] == 1)
        born = (near == 3) & (grid[1:-1, 1:-1] == 0)
        grid[:] = 0
        grid[1:-1, 1:-1] = np.where(born | stays, 1, 0)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(np.float64(2 / np.pi)) * (x + 0.044715 * x**3)))


def conv_bias(x, w, bias):
    height, width = x.shape[1] - 2, x.shape[2] - 2
    out = np.zeros((x.shape[0], height, width, w.shape[3]), np.float32)
    for i, j in [(k // 3, k % 3) for k in range(9)]:
        out = out + x[:, i : i + height, j : j + width] @ w[i, j]
    return np.maximum(out + bias, 0)


def mandelbrot(re, im, limit):
    count = np.zeros(re.shape[0], np.int64)
    x, y = np.zeros_like(re), np.zeros_like(im)
    for _ in range(limit):
        inside = x * x + y * y <= 4.0
        x, y = np.where(inside, x * x - y * y + re, x), np.where(inside, 2 * x * y + im, y)
        count = count + inside
    return count


def clipped_mean(x):
    return np.mean(x, where=x > np.mean(x))
