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
        with pytest.raises(InputError, match="is set by a loop"):
            compiled(x.copy(), n)


def test_an_array_too() -> None:
    compiled = raising.jit(**QUICK)(last_array)
    assert np.array_equal(compiled(np.arange(3.0)), last_array(np.arange(3.0)))
    with pytest.raises(InputError, match="is set by a loop"):
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
