"""Whether two programs computed the same, given how much of the result the inputs determine at all.

The loops are run in double precision, in their own precision, and on inputs moved by two units in the last
place. What differs between those runs is rounding and conditioning; a program may differ from the
reference by a multiple of it, and nothing is asked of elements that the inputs do not determine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from raising.polybench.suite.values import Array, Value
from raising.support.record import dataclass

Run = Callable[[Mapping[str, Value]], Mapping[str, Array]]

LEEWAY = 16.0
"""How many times the spread of the reference runs a program may be away."""
ROUNDINGS = 1024
"""Units in the last place of the largest element that are always allowed: sums of a thousand terms."""
DETERMINED = 1e-3
"""An element whose spread exceeds this part of the largest element is not determined by the inputs."""


@dataclass(frozen=True)
class Agreement:
    """`error` is the largest difference relative to the largest element, `allowed` what it may be.

    `undetermined` is the part of the elements of which nothing was asked.
    """

    equal: bool
    error: float
    allowed: float
    undetermined: float = 0.0


@dataclass(frozen=True)
class Reference:
    """Results by name, and how far other runs of the same loops are from them."""

    results: Mapping[str, Array]
    spread: Mapping[str, Array]

    def judge(self, results: Mapping[str, Array]) -> Agreement:
        """The worst of all results."""
        found = [self._judge(name, results[name]) for name in self.results]
        return min(found, key=lambda a: (a.equal, -a.error))

    def save(self, path: Path) -> None:
        """Write it to a file of NumPy's."""
        parts = {"results": self.results, "spread": self.spread}
        arrays = {f"{part}:{name}": array for part, found in parts.items() for name, array in found.items()}
        np.savez(path, allow_pickle=False, **arrays)

    def _judge(self, name: str, got: Array) -> Agreement:
        want, spread = self.results[name], self.spread[name]
        if want.shape != got.shape:
            return Agreement(False, np.inf, 0.0)
        if not np.issubdtype(got.dtype, np.floating):
            return Agreement(bool(np.array_equal(want, got)), float(np.max(want != got, initial=0)), 0.0)
        scale = float(np.max(np.abs(want[np.isfinite(want)]), initial=0)) or 1.0
        asked = np.isfinite(want) & _determined(spread, scale)
        allowed = LEEWAY * float(np.max(spread[asked], initial=0)) / scale + ROUNDINGS * float(np.finfo(got.dtype).eps)
        difference = np.abs(got.astype(np.float64)[asked] - want[asked]) / scale
        # A number that is not finite is as far away as can be; comparing it would be false both ways.
        error = float(np.max(np.where(np.isfinite(difference), difference, np.inf), initial=0))
        return Agreement(error <= allowed, error, allowed, 1 - float(np.mean(asked)))


def _determined(spread: Array, scale: float) -> Array:
    """Where the inputs determine the result: elements that hardly move, in lines of which most hardly move.

    In a column that rounding decides, some elements of a million are close in a few runs by chance.
    """
    close = spread <= DETERMINED * scale
    lines = [np.mean(close, axis=axis, keepdims=True) >= 0.5 for axis in range(spread.ndim) if spread.ndim > 1]
    return np.asarray(np.logical_and.reduce(np.broadcast_arrays(close, *lines)))


def load(path: Path) -> Reference:
    """The reference that was saved."""
    parts: dict[str, dict[str, Array]] = {"results": {}, "spread": {}}
    with np.load(path) as found:
        for key in found.files:
            part, _, name = key.partition(":")
            parts[part][name] = found[key]
    return Reference(parts["results"], parts["spread"])


def reference(precise: Run, plain: Run, values: Mapping[str, Value]) -> Reference:
    """Run the loops: `precise` takes every float in double precision, `plain` takes `values` as they are.

    `plain` is not run for doubles, which it would not round, and integers alone are run once.
    """
    wide = {name: _widened(value) for name, value in values.items()}
    results = {name: np.asarray(value, _wide(value.dtype)) for name, value in precise(wide).items()}
    random = np.random.default_rng(0)
    if not any(np.issubdtype(v.dtype, np.floating) for v in values.values()):
        return Reference(results, {name: np.zeros(want.shape) for name, want in results.items()})
    # Chance may bring one run close where nothing is determined, so there are two others at least.
    rounds = any(v.dtype == np.float32 for v in values.values())
    others = [*([plain(values)] if rounds else []), *(precise(_moved(values, random)) for _ in range(2 - rounds))]
    spread = {name: np.max([_difference(o[name], want) for o in others], axis=0) for name, want in results.items()}
    return Reference(results, spread)


def _wide(dtype: np.dtype[np.generic]) -> type[np.generic]:
    return np.float64 if np.issubdtype(dtype, np.floating) else dtype.type


def _widened(value: Value) -> Value:
    wide: Value = value.astype(_wide(value.dtype))
    return wide


def _moved(values: Mapping[str, Value], random: np.random.Generator) -> dict[str, Value]:
    """The inputs, each float two units in the last place of its own type up or down, in double precision."""
    moved = {}
    for name, value in values.items():
        wide = _widened(value)
        if np.issubdtype(value.dtype, np.floating):
            moved_by = 2 * float(np.finfo(value.dtype).eps) * random.choice([-1, 1], np.shape(value))
            wide = np.multiply(wide, 1 + moved_by)[()]
        moved[name] = wide
    return moved


def _difference(a: Array, b: Array) -> Array:
    found = np.abs(np.asarray(a, np.float64) - np.asarray(b, np.float64))
    return np.where(np.isnan(found), np.inf, found)
