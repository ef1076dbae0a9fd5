"""The cost of each node of a frozen e-graph: what it does (`node_work`), at prices (`prices`).

The operations inside of a region are nodes too: each counts as often as the region runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from raising.eqsat.egraph.encode import Encoded
from raising.eqsat.egraph.graph import STRUCTURE, EGraph, Tables, bound_classes, of_sort
from raising.eqsat.egraph.vocabulary import Vocabulary
from raising.eqsat.extract.greedy import cost_of, tree
from raising.eqsat.extract.node_work import NodeWork, Operands
from raising.eqsat.extract.op_work import Amount, Work, priced
from raising.eqsat.extract.prices import Pricing
from raising.eqsat.extract.single import Singles

UNLOWERED = 1e15  # what an operation costs that cannot be compiled: any other program is cheaper
_AGAIN = 1e-3  # of what is in a region and was counted with its operation: enough to choose by
_NESTED = 8  # how deep regions in regions are counted


class Meter:
    """Costs of the nodes of one e-graph."""

    def __init__(
        self, graph: EGraph, tables: Tables, encoded: Encoded, vocabulary: Vocabulary, pricing: Pricing
    ) -> None:
        self.graph, self.tables, self.encoded, self.pricing = graph, tables, encoded, pricing
        self.single = Singles(graph, tables, encoded, vocabulary, pricing.sizes)
        self._node_work = NodeWork(self.single, pricing)
        self._paid: dict[Work, tuple[Amount, ...]] = {}

    @cached_property
    def work(self) -> list[tuple[Work, Operands]]:
        """For each node what it does, and the shapes of its operands."""
        return self._node_work.all()

    @cached_property
    def bound(self) -> frozenset[int]:
        """The classes that belong to a region."""
        return bound_classes(self.graph, self.tables)

    def costs(self) -> list[float]:
        """The cost of each node, without what is below it but with its regions."""
        return [self.price(n, self.work[n][1]) for n in range(len(self.graph.nodes))]

    def price(self, position: int, shapes: Sequence[tuple[Any, ...]]) -> Any:
        """The cost of a node if its operands had these shapes; an extent may be an array of numbers."""
        node, (work, _) = self.graph.nodes[position], self.work[position]
        if node.op in STRUCTURE and not work.amounts:
            return 0.0
        price = self._own(work, shapes)
        if position in self._owners and node.klass not in self._node_work.whole:
            price = price + _runs(work, shapes) * self._regions[position]
        return price * (_AGAIN if node.klass in self.bound else 1.0)

    def _own(self, work: Work, shapes: Sequence[tuple[Any, ...]]) -> Any:
        """The cost of work without that of regions."""
        prices = self.pricing.prices
        if work not in self._paid:
            self._paid[work] = priced(work, prices.features, prices.default)
        extra = 0.0 if work.lowered else UNLOWERED
        return prices.each + extra + sum(a.value(shapes) for a in self._paid[work])

    # ---- regions ---------------------------------------------------------------------------------

    @cached_property
    def _owners(self) -> dict[int, tuple[int, ...]]:
        """The nodes that have regions, with the classes of these."""
        nodes = ((n, of_sort(self.tables.row(node), "Region")) for n, node in enumerate(self.graph.nodes))
        return {n: tuple(r.number for r in regions) for n, regions in nodes if regions}

    @cached_property
    def _regions(self) -> dict[int, float]:
        """The least cost of one run of a node's regions: of the operations that depend on an argument of some block."""
        found = dict.fromkeys(self._owners, 0.0)
        alone = [
            self._own(*self.work[n]) if node.klass in self.bound and node.op not in STRUCTURE else 0.0
            for n, node in enumerate(self.graph.nodes)
        ]
        for _ in range(_NESTED if found else 0):
            costs = list(alone)
            for n in found:
                costs[n] += _runs(*self.work[n]) * found[n] if self.graph.nodes[n].klass in self.bound else 0.0
            choice = tree(EGraph(self.graph.nodes, ()), costs)
            by_regions = {r: self._once(r, choice, costs) for r in set(self._owners.values())}
            now = {n: by_regions[r] for n, r in self._owners.items()}
            if now == found:
                break
            found = now
        return found

    def _once(self, regions: tuple[int, ...], choice: dict[int, int], costs: list[float]) -> float:
        inside = tuple(r for r in regions if r in choice)
        return cost_of(EGraph(self.graph.nodes, inside), choice, costs)


def _runs(work: Work, shapes: Sequence[tuple[Any, ...]]) -> Any:
    """How often the regions of an operation run."""
    return Amount("", work.share, work.points).value(shapes)
