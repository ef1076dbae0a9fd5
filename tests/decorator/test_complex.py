"""Complex numbers: arithmetic and parts are NumPy's to the types; what is not computed is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.decorator.functions import QUICK

ODD = np.array([np.nan + 1j, np.inf + 0j, 0j, -0.0 + 0j, 1e300 + 1e300j, complex(0, -np.inf), 3 - 4j, 1e-310 + 0j])


def arithmetic(a: Any, b: Any) -> Any:
    return a + b, a - b * 2j, a * b, -a, a / b, 1.5 * a


def parts(a: Any, b: Any) -> Any:
    return abs(a), a.real, a.imag + b.real, b.conj(), a == b, np.where(a.real > 0, a, b)


def folds(a: Any, b: Any) -> Any:
    return np.cumsum(a), np.concatenate([a, b]), np.outer(a, b), np.outer(a, b) @ a


def stores(a: Any, b: Any) -> Any:
    a[1:] = a[:-1]
    a[::2] *= 1j
    a[0] = 2
    b += a
    b[a.imag > 0] = 0


def random(kind: str, count: int, seed: int) -> Any:
    parts = np.random.default_rng(seed).standard_normal((2, count))
    return (parts[0] + 1j * parts[1]).astype(kind) if kind.startswith("complex") else parts[0].astype(kind)


@pytest.mark.parametrize("function", [arithmetic, parts, folds, stores])
def test_it_is_what_numpy_computes(function: Callable[..., Any]) -> None:
    compiled = raising.jit(**QUICK)(function)
    for first, second in [("complex128", "complex128"), ("complex64", "complex64"), ("float32", "complex64")]:
        if function is stores and first == "float32":
            continue
        for count in (5, 1, 0) if function is arithmetic else (5,):
            mine, theirs = ([random(first, count, 1), random(second, count, 2)] for _ in range(2))
            found, wanted = compiled(*mine), function(*theirs)
            for a, b in zip([*mine, *(found or ())], [*theirs, *(wanted or ())], strict=True):
                assert (a.dtype, a.shape) == (b.dtype, b.shape)
                np.testing.assert_allclose(a, b, rtol=1e-5 if str(b.dtype)[-2:] == "64" else 1e-12, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_numbers_that_are_infinite_or_none() -> None:
    for function in (arithmetic, parts):
        found, wanted = raising.jit(fp="strict", **QUICK)(function)(ODD, ODD[::-1]), function(ODD, ODD[::-1])
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def numbers(x: Any, c: Any) -> Any:
    c = c * c - 1
    for _ in range(2):
        c = c * c + 0.5
    return x * c + 1j, np.exp(c * 0.01), abs(c), np.angle(c), c.real


def transformed(x: Any, c: Any) -> Any:
    s = c * 0
    for t in range(len(x)):
        s += x[t] * np.exp(-2j * np.pi * t / len(x))
    return s


@pytest.mark.parametrize("function", [numbers, transformed])
def test_numbers_are_numpys_to_their_types(function: Callable[..., Any]) -> None:
    compiled = raising.jit(**QUICK)(function)
    for kind in ("float64", "float32", "complex64"):
        for c in (0.3 - 0.2j, np.complex64(0.3 - 0.2j), np.complex128(1j)):
            if function is transformed and isinstance(c, np.complex64):
                continue  # one variable of two types, which is refused
            x = random(kind, 5, 3)
            found, wanted = compiled(x, c), function(x, c)
            for a, b in zip(*(v if isinstance(v, tuple) else (v,) for v in (found, wanted)), strict=True):
                assert type(a) is type(b) and np.asarray(a).dtype == np.asarray(b).dtype
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def mean(a: Any) -> Any:
    return np.mean(a) * a


@pytest.mark.filterwarnings("ignore:invalid value")
def test_the_mean_is_of_both_parts() -> None:
    np.testing.assert_allclose(raising.jit(**QUICK)(mean)(ODD), mean(ODD), equal_nan=True)


def test_what_is_refused() -> None:
    def order(a: Any) -> Any:
        return a < 1

    def greatest(a: Any) -> Any:
        return np.maximum(a, 1)

    def cast(a: Any) -> Any:
        return a.astype(np.float64)

    def clipped(a: Any) -> Any:
        return np.clip(a, 0, 1)

    def view(a: Any) -> Any:
        x = a.real
        a[0] = 7
        return x * 1

    for function in (order, greatest, cast, clipped, view):
        with pytest.raises(InputError, match=r"complex|copy it"):
            raising.jit(**QUICK)(function)(ODD)


def test_functions_of_elements_have_none() -> None:
    def twice(a: Any) -> Any:
        return a * 2

    with pytest.raises((InputError, TypeError)):
        raising.vectorize(twice)(ODD)


def fourier(x: Any) -> Any:
    length = 2
    while length <= len(x):
        for i in range(0, len(x), length):
            for k in range(length // 2):
                turned = x[i + k + length // 2] * np.exp(-2j * np.pi / length * k)
                x[i + k], x[i + k + length // 2] = x[i + k] + turned, x[i + k] - turned
        length *= 2
    return x


def rounds(x: Any) -> Any:
    seen = np.zeros(len(x), np.int64)
    last = np.zeros_like(x)
    for i in range(len(x)):
        z = complex(0, 0)
        while abs(z) <= 2 and seen[i] < 30:
            z = z * z + x[i] / complex(3)
            seen[i] += 1
        last[-1 - i + len(x)] = z
    return seen, last, x[seen[0] % 2].real


@pytest.mark.parametrize("function", [fourier, rounds])
def test_loops_that_depend_on_data_are_numpys(function: Callable[..., Any]) -> None:
    for kind in ("complex128", "complex64"):
        mine, theirs = random(kind, 16, 5), random(kind, 16, 5)
        if function is rounds and kind == "complex64":
            continue  # z is a number of Python's first, and one of NumPy's then
        for a, b in zip(raising.jit(**QUICK)(function)(mine), function(theirs), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5 if kind == "complex64" else 1e-12)
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)


def test_subscripts_of_them_are_looked_at() -> None:
    def gathered(x: Any, p: Any) -> Any:
        y = np.zeros_like(x)
        for i in range(len(p)):
            y[p[i]] += x[i]
        return y

    compiled, x = raising.jit(**QUICK)(gathered), random("complex128", 3, 6)
    assert compiled(x, np.array([2, 0, 0])).tolist() == gathered(x, np.array([2, 0, 0])).tolist()
    assert "(x: complex128[" in str(compiled.inspect())
    assert compiled(x, np.array([-1, 0, -3])).tolist() == gathered(x, np.array([-1, 0, -3])).tolist()
    for wrong in (3, -4, 2**61):
        with pytest.raises(IndexError):
            compiled(x, np.array([0, wrong, 1]))
