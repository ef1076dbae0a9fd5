"""The cheapest program with sharing, proved: an integer program over the e-graph, solved by HiGHS.

One binary variable per node; a root needs one node, a chosen node needs one of
each child class. A class on a cycle has a level above those of its children
that are on the same one (Miller, Tucker and Zemlin 1960), so no solution has a
cycle. Starts from the greedy solution and reports the gap that is left when
the nodes of its search tree are used up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from raising.eqsat.egraph.graph import EGraph
from raising.eqsat.extract.greedy import cost_of, cycle, shared, tree, used
from raising.eqsat.extract.reduce import reduced
from raising.support.graphs import component_of
from raising.support.record import dataclass

GAP = 1e-6
"""How much cheaper, relative to the whole, another program may be: far below what any cost is known to."""

NEAR = 2.5e-3
"""How much cheaper another program may be where that is known without a search, or of many variables: a quarter of the
least gain."""

_MANY = 500
"""Variables from which on the search ends at `NEAR`: to show the rest took three of four seconds for 1128."""

LARGEST = 50_000
"""Nodes worth choosing, above which the greedy program is taken: to write the integer program takes too long."""

_EFFORT = 250_000
"""Nodes of the solver's search tree times variables: a few seconds where bounds are weak and the tree does not end."""

_BRANCHING = "mip_pscost_minreliable", 0
"""Option of the solver: each node takes one linear program. It would try several ways to branch first, each by solving
one, which `_EFFORT` does not count and which takes most of the time: 60 % for 688 variables."""

SMALL = 0.01
"""The share of `LARGEST` and of the effort for a program of which one fused loop is made either way."""

_SCALE = 1e4  # what the greedy program costs in the solver's units: its tolerances are absolute


@dataclass(frozen=True)
class Extraction:
    """A choice, its cost with sharing, and a lower bound on what any choice costs."""

    choice: dict[int, int]
    cost: float
    bound: float

    @property
    def gap(self) -> float:
        """How much cheaper another program could be at most, relative to this one; 0 if none can."""
        return 0.0 if self.cost <= self.bound or not self.cost else (self.cost - self.bound) / self.cost


def exact(graph: EGraph, costs: Sequence[float], seconds: float = math.inf, share: float = 1.0) -> Extraction:
    """The choice of least cost with sharing, up to `GAP`, or the best one known when the effort is over.

    The `seconds` of the clock are those that the user gave. `share` is how much of the effort the gain may be worth.
    """
    kept = undominated(graph, costs)
    small, prices = EGraph(tuple(graph.nodes[n] for n in kept), graph.roots), [float(costs[n]) for n in kept]
    best, bound = _chosen(small, prices, seconds, share)
    cost = cost_of(small, best, prices)
    return Extraction({k: kept[n] for k, n in best.items()}, cost, min(max(bound, 0.0), cost))


def _chosen(graph: EGraph, costs: Sequence[float], seconds: float, share: float) -> tuple[dict[int, int], float]:
    """The best choice that is found, and a bound on the cost of any; an integer program for what is not settled."""
    left, best = reduced(graph, costs), tree(graph, costs)
    if left.bound >= cost_of(graph, best, costs) * (1 - GAP):
        return best, left.bound
    best = shared(graph, costs)
    cost = cost_of(graph, best, costs)
    if len(graph.nodes) > LARGEST * share or left.bound >= cost * (1 - NEAR):
        return best, left.bound
    found, bound = _Program(left.graph, left.costs, cost / _SCALE).solve(left.part(best), seconds, share)
    found = left.whole(found) if found else best
    better = not cycle(graph, found) and cost_of(graph, found, costs) < cost
    return found if better else best, left.paid + bound


def undominated(graph: EGraph, costs: Sequence[float]) -> list[int]:
    """The positions of the nodes that a cheapest program may need.

    Without those that no finite program has, and those of which another of their
    class needs no other children and costs no more.
    """
    computable = tree(graph, costs).keys()
    kept: list[int] = []
    for klass in sorted(graph.reachable()):
        known: list[set[int]] = []
        for n in sorted(graph.members.get(klass, ()), key=lambda n: (costs[n], len(set(graph.nodes[n].children)), n)):
            children = set(graph.nodes[n].children)
            if klass in children or not children <= computable or any(k <= children for k in known):
                continue
            known.append(children)
            kept.append(n)
    return kept


class _Program:
    """The integer program of an e-graph that only has nodes worth choosing."""

    def __init__(self, graph: EGraph, costs: Sequence[float], unit: float) -> None:
        self.graph, self.unit, self.classes = graph, unit, sorted(graph.reachable())
        self.nodes = [n for k in self.classes for n in graph.members[k]]
        self.variable = {n: j for j, n in enumerate(self.nodes)}
        self.users = self._users()
        self.component = component_of(self.users)
        sizes = Counter(self.component.values())
        self.cyclic = {k: sizes[self.component[k]] for k in self.classes if sizes[self.component[k]] > 1}
        self.level = {k: len(self.nodes) + j for j, k in enumerate(self.cyclic)}
        self.highs: Any = import_module("highspy")  # most programs are settled without
        self.solver = self.highs.Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", GAP), _BRANCHING):
            self.solver.setOptionValue(option, value)
        self._columns([costs[n] / unit for n in self.nodes])
        for root in set(graph.roots):
            self._row(1.0, self.highs.kHighsInf, dict.fromkeys(self._choices(root), 1.0))
        for klass in self.classes:
            self._class(klass)

    def _columns(self, costs: list[float]) -> None:
        count = len(costs)
        columns = np.arange(count, dtype=np.int32)
        self.solver.addVars(count, np.zeros(count), np.ones(count))
        self.solver.changeColsCost(count, columns, np.array(costs))
        self.solver.changeColsIntegrality(count, columns, np.full(count, self.highs.HighsVarType.kInteger))
        for size in self.cyclic.values():
            self.solver.addVar(0.0, size - 1.0)

    def _choices(self, klass: int) -> list[int]:
        return [self.variable[n] for n in self.graph.members[klass]]

    def _users(self) -> dict[int, dict[int, list[int]]]:
        """Per class those that need it, each with the variables of its nodes that do."""
        found: dict[int, dict[int, list[int]]] = {k: {} for k in self.classes}
        for n, variable in self.variable.items():
            for child in set(self.graph.nodes[n].children):
                found[child].setdefault(self.graph.nodes[n].klass, []).append(variable)
        return found

    def _class(self, klass: int) -> None:
        """At most one node of a class; one of it for each node that needs it, and there a level above its own."""
        if len(self.graph.members[klass]) > 1:
            self._row(-self.highs.kHighsInf, 1.0, dict.fromkeys(self._choices(klass), 1.0))
        for user, theirs in self.users[klass].items():
            self._row(0.0, self.highs.kHighsInf, dict.fromkeys(self._choices(klass), 1.0) | dict.fromkeys(theirs, -1.0))
            if klass in self.cyclic and self.component[user] == self.component[klass]:
                self._above(user, klass, theirs)

    def _above(self, klass: int, child: int, mine: list[int]) -> None:
        """Where one of `mine` is chosen, the level of a class is above its child's; the child does not need it back."""
        size = float(self.cyclic[klass])
        levels = {self.level[klass]: 1.0, self.level[child]: -1.0}
        self._row(1.0 - size, self.highs.kHighsInf, levels | dict.fromkeys(mine, -size))
        back = self.users[klass].get(child, []) if klass < child else []
        if back:
            self._row(-self.highs.kHighsInf, 1.0, dict.fromkeys((*mine, *back), 1.0))

    def _row(self, low: float, high: float, factors: Mapping[int, float]) -> None:
        where = np.fromiter(factors, dtype=np.int32, count=len(factors))
        self.solver.addRow(low, high, len(where), where, np.array(list(factors.values())))

    def solve(self, known: Mapping[int, int], seconds: float, share: float) -> tuple[dict[int, int], float]:
        """A choice, empty if none was found, and a bound on the cost of any; begins with what is `known`."""
        self._start(known)
        self.solver.setOptionValue("time_limit", seconds)
        self.solver.setOptionValue("mip_abs_gap", NEAR * _SCALE if len(self.nodes) > _MANY else GAP)
        self.solver.setOptionValue("mip_max_nodes", max(1, int(_EFFORT * share) // len(self.nodes)))
        self.solver.run()
        values = self.solver.getSolution().col_value
        chosen = [n for j, n in enumerate(self.nodes) if j < len(values) and values[j] > 0.5]
        choice = {self.graph.nodes[n].klass: n for n in chosen}
        needed = {*self.graph.roots, *(c for n in chosen for c in self.graph.nodes[n].children)}
        bound = self.solver.getInfo().mip_dual_bound * self.unit
        return (choice if needed <= choice.keys() else {}), bound

    def _start(self, known: Mapping[int, int]) -> None:
        """Tell the solver of a program."""
        values = [0.0] * (len(self.nodes) + len(self.level))
        for klass in used(self.graph, known):
            values[self.variable[known[klass]]] = 1.0
            if klass in self.level:
                near = (
                    c for c in self.graph.nodes[known[klass]].children if self.component[c] == self.component[klass]
                )
                values[self.level[klass]] = max((values[self.level[c]] + 1.0 for c in near), default=0.0)
        solution = self.highs.HighsSolution()
        solution.col_value = values
        self.solver.setSolution(solution)
