"""The cheapest program with sharing, proved: an integer program over the e-graph, solved by HiGHS.

One binary variable per node; a root needs one node, a chosen node needs one of
each child class. Cycles are cut when a solution has one. Starts from the greedy
solution and reports the gap that is left when time runs out.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import highspy
import numpy as np

from eqsat.egraph import EGraph
from eqsat.extract import cost_of, cycle, shared, tree, used


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


def exact(graph: EGraph, costs: Sequence[float], seconds: float = 10.0) -> Extraction:
    """The choice of least cost with sharing, or the best one known when `seconds` are over."""
    deadline = time.monotonic() + seconds
    best = shared(graph, costs)
    cost = cost_of(graph, best, costs)
    program = _Program(graph, costs)
    program.start(best)
    bound = 0.0
    while (left := deadline - time.monotonic()) > 0:
        found = program.solve(left)
        bound = max(bound, found.bound)
        loop = cycle(graph, found.choice) if found.choice else []
        if loop:
            program.cut([found.choice[k] for k in loop])
            continue
        if found.choice and cost_of(graph, found.choice, costs) < cost:
            best, cost = found.choice, cost_of(graph, found.choice, costs)
        break
    return Extraction(best, cost, min(bound, cost))


@dataclass(frozen=True)
class _Solution:
    choice: dict[int, int]
    bound: float


class _Program:
    """The integer program: which nodes are in it, and its rows."""

    def __init__(self, graph: EGraph, costs: Sequence[float]) -> None:
        self.graph = graph
        computable = tree(graph, costs)
        self.nodes = [
            n
            for k in sorted(graph.reachable())
            for n in graph.members.get(k, ())
            if k not in graph.nodes[n].children and all(c in computable for c in graph.nodes[n].children)
        ]
        self.variable = {n: j for j, n in enumerate(self.nodes)}
        self.solver = highspy.Highs()
        self.solver.setOptionValue("output_flag", False)
        self.solver.setOptionValue("threads", 1)
        self.solver.setOptionValue("mip_rel_gap", 0.0)
        count = len(self.nodes)
        columns = np.arange(count, dtype=np.int32)
        self.solver.addVars(count, np.zeros(count), np.ones(count))
        self.solver.changeColsCost(count, columns, np.array([float(costs[n]) for n in self.nodes]))
        self.solver.changeColsIntegrality(count, columns, np.full(count, highspy.HighsVarType.kInteger))
        for root in set(graph.roots):
            self._at_least(self._choices(root), None)
        for node in self.nodes:
            for child in set(graph.nodes[node].children):
                self._at_least(self._choices(child), self.variable[node])

    def _choices(self, klass: int) -> list[int]:
        return [self.variable[n] for n in self.graph.members.get(klass, ()) if n in self.variable]

    def _at_least(self, variables: list[int], node: int | None) -> None:
        """The sum of `variables` is at least one; where `node` is given, only if that one is chosen."""
        where = variables + ([] if node is None else [node])
        factors = [1.0] * len(variables) + ([] if node is None else [-1.0])
        low = 1.0 if node is None else 0.0
        self._row(low, highspy.kHighsInf, where, factors)

    def _row(self, low: float, high: float, where: list[int], factors: list[float]) -> None:
        self.solver.addRow(low, high, len(where), np.array(where, dtype=np.int32), np.array(factors))

    def start(self, choice: dict[int, int]) -> None:
        """Begin with a known program."""
        solution = highspy.HighsSolution()
        chosen = {choice[k] for k in used(self.graph, choice)}
        solution.col_value = [1.0 if n in chosen else 0.0 for n in self.nodes]
        self.solver.setSolution(solution)

    def cut(self, nodes: list[int]) -> None:
        """These nodes form a cycle: not all of them together."""
        self._row(-highspy.kHighsInf, len(nodes) - 1.0, [self.variable[n] for n in nodes], [1.0] * len(nodes))

    def solve(self, seconds: float) -> _Solution:
        self.solver.setOptionValue("time_limit", self.solver.getRunTime() + seconds)
        self.solver.run()
        values = self.solver.getSolution().col_value
        choice: dict[int, int] = {}
        for j, node in enumerate(self.nodes):
            if j < len(values) and values[j] > 0.5:
                choice.setdefault(self.graph.nodes[node].klass, node)
        whole = all(r in choice for r in self.graph.roots) and all(
            c in choice for n in choice.values() for c in self.graph.nodes[n].children
        )
        return _Solution(choice if whole else {}, self.solver.getInfo().mip_dual_bound)
