"""A macro rule: chains of products as segments, in place of associativity.

Rules that associate find the classes of a chain one by one, and match each pair of products. Here a chain of n factors
is read at once; its segments are the n(n+1)/2 pairs of ends, and the best split of each is found by the textbook's
dynamic program over arrays, in O(n³) steps. The products of best splits are added to the e-graph, for every segment
that is a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.eqsat.chains.chains import Chain, ChainFinder, Link, neutral
from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import EGraph, Tables, of_sort
from raising.eqsat.extract.cost_model import Meter
from raising.eqsat.extract.greedy import tree_costs
from raising.support.record import dataclass


@dataclass(frozen=True)
class Added:
    """The tables with the products that were added, and the lengths of the chains that these are from."""

    tables: Tables
    lengths: tuple[int, ...]


def add_chains(graph: EGraph, tables: Tables, meter: Meter) -> Added:
    """Add to the tables the cheapest association of every chain of products, by the costs of `meter`."""
    finder = ChainFinder(graph, tables, meter)
    chains = finder.chains()
    adder = _Adder(graph, tables, meter, {c.factors: k for k, c in chains.items()})
    lengths = []
    done: set[int] = set()
    for klass, chain in sorted(chains.items(), key=lambda item: -len(item[1].factors)):
        if klass not in done and len(chain.factors) > 2:
            done |= adder.add(chain)
            lengths.append(len(chain.factors))
    return Added(Tables((*tables.rows, *adder.rows), tables.hidden), tuple(lengths))


@dataclass
class _Segments:
    """The tables of the dynamic program for a chain: costs of segments, and their split (-1: nowhere).

    `extents[p]` are those of the dimensions that meet at place p, before factor
    p, `counted` what these count as where they are known at run time only;
    `ranks[p]` how many they are; `shared` those that every tensor has.
    """

    cost: NDArray[np.float64]
    split: NDArray[np.int64]
    shared: tuple[int, ...]
    ranks: NDArray[np.int64]
    extents: NDArray[np.int64]
    counted: NDArray[np.int64]

    def shape(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Any, ...]:
        """The extents of segments that agree in their ranks, each an array with one entry for a segment."""
        return self._of(self.extents, first, last)

    def sizes(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Any, ...]:
        """The numbers that stand for these extents in costs."""
        return self._of(self.counted, first, last)

    def _of(self, extents: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[Any, ...]:
        left = [extents[first, d] for d in range(self.ranks[first[0]])]
        right = [extents[last + 1, d] for d in range(self.ranks[last[0] + 1])]
        return (*self.shared, *left, *right)


class _Adder:
    """Adds the products of best splits as rows."""

    def __init__(self, graph: EGraph, tables: Tables, meter: Meter, classes: Mapping[tuple[int, ...], int]) -> None:
        self.tables, self.meter, self.classes = tables, meter, classes
        self.total = tree_costs(graph, meter.costs())[1]
        self.graph = graph
        self.rows: list[Row] = []
        self.known = {(r.name, r.inputs): r.output for r in tables.rows}
        numbers = [v.number for r in tables.rows for v in (*r.inputs, r.output) if isinstance(v, Ref)]
        self.fresh = max(numbers, default=0)

    def add(self, chain: Chain) -> set[int]:
        """Add the best products of a chain; the classes of its segments, which need no chain of their own."""
        segments = self._solved(chain)
        if segments is None:
            return set()
        n = len(chain.factors)
        spans = [(i, j) for i in range(n) for j in range(i + 1, n)]
        made = {(i, i): factor for i, factor in enumerate(chain.factors)}
        there = {s: k for s in spans if (k := self.classes.get(chain.factors[s[0] : s[1] + 1])) is not None}
        for span in there:
            self._products(chain, segments, span, made)
        return set(there.values())

    # ---- rows ------------------------------------------------------------------------------------

    def _products(
        self, chain: Chain, segments: _Segments, span: tuple[int, int], made: dict[tuple[int, int], int]
    ) -> None:
        """The products of the best association of a segment, inner ones first."""
        stack = [span]
        while stack:
            i, j = stack[-1]
            k = int(segments.split[i, j])
            missing = [] if k < 0 else [s for s in ((i, k), (k + 1, j)) if s not in made]
            if (i, j) not in made and missing:
                stack += missing
                continue
            stack.pop()
            if (i, j) not in made:
                klass = self.classes.get(chain.factors[i : j + 1])
                made[i, j] = self._number() if klass is None else klass
                if k >= 0:
                    self._product(chain, segments, (i, k, j), made)

    def _product(
        self, chain: Chain, segments: _Segments, at: tuple[int, int, int], made: Mapping[tuple[int, int], int]
    ) -> None:
        i, k, j = at
        left, summed, right = (int(segments.ranks[p]) for p in (i, k + 1, j + 1))
        link = chain.links[len(segments.shared), left, summed, right]
        row = self._template(link.position)
        shape = tuple(int(np.asarray(e).flat[0]) for e in segments.shape(np.array([i]), np.array([j])))
        kind = self._type(of_sort(row, "Type")[0], shape)
        operands = {link.product.left: made[i, k], link.product.right: made[k + 1, j]}
        if link.destination is not None and link.product.destination is not None:
            operands[link.product.destination] = self._start_of(link.destination, kind)
        self._row(row, operands, kind, made[i, j])

    def _template(self, position: int) -> Row:
        return self.tables.row(self.graph.nodes[position])

    def _start_of(self, klass: int, kind: Ref) -> int:
        """The start of a sum of another type, made as it was made for this one."""
        position = neutral(self.meter, klass)
        assert position is not None
        row = self._template(position)
        operands = of_sort(row, "Op")
        found = {n: self._start_of(r.number, kind) for n, r in enumerate(operands) if n}
        return self._row(row, found, kind, None)

    def _row(self, template: Row, operands: Mapping[int, int], kind: Ref, klass: int | None) -> int:
        """A row like another one with some operands and the type exchanged; its class, a new one if not given."""
        inputs, number = [], 0
        for value in template.inputs:
            if isinstance(value, Ref) and value.sort == "Op":
                inputs.append(Ref("Op", operands.get(number, value.number)))
                number += 1
            else:
                inputs.append(kind if isinstance(value, Ref) and value.sort == "Type" else value)
        key = (template.name, tuple(inputs))
        if klass is None and key in self.known:
            return int(self.known[key].number)
        output = Ref("Op", self._number() if klass is None else klass)
        if self.known.setdefault(key, output) is output:
            self.rows.append(Row(*key, output))
        return output.number

    def _type(self, like: Ref, shape: tuple[int, ...]) -> Ref:
        """The tensor of a shape, with the element type of another one."""
        element = next(r.inputs[1] for r in self.tables.rows if r.output == like and r.name == "RankedTensor")
        key = ("RankedTensor", (shape, element))
        if key not in self.known:
            self.known[key] = Ref("Type", self._number())
            self.rows.append(Row(*key, self.known[key]))
        kind: Ref = self.known[key]
        return kind

    def _number(self) -> int:
        self.fresh += 1
        return self.fresh

    # ---- the dynamic program ---------------------------------------------------------------------

    def _solved(self, chain: Chain) -> _Segments | None:
        segments = self._start(chain)
        if segments is None:
            return None
        n = len(chain.factors)
        for length in range(2, n + 1):
            first = np.arange(n - length + 1)
            best = self._best(chain, segments, first, length)
            for i, (cost, split) in enumerate(best):
                klass = self.classes.get(chain.factors[i : i + length]) if length < n else None
                if klass is not None and self.total.get(klass, np.inf) < cost:
                    cost, split = self.total[klass], -1
                segments.cost[i, i + length - 1], segments.split[i, i + length - 1] = cost, split
        return segments if np.isfinite(segments.cost[0, n - 1]) else None

    def _start(self, chain: Chain) -> _Segments | None:
        """The extents at each place between factors; None if they are not known."""
        n, ranks, extents = len(chain.factors), [chain.left], []
        shapes = [self._static(f) for f in chain.factors]
        shared = next(iter(chain.links))[0]
        for shape in shapes:
            if shape is None:
                return None
            extents.append(shape[shared : shared + ranks[-1]])
            ranks.append(len(shape) - shared - ranks[-1])
        if shapes[-1] is None or min(ranks) < 0 or any(f not in self.total for f in chain.factors):
            return None
        extents.append(shapes[-1][shared + ranks[-2] :])
        padded = np.ones((n + 1, max(1, *ranks)), dtype=np.int64)
        for place, known in enumerate(extents):
            padded[place, : len(known)] = known
        cost = np.full((n, n), np.inf)
        cost[np.arange(n), np.arange(n)] = [self.total[f] for f in chain.factors]
        split = np.full((n, n), -1, dtype=np.int64)
        counted = padded.copy()
        for number, size in self.meter.pricing.extents.items():
            counted[padded == number] = size
        return _Segments(cost, split, shapes[-1][:shared], np.array(ranks), padded, counted)

    def _static(self, klass: int) -> tuple[int, ...] | None:
        """The shape of a class of tensors whose extents are numbers."""
        types = self.meter.single.types.get(klass, ())
        if len(types) != 1 or self.tables.tree(types[0])[0] != "RankedTensor":
            return None
        return tuple(self.tables.tree(types[0])[1])

    def _best(
        self, chain: Chain, segments: _Segments, first: NDArray[np.int64], length: int
    ) -> Iterator[tuple[float, int]]:
        """The least cost and the split of each segment of one length."""
        starts = np.repeat(first, length - 1)
        splits = starts + np.tile(np.arange(length - 1), len(first))
        ends = starts + length - 1
        found = segments.cost[starts, splits] + segments.cost[splits + 1, ends]
        ranks, base = segments.ranks, int(segments.ranks.max()) + 1
        groups = (ranks[starts] * base + ranks[splits + 1]) * base + ranks[ends + 1]
        for group in np.flatnonzero(np.bincount(groups)):
            at = np.flatnonzero(groups == group)
            left, summed, right = (int(n) for n in np.unravel_index(group, (base, base, base)))
            link = chain.links.get((len(segments.shared), left, summed, right))
            found[at] += np.inf if link is None else self._price(link, segments, starts[at], splits[at], ends[at])
        table = found.reshape(len(first), length - 1)
        for start, best in zip(first, np.argmin(table, axis=1), strict=True):
            yield float(table[start, best]), int(start + best)

    def _price(
        self,
        link: Link,
        segments: _Segments,
        starts: NDArray[np.int64],
        splits: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> Any:
        """The costs of the products of many segments at once, the starts of their sums included."""
        operands: list[tuple[Any, ...]] = [()] * 3
        operands[link.product.left] = segments.sizes(starts, splits)
        operands[link.product.right] = segments.sizes(splits + 1, ends)
        price = 0.0
        if link.destination is not None and link.product.destination is not None:
            out = segments.sizes(starts, ends)
            operands[link.product.destination] = out
            start = neutral(self.meter, link.destination)
            assert start is not None
            price = self.meter.price(start, [(), out])
        return price + self.meter.price(link.position, operands)
