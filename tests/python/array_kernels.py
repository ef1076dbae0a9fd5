# ruff: noqa: F821 (names of sizes)
"""Whole arrays as people write them; each is run by NumPy, too, and has to give the same, at every size."""

import numpy as np


def jac(A: "f64[N, N]", B: "f64[N, N]", T: int):
    for _ in range(T):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = B[1:-1, 1:-1]


def gemm(alpha: np.float64, beta: np.float64, C: "f64[N, M]", A: "f64[N, K]", B: "f64[K, M]"):
    C[:] = alpha * A @ B + beta * C


def gemm2(C: "f64[N, M]", A: "f64[N, K]", B: "f64[K, M]"):
    C[:] = A @ B


def shift(x: "f64[N]"):
    x[1:] = x[:-1] + 1
    x[::2] *= 2.0
    x[1:] += x[:-1]


def softmax(x: "f32[N, M]", y: "f32[N, M]"):
    m = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - m)
    s = np.sum(e, axis=1, keepdims=True)
    y[:] = e / s


def total(x: "f64[N, M]") -> float:
    return np.sum(x * 2) + x.max() - np.mean(x)


def ret(x: "f64[N, M]", v: "f64[M]"):
    t = np.maximum(x, 0) + v
    t += 1
    return t


def outer(A: "f64[N, N]", u: "f64[N]", v: "f64[N]"):
    A += np.outer(u, v)
    u[:] = A.T @ v
    v[:] = A @ u * 2


def back(x: "f64[N]", y: "f64[N]"):
    y[:] = x[::-1]
    x[:] = np.where(x > 0, x, np.clip(y, -1, 1))


def newax(x: "f64[N]", y: "f64[M]", A: "f64[N, M]"):
    A[:] = x[:, None] * y[None, :]
    A[0] = y
    A[:, -1] = x


def dots(x: "f64[N]", y: "f64[N]") -> float:
    return x @ y + np.dot(x, y)


def _relu(x):
    return np.maximum(x, 0)


def _scale(x, by):
    x *= by


def _norm(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
    return np.sqrt(s)


def layer(x: "f64[N, K]", w: "f64[K, M]", b: "f64[M]"):
    return _relu(x @ w + b)


def two(x: "f64[N, K]", w: "f64[K, M]"):
    return x.sum(axis=0), w[0:1] + 1, w.T


def helped(x: "f64[N]", y: "f64[N]") -> float:
    _scale(x, 2.0)
    y[:] = _relu(x - 1) * _norm(y)
    return _norm(x + y) + _norm(x[1:])


def inout(x: "f64[N]", y: "f64[N]"):
    np.add(x, 1, out=y)
    x.fill(3)
    x[:] = np.subtract(y, x)
    x[1:-1] = x[2:] - x[:-2]
    t = x.copy()
    t = t * 2
    t += y
    y[:] = t


def loops(A: "f64[N, M]", x: "f64[M]", T: int):
    for i in range(A.shape[0]):
        A[i, :] -= np.mean(A[i])
        A[i] /= np.sqrt(np.sum(A[i] * A[i])) + 1
        A[i, :i] = 0 if A.shape[0] <= A.shape[1] else 1


def ints(x: "i32[N]", y: "i8[N]") -> int:
    x[:] = x // 2 + y
    y[::-1] = y * 2
    return np.sum(x) + y.max() + np.min(x)


def bools(x: "f64[N]", m: "bool[N]", y: "f64[N]"):
    m[:] = x > 0
    y[:] = np.where(m, x, -x)
    y[:] = y * m


def chol(A: "f64[N, N]"):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[j, :j]
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(np.abs(A[i, i]))


def three(x: "f64[N, M, K]", y: "f64[N, M]"):
    y[:] = np.sum(x, axis=2) + np.max(x[..., :1], axis=(2,))
    x[..., 0] = y
    x[:, 1:, :] += y[:, 1:, None] * 2


def f32s(x: "f32[N]", a: float, b: np.float64):
    x[:] = a * x
    x[:] = np.exp(-x * 0.5) / (1 + np.abs(x))
    x += a


def promoted(x: "f32[N]", b: np.float64):
    return x * b


def _column_sums(x):
    return np.sum(x, axis=0)


def nested_calls(x: "f64[N, M]", y: "f64[M]"):
    y[:] = _column_sums(_relu(x)) + _column_sums(x * x[:, :1] if x.shape[1] == 1 else x)


def swapped_rows(A: "f64[N, N]"):
    t = A[0].copy()
    A[0] = A[-1]
    A[-1] = t
    A[:] = A.T


def while_it_moves(x: "f64[N]", y: "f64[N]", T: int):
    t = np.zeros_like(x)
    for _ in range(T):
        t[1:-1] = x[:-2] - 2 * x[1:-1] + x[2:]
        x[1:-1] += y[1:-1] * t[1:-1]
        y[...] = -y


def fixed(x: "f64[6]", y: "f64[6]"):
    y[1:9:2] = x[-9:-3]
    y[:3] = x[10:2:-1]
    y[::-2] += x[:3]


def parts_of_parts(A: "f64[N, M]", y: "f64[M]"):
    y[:] = A[1:][0] + A.T[:, 0] - A[::2, ::-1][0]


def nans(x: "f64[N, M]", y: "f64[N]"):
    y[:] = np.max(x, axis=1)
    y += np.clip(x[:, 0], -1.0, 1.0)
    x[:] = np.minimum(x, 0.5)


def selfs(x: "f64[N]", y: "f64[N]"):
    x -= x[0]
    x[:] = x - x.max()
    x[:] = x / x[-1]
    y[:] = x[::-1] + x


def narrow(x: "i8[N]", y: "i32[N]", z: "f32[N]"):
    x[:] = x * 100 + 27
    y[:] = np.square(y) * np.abs(y)
    z[:] = y
    z *= 0.1
    x[:] = -x


def narrow2(x: "i32[N]", y: "i32[N]"):
    x[:] = x // y
    y[:] = x % 7 - (y >> 3) + (y & 5)
    x[:] = np.floor(x) + np.maximum(x, y)


def sqs(x: "i32[N]", z: "f64[N]"):
    z[:] = np.sqrt(np.abs(x)) + x / 2


def bcast(A: "f64[N, M]", r: "f64[1, M]", c: "f64[N, 1]", s: "f64[1]"):
    A[:] = r * c + s
    A += r
    c[:] = np.sum(A, axis=1, keepdims=True) * s
    A[:, :1] = c
    A[...] = A[:1] + 2 * A


def mats(A: "f64[N, N]", x: "f64[N]"):
    x[:] = A @ (A @ x) - x @ A
    A[:] = A @ A.T
    A[:] = (A + A.T) / 2 - np.outer(x, x[::-1])


def counters(A: "f64[N, M]", y: "f64[M]"):
    for i in range(1, A.shape[0]):
        A[i] = A[i - 1] * 0.5 + A[i]
        y[:] += A[i, :] * A[i - 1, ::-1]
        A[i, 1:] -= A[i, :-1]


def lu(A: "f64[N, N]"):
    for k in range(A.shape[0]):
        A[k, k] += 10
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= A[k + 1 :, k, None] * A[k, k + 1 :]


def lu2(A: "f64[N, N]"):
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / (A[k, k] + 10)
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]


def conv(x: "f64[N]", w: "f64[3]", y: "f64[N - 2]"):
    y[:] = 0
    for k in range(3):
        y += w[k] * x[k : k + y.shape[0]]


def conv2(x: "f64[N]", w: "f64[3]"):
    y = np.zeros(len(x) - 2)
    for k in range(3):
        y += w[k] * x[k : len(x) - 2 + k]
    return y


def gram(A: "f64[N, M]"):
    mean = np.mean(A, axis=0)
    A -= mean
    A /= np.sqrt(np.mean(A * A, axis=0) + 1e-3)
    return A.T @ A / A.shape[0]


def alias2(A: "f64[N, N]"):
    A[:] = A[0] + A[:, :1] + A[-1, ::-1]
    A[1:, :] = A[:-1, :]
    A[:, 1:] += A[:, :-1]


def empty_made(x: "f64[N]"):
    y = np.empty_like(x)
    y[:] = 1
    y[1:] = x[1:]
    z = np.ones((len(x), 2), dtype=np.float32)
    z[:, 0] = x
    return y, z


def apart(A: "f64[N, M]", x: "f64[N]"):
    A[1:] = A[0] + 1
    x[:-1] -= x[-1]
    x[::2] += 3 * x[0]
    for i in range(1, A.shape[0]):
        A[i:] -= A[i - 1]
        A[:i] += A[i]
        x[i:] *= x[0] if A.shape[0] > 2 else x[-1]


def masked(A: "f64[N, M]", v: "f64[M]", k: "i64[M]"):
    k += 1152921504606846977
    A[A > 3] = 0.5
    A[(A < 1) & (A > 0)] += 2
    v[v != v[:1]] *= 3
    k[k > 0] = 2.75


def constants(x: "f64[N]", A: "f32[N, M]"):
    B = np.eye(x.shape[0]) * x + np.ones((len(x), len(x)))
    C = np.zeros_like(A) + np.full((len(x), 1), np.float32(2))
    k = np.arange(A.shape[1]) * 2 + np.arange(1, A.shape[1] + 1)
    return B, C, k, np.arange(2, 2 * A.shape[1] + 2, 2)


def turned(A: "f64[N, M]", T: "f64[N, M, K]"):
    x = np.flip(A) + A[::-1, ::-1] + np.flip(A, 1)[:, ::-1]
    y = np.transpose(T, (2, 0, 1)) * 2 + T.transpose(2, 0, 1)
    z = np.swapaxes(T, 0, 2) + 1
    return x, y, z


def joined(A: "f64[N, M]", B: "f64[K, M]", x: "f32[M]"):
    C = np.concatenate((A, B, A + 1))
    D = np.concatenate([A, A * 2], axis=1)
    E = np.stack((x, x * 2, x), axis=-1)
    P = np.pad(A, 1) + np.pad(A, ((1, 1), (2, 0)))
    return C, D, E, P


def summed_up(A: "f32[N, M]", k: "i32[M]"):
    return np.cumsum(A, axis=0), A.cumsum(1), np.cumsum(k * 2)


def contracted(A: "f64[N, M]", B: "f64[K, M]", T: "f64[N, M, K]"):
    x = np.einsum("ij,kj->ik", A, B)
    y = np.einsum("ijk,kj", T, B)
    z = np.einsum("ij->ji", A) + np.einsum("ij,ij->i", A, A)
    return x, y, z, np.einsum("ij,kj,ijk->", A, B, T)


def parts_of_values(A: "f64[N, M]"):
    return (A * 2)[:, ::-1], (A + 1)[0:, None], (A - A.T.T)[:, :, None] + A[None, :, :][0, :, :, None]


def rolled(A: "f64[N, M]", x: "f32[M]"):
    x[:] = np.roll(x, -1)
    return np.roll(A, 1, axis=0) + np.roll(A, -1, 1), np.roll(x, 0)


def placed(A: "f64[N, M]", k: "i32[M]"):
    k[:] = k // 2
    return np.argmax(A, axis=1), A.argmin(0), np.argmax(k), k.argmin()


def spread(x: "f64[N, M]", m: "f64[M]", s: "f64[N]", c: "i64[M]"):
    m[:] = np.var(x, axis=0)
    s[:] = x.std(axis=1) + np.linalg.norm(x, axis=1)
    c[:] = np.count_nonzero(x > 0, axis=0)


def questions(x: "f64[N]", y: "f64[N]", o: "i64[N]"):
    z = x / y
    o[:] = np.isnan(z) + 2 * np.isinf(z) + 4 * np.isfinite(z) + 8 * np.signbit(x)
    o += np.where(np.logical_and(x > 0, np.logical_not(y >= 1)) | np.isclose(x, y), 16, 0)


def signs(x: "f64[N]", y: "f64[N]", k: "i32[N]"):
    y[:] = np.sign(x) + np.heaviside(x, 0.5) + np.degrees(x) - np.rint(x)
    k[:] = np.sign(k) * 2


def any_of(x: "f64[N, M]", o: "i64[N]") -> float:
    o[:] = (x > 1).any(axis=1) * 2 + np.all(x > -1, axis=1)
    return np.nansum(x / x) + np.ptp(np.concatenate((x[0], x[0] * 2)))


def triangles(A: "f64[N, N]", d: "f64[N]", e: "f64[N]", B: "f64[N, M]") -> float:
    d[:] = np.diag(A)
    e[:] = d
    A += np.triu(A, 1) - np.tril(A, k=-1)
    B[:] = np.triu(B)
    return np.trace(A)


def modulo(x: "f64[N]", y: "f64[N]", q: "f64[N]", r: "f64[N]", t: "f32[N]"):
    q[:] = x // y
    r[:] = x % y + np.fmod(x, y) - np.mod(x, -3)
    t[:] = t % 0.75


def converted(x: "f64[N]", k: "i32[N]", y: "f32[N]"):
    k[:] = np.where(np.isfinite(x), x, 0.0).astype(np.int32)
    y[:] = (x * 2 + 1).astype(np.float32) + (x > 0).astype(np.float32)


def centred(x: "f64[N, M]"):
    return (x - x.mean(axis=1, keepdims=True)) / np.max(x, axis=0, keepdims=True) - np.sum(x, keepdims=True)


def lengths(x: "f64[N]", y: "f64[N]", m: "f32[N, M]"):
    return np.hypot(x, y), np.hypot(m, np.float32(2)), np.logaddexp(x, y), np.sinc(x)


def deviations(a: "f64[N, M]", x: "f64[N]"):
    return np.std(a, ddof=1), a.var(axis=0, ddof=0), np.var(a, axis=1, ddof=2, keepdims=True), np.trapezoid(x, x * x)


def accumulated(a: "f64[N, M]", x: "i32[N]"):
    most = np.maximum.accumulate(a)
    least = np.minimum.accumulate(a, axis=1)
    return most, least, np.cumprod(a, axis=0), x.cumprod(), np.add.accumulate(x)


def piled(x: "f64[N]", a: "f64[N, M]"):
    return np.vstack((x, x)), np.hstack((a, a)), np.column_stack((x, -x)), np.hstack((x, x)), np.diag(x + 1)


def second_names(x: "f64[N]", a: "f64[N, M]"):
    y = x.copy()
    even, odd = y[::2], y[1::2]
    even *= 2.0
    odd[:] = 1.0
    for i in range(a.shape[0]):
        row = a[i]
        row += i
    turned = a.T
    return y, (x > 0).astype(a.dtype), turned[:, np.newaxis] * 2.0


def rebound(a: "f64[N, M]", x: "f64[N]"):
    x = x * 2.0
    a = a.copy()
    for k in range(a.shape[0]):
        a = a + x[k]
    for factor, term in ((1.0, 2.0), (-3.0, 0.5)):
        a = a * factor + term
    return a, x


def selected(x: "f64[N]", y: "f64[N]", a: "f64[N, M]"):
    m = x > 0
    total = np.sum((x[m] - 1.0) ** 2 * y[m]) + y[(x > 0) & ~(y < 1)].sum() + (a * 2.0)[a > 0].sum()
    return total, np.mean(x[~m], keepdims=True), np.mean(a[np.isfinite(a)])
