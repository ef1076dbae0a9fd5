"""Ranges and slices whose step is computed, and loops over arrays without a name: rewritten before types are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.decorator.functions import QUICK


def counted(x: Any, first: Any, end: Any, step: Any) -> Any:
    seen, last = 0, -9
    for i in range(first, end, step):
        seen = (3 * seen + i) % 1000
        last = i
    return seen, last, x[0]


def changed_inside(x: Any, first: Any, end: Any, step: Any) -> Any:
    seen = 0
    for _ in range(first, end, step):
        step += 1
        end += 1
        seen += step
    return seen, x[0]


def halves(x: Any, first: Any, end: Any, step: Any) -> Any:
    length = 1
    while 2 * length <= len(x):
        for i in range(0, len(x) - length, 2 * length):
            x[i], x[i + length] = x[i] + x[i + length], x[i] - x[i + length]
        length *= 2
    return first + end + step


def filled(x: Any, first: Any, end: Any, step: Any) -> Any:
    x[first:end:step] = first + 0.5
    x[::step] = x[0]
    return x[:end]


FUNCTIONS = (counted, changed_inside, halves, filled)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_they_are_pythons(function: Callable[..., Any]) -> None:
    compiled = raising.jit(**QUICK)(function)
    ways = [(0, 8, 3), (0, 9, 4), (5, 5, 1), (7, -1, -2), (0, 8, -1), (-3, 2, 2), (-3, 99, 1), (2, 7, 99)]
    for first, end, step in ways:
        if function is filled and not 0 <= end <= 8 or function is filled and step < 0:
            continue
        mine, theirs = np.arange(8.0), np.arange(8.0)
        found, wanted = compiled(mine, first, end, step), function(theirs, first, end, step)
        np.testing.assert_array_equal(np.hstack([*np.atleast_1d(found)]), np.hstack([*np.atleast_1d(wanted)]))
        np.testing.assert_array_equal(mine, theirs)


def test_narrow_integers_do_not_wrap_around() -> None:
    given = np.zeros(1), np.uint8(250), np.int16(300), np.uint8(40)
    assert raising.jit(**QUICK)(counted)(*given) == counted(*given)


def test_steps_that_python_refuses_are_errors() -> None:
    for step in (0, 2.0):
        with pytest.raises((InputError, ZeroDivisionError, ValueError, TypeError)):
            raising.jit(**QUICK)(counted)(np.zeros(1), 0, 8, step)
    with pytest.raises(InputError, match="goes forwards"):
        raising.jit(**QUICK)(filled)(np.zeros(8), 0, 8, -1)


def counters(x: Any, n: int) -> Any:
    """Counters that other loops have, too, that are variables behind their loops, or that a loop changes."""
    seen, rounds = 0.0, n
    for i in range(1, len(x)):
        seen += i * x[i]
    for i in range(0, len(x), n):
        for j in range(i, len(x), n):
            seen += x[i] * x[j]
    for j, v in enumerate(x, 2):
        seen += j * v
        j += 1
        seen += j
    for v in range(3):
        seen += v
    for _ in range(2):
        for _ in range(n):
            seen *= 1.5
    for k in range(rounds):
        rounds -= 1
        for k in reversed(range(2)):
            seen += k + rounds
    return seen, i, j, k, rounds


def found(x: Any, n: int) -> Any:
    for place, (i, j) in enumerate(zip(x, x[1:], strict=False)):
        if place > 0 and i + j > n:
            break
    for a, b in np.ndindex(len(x), 2):
        x[a] += b
    return place, a, b


@pytest.mark.parametrize("function", (counters, found))
def test_counters_are_variables(function: Callable[..., Any]) -> None:
    compiled, random = raising.jit(**QUICK)(function), np.random.default_rng(4)
    for count in (5, 2, 9):
        mine = random.standard_normal(count)
        theirs = mine.copy()
        np.testing.assert_allclose(compiled(mine, 2), function(theirs, 2), rtol=1e-12)
        np.testing.assert_array_equal(mine, theirs)
    with pytest.raises(InputError, match="these arguments do not fit"):  # they are not set
        compiled(np.zeros(0), 2)


def made(x: Any, y: Any) -> Any:
    best, total = -np.inf, 0.0
    for v in x + y:
        best = max(best, v)
        x[0] = best
    for k, v in enumerate(np.sqrt(np.abs(y))):
        total += k * v
    for a, b in zip(-x, np.sort(y)[1:], strict=False):
        total = 0.5 * total + a * b
    return best, total


def test_what_has_no_name_is_gone_through_as_it_was_before_the_loop() -> None:
    compiled, random = raising.jit(**QUICK)(made), np.random.default_rng(3)
    for count in (5, 1):
        x, y = random.standard_normal((2, count))
        again = x.copy()
        np.testing.assert_allclose(compiled(x, y), made(again, y))
        np.testing.assert_array_equal(x, again)


def test_what_may_be_the_memory_of_what_the_loop_writes_is_refused() -> None:
    def flat(x: Any) -> None:
        for v in x.ravel():
            x[0] = v

    with pytest.raises(InputError, match="may be the memory of 'x', and one is written"):
        raising.jit(**QUICK)(flat)(np.zeros(3))
