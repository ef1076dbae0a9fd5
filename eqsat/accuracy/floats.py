"""Floats by their bit patterns: samples of a range, distances, and errors in bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.support.record import dataclass

Floats = NDArray[Any]

_INTEGERS: dict[int, Any] = {4: np.int32, 8: np.int64}


@dataclass(frozen=True)
class Range:
    """All floats from `low` to `high`."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}"


def ordinals(values: Floats) -> NDArray[np.int64]:
    """The number of each float among all in order; both zeros are 0."""
    kind = _INTEGERS[values.dtype.itemsize]
    bits = values.view(kind).astype(np.int64)
    least = int(np.iinfo(kind).min)
    found: NDArray[np.int64] = np.where(bits < 0, least - bits, bits)
    return found


def of_ordinals(numbers: NDArray[np.int64], kind: np.dtype[Any]) -> Floats:
    """The floats with these numbers."""
    integer = _INTEGERS[kind.itemsize]
    least = int(np.iinfo(integer).min)
    bits = np.where(numbers < 0, least - numbers, numbers)
    return bits.astype(integer).view(kind)


def sampled(rng: np.random.Generator, range_: Range, count: int, kind: np.dtype[Any]) -> Floats:
    """Floats of a range, each as likely as any other."""
    ends = ordinals(np.array([range_.low, range_.high], dtype=kind))
    return of_ordinals(rng.integers(ends[0], ends[1], count, endpoint=True), kind)


def edges(range_: Range, kind: np.dtype[Any]) -> list[float]:
    """Floats that samples hardly meet: the ends of a range, zeros, ones, and the smallest numbers."""
    tiny = float(np.finfo(kind).tiny)
    wanted = [range_.low, range_.high, 0.0, 1.0, -1.0, 0.5, 2.0, tiny, -tiny]
    return [x for x in dict.fromkeys(wanted) if range_.low <= x <= range_.high]


def error_bits(found: Floats, true: Floats) -> NDArray[np.float64]:
    """The error of each float: the logarithm of one and its distance from the true one; NaN is all bits away."""
    one, other = ordinals(found), ordinals(true)
    between = np.maximum(one, other).astype(np.uint64) - np.minimum(one, other).astype(np.uint64)  # modulo 2^64: exact
    bits = np.log2(1.0 + between.astype(np.float64))
    worst = float(found.dtype.itemsize * 8)
    wrong = np.isnan(found)
    return np.where(wrong, worst, np.minimum(bits, worst))
