"""Layers of neural networks, and learning."""

import numpy as np

from tests.bench.programs.register import program, single


@program(lambda g, n: (single(g, n, n + 2), single(g, n + 2, n), single(g, n), single(g, n, 10), single(g, 10)), 6, 200)
def mlp(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1 + b1, 0)
    logits = hidden @ w2 + b2
    top = np.max(logits, axis=-1, keepdims=True)
    e = np.exp(logits - top)
    return e / np.sum(e, axis=-1, keepdims=True)


@program(lambda g, n: (single(g, 4, 3, n, n),), 6, 64)
def softmax(x):
    top = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - top)
    return e / np.sum(e, axis=-1, keepdims=True)


@program(lambda g, n: (single(g, n, n + 3), single(g, n + 3), single(g, n + 3)), 6, 400)
def layer_norm(x, gain, shift):
    mean = np.mean(x, axis=-1, keepdims=True)
    var = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5) * gain + shift


@program(lambda g, n: (single(g, n, n + 3), single(g, n + 3)), 6, 400)
def rms_norm(x, gain):
    return x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-6) * gain


@program(lambda g, n: (single(g, n, 16), single(g, n, 16), single(g, n, 16)), 8, 256)
def attention(q, k, v):
    scores = q @ k.T / np.sqrt(np.float32(q.shape[1]))
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights /= np.sum(weights, axis=1, keepdims=True)
    return weights @ v


@program(lambda g, n: (single(g, n, n),), 6, 400)
def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@program(lambda g, n: (single(g, 4, n, n, 3), single(g, 3, 3, 3, 8), single(g, 8)), 7, 32)
def conv_bias(x, w, bias):
    batch, height, width = x.shape[0], x.shape[1] - 2, x.shape[2] - 2
    out = np.zeros((batch, height, width, w.shape[3]), dtype=np.float32)
    for i in range(height):
        for j in range(width):
            for o in range(w.shape[3]):
                out[:, i, j, o] = np.sum(x[:, i : i + 3, j : j + 3, :] * w[:, :, :, o], axis=(1, 2, 3))
    return np.maximum(out + bias, 0)


@program(lambda g, n: (single(g, 4, 2 * n, 2 * n, 5),), 5, 64)
def max_pool(x):
    rows = np.maximum(x[:, ::2, :, :], x[:, 1::2, :, :])
    return np.maximum(rows[:, :, ::2, :], rows[:, :, 1::2, :])


@program(lambda g, n: (single(g, n, 8), single(g, 8, n + 1), single(g, n + 1, n + 1), single(g, n + 1)), 6, 64)
def recurrent(x, w, u, h):
    for t in range(x.shape[0]):
        h[:] = np.tanh(x[t] @ w + h @ u)
    return h.copy()


@program(lambda g, n: (single(g, n, 8), (g.random(n) < 0.5).astype(np.float32), single(g, 8), 0.1, 5), 10, 5000)
def logistic_regression(x, y, w, rate, steps):
    for _ in range(steps):
        p = 1 / (1 + np.exp(-(x @ w)))
        w -= rate * (x.T @ (p - y)) / x.shape[0]
    return w.copy()


@program(lambda g, n: (single(g, n, 6), g.integers(0, 6, n)), 8, 5000)
def cross_entropy(logits, labels):
    top = np.max(logits, axis=1, keepdims=True)
    total = np.log(np.sum(np.exp(logits - top), axis=1))
    loss = np.float32(0)
    for i in range(logits.shape[0]):
        loss += total[i] + top[i, 0] - logits[i, labels[i]]
    return loss / logits.shape[0]


@program(lambda g, n: (single(g, n, 3), single(g, 7, 3)), 10, 5000)
def nearest(points, centres):
    d = np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
    return np.argmin(d, axis=1)


@program(lambda g, n: (single(g, n, 8, 8, 4), single(g, 4), single(g, 4)), 4, 64)
def batch_norm(x, gain, shift):
    mean = np.mean(x, axis=(0, 1, 2), keepdims=True)
    var = np.mean((x - mean) ** 2, axis=(0, 1, 2), keepdims=True)
    return gain * (x - mean) / np.sqrt(var + 1e-5) + shift
