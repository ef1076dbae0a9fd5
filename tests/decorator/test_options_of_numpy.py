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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", USES)
def test_it_is_what_numpy_computes(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert judged(text, f"return {text}", Path(folder)) == ""


def behind(x: Any, j: int, k: int) -> Any:
    return x[j:][k:]


def backwards(x: Any, k: int) -> Any:
    return x[k::-1]


def test_a_slice_that_begins_at_a_negative_place_is_refused() -> None:
    """It counts from the end; two of them may add up to a place that is there."""
    x = np.arange(6.0)
    compiled, turned = (raising.jit(**QUICK)(f) for f in (behind, backwards))
    np.testing.assert_array_equal(compiled(x, 1, 2), behind(x, 1, 2))
    np.testing.assert_array_equal(turned(x, 3), backwards(x, 3))
    for call in (lambda: compiled(x, -1, 2), lambda: turned(x, -1)):
        with pytest.raises(InputError, match="begin at no negative place"):
            call()


def several(x: Any) -> Any:
    return np.argmax(x, axis=(0, 1))


def test_one_axis_is_no_tuple() -> None:
    with pytest.raises(InputError, match="several axes"):
        raising.jit(**QUICK)(several)(np.ones((2, 3)))


def covariance(a: Any) -> Any:
    return np.cov(a)


def test_the_covariance_of_one_row_is_no_matrix() -> None:
    compiled = raising.jit(**QUICK)(covariance)
    np.testing.assert_allclose(compiled(np.eye(3)[:2]), np.cov(np.eye(3)[:2]))
    assert np.cov(np.eye(3)[:1]).shape == ()
    with pytest.raises(InputError, match="no matrix"):
        compiled(np.eye(3)[:1])
