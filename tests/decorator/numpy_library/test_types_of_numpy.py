"""Elements, types and shapes are those of NumPy, of small integers too, and of arrays in other shapes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.decorator.functions import QUICK


def weighted(x: Any, w: Any) -> Any:
    return np.average(x, weights=w)


def rounded(x: Any, w: Any) -> Any:
    return np.round(x), np.rint(w)


def shapes(x: Any, w: Any) -> Any:
    y = (x * 2).reshape(2, 2)
    y[0, 0] = 5
    z = w.flatten()
    z[1] = 4
    return y + x.reshape(2, 2), z, w


@pytest.mark.parametrize(("first", "second"), [("int8", "int8"), ("int16", "float32"), ("float32", "int16")])
@pytest.mark.parametrize("function", [weighted, rounded, shapes])
def test_elements_and_types(function: Callable[..., Any], first: str, second: str) -> None:
    x, w = np.array([100, 100, 3, 90], first), np.array([100, 27, 1, 2], second)
    if function is rounded:
        w = w.astype("float32")
    results = raising.jit(check="none")(function)(x, w), function(x, w)
    for found, wanted in zip(*(r if isinstance(r, tuple) else (r,) for r in results), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def angles(x: Any, w: Any) -> Any:
    return np.degrees(x), np.radians(w), np.logaddexp(x, w), np.copysign(x, w), np.nanmean(x), np.nanmean(w)


@pytest.mark.parametrize(("first", "second"), [("int16", "uint16"), ("float32", "float64"), ("int32", "int16")])
def test_functions_of_floats_have_numpys_types(first: str, second: str) -> None:
    x, w = np.array([100, -90, 3], first), np.array([1, 27, 1], second)
    for found, wanted in zip(raising.jit(**QUICK)(angles)(x, w), angles(x, w), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def sums_of_powers(x: Any, w: Any) -> Any:
    return np.logaddexp(x, w), np.logaddexp2(w, x)


def test_a_function_of_two_kinds_of_floats_is_computed_in_the_wider_one() -> None:
    x, w = np.array([0, 1, 2], np.float32), np.array([0, 3.0, 2])
    np.testing.assert_allclose(raising.jit(**QUICK)(sums_of_powers)(x, w), sums_of_powers(x, w), rtol=1e-14)


def test_integers_of_python_have_to_fit_as_numpy_wants_it() -> None:
    def times(x: Any, k: int) -> Any:
        y = np.full(3, k, np.int16)
        y[0] = k + 1
        return x * k, np.maximum(x, k), y

    compiled, x = raising.jit(**QUICK)(times), np.array([1, 2, 255], np.uint8)
    for k in (0, 2, 255):
        for found, wanted in zip(compiled(x, k), times(x, k), strict=True):
            np.testing.assert_array_equal(found, wanted, strict=True)
    for k in (256, -1, 300):
        with pytest.raises(OverflowError):
            times(x, k)
        with pytest.raises(InputError, match=r"Python's integers fit uint8"):
            compiled(x, k)


def test_a_division_of_integers_of_python_by_zero_is_an_error() -> None:
    def quotients(a: int, b: int) -> Any:
        return a // b, a % b

    compiled = raising.jit(**QUICK)(quotients)
    assert compiled(-7, 2) == (-4, 1)
    with pytest.raises(InputError, match="divisors are positive"):
        compiled(7, 0)


def test_a_quotient_of_python_by_an_integer_that_is_zero_is_an_error() -> None:
    def mean(x: Any, n: int) -> Any:
        spacing = 1.0 / (x.shape[0] - 1) if x.shape[0] > 1 else 2.0
        return 3 / n, spacing

    def step(x: Any) -> Any:
        return x * (2.0 / (len(x) - 1))

    def part(x: Any) -> Any:
        return 1 / x.size

    compiled = raising.jit(**QUICK)(mean)
    for size, n in ((3, 2), (1, -2), (0, 5)):
        assert compiled(np.ones(size), n) == mean(np.ones(size), n)
    with pytest.raises(InputError, match="divisors are not 0"):
        compiled(np.ones(3), 0)
    for function, size in ((step, 1), (part, 0)):
        compiled = raising.jit(**QUICK)(function)
        assert np.array_equal(compiled(np.ones(3)), function(np.ones(3)))
        with pytest.raises(InputError, match="divisors are not 0|a division by zero"):
            compiled(np.ones(size))


def test_lengths_of_parts() -> None:
    def counted(x: Any, k: int) -> Any:
        tail = x[k:]
        more = np.zeros(len(tail) + 2)
        total = float(len(tail)) + x[2:].size + more.size
        for i in range(len(tail)):
            total += tail[i] * (i + 1)
        return total + x[1:].shape[0]

    def mean(x: Any, k: int) -> Any:
        return np.mean(x[k:])

    def variances(x: Any, k: int) -> Any:
        return np.var(x[k:, None] * x[None, :], axis=0)

    for function in (counted, mean, variances):
        compiled = raising.jit(**QUICK)(function)
        for size, k in ((5, 0), (5, 2), (3, 2), (8, 7)):
            x = np.arange(1.0, size + 1)
            np.testing.assert_allclose(compiled(x, k), function(x, k), rtol=1e-13)
    assert raising.jit(**QUICK)(counted)(np.ones(3), 4) == counted(np.ones(3), 4)


def test_what_is_joined_is_not_repeated() -> None:
    def joined(a: Any, b: Any) -> Any:
        return np.concatenate([a, b])

    compiled = raising.jit(**QUICK)(joined)
    assert compiled(np.ones((2, 5)), np.ones((1, 5))).shape == (3, 5)
    with pytest.raises(InputError, match="do not fit"):
        compiled(np.ones((2, 5)), np.ones((3, 1)))


def test_a_product_with_zero_keeps_what_is_no_number_if_that_is_wanted() -> None:
    def product(x: Any) -> Any:
        return x * 0.0 + 1

    x = np.array([np.nan, np.inf, -2.0])
    found = raising.jit(fp="strict", **QUICK)(product)(x)
    assert np.isnan(found[:2]).all() and found[2] == 1


def either(x: Any, y: Any) -> Any:
    return x[0] > 0 or y[0] > 0


def both(x: Any, y: Any) -> Any:
    return x[0] > 0 and np.all(y > 0)


@pytest.mark.parametrize("function", [either, both])
def test_and_and_or_of_truths_of_numpy_are_truths_of_numpy(function: Callable[..., Any]) -> None:
    compiled = raising.jit(check="none")(function)
    for first, second in ((-1.0, -1.0), (-1.0, 2.0), (2.0, -1.0), (2.0, 2.0), (np.nan, 2.0)):
        x, y = np.array([first]), np.array([second])
        found, wanted = compiled(x, y), function(x, y)
        assert type(found) is type(wanted) is np.bool_ and found == wanted


def exchanged(a: Any, b: Any) -> Any:
    a, b = b, a
    return a - 2 * b


def raised(a: Any, b: Any) -> Any:
    a += b
    return a


def chosen(a: Any, b: Any) -> Any:
    if b > 1:
        a = b
    return a * 2


@pytest.mark.parametrize("arguments", [(3, 4.5), (True, 5), (2.5, 1), (3, 4)])
@pytest.mark.parametrize("function", [exchanged, raised, chosen])
def test_a_parameter_has_no_type_of_its_own(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    assert raising.jit(**QUICK)(function)(*arguments) == function(*arguments)


@pytest.mark.parametrize("function", [exchanged, raised, chosen])
def test_a_parameter_that_two_types_of_numpy_would_have_is_refused(function: Callable[..., Any]) -> None:
    """The second one was cut to the first: 300 of int16 to 44 of int8."""
    with pytest.raises(InputError, match="'a' is a int8 first and a int16 then"):
        raising.jit(**QUICK)(function)(np.int8(3), np.int16(300))


def test_an_array_without_dimensions_is_a_number_and_is_not_changed() -> None:
    def summed(s: Any, x: Any) -> Any:
        t = s
        t += x.sum()
        return t

    def scaled(s: Any, x: Any) -> Any:
        total = 0.0
        for v in x:
            total += v
        return total * s

    def made(s: Any, x: Any) -> Any:
        y = np.zeros(())
        return y + s + x

    s, x = np.array(3.0), np.array([1.5, -2.0])
    assert raising.jit(**QUICK)(scaled)(s, x) == scaled(s, x)
    assert raising.jit(**QUICK)(summed)(3.0, x) == summed(3.0, x)
    with pytest.raises(InputError, match="'t' may be an argument, and one is an array without dimensions"):
        raising.jit(**QUICK)(summed)(s, x)
    assert s == 3.0
    with pytest.raises(InputError, match="an array without dimensions; write a number"):
        raising.jit(**QUICK)(made)(1.0, x)


def whole(x: Any, k: Any) -> Any:
    return round(x), round(k), round(k / 4) // 2


@pytest.mark.parametrize("x", [2.5, 3.5, -0.5, np.float32(1.5), np.float64(-2.5)])
def test_what_is_rounded_is_an_integer_of_python(x: Any) -> None:
    found, wanted = raising.jit(**QUICK)(whole)(x, 7), whole(x, 7)
    assert found == wanted and [*map(type, found)] == [*map(type, wanted)]


def of_few_bits(b: Any, i: Any) -> Any:
    return b[1] ** 2, b**2, np.allclose(b, b), np.gcd(i, i[::-1]), np.lcm(i, i[::-1]), np.gradient(i)


def test_squares_of_truths_and_divisors_and_differences_of_the_least_integer() -> None:
    arguments = np.array([True, False]), np.array([64, -128], np.int8)
    for found, wanted in zip(raising.jit(**QUICK)(of_few_bits)(*arguments), of_few_bits(*arguments), strict=True):
        assert type(found) is type(wanted)
        np.testing.assert_array_equal(found, wanted, strict=True)
