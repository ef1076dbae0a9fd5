"""A variable that only a loop sets is not read where that loop did nothing: Python has an UnboundLocalError there."""

from typing import Any

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.decorator.functions import QUICK


def last_number(x: Any, n: int) -> Any:
    for k in range(n):
        i = 2 * k
    return x[0] + i


def last_array(x: Any) -> Any:
    n = len(x)
    for k in range(n):
        y = x * k
    return y


def in_a_loop(x: Any, n: int) -> Any:
    for t in range(len(x)):
        for k in range(n):
            last = x[k] * 2
        x[t] = last
    return x


def place_of(x: Any, w: int) -> Any:
    for i in range(w, len(x)):
        if x[i] > 0:
            place = i
    return x[place]


@pytest.mark.parametrize(("function", "sizes"), [(last_number, [0, -1]), (in_a_loop, [0]), (place_of, [5, 9])])
def test_a_loop_has_to_run(function: Any, sizes: list[int]) -> None:
    compiled, x = raising.jit(**QUICK)(function), np.arange(5.0)
    assert np.array_equal(compiled(x.copy(), 2), function(x.copy(), 2))
    for n in sizes:
        with pytest.raises(UnboundLocalError):
            function(x.copy(), n)
        with pytest.raises(InputError, match="is not set on this path"):
            compiled(x.copy(), n)


def test_an_array_too() -> None:
    compiled = raising.jit(**QUICK)(last_array)
    assert np.array_equal(compiled(np.arange(3.0)), last_array(np.arange(3.0)))
    with pytest.raises(InputError, match="is not set on this path"):
        compiled(np.zeros(0))


def of_a_round_before(x: Any, n: int) -> Any:
    for i in range(len(x)):
        for j in range(n - i):
            last = x[j]
        x[i] = last
    return x


def test_what_an_earlier_round_left_is_read() -> None:
    compiled = raising.jit(**QUICK)(of_a_round_before)
    for n in (5, 3, 1):
        assert np.array_equal(compiled(np.arange(5.0), n), of_a_round_before(np.arange(5.0), n))


def by_parameter(x: Any, k: int) -> Any:
    if k > 0:
        y = x * 2
    elif k < 0:
        y = x * 3
    return y


def by_counter(x: Any, k: int) -> Any:
    out = np.zeros(len(x))
    for i in range(k, len(x)):
        if i > 1:
            out[i] = x[i] - before  # noqa: F821 (of the iteration before)
        before = x[i]  # noqa: F841
    return out


def by_data(x: Any, k: int) -> Any:
    for i in range(len(x)):
        if x[i] > k:
            place = i
            break
    return place


def by_rounds(x: Any, k: int) -> Any:
    i = k
    while i < len(x):
        last = x[i]
        i += 1
    return last


def where_it_is_read(x: Any, k: int) -> Any:
    if k > 0:
        total = np.sum(x)
    if k > 0 and total > 1:
        return total
    return x[0]


@pytest.mark.parametrize(
    ("function", "fine", "unset"),
    [
        (by_parameter, [1, -1], [0]),
        (by_counter, [0, 1], [2, 3]),
        (by_data, [2, -1], [4, 9]),
        (by_rounds, [0, 4], [5, 9]),
        (where_it_is_read, [0, 1], []),
    ],
)
def test_a_branch_has_to_set_it(function: Any, fine: list[int], unset: list[int]) -> None:
    compiled, x = raising.jit(**QUICK)(function), np.arange(5.0)
    for k in fine:
        assert np.array_equal(compiled(x, k), function(x, k))
    for k in unset:
        with pytest.raises(UnboundLocalError):
            function(x, k)
        with pytest.raises(InputError, match="is not set on this path"):
            compiled(x, k)


def one_of_two(x: Any, k: int) -> Any:
    if k == 1:
        w = 1.0
    elif k == 2:
        w = 2.0
    else:
        raise ValueError("no such k")
    return x * w


def test_what_a_branch_needs_is_not_needed_by_others() -> None:
    compiled, x = raising.jit(**QUICK)(one_of_two), np.arange(3.0)
    for k in (2, 1):
        assert np.array_equal(compiled(x, k), one_of_two(x, k))
    with pytest.raises(InputError, match="no such k"):
        compiled(x, 3)
