"""Norms, determinants and linear equations of NumPy's as loops; as in `loops_of_numpy`, nothing of this is run."""

from __future__ import annotations

from typing import Any

import numpy


def greatest_below(m: Any, k: Any) -> Any:
    """The row of the greatest absolute value in a column, on or below the diagonal."""
    row = k
    for i in range(k + 1, len(m)):
        if numpy.abs(m[i, k]) > numpy.abs(m[row, k]):
            row = i
    return row


def exchange(m: Any, one: Any, other: Any) -> Any:
    """Two rows in each other's place."""
    for j in range(m.shape[1]):
        kept = m[one, j]
        m[one, j] = m[other, j]
        m[other, j] = kept


def det(a: Any) -> Any:
    """The product of the pivots of Gaussian elimination, with the sign of the exchanges of rows."""
    n = len(a)
    m = a * 1.0
    found = numpy.ones(1, dtype=numpy.result_type(a, 1.0))
    if a.shape[1] != n:
        found[1] = 0
    for k in range(n):
        row = greatest_below(m, k)
        found[0] *= m[row, k]
        if row != k:
            found[0] = -found[0]
            exchange(m, k, row)
        if m[k, k] != 0:
            for i in range(k + 1, n):
                factor = m[i, k] / m[k, k]
                for j in range(k + 1, n):
                    m[i, j] -= factor * m[k, j]
    return found[0]


def eliminate(m: Any, x: Any) -> Any:
    """Upper triangular equations `m` of the same solutions, with right sides `x`, by exchanges of rows."""
    n = len(m)
    for k in range(n):
        row = greatest_below(m, k)
        if m[row, k] == 0:
            m[n, 0] = 0
        if row != k:
            exchange(m, k, row)
            exchange(x, k, row)
        for i in range(k + 1, n):
            factor = m[i, k] / m[k, k]
            for j in range(k + 1, n):
                m[i, j] -= factor * m[k, j]
            for j in range(x.shape[1]):
                x[i, j] -= factor * x[k, j]


def solve(b: Any, a: Any) -> Any:
    """The matrix whose product with `a` is `b`, by Gaussian elimination with exchanges of rows."""
    n = len(a)
    m = a * 1.0
    x = b.astype(numpy.result_type(a, b, 1.0))
    if a.shape[1] != n or len(b) != n:
        m[n, 0] = 0
    eliminate(m, x)
    for back in range(n):
        row = n - 1 - back
        for j in range(x.shape[1]):
            for i in range(row + 1, n):
                x[row, j] -= m[row, i] * x[i, j]
            x[row, j] /= m[row, row]
    return x


def solve_of_vector(b: Any, a: Any) -> Any:
    """The vector whose product with `a` is `b`."""
    columns = numpy.empty((len(b), 1), dtype=numpy.result_type(b, b))
    columns[:, 0] = b
    found = solve(columns, a * 1.0)
    return found[:, 0].copy()


def inverse(a: Any) -> Any:
    """The matrix whose product with `a` is the identity."""
    unit = numpy.zeros((len(a), len(a)), dtype=numpy.result_type(a, 1.0))
    for i in range(len(a)):
        unit[i, i] = 1
    return solve(unit, a * 1.0)


def cholesky(a: Any) -> Any:
    """The lower triangle whose product with its own transposition is `a`, of which the lower one is read."""
    n = len(a)
    m = numpy.zeros((n, n), dtype=numpy.result_type(a, 1.0))
    if a.shape[1] != n:
        raise ValueError("a matrix of other than n rows and columns")
    for i in range(n):
        for j in range(i + 1):
            rest = a[i, j] * 1.0
            for k in range(j):
                rest -= m[i, k] * m[j, k]
            if i == j:
                if not rest > 0:
                    raise ValueError("a matrix that is not positive definite")
                m[i, i] = numpy.sqrt(rest)
            else:
                m[i, j] = rest / m[j, j]
    return m
