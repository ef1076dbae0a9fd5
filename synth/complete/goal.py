"""Goals and views: what is wanted where a mask holds, and every stored value as it reads inside of that shape.

The values of all samples in a row are one vector: what is done to each of many goals is then done by few long loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from raising.grammar.evaluate.evaluator import aligned
from raising.grammar.evaluate.number import Num
from raising.grammar.field import field as zp
from raising.grammar.field.field import Positions, Residues
from raising.grammar.terms.structured_op import Map
from raising.grammar.terms.term import TensorType, Term
from raising.support.record import dataclass
from raising.synth.enumerate.store import Bucket, Store, linear_form, shape_of
from raising.synth.spec.schemes import embeddings

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Goal:
    """Residues wanted, per sample, where the mask holds."""

    type: TensorType
    values: tuple[Residues, ...]
    masks: tuple[Mask, ...]


def in_a_row(arrays: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """The elements of all samples as one vector."""
    return np.concatenate([a.reshape(-1) for a in arrays])


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
        self.shapes = [(count, *shape_of(goal_type, sizes)) for count, sizes in store.sizes_of_runs()]
        self._vectors: dict[int, Residues] = {}
        self._inverses: dict[int, Residues] = {}
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

    def forms(self, weights: Residues, inverse: bool = False) -> Residues:
        """The linear form Σ weight · value (or · 1/value) of every view."""
        ends = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1]
        runs = [w.reshape(shape) for w, shape in zip(np.split(weights, ends), self.shapes, strict=True)]
        parts = []
        for group in self.groups:
            stacks = group.bucket.inverses if inverse else [v.res for v in group.bucket.stacks]
            parts.append(linear_form([self._projected(w, group.map) for w in runs], stacks))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)

    def _projected(self, weight: Residues, m: Map) -> Residues:
        """A form on the goal's shape as one on a view's own: summed over the dimensions it lacks."""
        lacking = tuple(1 + d for d in range(self.rank) if d not in m)
        summed = zp.total(weight, lacking) if lacking else weight
        kept = sorted(m)
        return np.asarray(summed).transpose([0, *(1 + kept.index(d) for d in m)])

    def ref(self, number: int) -> Ref:
        """The view of a number."""
        group, row = self._locate(number)
        return Ref(group.bucket.terms[row], group.map)

    def vector(self, number: int) -> Residues:
        """A view's values in the goal's shape, of all samples in a row."""
        if number not in self._vectors:
            group, row = self._locate(number)
            stacks = zip(group.bucket.stacks, self.shapes, strict=True)
            self._vectors[number] = in_a_row([self._read(v, row, group.map, shape) for v, shape in stacks])
        return self._vectors[number]

    def inverse(self, number: int) -> Residues:
        """1/value of a view in the same order, 0 where it is 0."""
        if number not in self._inverses:
            self._inverses[number] = zp.inverse(self.vector(number))
        return self._inverses[number]

    def _read(self, stack: Num, row: int, m: Map, shape: tuple[int, ...]) -> Residues:
        return np.broadcast_to(aligned(Num(stack.res[row], stack.flt[row]), m, self.rank).res, shape)

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
