"""`raising.vectorize`: the same as NumPy gives for each element, whatever the arrays are like."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import raising
from raising.decorator.element_loops import layout, pattern
from raising.support.errors import InputError
from tests.decorator.functions import QUICK


@raising.vectorize(check="none", optimise=False)
def chosen(a, out):
    """Takes a path by its data; its second parameter has the name that the results have elsewhere."""
    if a > out:
        return a - out
    return a * out


@raising.vectorize("float32(float32, float32)", "float64(float64, float64)", optimise=False)
def summed(x, y):
    """Two signatures."""
    return np.sin(x) * y + x


def _negative(x):
    return -x


def _chosen(a: Any, b: Any) -> Any:
    return np.where(np.greater(a, b), a - b, a * b)


def _wide(*shape: int) -> Any:
    return np.arange(float(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (_wide(3, 4), _wide(3, 4)[::-1]),
        (_wide(4, 6)[::2, ::-2], _wide(3, 2).T),
        (_wide(2, 3, 4), _wide(2, 1, 1)),
        (_wide(3, 1), _wide(1, 4) - 2),
        (_wide(3, 1), np.array(2.0)),
        (np.array(2.0), np.array(3.0)),
        (_wide(0, 3), _wide(3)),
        (_wide(3, 1), _wide(0)),
        (_wide(1), _wide(1, 1, 1)),
        (_wide(3).astype(">f8"), np.float64(1.5)),
    ],
    ids=lambda a: "x".join(map(str, a.shape)),
)
def test_arrays_are_broadcast(a: Any, b: Any) -> None:
    found, wanted = chosen(a, b), np.asarray(_chosen(a, b))
    np.testing.assert_array_equal(found, wanted)
    assert np.shape(found) == wanted.shape and found.dtype == np.float64


def test_types_are_those_that_numpy_computes() -> None:
    assert chosen(7, 5) == 2 and type(chosen(np.float64(7), np.float64(5))) is np.float64
    assert summed(np.float32([1]), 2).dtype == np.float32  # Python's numbers are of no type
    assert summed(np.float32([1]), np.float64(2)).dtype == np.float64
    assert summed(1, 2.0) == np.float32(np.sin(np.float32(1)) * 2 + 1)
    with pytest.raises(TypeError, match=r"summed\(\) takes no \(float, complex128\) without loss"):
        summed(1.0, 1j)
    with pytest.raises(
        TypeError, match=r"_negative\(\) takes no \(float64\) without loss: it is made for float32\(float32\)"
    ):
        raising.vectorize("float32(float32)")(_negative)(np.ones(2))
    np.testing.assert_allclose(summed(np.arange(3, dtype=np.int32), 1.0), np.sin(np.arange(3.0)) + np.arange(3))


def test_results_are_stored_in_out() -> None:
    a, b = _wide(3, 4), _wide(3, 4) * 2 - 7
    wanted = _chosen(a, b)
    for out in (np.empty((3, 4)), np.empty((4, 3)).T, np.empty((3, 4), np.float32), np.empty((3, 8))[:, ::2]):
        assert chosen(a, b, out=out) is out
        np.testing.assert_array_equal(out, wanted)
    whole = np.concatenate([a, b])
    one, two, out = whole[:3], whole[3:], whole[1:4]  # what is read is read before anything is written
    chosen(one, two, out=out)
    np.testing.assert_array_equal(out, wanted)
    with pytest.raises(ValueError, match=r"the results have \(3, 4\)"):
        chosen(a, b, out=np.empty(12))
    with pytest.raises(TypeError, match="cannot be stored in out, of type int64"):
        chosen(a, b, out=np.empty((3, 4), int))
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        chosen(a, b, out=a)


def test_wrong_calls_and_definitions() -> None:
    with pytest.raises(ValueError, match=r"cannot be broadcast: a \(3,\), out \(4,\)"):
        chosen(_wide(3), _wide(4))
    with pytest.raises(TypeError, match="takes 2 arguments but 1 were given"):
        chosen(1.0)
    for text in ("float32", "float32(float31)", "eval(float32)", 3):
        with pytest.raises(ValueError, match=r"no signature|unknown type"):
            raising.vectorize(text)
    with pytest.raises(InputError, match="takes 2 numbers, but not so 'float32"):
        raising.vectorize("float32(float32)")(summed.py_func)

    def none(x):
        x += 1

    with pytest.raises(InputError, match="'none' has to return one number"):
        raising.vectorize(none)(1.0)


def test_it_is_pickled_by_its_name_and_shows_what_it_did() -> None:
    assert pickle.loads(pickle.dumps(summed)) is summed
    summed(np.float32(1), np.float32(2))
    assert "proved for all sizes" in summed.inspect().kinds[0].verdict
    assert repr(summed).startswith("<raising.vectorize summed(x, y), compiled for")


def test_neighbouring_dimensions_are_one_loop() -> None:
    own, extents = layout([(2, 3, 4), (3, 4), (1, 4)], (2, 3, 4))
    assert own.dims == ((0, 1, 2), (1, 2), (2,)) and extents == (2, 3, 4)
    assert layout([(2, 3, 4), (2, 3, 4), ()], (2, 3, 4)) == (((((0,), (0,), ())), 1), (24,))
    assert pattern(["x", "y", "z", "out"], own) == ("x_0", "x_1", "x_2", "x_1", "x_2", "x_2", "x_0", "x_1", "x_2")


def escapes(re: float, im: float) -> Any:
    x = y = 0.0
    for k in range(40):
        if x * x + y * y > 4.0:
            return k
        x, y = x * x - y * y + re, 2 * x * y + im
    return 40


def set_bits(v: Any) -> Any:
    count = 0
    while v:
        v &= v - 1
        count += 1
    return count


def divisor(a: Any, b: Any) -> Any:
    while b:
        a, b = b, a % b
    return a


def test_loops_that_depend_on_data() -> None:
    rng = np.random.default_rng(4)
    re, im = rng.standard_normal((6, 1)), rng.standard_normal(5)
    np.testing.assert_array_equal(raising.vectorize(**QUICK)(escapes)(re, im), np.vectorize(escapes)(re, im))
    for kind in (np.int64, np.uint8):
        v = rng.integers(0, 200, 30).astype(kind)
        np.testing.assert_array_equal(raising.vectorize(**QUICK)(set_bits)(v), np.vectorize(set_bits)(v))
    compiled, a, b = raising.vectorize(**QUICK)(divisor), rng.integers(0, 99, 30), rng.integers(0, 99, 30)
    wanted = np.vectorize(divisor)(a, b)
    np.testing.assert_array_equal(compiled(a[::-1], b[::-1]), wanted[::-1])
    assert compiled(12, 18) == 6
    assert compiled(a[:0], b[:0]).shape == (0,)
    shared = np.concatenate((a, [0]))
    compiled(shared[:-1], b, out=shared[1:])
    np.testing.assert_array_equal(shared[1:], wanted)
