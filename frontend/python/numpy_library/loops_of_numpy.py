"""Functions of NumPy's as loops, of vectors: their text is read and never run.

Where a function has the name of another one and `_of_number`, `_of_vector` or `_of_matrix` behind it, it is taken for
a first argument that is one. Where NumPy has an error, an element behind the end of an array is written, which
is an `IndexError`.
"""

from __future__ import annotations

from typing import Any

import numpy


def convolve_full(a: Any, v: Any) -> Any:
    """The sums of products that meet as one is moved along the other; both have an element."""
    numpy.argmin(a)
    numpy.argmin(v)
    found = numpy.zeros(len(a) + len(v) - 1, dtype=numpy.result_type(a, v))
    for i in range(len(a)):
        for j in range(len(v)):
            found[i + j] += a[i] * v[j]
    return found


def convolve_same(a: Any, v: Any) -> Any:
    """The middle of the sums of products, as long as the longer vector."""
    every = convolve_full(a, v)
    n = max(len(a), len(v))
    first = (min(len(a), len(v)) - 1) // 2
    found = numpy.empty(n, dtype=numpy.result_type(a, v))
    for i in range(n):
        found[i] = every[first + i]
    return found


def correlate_valid(a: Any, v: Any) -> Any:
    """The sums of products where the second, which has an element, lies in the first."""
    numpy.argmin(v)
    found = numpy.zeros(len(a) - len(v) + 1, dtype=numpy.result_type(a, v))
    for i in range(len(a) - len(v) + 1):
        for j in range(len(v)):
            found[i] += a[i + j] * v[j]
    return found


def polyval(p: Any, x: Any) -> Any:
    """A polynomial, its highest power first, by Horner's rule."""
    found = numpy.zeros(len(x), dtype=numpy.result_type(p, x))
    for i in range(len(p)):
        found[:] = found * x + p[i]
    return found


def fill_diagonal(a: Any, val: Any) -> None:
    """One number at the places of a matrix whose row and column are the same."""
    rows, columns = a.shape
    for i in range(min(rows, columns)):
        a[i, i] = val


def kron(a: Any, b: Any) -> Any:
    """Each element of the first matrix times the second."""
    found = numpy.zeros((a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]), dtype=numpy.result_type(a, b))
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(b.shape[0]):
                for m in range(b.shape[1]):
                    found[i * b.shape[0] + k, j * b.shape[1] + m] = a[i, j] * b[k, m]
    return found


def kron_of_vector(a: Any, b: Any) -> Any:
    """Each element of the first vector times the second."""
    found = numpy.zeros(len(a) * len(b), dtype=numpy.result_type(a, b))
    for i in range(len(a)):
        for k in range(len(b)):
            found[i * len(b) + k] = a[i] * b[k]
    return found


def comoments(m: Any) -> Any:
    """The products of the rows' deviations, by the number of columns less one."""
    if m.shape[0] == 1:
        raise ValueError("the covariance of one row is no matrix")
    d = m.astype(numpy.float64)
    e = d - numpy.mean(d, axis=1, keepdims=True)
    found = e @ e.T
    found /= max(m.shape[1] - 1, 0)
    return found


def scaled(c: Any) -> Any:
    """A matrix over the roots of its diagonal, in rows and columns."""
    found = numpy.empty((c.shape[0], c.shape[0]), dtype=numpy.result_type(c, 1.0))
    for i in range(c.shape[0]):
        for j in range(c.shape[0]):
            found[i, j] = c[i, j] / numpy.sqrt(c[i, i]) / numpy.sqrt(c[j, j])
    return found


def gradient(f: Any, h: Any) -> Any:
    """Central differences, and one-sided ones at both ends; those of integers are floats, which do not wrap around."""
    found = numpy.empty(len(f), dtype=numpy.result_type(f, 1.0))
    found[1:-1] = (1.0 * f[2:] - f[:-2]) / (2.0 * h)
    found[0] = (1.0 * f[1] - f[0]) / h
    found[len(f) - 1] = (1.0 * f[len(f) - 1] - f[len(f) - 2]) / h
    return found


def gradient_of_rows(f: Any, h: Any) -> Any:
    """Central differences along each row of a matrix, and one-sided ones at both ends."""
    found = numpy.empty((f.shape[0], f.shape[1]), dtype=numpy.result_type(f, 1.0))
    for i in range(f.shape[0]):
        found[i] = gradient(f[i], h)
    return found


def insert(arr: Any, obj: Any, values: Any) -> Any:
    """A vector with one more element, at a place that may be the end."""
    n = len(arr)
    if obj > n or obj < -n:
        raise IndexError("a place outside of the array")
    place = obj if obj >= 0 else n + obj
    found = numpy.empty(len(arr) + 1, dtype=numpy.result_type(arr, arr))
    for i in range(place):
        found[i] = arr[i]
    found[place] = values
    for i in range(place, n):
        found[i + 1] = arr[i]
    return found


def delete(arr: Any, obj: Any) -> Any:
    """A vector without the element at a place."""
    n = len(arr)
    if obj >= n or obj < -n:
        raise IndexError("a place outside of the array")
    place = obj if obj >= 0 else n + obj
    found = numpy.empty(len(arr) - 1, dtype=numpy.result_type(arr, arr))
    for i in range(place):
        found[i] = arr[i]
    for i in range(place + 1, n):
        found[i - 1] = arr[i]
    return found


def array_equal(a: Any, b: Any) -> Any:
    """Whether two vectors have the same length and elements."""
    same = len(a) == len(b)
    if len(a) == len(b):
        for i in range(len(a)):
            if a[i] != b[i]:
                same = False
    return same


def array_equal_of_matrix(a: Any, b: Any) -> Any:
    """Whether two matrices have the same shape and elements."""
    return a.shape[0] == b.shape[0] and a.shape[1] == b.shape[1] and array_equal(a.reshape(-1), b.reshape(-1))


def take(indices: Any, a: Any) -> Any:
    """The elements of a vector at some places."""
    found = numpy.empty(len(indices), dtype=numpy.result_type(a, a))
    for i in range(len(indices)):
        found[i] = a[indices[i]]
    return found


def take_of_number(indices: Any, a: Any) -> Any:
    """The element of a vector at a place."""
    return a[indices]


def take_along_rows(a: Any, indices: Any) -> Any:
    """Elements of each row, at the places in the same row of another matrix."""
    found = numpy.empty((indices.shape[0], indices.shape[1]), dtype=numpy.result_type(a, a))
    if a.shape[0] != indices.shape[0]:
        found[indices.shape[0], 0] = 0
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            found[i, j] = a[i, indices[i, j]]
    return found


def take_along_columns(a: Any, indices: Any) -> Any:
    """Elements of each column, at the places in the same column of another matrix."""
    found = numpy.empty((indices.shape[0], indices.shape[1]), dtype=numpy.result_type(a, a))
    if a.shape[1] != indices.shape[1]:
        found[indices.shape[0], 0] = 0
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            found[i, j] = a[indices[i, j], j]
    return found


def take_along_columns_of_vector(a: Any, indices: Any) -> Any:
    """The elements of a vector at some places."""
    return take(indices, a)


def unwrap(p: Any) -> Any:
    """Angles without the jumps of more than half a turn: each is a sum of steps within half a turn."""
    half = numpy.pi
    found = p * 1.0
    moved = numpy.zeros(1, dtype=numpy.result_type(p, 1.0))
    for i in range(1, len(p)):
        step = (p[i] - p[i - 1]) * 1.0
        short = (step + half) % (2 * half) - half
        if short == -half and step > 0:
            short = short + 2 * half
        if not numpy.abs(step) < half:
            moved[0] += short - step
        found[i] += moved[0]
    return found
