"""Elements that arrays of integers name, or that are put around arrays, are those that NumPy gives, or errors."""

import numpy as np
import pytest

import raising
from raising.support.errors import InputError


@raising.jit
def elements(x, places):
    return x[places] * 2


@raising.jit
def pairs(a, rows, columns):
    return a[rows, columns] + a[rows].sum(axis=1), a[:, columns]


@raising.jit
def neighbours(x, places):
    found = x[places[1:]]
    found -= x[places[:-1]]
    return found, x[places[:, None]]


@raising.jit
def by_floats(x, places):
    return x[places]


@raising.jit
def apart(a, rows, columns):
    return a[rows, :, columns]


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
@pytest.mark.parametrize("size", [0, 1, 7, 33])
def test_what_is_picked(size: int, kind: type) -> None:
    rng = np.random.default_rng(size)
    x, a = rng.random(size), rng.random((size, size + 2)).astype(np.float32)
    places = rng.integers(0, max(size, 1), size).astype(kind)
    rows, columns = places[::-1], places + kind(1)
    for given in (x, a, x[::-1]):
        assert np.array_equal(elements(given, places), elements.__wrapped__(given, places))
    for found, wanted in zip(pairs(a, rows, columns), pairs.__wrapped__(a, rows, columns), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_picked_by_parts_of_an_array() -> None:
    x, places = np.arange(5.0), np.array([4, 0, 3, 3])
    for found, wanted in zip(neighbours(x, places), neighbours.__wrapped__(x, places), strict=True):
        assert np.array_equal(found, wanted)


def test_places_outside() -> None:
    x = np.arange(5.0)
    for places in ([0, -1], [-5, 4, -2]):
        assert np.array_equal(elements(x, np.array(places)), elements.__wrapped__(x, np.array(places)))
    for wrong in (5, -6):
        with pytest.raises(IndexError, match="a subscript lies outside of its array"):
            elements(x, np.array([0, wrong]))


@raising.jit
def beside(a, rows):
    return a[rows, 1], a[0, rows], a[rows, -1] * 2


def test_a_number_beside_what_picks() -> None:
    a, rows = np.arange(9.0).reshape(3, 3), np.array([2, 0, 0])
    for found, wanted in zip(beside(a, rows), beside.__wrapped__(a, rows), strict=True):
        assert np.array_equal(found, wanted)


def test_what_picks_nothing() -> None:
    with pytest.raises(InputError, match="an array of float64 as a subscript"):
        by_floats(np.arange(3.0), np.zeros(2))
    with pytest.raises(InputError, match="beside other than slices"):
        apart(np.zeros((2, 2, 2)), np.array([0]), np.array([1]))


@raising.jit
def around(x, a):
    return np.pad(x, (1, 2), mode="reflect"), np.pad(a, ((0, 2), (1, 1)), mode="symmetric"), np.pad(a, 1, mode="wrap")


@raising.jit
def window(x, width):
    return x[width:] - x[:-width]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 8])
def test_what_is_put_around(size: int) -> None:
    x, a = np.arange(float(size)), np.arange(float(size * (size + 1))).reshape(size, size + 1)
    if size < 3:  # NumPy goes on with what it put there, or has an error itself
        with pytest.raises(InputError, match="long enough|length 0"):
            around(x, a)
        return
    for found, wanted in zip(around(x, a), around.__wrapped__(x, a), strict=True):
        assert np.array_equal(found, wanted)


def test_a_negative_bound() -> None:
    x = np.arange(9.0) ** 2
    for width in (1, 2, 8, 10, -1):
        assert np.array_equal(window(x, width), window.__wrapped__(x, width))
    with pytest.raises(InputError, match="fit"):
        window(x, 0)
