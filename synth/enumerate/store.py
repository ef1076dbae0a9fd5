"""The store: every value found so far, one bucket per type, told apart by fingerprint.

A fingerprint is a random linear form of a value's residues over all samples,
so that the fingerprint of a sum is the sum of fingerprints, and distinct
values share one with probability about 1/p.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from raising.affine.ir.affine_expr import Lin
from raising.grammar.evaluate.number import Num
from raising.grammar.field import field as zp
from raising.grammar.field.field import Residues
from raising.grammar.terms.term import TensorType, Term
from raising.support.record import dataclass
from raising.synth.enumerate.term_cost import source_sizes

Sizes = dict[str, int]
Rank = tuple[bool, int]  # (another value cannot be accumulated into it, scalar steps)


def shape_of(kind: TensorType, sizes: Sizes) -> tuple[int, ...]:
    """A type's extents at given sizes."""
    return tuple(d.evaluate(sizes) for d in kind.dims)


def linear_form(weights: Sequence[Residues], values: Sequence[Residues]) -> Residues:
    """Σ weight · value over all samples, for a batch: weights (*shape), values (n, *shape) → (n,)."""
    n = values[0].shape[0]
    parts = [zp.dot(v.reshape(n, -1), w.reshape(-1)) for w, v in zip(weights, values, strict=True)]
    out = parts[0]
    for part in parts[1:]:
        out = zp.add(out, part)
    return out


class _Column:
    """Values at samples of equal sizes, in room that doubles as they grow."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.count = self.inverted = 0
        self._res = np.empty((8, *shape), dtype=np.uint64)
        self._flt = np.empty((8, *shape), dtype=np.float64)
        self._inverse = np.empty((0, *shape), dtype=np.uint64)

    def append(self, new: Num) -> None:
        """Add values (n, samples, *shape) at the end."""
        end = self.count + len(new.res)
        if end > len(self._res):
            room = max(end, 2 * len(self._res))
            self._res, self._flt = _grown(self._res, room), _grown(self._flt, room)
        self._res[self.count : end], self._flt[self.count : end] = new.res, new.flt
        self.count = end

    def values(self) -> Num:
        """The values of all entries."""
        return Num(self._res[: self.count], self._flt[: self.count])

    def inverses(self) -> Residues:
        """1/value of all, those new since the last call computed now."""
        if self.inverted < self.count:
            if len(self._inverse) < self.count:
                self._inverse = _grown(self._inverse, len(self._res))
            new = slice(self.inverted, self.count)
            self._inverse[new] = zp.reciprocal(self._res[new])
            self.inverted = self.count
        return self._inverse[: self.count]


def _grown(array: npt.NDArray[Any], room: int) -> npt.NDArray[Any]:
    larger = np.empty((room, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger


@dataclass
class Bucket:
    """The values of one type: terms, costs, and per sample an array with a leading value axis.

    `weights` are a random linear form, an array per sample. `runs` tells how many samples in a row have equal sizes;
    all are alone by default. `forms` are the weights of each run.
    """

    type: TensorType
    weights: list[Residues]
    runs: list[int] = field(default_factory=list)
    forms: list[Residues] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)
    ranks: list[Rank] = field(default_factory=list)
    keys: dict[int, int] = field(default_factory=dict)
    _columns: list[_Column] = field(default_factory=list)
    _of_cost: dict[int, npt.NDArray[np.int64]] = field(default_factory=dict)  # of the costs as they are

    def __len__(self) -> int:
        return len(self.terms)

    def __post_init__(self) -> None:
        self.runs = self.runs or [1] * len(self.weights)
        self.forms = _stacked(self.weights, self.runs)

    @property
    def stacks(self) -> list[Num]:
        """Per run of samples, all values: (n, samples, *shape)."""
        return [c.values() for c in self._columns]

    @property
    def arrays(self) -> list[Num]:
        """Per sample, all values stacked: (n, *shape)."""
        stacks = zip(self.stacks, self.runs, strict=True)
        return [Num(v.res[:, k], v.flt[:, k]) for v, count in stacks for k in range(count)]

    @property
    def inverses(self) -> list[Residues]:
        """Per run of samples, 1/value of every value as `field.reciprocal` has it."""
        return [c.inverses() for c in self._columns]

    def prints(self, stacks: Sequence[Num]) -> Residues:
        """The fingerprints of values given per run of samples: (n,)."""
        return linear_form(self.forms, [v.res for v in stacks])

    def of_cost(self, cost: int) -> npt.NDArray[np.int64]:
        """Positions of the values of exactly this cost."""
        if cost not in self._of_cost:
            self._of_cost[cost] = np.flatnonzero(np.array(self.costs) == cost)
        return self._of_cost[cost]

    def add(
        self,
        prints: Residues,
        values: Callable[[list[int]], list[Num]],
        make: Callable[[int], Term],
        cost: int,
        rank: Callable[[int], Rank],
        every: bool = False,
    ) -> int:
        """Keep the candidates whose fingerprint is new (with `every`, all of them); how many were.

        `values`, `make` and `rank` give the values (n, samples, *shape per run of samples), the term
        and the rank of candidates by position. Of two terms with one fingerprint the one of lower cost, then
        of lower rank stays.
        """
        fresh = []
        self._of_cost.clear()
        for position, key in enumerate(prints.tolist()):
            row = self.keys.get(key)
            if row is None or every:
                self.keys.setdefault(key, len(self.terms))
                self.terms.append(make(position))
                self.costs.append(cost)
                self.ranks.append(rank(position))
                fresh.append(position)
            elif cost <= self.costs[row] and (cost, rank(position)) < (self.costs[row], self.ranks[row]):
                self.terms[row], self.costs[row], self.ranks[row] = make(position), cost, rank(position)
        if fresh:
            made = values(fresh)
            self._columns = self._columns or [_Column(v.res.shape[1:]) for v in made]
            for column, value in zip(self._columns, made, strict=True):
                column.append(value)
        return len(fresh)

    def add_one(self, values: list[Num], term: Term, cost: int, rank: Rank) -> int:
        """Keep one term with its values per sample, if its fingerprint is new; 1 if it was."""
        res, flt = (_stacked(part, self.runs) for part in ([v.res for v in values], [v.flt for v in values]))
        stacked = [Num(r[None], f[None]) for r, f in zip(res, flt, strict=True)]
        return self.add(self.prints(stacked), lambda _: stacked, lambda _: term, cost, lambda _: rank)


def _stacked(arrays: Sequence[npt.NDArray[Any]], runs: Sequence[int]) -> list[npt.NDArray[Any]]:
    """Arrays of one shape for each run, as one array each."""
    pending = iter(arrays)
    return [np.stack([next(pending) for _ in range(count)]) for count in runs]


class Store:
    """All buckets, in the order in which their types appeared."""

    def __init__(self, sizes: Sequence[Sizes], source: Mapping[str, Lin], seed: int) -> None:
        self.sizes = list(sizes)
        self.runs = [count for count, _ in self.sizes_of_runs()]
        self.source = source_sizes(source)
        self.buckets: dict[TensorType, Bucket] = {}
        self._rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return sum(len(b) for b in self.buckets.values())

    def sizes_of_runs(self) -> list[tuple[int, Sizes]]:
        """How many samples are in each run of equal sizes, and these sizes."""
        return [(len(run), run[0]) for run in (list(group) for _, group in groupby(self.sizes))]

    def bucket(self, kind: TensorType) -> Bucket:
        """The bucket of a type, made at first use."""
        if kind not in self.buckets:
            self.buckets[kind] = Bucket(kind, self.random_weights(kind), self.runs)
        return self.buckets[kind]

    def random_weights(self, kind: TensorType) -> list[Residues]:
        """A random linear form on values of a type, one array per sample."""
        return [self._rng.integers(1, zp.P, size=shape_of(kind, s), dtype=np.uint64) for s in self.sizes]
