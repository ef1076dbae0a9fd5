"""Graphs, tables and sequences."""

import numpy as np

from tests.bench.programs.register import double, program, single


@program(lambda g, n: (g.integers(1, 100, (n, n)).astype(np.int32),), 8, 120)
def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], path[:, k][:, None] + path[k, :][None, :])


@program(lambda g, n: (double(g, n, n), 0.85, 10), 8, 300)
def page_rank(links, damping, steps):
    n = links.shape[0]
    flow = links / np.sum(links, axis=0)
    rank = np.ones(n) / n
    for _ in range(steps):
        rank = damping * (flow @ rank) + (1 - damping) / n
    return rank


@program(lambda g, n: ((g.random((n, n)) < 0.2).astype(np.int32), 4), 8, 100)
def reachable(adjacent, steps):
    seen = adjacent.copy()
    for _ in range(steps):
        seen = np.minimum(seen + seen @ adjacent, 1)
    return seen


@program(lambda g, n: (g.integers(0, 4, n), g.integers(0, 4, n + 2)), 8, 200)
def edit_distance(a, b):
    n, m = a.shape[0], b.shape[0]
    table = np.zeros((n + 1, m + 1), dtype=np.int64)
    for i in range(n + 1):
        table[i, 0] = i
    for j in range(m + 1):
        table[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table[n, m]


@program(lambda g, n: (g.integers(0, 4, n),), 10, 80)
def nussinov(seq):
    n = seq.shape[0]
    table = np.zeros((n, n), dtype=np.int64)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + (1 if seq[i] + seq[j] == 3 else 0))
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


def _sparse(g, n):
    counts = g.integers(1, 6, n)
    starts = np.concatenate([[0], np.cumsum(counts)])
    return starts, g.integers(0, n, starts[-1]), double(g, int(starts[-1])), double(g, n)


@program(_sparse, 8, 5000)
def sparse_product(starts, columns, values, x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for k in range(starts[i], starts[i + 1]):
            y[i] += values[k] * x[columns[k]]
    return y


@program(lambda g, n: (single(g, n, 4), g.integers(0, n, 3 * n)), 8, 5000)
def gathered(features, index):
    return features[index] * 2


@program(lambda g, n: (double(g, n),), 10, 20000)
def clipped_mean(x):
    mean = np.mean(x)
    return np.mean(x[x > mean])


@program(lambda g, n: (double(g, n, n),), 8, 200)
def degree_laplacian(w):
    degree = np.sum(w, axis=1)
    return degree[:, None] * np.eye(w.shape[0]) - w


@program(lambda g, n: (double(g, n, n), double(g, n, n)), 8, 150)
def contraction(a, b):
    return np.einsum("ij,kj->ik", a, b)
