"""Goals and views: what is wanted where a mask holds, and every stored value as it reads inside of that shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from raising.grammar.evaluate.evaluator import aligned
from raising.grammar.evaluate.number import Num
from raising.grammar.field import field as zp
from raising.grammar.field.field import Positions, Residues
from raising.grammar.terms.structured_op import Map
from raising.grammar.terms.term import TensorType, Term
from raising.support.record import dataclass
from raising.synth.enumerate.store import Bucket, Store, linear_form
from raising.synth.spec.schemes import embeddings

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Goal:
    """Residues wanted, per sample, where the mask holds."""

    type: TensorType
    values: tuple[Residues, ...]
    masks: tuple[Mask, ...]

    def weighted(self, weights: Sequence[Residues]) -> list[Residues]:
        """A linear form's weights, zero outside of the mask."""
        return [np.where(m, w, np.uint64(0)) for m, w in zip(self.masks, weights, strict=True)]


@dataclass(frozen=True)
class Ref:
    """A term read inside of a goal's shape: its dimension k is the goal's dimension `map[k]`."""

    term: Term
    map: Map


@dataclass(frozen=True)
class _Group:
    bucket: Bucket
    map: Map
    start: int


class Views:
    """Every stored value that can be read in the shape of a goal, numbered cheapest first."""

    def __init__(self, store: Store, goal_type: TensorType, element: str | None = None) -> None:
        self.groups: list[_Group] = []
        self.rank = goal_type.rank
        costs: list[int] = []
        for kind, bucket in store.buckets.items():
            if kind.element != (element or goal_type.element) or not len(bucket):
                continue
            for m in embeddings(kind.dims, goal_type.dims):
                self.groups.append(_Group(bucket, m, len(costs)))
                costs += bucket.costs
        self.costs = np.array(costs, dtype=np.int64)
        self.order = np.argsort(self.costs, kind="stable")

    def __len__(self) -> int:
        return len(self.costs)

    def forms(self, weights: Sequence[Residues], inverse: bool = False) -> Residues:
        """The linear form Σ weight · value (or · 1/value) of every view."""
        parts = []
        for group in self.groups:
            reduced = [self._projected(w, group.map) for w in weights]
            arrays = group.bucket.inverses if inverse else [a.res for a in group.bucket.arrays]
            parts.append(linear_form(reduced, arrays))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)

    def _projected(self, weight: Residues, m: Map) -> Residues:
        """A form on the goal's shape as one on a view's own: summed over the dimensions it lacks."""
        lacking = tuple(d for d in range(self.rank) if d not in m)
        summed = zp.total(weight, lacking) if lacking else weight
        kept = sorted(m)
        return np.asarray(summed).transpose([kept.index(d) for d in m])

    def ref(self, number: int) -> Ref:
        """The view of a number."""
        group, row = self._locate(number)
        return Ref(group.bucket.terms[row], group.map)

    def values(self, number: int) -> list[Num]:
        """A view's values in the goal's shape, per sample (extent 1 where it does not vary)."""
        group, row = self._locate(number)
        return [self._read(a, row, group.map) for a in group.bucket.arrays]

    def _read(self, array: Num, row: int, m: Map) -> Num:
        one = aligned(Num(array.res[row : row + 1], array.flt[row : row + 1]), m, self.rank)
        return Num(one.res[0], one.flt[0])

    def _locate(self, number: int) -> tuple[_Group, int]:
        group = next(g for g in reversed(self.groups) if g.start <= number)
        return group, number - group.start

    def cheapest(self, cost: int) -> Iterator[int]:
        """Numbers of the views of at most this cost, cheapest first."""
        for number in self.order:
            if self.costs[number] > cost:
                return
            yield int(number)

    def table(self, forms: Residues) -> Callable[[Residues], Positions]:
        """The function from fingerprints to the numbers of the cheapest views that have them, -1 for none."""
        find = zp.lookup(forms[self.order])
        order = np.append(self.order, -1)
        return lambda asked: order[find(asked)]
