"""Elements, types and shapes are those of NumPy, of small integers too, and of arrays in other shapes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import raising


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
    results = raising.jit(function)(x, w), function(x, w)
    for found, wanted in zip(*(r if isinstance(r, tuple) else (r,) for r in results), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
