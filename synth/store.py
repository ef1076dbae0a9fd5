"""The store: every value found so far, one bucket per type, told apart by fingerprint.

A fingerprint is a random linear form of a value's residues over all samples,
so that the fingerprint of a sum is the sum of fingerprints, and distinct
values share one with probability about 1/p.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from affine.expr import Lin
from grammar import field as zp
from grammar.field import Residues
from grammar.number import Num
from grammar.term import TensorType, Term
from synth.cost import source_sizes

Sizes = dict[str, int]
Rank = tuple[bool, int]  # (another value cannot be accumulated into it, scalar steps)


def shape_of(kind: TensorType, sizes: Sizes) -> tuple[int, ...]:
    """A type's extents at given sizes."""
    return tuple(d.evaluate(sizes) for d in kind.dims)


def linear_form(weights: Sequence[Residues], values: Sequence[Residues]) -> Residues:
    """Σ weight · value over all samples, for a batch: weights (*shape), values (n, *shape) → (n,)."""
    n = values[0].shape[0]
    parts = []
    for w, v in zip(weights, values, strict=True):
        product = zp.mul(v.reshape(n, -1), w.reshape(1, -1))
        parts.append(zp.total(product, (1,)))
    out = parts[0]
    for part in parts[1:]:
        out = zp.add(out, part)
    return out


@dataclass
class Bucket:
    """The values of one type: terms, costs, and per sample an array with a leading value axis."""

    type: TensorType
    weights: list[Residues]
    terms: list[Term] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)
    ranks: list[Rank] = field(default_factory=list)
    keys: dict[int, int] = field(default_factory=dict)
    _chunks: list[list[Num]] = field(default_factory=list)
    _inverses: list[Residues] | None = None

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def arrays(self) -> list[Num]:
        """Per sample, all values stacked: (n, *shape)."""
        if len(self._chunks) > 1:
            columns = list(zip(*self._chunks, strict=True))
            self._chunks = [
                [Num(np.concatenate([c.res for c in col]), np.concatenate([c.flt for c in col])) for col in columns]
            ]
        return self._chunks[0]

    @property
    def inverses(self) -> list[Residues]:
        """Per sample, 1/value of every value (0 where it is 0)."""
        if self._inverses is None or self._inverses[0].shape[0] != len(self.terms):
            self._inverses = [zp.inverse(a.res) for a in self.arrays]
        return self._inverses

    def of_cost(self, cost: int) -> npt.NDArray[np.int64]:
        """Positions of the values of exactly this cost."""
        return np.flatnonzero(np.array(self.costs) == cost)

    def add(self, values: list[Num], make: Callable[[int], Term], cost: int, ranks: Sequence[Rank]) -> int:
        """Keep the values (n, *shape per sample) whose fingerprint is new; how many were.

        Of two terms with one fingerprint the one of lower cost, then of lower rank stays.
        """
        prints = linear_form(self.weights, [v.res for v in values])
        fresh = []
        for position, key in enumerate(prints.tolist()):
            row = self.keys.get(key)
            if row is None:
                self.keys[key] = len(self.terms)
                self.terms.append(make(position))
                self.costs.append(cost)
                self.ranks.append(ranks[position])
                fresh.append(position)
            elif (cost, ranks[position]) < (self.costs[row], self.ranks[row]):
                self.terms[row], self.costs[row], self.ranks[row] = make(position), cost, ranks[position]
        if fresh:
            self._chunks.append([Num(v.res[fresh], v.flt[fresh]) for v in values])
        return len(fresh)


class Store:
    """All buckets, in the order in which their types appeared."""

    def __init__(self, sizes: Sequence[Sizes], source: Mapping[str, Lin], seed: int) -> None:
        self.sizes = list(sizes)
        self.source = source_sizes(source)
        self.buckets: dict[TensorType, Bucket] = {}
        self._rng = np.random.default_rng(seed)

    def __len__(self) -> int:
        return sum(len(b) for b in self.buckets.values())

    def bucket(self, kind: TensorType) -> Bucket:
        """The bucket of a type, made at first use."""
        if kind not in self.buckets:
            self.buckets[kind] = Bucket(kind, self.random_weights(kind))
        return self.buckets[kind]

    def random_weights(self, kind: TensorType) -> list[Residues]:
        """A random linear form on values of a type, one array per sample."""
        return [self._rng.integers(1, zp.P, size=shape_of(kind, s), dtype=np.uint64) for s in self.sizes]
