"""Loops, subscripts and stores that depend on data: compiled as they are written, and safe for all values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.bench.programs.compare import PROGRAMS, difference
from tests.decorator.functions import QUICK


def placed(p: Any, x: Any) -> None:
    for i in range(len(p)):
        x[p[i]] += i


def added(p: Any, x: Any) -> None:
    np.add.at(x, p, np.arange(p.shape[0]))


def searched(p: Any, x: Any) -> Any:
    i = 0
    while x[i] != 1:
        i += 1
    return i + p[0] * 0


def chased(p: Any, x: Any) -> Any:
    i, c = 0, 0
    while c < 5:
        i = p[i]
        c += 1
    return i + x.shape[0]


def lengths(p: Any, x: Any) -> Any:
    y = x[1:] + x[:-1]
    for i in range(len(p)):
        y[p[i]] = 1
    return y


def counted(p: Any, x: Any) -> Any:
    most = len(x) - 1
    seen = np.zeros(most)
    for place in p:
        seen[place] += 1
    return seen @ seen


def replaced(p: Any, x: Any) -> Any:
    x[p] = x[p[::-1]] * 2.0
    x[p] += 1.0
    order = np.empty(len(p), np.int64)
    order[np.argsort(p, kind="stable")] = np.arange(len(p))
    return np.sum(x), np.sum(order * p)


def mixed(a: Any, b: Any) -> Any:
    """A helper."""
    while abs(a - b) > 1:
        a = (a + b) / 2
    return a * b


def helped(p: Any, x: Any) -> Any:
    s = 0.0
    for i in range(len(p)):
        s += mixed(x[p[i]], x[0])
    return s


def left(p: Any, x: Any) -> Any:
    seen = 0
    for i in range(len(p)):
        for k in range(len(x)):
            if x[k] == p[i]:
                seen += k
                break
            if k > 3:
                return -seen
        if x[p[i]] > 2:
            break
        x[p[i]] += 1
    return seen


def converged(p: Any, x: Any) -> Any:
    rounds = 0
    while True:
        new = 0.5 * x + len(p)
        far = np.max(np.abs(new - x)) if len(x) else 0.0
        x[:] = new
        rounds += 1
        if far < 1e-6:
            break
        for i in p:
            if x[i] > 50:
                return -1
    return rounds


CASES: list[tuple[list[int], list[float]]] = [
    ([0, 1, 1, 2], [3, 2, 1, 1, 0]),
    ([0, 0], [1, 0, 4]),
    ([0], [1]),
    ([2, 3], [0, 5]),
    ([0, 7], [0.5, 2, 1]),
    ([-1, 0, -2], [3, 2, 1]),
    ([0, -4], [1, 2, 0]),
    ([0, 1], []),
    ([], [1, 2]),
]


@pytest.mark.parametrize(
    "function", [placed, added, searched, chased, lengths, helped, counted, replaced, left, converged]
)
def test_it_is_what_numpy_does(function: Callable[..., Any]) -> None:
    compiled = raising.jit(**QUICK)(function)
    for places, values in CASES:
        p, x = np.array(places, np.int64), np.array(values, np.float64)
        q, y = p.copy(), x.copy()
        try:
            wanted = function(p, x)
        except (IndexError, ValueError):
            with pytest.raises((IndexError, InputError)):
                compiled(q, y)
            continue
        np.testing.assert_array_equal(compiled(q, y), wanted)
        np.testing.assert_array_equal(y, x)


def test_an_access_outside_is_an_error_with_its_place_and_writes_nothing_there() -> None:
    compiled, memory = raising.jit(**QUICK)(placed), np.zeros(9)
    for wrong in (-4, 3, 2**62, -(2**63)):
        with pytest.raises(IndexError, match=r"test_as_written.py:19:9: a subscript lies outside"):
            compiled(np.array([1, wrong]), memory[3:6])
    assert memory[:3].tolist() == memory[6:].tolist() == [0, 0, 0]


def test_calls_are_quick_and_still_looked_at() -> None:
    compiled, x = raising.jit(**QUICK)(placed), np.zeros(3)
    for p in ([0, 1], [0, 2], [1, 2]):
        compiled(np.array(p), x)
    assert compiled._quick is not None and x.tolist() == [0, 1, 2]
    with pytest.raises(IndexError):
        compiled(np.array([1, 3]), x)
    with pytest.raises(IndexError):
        compiled(np.array([1, 2]), x[:0])
    assert x.tolist() == [0, 1, 2]


def test_an_argument_may_be_a_length() -> None:
    def counts(p: Any, n: int) -> Any:
        found, s = np.zeros(2 * n - 1), 0.0
        for place in p:
            found[place] += 1
            s += found[place]
        return s

    compiled = raising.jit(**QUICK)(counts)
    for n in (2, 2, 2, 1, 3):
        assert compiled(np.array([0, 0]), n) == 3
    with pytest.raises(InputError, match="'found' has no negative length"):
        compiled(np.array([0]), 0)
    with pytest.raises(IndexError):
        compiled(np.array([3]), 2)


def test_an_error_of_the_source_is_one_of_the_call() -> None:
    def guarded(x: Any, y: Any, t: float) -> Any:
        if x.shape != y.shape:
            raise ValueError("shapes differ")
        if t <= 0:
            raise ValueError("t is not positive")
        return x * t + y

    compiled, x = raising.jit(**QUICK)(guarded), np.arange(3.0)
    assert compiled(x, x, 2.0).tolist() == [0.0, 3.0, 6.0]
    for y, t, told in ((x[1:], 2.0, "shapes differ"), (x, 0.0, "t is not positive"), (x, np.nan, "")):
        if told:
            with pytest.raises(InputError, match=told):
                compiled(x, y, t)
        else:
            assert np.isnan(compiled(x, y, t)).all()


def test_what_makes_arrays_of_a_length_by_data_is_refused() -> None:
    def made(p: Any) -> Any:
        made = np.zeros(p[0])
        return np.sum(made)

    with pytest.raises(InputError, match="the length of an array depends on data"):
        raising.jit(**QUICK)(made)(np.array([3]))


def test_it_says_what_it_is() -> None:
    compiled = raising.jit(**QUICK)(placed)
    compiled(np.array([0]), np.zeros(2))
    assert "compiled as it is written" in str(compiled.inspect())


@pytest.mark.parametrize("name", ["sparse_product", "mandelbrot"])
def test_programs_are_equal_to_numpy(name: str) -> None:
    program = PROGRAMS[name]
    compiled = raising.jit(**QUICK)(program.function)
    for size in program.sizes:
        assert difference(program, compiled, size) == ""


def even_odd(points: Any, corners: Any) -> Any:
    """The corner before each one is known for known numbers of corners only."""
    inside = np.zeros(len(points), np.int64)
    for k in range(len(points)):
        j = len(corners) - 1
        for i in range(len(corners)):
            if (corners[i, 1] > points[k, 1]) != (corners[j, 1] > points[k, 1]):
                inside[k] += 1
            j = i
    return inside


def test_the_third_size_is_compiled_as_it_is_written() -> None:
    compiled, rng = raising.jit(**QUICK)(even_odd), np.random.default_rng(1)
    for size in (3, 4, 5, 6, 7):
        points, corners = rng.random((size + 1, 2)), rng.random((size, 2))
        np.testing.assert_array_equal(compiled(points, corners), even_odd(points, corners))
    assert "compiled for 3 kinds" in repr(compiled)


def parts_of_rows(x: Any, p: Any) -> Any:
    """Arrays whose lengths loops tell; one that is too short is read where it has no element."""
    total = 0.0
    for k in range(3):
        t = x[k:] * 2
        total += t[len(x) - p[k]]
    return total


def determinant(a: Any, p: Any) -> Any:
    u, found = a.copy(), 1.0
    n = u.shape[0]
    for k in range(n):
        i = k + np.argmax(np.abs(u[k:, k]))
        if u[i, k] == 0:
            return 0.0
        if i != k:
            u[[i, k]] = u[[k, i]]
            found = -found
        found *= u[k, k]
        u[k + 1 :, k:] -= np.outer(u[k + 1 :, k] / u[k, k], u[k, k:])
    return found + np.sum(p) * 0


def branches(x: Any, p: Any) -> Any:
    """No array is made where its length would be negative."""
    total = 0.0
    if len(x) > 1:
        total += np.ones(len(x) - 2).sum()
    else:
        total += np.ones(1 - len(x)).sum() * 3
    for i in range(len(x)):
        total += x[p[i] % len(x)] + np.ones(len(x) - 1).sum()
    return total


def test_lengths_that_loops_and_branches_tell() -> None:
    compiled, x = raising.jit(**QUICK)(parts_of_rows), np.arange(6.0)
    for p in ([3, 3, 3], [6, 6, 6], [12, 12, 12], [3, 2, 1], [1, 3, 3], [0, 3, 3], [-1, 3, 3], [13, 1, 1]):
        try:
            wanted = parts_of_rows(x, p)
        except IndexError:
            with pytest.raises(IndexError):
                compiled(x, np.array(p))
        else:
            assert compiled(x, np.array(p)) == wanted
    rng, p = np.random.default_rng(2), np.array([3, 1, 0, 2, 5, 4, 7])
    compiled = raising.jit(**QUICK)(determinant)
    for size in (4, 1, 0, 7):
        a = rng.random((size, size)) - 0.5
        assert compiled(a, p) == pytest.approx(np.linalg.det(a))
    assert compiled(np.zeros((3, 3)), p) == 0
    compiled = raising.jit(**QUICK)(branches)
    for size in (3, 2, 1, 0, 7):
        assert compiled(x[:1].repeat(size), p) == branches(x[:1].repeat(size), p)


def last_ones(x: Any, p: Any) -> Any:
    """Slices that begin or end before an array that is short are cut."""
    i = 0
    while i < len(p) and x[p[i] % max(len(x), 1)] < 3:
        i += 1
    return x[-3:], x[:-2], np.delete(np.append(x, 1), 0), i


def test_slices_of_short_arrays() -> None:
    compiled, p = raising.jit(**QUICK)(last_ones), np.array([0, 2, 4])
    for size in (9, 2, 1, 3, 4, 9):
        for a, b in zip(compiled(np.arange(size), p), last_ones(np.arange(size), p), strict=True):
            np.testing.assert_array_equal(a, b)
