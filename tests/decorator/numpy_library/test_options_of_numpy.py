"""Options of NumPy's functions, and axes that are several, mean what they mean there."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import raising
from raising.support.errors import InputError
from tests.bench.numpy_names import judged
from tests.decorator.functions import QUICK

BYTES = "i.astype(np.uint8)"
USES = [
    "np.moveaxis(a[:, :, None], (0, 1), (1, 0)).copy()",
    "np.moveaxis(a[:, :, None], [0, 2], [-1, 0]).copy()",
    "np.expand_dims(x, (0, 2)).copy()",
    "np.swapaxes(a, axis1=0, axis2=1).copy()",
    f"np.isclose({BYTES}, {BYTES} + np.uint8(1), atol=1.0)",
    f"np.nanargmin({BYTES})",
    "np.linalg.norm(z)",
    "np.sum(i, dtype=np.float32)",
    "np.sum(x, dtype=np.float64)",
    f"np.prod({BYTES}, dtype=np.uint8)",
    "np.mean(i, dtype=np.float32)",
    "a.sum(0, np.float64)",
    "np.sum(a, 1, initial=2.5, where=a > 0)",
    "np.sum(a, where=b[:, None], keepdims=True)",
    "np.max(x, initial=0.25)",
    "np.min(a, axis=0, initial=1.0, where=a < 1)",
    "np.mean(a, axis=0, where=a > 0)",
    "np.mean(x, where=b, keepdims=True)",
    "np.mean(a, axis=1, where=np.array([[True], [False]])[:1])",
    "np.std(a, axis=1, where=a > 0)",
    "np.any(a, axis=0, where=a > 1) | np.all(a, axis=0, where=a > 0)",
    "np.mean(z)",
    "np.var(z)",
    "np.power(i, 5)",
    "i ** 0 + 3 ** i",
    f"{BYTES} ** i.astype(np.uint8)",
    "b ** 2",
]
TOGETHER = [
    "np.argmax(a), np.argmin(a, axis=1, keepdims=True), a[:, :, None].argmax(axis=0)",
    f"np.cumsum(a, axis=None), np.cumsum({BYTES}, dtype=np.uint8), np.cumprod(i, 0, np.float32)",
    "np.arange(len(x), -1, -2), np.arange(5, 9, -1), np.arange(0, 1, 0.1), np.arange(1.0, -1.0, -0.3)",
    "np.column_stack((x, a)), np.vstack((a[0] * 2, a)), np.dstack((x, x)), np.c_[a, x], np.r_[x, x]",
    "np.concatenate(([0], x, [1.5, 2])), np.hstack((0, x)), np.roll(a, -1, axis=(0, 1))",
    "np.diag(x, 1) + np.diag(x, k=-1), np.eye(3, 5, 1) + np.eye(3, 5, -2), np.diagflat(x)",
    "np.linalg.norm(a, 'fro'), a.reshape(len(a), -1).astype(bool), x[:len(x) // 2 * 2].reshape(-1, 2)",
    "np.dot(a[:, None, :], a.T), (a.T @ x)[0] + (x * 2)[-1]",
    "np.tensordot(a, a, axes=(0, 0)), np.tensordot(a, a[None], axes=([1, 0], [2, -2])), np.tensordot(x, y, 0)",
    "np.einsum('...i,...i->...', a, a), np.einsum('i...', a), np.einsum('k...,k', a[:, :, None], x)",
    "np.subtract.outer(x, y), np.less.outer(x, y), divmod(i, 3)[0], np.modf(x)[1]",
    "np.array_equal(a, a.T), np.array_equal(a, a + 0), np.argsort(a, axis=0), np.argsort(x, axis=0)",
    "np.quantile(a, 0.3), np.take_along_axis(a, np.argsort(a, axis=0), axis=0), np.linalg.norm(i, np.inf)",
    "np.diff(x, prepend=0), np.diff(x, append=y), np.diff(i, prepend=x, append=1.5)",
    "np.zeros(a.shape[:1] + (2,)), np.ones(a.shape[1:]), a.reshape((1,) + a.shape), np.zeros((x.size + 1, a.size))",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", USES)
def test_it_is_what_numpy_computes(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert judged(text, f"return {text}", Path(folder), check="none") == ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", TOGETHER)
def test_several_at_once(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert judged(text, f"return {text}", Path(folder), **QUICK) == ""


def diagonals(s: Any) -> Any:
    return np.trace(s, 1) * np.diag(s, -1), s.diagonal(), np.median(s, axis=0, keepdims=True)


def test_diagonals() -> None:
    s = np.arange(16.0).reshape(4, 4) ** 2
    for found, wanted in zip(raising.jit(**QUICK)(diagonals)(s), diagonals(s), strict=True):
        np.testing.assert_array_equal(found, wanted)


def shaped(a: Any) -> Any:
    size = a.shape[:2]
    rows, columns = size
    made, rest = a @ a.T, np.ones(size)
    np.fill_diagonal(made, columns - 0.5)
    np.fill_diagonal(rest, rest.sum())
    return made, rest * rows


def test_parts_of_shapes() -> None:
    compiled = raising.jit(**QUICK)(shaped)
    for shape in ((3, 5), (5, 2), (0, 3)):
        for found, wanted in zip(compiled(np.ones(shape)), shaped(np.ones(shape)), strict=True):
            np.testing.assert_array_equal(found, wanted)


def vectors(v: Any, w: Any, m: Any) -> Any:
    v[..., 1] = w[..., 0] + 2
    return np.cross(v, w), np.cross(v, m), np.cross(m, w), np.stack((v[..., 2], w.sum(), 1)), v


def test_vectors_of_three() -> None:
    given = np.array([1.5, 2.0, -1.0]), np.array([0.5, 3.0, 2.0]), np.arange(6.0).reshape(2, 3) ** 2
    found = raising.jit(**QUICK)(vectors)(*(g.copy() for g in given))
    for one, other in zip(found, vectors(*given), strict=True):
        np.testing.assert_array_equal(one, other)


def beside(x: Any) -> Any:
    return np.stack((x, 1.0), axis=1)


def test_numbers_have_one_axis_to_be_put_on() -> None:
    with pytest.raises(InputError, match="an axis .* that the array does not have"):
        raising.jit(**QUICK)(beside)(2.0)


def behind(x: Any, j: int, k: int) -> Any:
    return x[j:][k:]


def backwards(x: Any, k: int) -> Any:
    return x[k::-1]


def test_a_slice_that_begins_at_a_negative_place_is_that_of_python() -> None:
    """It counts from the end; two of them may add up to a place that is there."""
    x = np.arange(6.0)
    compiled, turned = (raising.jit(**QUICK)(f) for f in (behind, backwards))
    np.testing.assert_array_equal(compiled(x, 1, 2), behind(x, 1, 2))
    np.testing.assert_array_equal(turned(x, 3), backwards(x, 3))
    np.testing.assert_array_equal(compiled(x, -1, 2), behind(x, -1, 2))
    np.testing.assert_array_equal(turned(x, -1), backwards(x, -1))


def several(x: Any) -> Any:
    return np.argmax(x, axis=(0, 1))


def test_one_axis_is_no_tuple() -> None:
    with pytest.raises(InputError, match="several axes"):
        raising.jit(**QUICK)(several)(np.ones((2, 3)))


def product(x: Any, y: Any) -> Any:
    return x @ y


def test_lengths_that_meet_in_a_product_are_equal() -> None:
    """One element is not repeated there."""
    compiled = raising.jit(**QUICK)(product)
    for x, y in ((np.ones((3, 1)), np.ones((5, 2))), (np.ones(4), np.ones((1, 2))), (np.ones(1), np.ones(2))):
        with pytest.raises(InputError, match="do not fit"):
            compiled(x, y)
    np.testing.assert_array_equal(compiled(np.ones((3, 1)), np.ones((1, 2))), np.ones((3, 2)))


def rows(x: Any) -> Any:
    return x.reshape(len(x), -1)


def test_a_shape_with_nothing_beside_its_open_extent() -> None:
    compiled = raising.jit(**QUICK)(rows)
    np.testing.assert_array_equal(compiled(np.ones((2, 3, 4))), np.ones((2, 12)))
    with pytest.raises(InputError, match="beside -1 have elements"):
        compiled(np.ones((0, 3, 4)))


def covariance(a: Any) -> Any:
    return np.cov(a)


def test_the_covariance_of_one_row_is_no_matrix() -> None:
    compiled = raising.jit(**QUICK)(covariance)
    np.testing.assert_allclose(compiled(np.eye(3)[:2]), np.cov(np.eye(3)[:2]))
    assert np.cov(np.eye(3)[:1]).shape == ()
    with pytest.raises(InputError, match="no matrix"):
        compiled(np.eye(3)[:1])


def counted(i: Any, w: Any) -> Any:
    return np.bincount(i[1:], w[1:], 6), np.bincount(i, minlength=6), round(w[0], 2), round(w[1]), np.round(w, -1)


def test_counts_have_the_length_that_is_asked_for() -> None:
    """NumPy makes them longer where a number is not below it; here that is an error of the call."""
    compiled = raising.jit(**QUICK)(counted)
    i, w = np.array([0, 5, 2, 2], np.uint8), np.array([2.345678, 2.5, -17.25, 1e10])
    for found, wanted in zip(compiled(i, w), counted(i, w), strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)
    for wrong in (np.array([0, 6, 2, 2], np.uint8), np.array([0, -1, 2, 2])):
        with pytest.raises(IndexError):
            compiled(wrong, w)
