"""A branch on one variable where different forms are best in different regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.eqsat.accuracy.floats import Floats, of_ordinals, ordinals
from raising.support.record import dataclass

_MOST = 3  # regions
_BRANCH = 0.15  # bits in the mean that a branch has to bring


@dataclass(frozen=True)
class Regions:
    """Form `forms[k]` is taken up to `bounds[k]` of a variable, the last one beyond; without a variable, one form."""

    variable: str
    bounds: tuple[float, ...]
    forms: tuple[int, ...]
    error: float


def best_regions(errors: NDArray[np.float64], points: Mapping[str, Floats], costs: Sequence[float]) -> Regions:
    """The best use of forms whose `errors` have one row each; cheap forms are preferred where errors are alike."""
    means = errors.mean(axis=1)
    order = np.lexsort((np.array(costs), np.round(means / 0.05)))
    best = Regions("", (), (int(order[0]),), float(means[order[0]]))
    biased = errors + 1e-4 * np.array(costs)[:, None]
    for name, values in points.items():
        for count in range(2, _MOST + 1):
            found = _segments(biased, errors, name, values, count)
            if found is not None and found.error < best.error - _BRANCH * (len(found.forms) - len(best.forms)):
                best = found
    return best


def _segments(
    biased: NDArray[np.float64], errors: NDArray[np.float64], name: str, values: Floats, count: int
) -> Regions | None:
    """The best division of a variable's points into a number of regions: a dynamic program over sorted points."""
    order = np.argsort(values, kind="stable")
    places = values[order]
    total = np.concatenate([np.zeros((len(biased), 1)), np.cumsum(biased[:, order], axis=1)], axis=1)
    n = len(places)
    cuts = [k for k in range(1, n) if places[k] > places[k - 1]]
    if len(cuts) < count:
        return None
    ends = np.array([*cuts, n])
    least, back = total[:, ends].min(axis=0), [[(0, int(f))] for f in total[:, ends].argmin(axis=0)]
    for _ in range(count - 1):
        least, back = _one_more(total, ends, least, back)
    chosen = back[-1]
    starts = [start for start, _ in chosen]
    bounds = tuple(_between(places[s - 1], places[s]) for s in starts[1:])
    error = sum(
        float(errors[form, order[start:end]].sum()) for (start, form), end in zip(chosen, [*starts[1:], n], strict=True)
    )
    return Regions(name, bounds, tuple(form for _, form in chosen), error / n)


def _one_more(
    total: NDArray[np.float64], ends: NDArray[np.int64], least: NDArray[np.float64], back: list[list[tuple[int, int]]]
) -> tuple[NDArray[np.float64], list[list[tuple[int, int]]]]:
    now, chosen = np.full(len(ends), np.inf), list(back)
    for k in range(1, len(ends)):
        parts = total[:, ends[k]][:, None] - total[:, ends[:k]]
        costs = least[:k] + parts.min(axis=0)
        start = int(costs.argmin())
        now[k] = costs[start]
        chosen[k] = [*back[start], (int(ends[start]), int(parts[:, start].argmin()))]
    return now, chosen


def _between(one: Any, other: Any) -> float:
    """A float between two, by their numbers."""
    pair = ordinals(np.array([one, other]))
    middle = int(pair[0]) + (int(pair[1]) - int(pair[0])) // 2
    return float(of_ordinals(np.array([middle]), np.array([one]).dtype)[0])
