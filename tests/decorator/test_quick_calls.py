"""Calls after the first one: code looks at its arguments itself, whatever their types are, and what changed is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising


def _scaled(x: Any, f: Any) -> Any:
    return x * f


def _inverted(x: Any) -> Any:
    return 255 - x


def _either(x: Any, y: Any) -> Any:
    return x | y


def _turned(x: Any, y: Any) -> Any:
    return x * y + x


def _added(x: Any, y: Any) -> None:
    for i in range(x.shape[0]):
        y[i] += x[i]


def _first_of(x: Any, k: int) -> Any:
    return x[:k] + 1


A, B = np.arange(12.0), np.arange(12.0)[::-1].copy()
Z = A + 2j * B
CASES: dict[str, tuple[Callable[..., Any], list[tuple[Any, ...]]]] = {
    "numbers of NumPy's": (_scaled, [(A, np.float64(2)), (A, np.float64(3)), (A, 2.5), (A[:5], np.float64(2)), (A, 3),
                                     (A, np.float32(0.1)), (A, np.int64(2)), (A, np.float64(-0.0))]),
    "single precision": (_scaled, [(np.float32(A), np.float32(0.1)), (np.float32(A), np.float32(0.3)),
                                   (np.float32(A), 0.1), (A, np.float32(0.1)), (np.float32(A), np.float64(0.1))]),
    "integers of NumPy's": (_scaled, [(np.arange(5), np.int64(3)), (np.arange(5), np.int64(4)), (np.arange(5), 5),
                                      (np.arange(5), np.int64(-(2**62))), (np.arange(5), True)]),
    "bytes": (_inverted, [(np.arange(250, 256).astype(np.uint8),), (np.arange(6).astype(np.uint8),),
                          (np.arange(6).astype(np.int16),), (np.arange(9).astype(np.uint8)[::2],),
                          (np.arange(7).astype(np.uint8),)]),
    "truth values": (_either, [(A > 3, B > 3), (A > 5, B > 5), (A.astype(int), B.astype(int)),
                               ((A > 3)[::2], (B > 3)[::2])]),
    "complex": (_turned, [(Z, Z), (Z[::-1].copy(), Z), (Z[::2], Z[::2]), (np.complex64(Z), np.complex64(Z)), (A, B),
                          (Z, A), (Z[:0], Z[:0]), (Z.reshape(3, 4), Z.reshape(3, 4)), (Z, Z)]),
    "lengths": (_first_of, [(A, 3), (A, 4), (A, 0), (A, 12), (A[:4], 3), (A, np.int64(3))]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_call_gives_what_numpy_does(case: str) -> None:
    function, calls = CASES[case]
    compiled = raising.jit(check="none")(function)
    for arguments in calls:
        for _ in range(3):
            found, wanted = compiled(*arguments), function(*arguments)
            np.testing.assert_array_equal(found, wanted, err_msg=str(arguments))
            assert found.dtype == wanted.dtype and found.shape == wanted.shape


def _with_its_argument(x: Any, flag: Any) -> Any:
    return x * 2, flag


def _one_of_two(x: Any, flag: Any) -> Any:
    if flag > 1:
        return x + 1
    return x - 1


def test_truth_values_are_no_0_and_1() -> None:
    compiled = raising.jit(check="none")(_with_its_argument)
    for flag in (True, True, 1, 5, True, False, 0):
        for _ in range(2):
            assert repr(compiled(A, flag)) == repr(_with_its_argument(A, flag))


@pytest.mark.parametrize("length", [1, 3])
def test_a_number_chooses_one_of_two_results(length: int) -> None:
    """The search runs both of a function that is not checked, also where all of its sizes are numbers."""
    compiled, x = raising.jit(check="none")(_one_of_two), np.full(length, 3.0)
    for flag in (-3, 2, 1, True):
        np.testing.assert_array_equal(compiled(x, flag), _one_of_two(x, flag))


@pytest.mark.parametrize("case", ["numbers of NumPy's", "bytes", "truth values", "complex"])
def test_the_second_call_is_quick(case: str) -> None:
    function, calls = CASES[case]
    compiled = raising.jit(check="none")(function)
    compiled(*calls[0])
    quick, closer = compiled._quick
    np.testing.assert_array_equal(quick(*calls[1]), function(*calls[1]))
    assert all(quick(*other) is closer for other in calls[2:4])


@pytest.mark.parametrize("kind", [">f8", ">i4", ">c16", ">f4"])
def test_bytes_in_the_other_order_are_never_taken_as_they_lie(kind: str) -> None:
    x, y = np.arange(8).astype(kind), np.arange(8).astype(kind)[::-1].copy()
    scaled, turned = raising.jit(check="none")(_scaled), raising.jit(check="none")(_turned)
    for array in (x, x.astype(x.dtype.newbyteorder("=")), x, x):
        for _ in range(2):
            np.testing.assert_array_equal(scaled(array, 2), array * 2)
            np.testing.assert_array_equal(turned(array, y), array * y + array)
    added = raising.jit(check="none")(_added)
    for _ in range(3):
        result = y.copy()
        added(x, result)
        np.testing.assert_array_equal(result, x + y)


def test_what_is_written_in_place() -> None:
    compiled = raising.jit(check="none")(_added)
    memory = np.arange(40.0)
    for x, y in ((A, B.copy()), (A, B.copy()), (A[:5], B[:5].copy()), (A[::2], B[:6].copy()), (A, B[:12].copy())):
        wanted = y + x
        assert compiled(x, y) is None
        np.testing.assert_array_equal(y, wanted)
    frozen = B.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        compiled(A, frozen)
    x, y = memory[:12], memory[1:13]
    wanted = memory.copy()
    _added(wanted[:12], wanted[1:13])
    try:
        compiled(x, y)
    except ValueError:
        assert np.array_equal(memory, np.arange(40.0))  # which says that they overlap
    else:
        np.testing.assert_array_equal(memory, wanted)


def test_results_are_arrays_of_their_own() -> None:
    compiled = raising.jit(check="none")(_scaled)
    first = [compiled(A, 2.0) for _ in range(5)]
    assert all(np.array_equal(each, A * 2) for each in first)
    first[0][:] = 0
    assert np.array_equal(first[1], A * 2) and not any(np.shares_memory(first[0], each) for each in first[1:])


def _picked(x: Any, places: Any) -> Any:
    s = 0.0
    for i in range(places.shape[0]):
        s += x[places[i]]
    return s


def _next(x: Any, places: Any) -> Any:
    s = 0.0
    for i in range(places.shape[0]):
        s += x[places[i] + 1]
    return s


@pytest.mark.parametrize("kind", ["i1", "u1", "i8", "u8"])
def test_positions_are_looked_at_in_quick_calls_too(kind: str) -> None:
    x, good = np.arange(300.0) + 1, np.array([3, 4], kind)
    compiled = raising.jit(check="none")(_picked)
    assert compiled(x, good) == compiled(x, good) == 9
    quick, closer = compiled._quick
    assert quick(x, good[::-1].copy()) == 9
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    beyond = [np.array([3, most], kind)] if most > 300 else []
    before = [np.array([3, -1], kind), np.array([least, 3], kind)] if least < 0 else []
    assert all(quick(x, places) is closer for places in (*beyond, *before, np.zeros(0, kind), good[:1], good > 3))
    assert all(
        quick(*other) is closer for other in ((x[:4], good), (x, [3, 4]), (x,), (x, x), (x.reshape(3, 100), good))
    )
    for places in before[:1]:
        assert compiled(x, places) == _picked(x, places)  # the last element, as Python has it
    for places in beyond:
        with pytest.raises(IndexError):
            compiled(x, places)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "i8"])
def test_positions_of_narrow_integers_wrap_around(kind: str) -> None:
    x, compiled = np.arange(300.0), raising.jit(check="none")(_next)
    for values in ((3, 126), (3, 127), (0, 0), *([(3, 255), (255, 254)] if np.iinfo(kind).max >= 255 else [])):
        places = np.array(values, kind)
        assert compiled(x, places) == _next(x, places), values


def _chosen(a: float, b: float) -> float:
    return a * b + 1.0 if a > b else a - b


@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_element_by_element(kind: str) -> None:
    compiled, a, b = raising.vectorize(_chosen), A.astype(kind), B.astype(kind)
    calls = [(a, b), (b, a), (a, 2.0), (a, 3.5), (a, np.float64(2)), (a, np.float32(2)), (2.0, a), (a[:5], b[:5]),
             (a[::2], b[::2]), (a.reshape(3, 4), b.reshape(3, 4)), (a.reshape(4, 3), b.reshape(4, 3)), (2.0, 3.0),
             (a.reshape(4, 3).T, b.reshape(3, 4)), (a.reshape(3, 4), b[:4]), (a[:1], b), (a[:0], b[:0]),
             (a, a)]  # fmt: skip
    for one, other in calls:
        wanted = np.where(np.greater(one, other), np.multiply(one, other) + one * 0 + 1, np.subtract(one, other))
        for _ in range(3):
            found = compiled(one, other)
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
            assert found.shape == wanted.shape and found.dtype == np.result_type(one, other, 1.0)
    compiled(a, b)
    quick, closer = compiled._quick
    np.testing.assert_array_equal(quick(b, a), compiled(b, a))
    assert all(quick(*other) is closer for other in ((a, 2.0), (a[:5], b[:5]), (a, list(b)), (a,), (a, b, a)))
    with pytest.raises(TypeError):
        compiled(a)
