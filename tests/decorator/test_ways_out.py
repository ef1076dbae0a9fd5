"""Functions that are left in front of their end, with all they return; loops with `else`; integers that are set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.decorator.functions import QUICK


def first_above(x: Any, limit: float) -> Any:
    if len(x) == 0:
        return 0, 0.0
    if len(x) == 1:
        return 1, x[0]
    best, at = x[0], 0
    for i in range(1, len(x)):
        if x[i] > limit:
            return i, x[i]
        if x[i] > best:
            best, at = x[i], i
    return at, best


def sum_or_product(x: Any, limit: float) -> Any:
    if x.sum() > limit:
        return x + limit, 1
    else:  # noqa: RET505
        return x * limit, 2


def without_a_name(x: Any, limit: float) -> Any:
    if x.sum() > limit:
        return x - limit
    y = x * limit
    return y  # noqa: RET504


def checked(x: Any, limit: float) -> Any:
    if limit > 0:
        return x, limit
    else:  # noqa: RET505
        raise ValueError("a limit below 0")


def roots(x: Any, limit: float) -> Any:
    d = x.sum() - limit
    if d < 0:
        return 0, np.nan
    if d == 0:
        return 1, 0
    return 2, np.sqrt(d)


def loops_with_else(x: Any, limit: float) -> Any:
    s = 0.0
    for i in range(len(x)):
        if x[i] > limit:
            break
        s += x[i]
    else:
        s = -s
    k = 0
    while k < len(x):
        for j in range(k):
            if x[j] > x[k]:
                break
        else:
            s += 1
        k += 1
    else:
        s *= 2
    return s


def newton(x: Any, limit: float) -> Any:
    y = limit
    while True:
        z = 0.5 * (y + limit / y)
        if abs(z - y) < 1e-9:
            return z
        y = z


RIGHT = (first_above, sum_or_product, without_a_name, checked, roots, loops_with_else, newton)


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_it_returns_what_numpy_returns(function: Callable[..., Any]) -> None:
    compiled = raising.jit(**QUICK)(function)
    for size in (5, 1, 0):
        x = np.arange(size) % 3 * 0.5
        for limit in (0.25, 0.75, 1.5, 2.0, 9.0):
            found, wanted = compiled(x, limit), function(x, limit)
            pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
            for a, b in pairs:
                np.testing.assert_allclose(a, b, rtol=1e-12)


def another_shape(x: Any) -> Any:
    if x[0] > 0:
        return x[1:], 1
    return x * 2, 2


def another_kind(x: Any) -> Any:
    if x[0] > 0:
        return np.int32(1), x * 2
    return x[0], x


def the_others_array(x: Any) -> Any:
    a, b = x + 1, x + 2
    if x[0] > 0:
        return b, a
    return a, b


@pytest.mark.parametrize("function", [another_shape, another_kind, the_others_array])
def test_other_kinds_of_results_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(InputError):
        raising.jit(**QUICK)(function)(np.ones(3))


def smoothed(x: Any, k: int) -> Any:
    k = min(k, 6)
    if k % 2 == 0:
        k += 1
    w = np.ones(k) / k
    y = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(k):
            if 0 <= i + j - k // 2 < len(x):
                y[i] += w[j] * x[i + j - k // 2]
    return y, w


def counted_down(x: Any, k: int) -> Any:
    """It is set in a loop, and is a variable from there on."""
    w = np.zeros(2**k)
    w[:] = k
    while k > 0:
        w[k - 1] += x[0]
        k -= 1
    return w, k


@pytest.mark.parametrize("function", [smoothed, counted_down])
def test_lengths_of_integers_that_are_set(function: Callable[..., Any]) -> None:
    compiled, x = raising.jit(**QUICK)(function), np.arange(9.0)
    for k in (1, 4, 9):
        for a, b in zip(compiled(x, k), function(x, k), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
