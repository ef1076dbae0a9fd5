"""Comprehensions, generators, functions inside of functions and arguments that are known do what Python does."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.decorator.functions import QUICK


def folds(x: Any, w: Any, k: Any) -> Any:
    most = max(abs(v) * k for v in x) if len(x) else -1.0
    product = sum(v * u for v, u in zip(x, w, strict=False))
    return product, most, any(v > 1 for v in x), all(v < k for v in x if v > 0)


def places(x: Any, w: Any, k: Any) -> Any:
    found = sum(i * x[i] for i in range(1, len(x))) + sum(x[i] * w[j] for i in range(len(x)) for j in range(i))
    return found, sum(1 for v in x if v > 0), sum(x), min(w)


def lists(x: Any, w: Any, k: Any) -> Any:
    table = np.array([[x[i] * w[j] for j in range(len(w))] for i in range(len(x))])
    places = np.array([i + 2 * v for i, v in enumerate(w)])
    return np.array([v * k for v in x]), table, places, np.sum([v + u for v, u in zip(x, w, strict=False)])


def written_out(x: Any, w: Any, k: Any) -> Any:
    around = sum(np.roll(x, i) * j for i in (-1, 0, 1) for j in (1, 2) if i or j > 1)
    return around, max(k * c for c in (1, -2, 3)), np.array([k**p for p in range(1, 4)])


def grown(x: Any, w: Any, k: Any) -> Any:
    """Lists of numbers, one for each round."""
    sums, counts, total = [], [], 0
    for i, v in enumerate(x):
        total = total + v * 0.5
        sums.append(total + x[: i + 1].sum())
    for i in range(2, len(w) + 3):
        for j in range(i):
            total += j * k
        counts.append(total > i)
    most = np.zeros(2)
    for i in range(2):
        found = []
        for v in w:
            found.append(v * i + k)
        most[i] = np.sum(found) if len(found) else -1.0
    return np.array(sums), np.array(counts), np.array(sums, dtype=np.float32), most


def nested(x: Any, w: Any, k: Any) -> Any:
    def slope(t: Any, y: Any) -> Any:
        return -y * t * k

    half = lambda v: v / 2  # noqa: E731
    y = x + half(slope(0.5, x))
    return y, slope(half(k), w)


def _smooth(x: Any, w: Any = None, mode: Any = "same", scale: Any = 2.0, *, shift: Any = 0.0) -> Any:
    if w is None:
        w = np.ones(x.shape[0])
    if mode == "same" and w is not None:
        return x * w * scale + shift
    if mode == "none":
        return x + shift
    return w - x


def _applied(f: Any, x: Any) -> Any:
    return f(x) + 1


def known(x: Any, w: Any, k: Any) -> Any:
    smooth = _smooth(x, mode="none", shift=k)
    return _smooth(x), smooth, _smooth(x, w, "other"), _smooth(w, scale=k), _applied(np.sin, x)


def _apart(x: Any, k: Any) -> Any:
    return x.sum() * k, x * 2, k + 1j


def several(x: Any, w: Any, k: Any) -> Any:
    total, twice, z = _apart(x, k)
    return total + 1, twice + total, z * z


def renamed(x: Any, w: Any, k: Any) -> Any:
    y = np.stack((x, w))
    y = y.sum(axis=0)
    y = y[:, None] * np.ones(3)
    y = y.sum()
    return y * k


WEIGHTS = [0.25, 0.5, 0.25]


def _summed(x: Any) -> Any:
    return (x.sum(),)


def _doubled(x: Any) -> Any:
    both = x * 2, x.max()
    if both[1] > 100:
        return 0 * x, 0.0
    return both


def tuples(x: Any, w: Any, k: Any) -> Any:
    total, both, moments = _summed(x), _doubled(w), (x.mean(), w.mean())
    half = moments[0] / 2, moments[-1] / 2
    if k > 1:
        half = half[1], k
    low, high = half
    return total[0], both[0], both[1], low, high, len(both), max(moments)


def passed_tuples(x: Any, w: Any, k: Any) -> Any:
    return _doubled(x + k)


def one_in_a_tuple(x: Any, w: Any, k: Any) -> Any:
    return (k * x,)


def tables(x: Any, w: Any, k: Any) -> Any:
    steps, places, total = [1, 0, -1], ((0, 0), (-1, -1)), 0.0
    y = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        for j in range(3):
            y[i] += WEIGHTS[j] * x[i + j - 1] + steps[j]
    for p, q in places:
        total += x[p] * w[q]
    return y, total, len(steps)


def neighbours(x: Any, w: Any, k: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if di == 0 and dj == 0:
                    continue
                if x[i] < 0:
                    total += k
                    if di > 0:
                        continue
                total += w[(i + di) % len(x)] * dj
    for i in (0, 1):
        total += k * i
    return total


FUNCTIONS = (folds, places, lists, written_out, grown, nested, known, several, renamed)
TUPLES = (tuples, passed_tuples, one_in_a_tuple, tables, neighbours)


@pytest.mark.parametrize("function", FUNCTIONS + TUPLES)
def test_they_are_pythons(function: Callable[..., Any]) -> None:
    compiled = raising.jit(**QUICK)(function)
    for size in (5, 1):
        x, w = np.random.default_rng(size).standard_normal((2, size))
        assert isinstance(compiled(x, w, 1.5), tuple) == isinstance(function(x, w, 1.5), tuple)
        for found, wanted in zip(_parts(compiled(x, w, 1.5)), _parts(function(x, w, 1.5)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-12)
            assert np.shape(found) == np.shape(wanted)


def _parts(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def by_texts(x: Any, how: Any = "mean", weights: Any = None) -> Any:
    if weights is None:
        weights = np.ones(len(x))
    if how == "mean":
        return np.sum(x * weights) / len(x)
    return np.max(x * weights) if how in ("max", "most") else np.sum(x)


class _How(StrEnum):
    """Names of texts."""

    MOST = "most"


def test_arguments_that_are_none_or_a_text() -> None:
    compiled, x = raising.jit(**QUICK)(by_texts), np.arange(1.0, 5.0)
    for given in ((), ("most",), ("sum", x), ("mean", x)):
        assert compiled(x, *given) == by_texts(x, *given)
    assert compiled(x, how="max") == compiled(x, _How.MOST) == 4
    assert "compiled for 5 kinds" in repr(compiled)


class Options(NamedTuple):
    """Numbers and a text with names."""

    rate: float
    rounds: int
    how: str = "sum"


def by_tuples(x: Any, shape: Any, options: Any, weights: Any = (0.5, 2)) -> Any:
    found = np.full(shape, weights[-1] + options.rounds)
    for _ in range(options.rounds):
        x = x - options.rate * x
    for w in weights:
        x = x + w * len(weights)
    return found, weights[-1], x.sum() if options.how == "sum" else x.max()


def set_tuple(pair: Any) -> Any:
    x, y = pair
    pair = y, x + 1
    return pair[0] * 2, pair[1]


def changed_tuple(x: Any, weights: Any) -> Any:
    weights[0] = 5
    return x * weights[0]


def test_arguments_that_are_tuples() -> None:
    x = np.arange(1.0, 5.0)
    compiled, set_ = raising.jit(**QUICK)(by_tuples), raising.jit(**QUICK)(set_tuple)
    for given in (((2, 3), Options(0.5, 2)), ((4,), Options(0.25, 1, "max"), (1.5, 1.0, 3))):
        found, wanted = compiled(x, *given), by_tuples(x, *given)
        assert found[1] == wanted[1] and type(found[1]) is int
        np.testing.assert_array_equal(found[0], wanted[0])
        np.testing.assert_allclose(found[2], wanted[2])
    np.testing.assert_array_equal(set_((x, 2 * x)), set_tuple((x, 2 * x)))
    with pytest.raises(InputError):
        raising.jit(**QUICK)(changed_tuple)(x, (1, 2))


def empty(x: Any) -> Any:
    return max(v for v in x)


def filtered(x: Any) -> Any:
    return np.array([v for v in x if v > 0])


def passed_on(x: Any) -> Any:
    return np.sum(v for v in x)


def early(x: Any) -> Any:
    if len(x) > 2:
        return None
    return x * 2


def no_values(x: Any) -> Any:
    return ()


def tuple_in_a_sum(x: Any) -> Any:
    return _summed(x) + 1


def as_long_as_data_say(n: Any) -> Any:
    x = np.zeros(n[0])
    for i in range(len(n)):
        x[i] = n[i]
    return x


def test_what_is_an_error() -> None:
    for function, why in (
        (early, "returns nothing here, and numbers or arrays elsewhere"),
        (no_values, "an empty tuple"),
        (tuple_in_a_sum, "a call that gives 1 values, inside"),
        (as_long_as_data_say, "the length of an array depends on data"),
    ):
        with pytest.raises(InputError, match=why):
            raising.jit(**QUICK)(function)(np.ones(3, int))
    with pytest.raises(InputError, match="max of no elements"):
        raising.jit(**QUICK)(empty)(np.ones(0))
    with pytest.raises(InputError, match="whose length depends on data"):
        raising.jit(**QUICK)(filtered)(np.ones(3))
    with pytest.raises(InputError, match="a generator that none of"):
        raising.jit(**QUICK)(passed_on)(np.ones(3))
