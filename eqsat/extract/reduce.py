"""What of an e-graph needs no integer program: classes below which nothing can be shared.

Sharing makes extraction hard: without it the cheapest tree is the cheapest program. A class can be needed twice only
below two children of one node, or below two roots, and what every program needs costs the same in all of them. So
most classes of chains and of scalar expressions are settled by the cheapest tree, and only the rest is left to solve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import and_, or_

from raising.eqsat.egraph.graph import EGraph
from raising.eqsat.extract.greedy import tree_costs
from raising.support.graphs import component_of, postorder
from raising.support.record import dataclass

MOST = 8_000
"""Classes above which nothing is settled: their sets take memory that grows with the number squared."""

Bits = int
"""A set of classes, by their places."""


@dataclass(frozen=True)
class Reduced:
    """An e-graph in which a settled class is one leaf that costs what its tree does.

    `kept` are the positions of its nodes in the whole one (the root of a tree, for a leaf), `costs` what they cost
    beyond what every program pays, which is `paid` in all; `trees` is the choice for classes that are settled, and
    `bound` what every program costs at least.
    """

    graph: EGraph
    costs: list[float]
    kept: list[int]
    paid: float
    trees: Mapping[int, int]
    bound: float

    def whole(self, choice: Mapping[int, int]) -> dict[int, int]:
        """The choice in the whole e-graph, for one in this one."""
        return {**self.trees, **{k: self.kept[n] for k, n in choice.items()}}

    def part(self, choice: Mapping[int, int]) -> dict[int, int]:
        """What of a choice in the whole e-graph can be chosen here; settled classes by their trees."""
        place = {n: j for j, n in enumerate(self.kept)}
        return {k: place[self.trees.get(k, n)] for k, n in choice.items() if self.trees.get(k, n) in place}


def reduced(graph: EGraph, costs: Sequence[float]) -> Reduced:
    """The part of an e-graph that an integer program has to choose in; every node has to be computable."""
    classes = sorted(graph.reachable())
    if len(classes) > MOST:
        return Reduced(graph, list(costs), list(range(len(graph.nodes))), 0.0, {}, 0.0)
    sets, prices = _Sets(graph, classes), list(costs)
    unavoidable = {k: min(prices[n] for n in graph.members[k]) for k in sets.unavoidable()}
    for klass, least in unavoidable.items():
        for n in graph.members[klass]:
            prices[n] -= least
    paid = sum(unavoidable.values())
    trees, totals = tree_costs(graph, prices)
    settled = {k: trees[k] for k in sets.settled(prices)}
    parts = sets.parts()
    least_trees = tree_costs(
        graph, [price * parts.get(node.klass, 1.0) for price, node in zip(prices, graph.nodes, strict=True)]
    )
    bound = paid + sum(least_trees[1][root] for root in set(graph.roots))
    return _without(graph, prices, paid, settled, totals, bound)


def _without(
    graph: EGraph,
    prices: Sequence[float],
    paid: float,
    trees: Mapping[int, int],
    totals: Mapping[int, float],
    bound: float,
) -> Reduced:
    """The e-graph with leaves in place of settled classes."""
    kept = [n for n, node in enumerate(graph.nodes) if trees.get(node.klass, n) == n]
    nodes = [replace(node, children=()) if (node := graph.nodes[n]).klass in trees else node for n in kept]
    costs = [totals[graph.nodes[n].klass] if graph.nodes[n].klass in trees else prices[n] for n in kept]
    whole = EGraph(tuple(nodes), graph.roots)
    needed = whole.reachable()
    places = [j for j, node in enumerate(nodes) if node.klass in needed]
    small = EGraph(tuple(nodes[j] for j in places), graph.roots)
    return Reduced(small, [costs[j] for j in places], [kept[j] for j in places], paid, trees, bound)


class _Sets:
    """Sets of classes of an e-graph: what each may need, and what it needs whatever is chosen."""

    def __init__(self, graph: EGraph, classes: Sequence[int]) -> None:
        self.graph, self.classes = graph, classes
        self.bit = {k: 1 << j for j, k in enumerate(classes)}
        self.nodes = [graph.nodes[n] for k in classes for n in graph.members[k]]
        self.edges = {k: {c for n in graph.members[k] for c in graph.nodes[n].children} for k in classes}
        self.order = postorder(graph.roots, self.edges.__getitem__)
        self.below = self._below()

    def _below(self) -> dict[int, Bits]:
        """What each class may need, itself included."""
        component = component_of(self.edges)
        found: dict[int, Bits] = {}
        for klass in self.order:  # the last one of a component that is left is after all that the component needs
            found[component[klass]] = (
                reduce(or_, (found.get(component[c], 0) for c in self.edges[klass]), found.get(component[klass], 0))
                | self.bit[klass]
            )
        return {klass: found[component[klass]] for klass in self.classes}

    def unavoidable(self) -> list[int]:
        """The classes that every program needs."""
        everything = (1 << len(self.classes)) - 1
        needs = dict.fromkeys(self.classes, everything)
        changed = True
        while changed:  # from above, so a class that needs itself does not count against what it needs
            changed = False
            for klass in self.order:
                ways = (self._all(needs, self.graph.nodes[n].children) for n in self.graph.members[klass])
                found = reduce(and_, ways, everything) | self.bit[klass]
                changed |= found != needs[klass]
                needs[klass] = found
        return self._members(self._all(needs, self.graph.roots))

    def settled(self, prices: Sequence[float]) -> set[int]:
        """The classes below which nothing that costs anything can be needed twice."""
        dear = sum(self.bit[k] for k in self._members(self.twice) if any(prices[n] > 0 for n in self.graph.members[k]))
        return {klass for klass in self.classes if not self.below[klass] & dear}

    def parts(self) -> dict[int, float]:
        """How much of a class's price a tree may count for each use, so that it counts no more than a program does.

        All of it where one use is the most; where many classes use it, each of which is used once, a part for each.
        """
        users: dict[int, Counter[int]] = {k: Counter({k: 1} if k in self.graph.roots else {}) for k in self.classes}
        for node in self.nodes:
            for child, uses in Counter(node.children).items():
                users[child][node.klass] = max(users[child][node.klass], uses)
        return {k: self._part(k, users[k]) for k in self.classes}

    def _part(self, klass: int, users: Counter[int]) -> float:
        if not self.twice & self.bit[klass]:
            return 1.0
        return 0.0 if any(self.twice & self.bit[user] for user in users) else 1.0 / users.total()

    @cached_property
    def twice(self) -> Bits:
        """What may be needed by two uses."""
        found = self._twice(self.graph.roots)
        for children in {node.children for node in self.nodes}:
            found |= self._twice(children)
        return found

    def _twice(self, children: Iterable[int]) -> Bits:
        """What two of some classes may need."""
        seen = found = 0
        for child in children:
            found |= seen & self.below[child]
            seen |= self.below[child]
        return found

    def _all(self, needs: Mapping[int, Bits], classes: Iterable[int]) -> Bits:
        return reduce(or_, (needs[k] for k in classes), 0)

    def _members(self, bits: Bits) -> list[int]:
        return [k for k in self.classes if bits & self.bit[k]]
