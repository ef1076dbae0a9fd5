"""Random values of an argument, such that its kernel makes sense."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from polybench.values import Array


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
