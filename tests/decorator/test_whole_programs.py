"""Functions as people write them for NumPy: networks, waves and orbits, with helpers, rows and names for parts."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.decorator.functions import QUICK


def softmax(z: Any, axis: int = -1, keep: bool = True) -> Any:
    """The axis is known where the function is called."""
    e = np.exp(z - np.max(z, axis=axis, keepdims=keep))
    return e / np.sum(e, axis, keepdims=True)


def along(z: Any, axis: int) -> Any:
    return softmax(z, axis)


def axes_of_helpers(z: Any) -> Any:
    return softmax(z), softmax(z, 0), along(z, -2), softmax(z[0], axis=0)


def right_side(s: Any, k: float = 2.0) -> Any:
    x, y, z = s
    return np.array([k * (y - x), x * z - y, x * y])


def orbit(start: Any, dt: float, n: int) -> Any:
    """A name for a row of an array that the function made."""
    rows = np.zeros((n + 1, 3))
    rows[0] = start
    for i in range(n):
        s = rows[i]
        middle = right_side(s + dt / 2 * right_side(s))
        rows[i + 1] = s + dt * middle
    return rows


def written_row(n: int) -> Any:
    rows = np.zeros((n, 3))
    first = rows[0]
    for i in range(n):
        r = rows[i]
        r[:] = i
        r[1] += 2
    rows[0, 2] = 7.0
    return rows, first + 1


def wave(u: Any, steps: int) -> Any:
    """Each round makes an array; the names move on by one."""
    before = u.copy()
    for _ in range(steps):
        after = np.zeros_like(u)
        after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.5 * (u[2:] + u[:-2] - 2 * u[1:-1])
        u, before = after, u
    return u + before


def recurrences(x: Any, n: int) -> Any:
    """What names get is made before any of them moves on."""
    old, new, third = np.ones(len(x)), x.copy(), x - 1
    for k in range(2, n):
        old, new = new, ((2 * k - 1) * x * new - (k - 1) * old) / k
        third, old, new = old, np.roll(third, 1) + new, third
        old, third = old - third, old + third
        old[0] += 1
    return old, new, third


def numbers_that_move_on(n: int) -> Any:
    a, b = 0, 1
    for _ in range(n):
        c = a + b
        a, b = b, c
    return a


def pairs(n: int, a: float, b: float) -> Any:
    """A row is stored as its elements."""
    out = np.empty((n, 2))
    for i in range(n):
        out[i] = a, b
        a += b
    return out


def distances(lat: Any, lon: Any) -> Any:
    lat, lon = map(np.radians, [lat, lon])
    return np.sin(lat) * lon


def swept(a: Any, b: Any) -> Any:
    """A second name for a copy, which is written through it."""
    ac, bc = map(np.array, (a, b))
    found = bc
    found[-1] = ac[-1] / bc[-1]
    for k in range(len(a) - 2, -1, -1):
        found[k] = (ac[k] - found[k + 1]) / bc[k]
    return found, ac


def columns(points: Any) -> Any:
    x, y = points.T
    return np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))


def means_of_classes(x: Any, labels: Any) -> Any:
    """What a branch makes is its own."""
    means, spreads = np.zeros((3, x.shape[1])), np.zeros((3, x.shape[1]))
    for k in range(3):
        if np.sum(labels == k) > 0:
            means[k] = x[labels == k].mean(axis=0)
            spreads[k] = x[labels == k].var(axis=0)
    return means, spreads


def local_maxima(a: Any) -> Any:
    """A condition of numbers asks whether one of them is not 0."""
    p = np.pad(a, 1, mode="constant", constant_values=-np.inf)
    found = np.ones(a.shape, dtype=bool)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                found &= a > p[1 + dy : p.shape[0] - 1 + dy, 1 + dx : p.shape[1] - 1 + dx]
    return found


def spread(x: Any) -> Any:
    m = x.mean()
    return m, x - m, np.abs(x).max()


def cleared(x: Any, y: Any) -> Any:
    y[:] = 0
    return x, y


def single_results(x: Any) -> Any:
    """One of several results, with all that the function does."""
    y = x * 2
    z = cleared(x, y)[0]
    return spread(x)[0] + spread(x * 2)[2], spread(x)[1][0], spread(x)[1], z + y


def number_of_digits(digits: Any) -> Any:
    value = 0
    for d in digits:
        value = value * 10 + (int(d) - ord("0"))
    return value


def life(board: Any) -> Any:
    """Conditions on tuples of constants."""
    around = (-1, 0, 1)
    n = sum(np.roll(np.roll(board, i, 0), j, 1) for i in (-1, 0, 1) for j in around if (i, j) != (0, 0))
    corners = sum(board[0, k] for k in range(3) if 0 <= k < 2 and k not in (1, 5))
    del around
    return (n == 3) | ((board == 1) & (n == 2)), corners


def lattice(f: Any) -> Any:
    """Weights that are quotients of constants, by a number that counts."""
    weights, ways = (1 / 4, 2 / 16, -3 / 4), (0, 1, -1)
    for q in range(3):
        f[q] += weights[q] * np.roll(f[q + 1], ways[q])
    return f


def horner(x: Any) -> Any:
    """Numbers that become arrays, in loops over constants."""
    value, total, wide = 0.0, 0, 1
    for c in (0.5, -2.0, 0.25):
        value = value * x + c
        total += x * c
        wide *= c
    return value, total, wide


def _grid(n: int, m: int) -> Any:
    made = np.zeros((n, m))
    made[n - 1, m - 1] = n - m
    return made


def _of_columns(a: Any) -> Any:
    found = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        found[i] = a[i].sum()
    return found


def _turned(a: Any) -> Any:
    return _of_columns(a.T)


def other_names(x: Any) -> Any:
    """Sizes that the functions that are called have by the names of other sizes."""
    m, n = x.shape
    return _turned(x), _turned(x * 2), _grid(m, n), _grid(n, m) @ x


def in_types(x: Any, k: Any) -> Any:
    """An array in its own type is itself, in another one a copy."""
    y, z = np.asarray(x, dtype=float), np.asarray(k, float)
    y[0], z[0] = 7.0, 9.5
    quotients = np.divide(y, z, out=np.zeros_like(y), where=z > 0)
    np.add(y, z, out=y, where=z > 1)
    return z, k, quotients, np.finfo(x.dtype).eps, np.iinfo(np.int32).max, np.finfo(np.float32).tiny


def centred(x: Any, q: Any) -> Any:
    """Rows that loops go through are written, and names of rows and columns of parts."""
    for i, row in enumerate(x[1:]):
        row -= row.mean()
        row[0] = i
    for column, other in zip(x.T, q[0].T, strict=False):
        column += other
    for matrix in q:
        for row in matrix:
            row[:] = row[::-1].copy()
    last = q.T[1:][0]
    last *= 2
    total = 0
    for k, (w, c) in zip((3, 5), ((1, 0.5), (2, 0.25)), strict=True):
        total += x[k % 4] ** w * math.log(k, 2) + pow(c, k)
    for k, w in enumerate((2.0, 4.0)):
        total += k * w
    return total, x.ravel("F"), np.ravel(q[0], order="F")


def delayed(x: Any) -> Any:
    """Numbers of Python that become floats, one after the other."""
    a = b = c = d = 0
    for v in x:
        a = b
        b = c
        c, d = c + v, d + 1
    if d > 100:
        return d, 0.0, 0, 0
    return a, b, c, d


X = np.arange(12.0).reshape(4, 3) ** 1.5
CALLS: list[tuple[Any, tuple[Any, ...]]] = [
    (axes_of_helpers, (X,)),
    (orbit, (np.ones(3), 0.1, 5)),
    (written_row, (4,)),
    (wave, (X[:, 1].copy(), 4)),
    (wave, (X[:, 1].copy(), 0)),
    (recurrences, (X[:, 1].copy(), 6)),
    (numbers_that_move_on, (10,)),
    (pairs, (4, 1.0, 2.0)),
    (distances, (X[0], X[1])),
    (columns, (X[:, :2],)),
    (swept, (X[:, 0] + 1, X[:, 1] + 1)),
    (single_results, (X[0],)),
    (local_maxima, (np.sin(X * 7),)),
    (number_of_digits, (np.frombuffer(b"40927", np.uint8).copy(),)),
    (means_of_classes, (X, np.array([2, 0, 2, 2]))),
    (life, (np.array([[0, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]]),)),
    (lattice, (X,)),
    (horner, (X[0],)),
    (other_names, (X,)),
    (delayed, (X[1] / 8,)),
    (in_types, (X[:, 1].copy(), np.arange(4))),
    (centred, (X.copy(), np.sin(np.arange(24.0)).reshape(2, 4, 3))),
]


def other_lengths(n: int) -> Any:
    a, b = np.zeros(4), np.zeros(3)
    for _ in range(n):
        a, b = a + 1, a[1:] * 2
    return a, b


def arguments_that_move_on(a: Any, b: Any) -> Any:
    for _ in range(2):
        a, b = b, a + b
    b[0] = 1
    return a, b


def test_what_cannot_be_exchanged_is_refused() -> None:
    with pytest.raises(InputError, match="different types or shapes"):
        raising.jit(**QUICK)(other_lengths)(2)
    with pytest.raises(InputError, match="argument 'b' is exchanged"):
        raising.jit(**QUICK)(arguments_that_move_on)(np.ones(2), np.ones(2))


@pytest.mark.parametrize(("function", "arguments"), CALLS)
def test_it_does_what_numpy_does(function: Any, arguments: tuple[Any, ...]) -> None:
    ours, theirs = deepcopy(arguments), deepcopy(arguments)
    found, wanted = raising.jit(**QUICK)(function)(*ours), function(*theirs)
    both = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for a, b in both:
        np.testing.assert_allclose(a, b, rtol=1e-12)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)
