"""Names from outside of a function, and what cannot be compiled: errors with their place."""

from __future__ import annotations

import numpy as np
import pytest

import raising
from raising.decorator.settings import Settings
from raising.decorator.size_forms import evaluated, failing, parsed
from raising.decorator.sources import collect
from raising.support.errors import InputError
from tests.decorator.functions import QUICK

TABLE = np.arange(3.0)


def _with_array(x):
    return x + TABLE


def _with_list(x):
    return x + [1, 2]


def _with_unknown(x):
    return np.fft.fft(x)


def _deep(x):
    class Inner:
        value = x

    return Inner.value


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (_with_array, r"test_sources.py:\d+:16: error: 'TABLE' is an array from outside of the function"),
        (_with_list, r"test_sources.py:\d+:\d+: error: .*List"),
        (_with_unknown, r"test_sources.py:\d+:12: error: calls 'numpy.fft.fft'"),
        (_deep, r"test_sources.py:\d+:5: error: a ClassDef statement"),
        (lambda x: x, "is no function that is defined by def|cannot be read alone"),
    ],
    ids=["array", "list", "unknown", "inner", "lambda"],
)
def test_what_cannot_be_compiled_is_named(function, told):
    with pytest.raises(InputError, match=told):
        raising.jit(function)(np.zeros(3))


KERNEL, STEPS, MIXED, ENDLESS = ((1, 2), (3, -4)), [(0, 1), (1, 0)], [1, "a"], []
ENDLESS.append(ENDLESS)


def _with_constants(x):
    total = 0.0
    for across, down in STEPS:
        total += x[across] * x[1 + down]
    return x[:2] @ np.array(KERNEL), total + len(STEPS) * KERNEL[1][-1]


def _with_mixed(x):
    return x * MIXED[0]


def _with_endless(x):
    return x * len(ENDLESS)


def test_numbers_in_lists_from_outside():
    x = np.array([2.0, 3.0, 5.0])
    for found, wanted in zip(raising.jit(**QUICK)(_with_constants)(x), _with_constants(x), strict=True):
        np.testing.assert_array_equal(found, wanted)
    for function in (_with_mixed, _with_endless):
        with pytest.raises(InputError, match="is a list from outside of the function"):
            raising.jit(**QUICK)(function)(x)


def test_closures_and_helpers():
    scale, step = 2.5, np.int32(3)

    def helper(x):
        return x * scale

    def outer(x, scale):
        return helper(x) + scale * step

    found = collect(outer)
    assert list(found.functions) == ["outer", "helper"]
    assert "value=2.5" in found.text
    assert "attr='int32'" in found.text
    assert "id='scale'" in found.text  # the parameter


def test_options_are_checked():
    for wrong in ({"check": "all"}, {"fp": "quick"}, {"threads": 0}, {"timeout": 0}):
        with pytest.raises(ValueError, match="raising.jit"):
            Settings(**wrong)
    with pytest.raises(TypeError):
        raising.jit(colour="red")
    with pytest.raises(TypeError, match="takes a function, not int"):
        raising.jit(3)


def test_forms_of_sizes():
    assert evaluated(parsed("2 * (n + 1) // 3 - m % 2"), {"n": 4, "m": 3}) == 2
    with pytest.raises(ValueError, match="no sum of sizes"):
        evaluated(parsed("__import__('os')"), {})
    inside = {
        "bounds": {"i": [[[[[], 0]]], [[[["n"], 1]]]]},
        "conds": [[[[["m"], 1], [["i"], -1]], False]],
        "ranges": [],
    }
    assert failing([inside], {"n": 4, "m": 3}) is None
    assert failing([inside], {"n": 5, "m": 3}) is inside
    assert failing([inside], {"n": 0, "m": -3}) is None  # no iteration
