"""Integers that lengths, steps or powers need are asked for, or known; a call returns its own argument."""

from typing import Any

import numpy as np
import pytest

import raising
from raising.decorator import stored
from raising.support.errors import InputError
from tests.decorator.functions import QUICK


def windows(x: Any, width: int, hop: int) -> Any:
    count = 1 + (len(x) - width) // hop
    out = np.zeros(count)
    for i in range(count):
        out[i] = np.sum(x[i * hop : i * hop + width])
    return out


def thinned(x: Any, step: int) -> Any:
    return x[::step] * 2


@pytest.mark.parametrize(("function", "each"), [(windows, [(3, 2), (4, 1), (9, 1)]), (thinned, [(2,), (3,), (-1,)])])
def test_code_for_the_integers_of_the_call(function: Any, each: list[tuple[int, ...]]) -> None:
    compiled = raising.jit(**QUICK)(function)
    for numbers in each:
        for n in (9, 10):
            assert np.array_equal(compiled(np.arange(float(n)), *numbers), function(np.arange(float(n)), *numbers))
    with pytest.raises(InputError, match="a step|divides by no constant|step of 0|division by zero|not a constant"):
        compiled(np.arange(9.0), *[0 for _ in each[0]])


def by_number(x: Any, n: int) -> Any:
    if n in (1, 2):
        return x + 1
    if n not in [3, 4] and 4 < n < 9:
        return x - 1
    return x * 2 if (n, 1.5) == (10, 1.5) else x


def test_an_integer_among_others_is_known() -> None:
    compiled, x = raising.jit(**QUICK)(by_number), np.arange(4.0)
    for n in (1, 3, 5, 10):
        assert np.array_equal(compiled(x, n), by_number(x, n))


def refused(x: Any, n: int) -> Any:
    return np.unique(x)[n]


def test_what_is_refused_is_refused_at_once_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, x, tries = raising.jit(**QUICK)(refused), np.arange(4.0), []
    build = stored.built
    monkeypatch.setattr(stored, "built", lambda *given: tries.append(given) or build(*given))
    texts = []
    for _ in range(2):
        with pytest.raises(InputError) as error:
            compiled(x, 1)
        texts.append((str(error.value), len(tries)))
    assert texts[0] == texts[1] and tries
    with pytest.raises(InputError):
        compiled(x[:3], 1)
    assert len(tries) > texts[0][1]


def powers(x: Any, n: int) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * (-1) ** i / 2**n + 3**i
    return out


def power(n: int, k: int) -> Any:
    return n**k


def test_powers_of_pythons_integers_fit() -> None:
    compiled, x = raising.jit(**QUICK)(powers), np.arange(5.0)
    assert np.array_equal(compiled(x, 9), powers(x, 9))
    with pytest.raises(InputError, match="fits in 64 bits"):
        compiled(x, 64)
    of_two = raising.jit(**QUICK)(power)
    assert [of_two(3, 4), of_two(-2, 61), of_two(0, 0)] == [81, (-2) ** 61, 1]
    assert of_two(2, -1) == 0.5
    with pytest.raises(InputError, match="fits in 64 bits"):
        of_two(3, 64)


def clamped(x: Any, low: float) -> Any:
    x[x < low] = low
    return x


def same(x: Any) -> Any:
    return x


def in_place(x: Any) -> Any:
    y = clamped(x, 1.0)
    return y * 2


def of_a_copy(x: Any) -> Any:
    return clamped(x.copy(), 1.0)


def inside(x: Any) -> Any:
    return np.sum(same(x) * 2)


@pytest.mark.parametrize("function", [in_place, of_a_copy, inside])
def test_a_call_returns_its_own_argument(function: Any) -> None:
    given, expected = np.arange(4.0), np.arange(4.0)
    assert np.array_equal(raising.jit(**QUICK)(function)(given), function(expected))
    assert np.array_equal(given, expected)
