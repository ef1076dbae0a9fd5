"""Inputs of the kernels: the values that PolyBench/C 4.2.1 gives to the arguments, and random ones that make sense.

Values are doubles; where PolyBench divides in single precision they are rounded once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from raising.polybench.suite.values import Array


def initial_value(formula: str, extents: Sequence[str], sizes: Mapping[str, int]) -> Any:
    """The value of a formula of `kernels.toml` over the sizes and the subscripts of an array with these extents."""
    subscripts = np.ogrid[tuple(slice(sizes[extent]) for extent in extents)] if extents else ()
    named = {**sizes, **dict(zip("ijk", subscripts, strict=False)), "where": np.where, "gram": lambda b: b @ b.T}
    return eval(formula, {"__builtins__": {}}, named)


def random_value(random: np.random.Generator, kind: str, shape: tuple[int, ...], sizes: Mapping[str, int]) -> Array:
    """Values of a kind of `kernels.toml`, as doubles; `plain` ones are in 1 .. 9, so that integers are too."""
    if kind == "definite":
        factor = _triangular(random, shape[0])
        return factor @ factor.T
    if kind == "triangular":
        return _triangular(random, shape[0]) + np.triu(random.uniform(1, 9, shape), 1)
    if kind == "toeplitz":  # as a diagonal of 1 outweighs the rest of its row
        return random.uniform(-0.5, 0.5, shape) / shape[0]
    if kind == "rows":
        return np.asarray(float(sizes["N"]))
    if kind in ("bases", "penalties"):
        return random.integers(*((0, 4) if kind == "bases" else (-3, 1)), shape).astype(float)
    return random.uniform(0.2, 0.8, shape) if kind == "fraction" else random.uniform(1, 9, shape)


def _triangular(random: np.random.Generator, size: int) -> Array:
    """A lower triangular matrix with a diagonal in 1 .. 2 and rows below it that sum to less than one half."""
    below: Array = np.tril(random.uniform(-0.5, 0.5, (size, size)), -1) / size
    return below + np.diag(random.uniform(1, 2, size))
