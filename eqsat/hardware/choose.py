"""The circuit of an e-graph with the least gates, the fewest levels, or the least product of both.

Levels are a longest way, so the fewest for each class come out of Knuth's algorithm with a maximum in place of a sum.
Gates count once for all users. Under a limit on levels each class takes the cheapest of its nodes that are in time,
and then single nodes are exchanged as long as the whole gets cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from raising.eqsat.egraph.graph import EGraph
from raising.eqsat.extract.greedy import cycle, settled, tree_costs, used
from raising.eqsat.extract.ilp import exact
from raising.eqsat.hardware.costs import Cost
from raising.support.graphs import postorder
from raising.support.record import dataclass

AREA, DELAY, PRODUCT = "area", "delay", "area-delay"
_STEPS = 8  # limits on levels, between the fewest and those of the smallest circuit
_VISITS = 400_000  # nodes that are looked at to improve one choice
_SLACK = 1e-6
_EFFORT = 3.0  # seconds of the integer program

Choice = dict[int, int]


@dataclass(frozen=True)
class Chosen:
    """A node for each class that is needed, with gates and levels of the whole."""

    choice: Choice
    area: float
    delay: float

    def better_by(self, goal: str) -> tuple[float, float]:
        """The two measures to minimise, the more important one first."""
        product = self.area * self.delay
        return {AREA: (self.area, self.delay), DELAY: (self.delay, self.area), PRODUCT: (product, self.delay)}[goal]


def choose(graph: EGraph, costs: Sequence[Cost], goal: str, given: Choice) -> tuple[Chosen, Chosen]:
    """The circuit that was `given` with its costs, and the best one that is found: that one, if none is better."""
    search = _Search(graph, costs)
    before = search.chosen(given)
    return before, min([before, *search.candidates(goal)], key=lambda c: c.better_by(goal))


class _Search:
    def __init__(self, graph: EGraph, costs: Sequence[Cost]) -> None:
        self.graph, self.costs = graph, costs
        self.early = self._earliest()
        self.areas = [c.area for c in costs]
        self.by_area, self.tree_area = tree_costs(graph, self.areas)

    def candidates(self, goal: str) -> Iterator[Chosen]:
        """Circuits that may be the best."""
        least = max((self.early[r] for r in self.graph.roots), default=0.0)
        yield self.within(least)
        if goal != DELAY:
            smallest = self._smallest()
            yield smallest
            for step in range(1, _STEPS):
                yield self.within(least + (smallest.delay - least) * step / _STEPS)

    def _smallest(self) -> Chosen:
        usable = [n for n, c in enumerate(self.costs) if c.area < math.inf]
        small = EGraph(tuple(self.graph.nodes[n] for n in usable), self.graph.roots)
        found = exact(small, [self.areas[n] for n in usable], _EFFORT)
        return self.chosen({k: usable[n] for k, n in found.choice.items()})

    def chosen(self, choice: Choice) -> Chosen:
        """A choice with what it costs."""
        return Chosen(choice, *self._measured(choice))

    def _measured(self, choice: Mapping[int, int]) -> tuple[float, float]:
        """Gates and levels of a choice without cycles."""
        levels: dict[int, float] = {}
        area = 0.0
        for klass in postorder(self.graph.roots, self._below(choice)):
            node = self.graph.nodes[choice[klass]]
            levels[klass] = self.costs[choice[klass]].delay + max((levels[c] for c in node.children), default=0.0)
            area += self.areas[choice[klass]]
        return area, max((levels[r] for r in self.graph.roots), default=0.0)

    def _below(self, choice: Mapping[int, int]) -> Callable[[int], Sequence[int]]:
        return lambda klass: self.graph.nodes[choice[klass]].children

    def _earliest(self) -> dict[int, float]:
        """The fewest levels of each class."""

        def levels(n: int, found: Mapping[int, float]) -> float | None:
            last = max((found[c] for c in self.graph.nodes[n].children), default=0.0)
            level = last + self.costs[n].delay
            return level if level < math.inf else None

        return settled(self.graph, levels, float)[1]

    def within(self, limit: float) -> Chosen:
        """A small circuit of at most so many levels, if that is possible at all."""
        due: dict[int, float] = {}
        choice: Choice = {}
        queue = [(r, limit + _SLACK) for r in self.graph.roots]
        while queue:
            klass, time = queue.pop()
            if time >= due.get(klass, math.inf):
                continue
            due[klass] = time
            node = choice[klass] = self._in_time(klass, time)
            queue += [(c, time - self.costs[node].delay) for c in self.graph.nodes[node].children]
        return self._improved({k: choice[k] for k in used(self.graph, choice)}, limit + _SLACK)

    def _in_time(self, klass: int, time: float) -> int:
        """The node of a class that takes the least gates with all below it, among those that can be in time."""

        def gates(n: int) -> tuple[bool, float]:
            children = self.graph.nodes[n].children
            last = max((self.early.get(c, math.inf) for c in children), default=0.0)
            late = last + self.costs[n].delay > time + _SLACK
            size = self.areas[n] + sum(self.tree_area.get(c, math.inf) for c in set(children))
            return late, last + self.costs[n].delay if late else size

        return min(self.graph.members[klass], key=gates)

    def _improved(self, choice: Choice, limit: float) -> Chosen:
        """Exchange single nodes as long as there are fewer gates, in time."""
        options = {**self.by_area, **choice}  # what is below a node that is not in the choice yet
        best = self.chosen(options)
        left, changed = _VISITS, True
        while changed and left > 0:
            changed = False
            for klass in used(self.graph, options):
                for node in self.graph.members[klass]:
                    kept = options[klass]
                    if node == kept or not self._possible(node, options):
                        continue
                    options[klass] = node
                    tried = None if cycle(self.graph, options) else self._measured(options)
                    left -= len(self.graph.roots) + 100
                    if tried is not None and tried[0] < best.area - _SLACK and tried[1] <= limit:
                        best, changed = Chosen(dict(options), *tried), True
                    else:
                        options[klass] = kept
        return Chosen({k: best.choice[k] for k in used(self.graph, best.choice)}, best.area, best.delay)

    def _possible(self, node: int, options: Choice) -> bool:
        return self.areas[node] < math.inf and all(c in options for c in self.graph.nodes[node].children)
