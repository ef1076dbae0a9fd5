"""The cheapest program of an e-graph: by tree cost, and greedily by the cost of the graph with sharing.

A choice names one node for each class that the roots need; it never has a cycle. Tree cost counts a shared value once
for each use, and its minimum is found exactly (Knuth 1977, "A generalization of Dijkstra's algorithm"). The cost with
sharing is hard to minimise: `shared` is a bound, greedy and then improved by single exchanges; `ilp` proves it.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from raising.eqsat.egraph.graph import EGraph
from raising.support.graphs import postorder

V = TypeVar("V")
Choice = Mapping[int, int]

VISITS = 2_000_000
"""Classes that are looked at to improve a choice: about a second."""

_LESS = 1e-9  # of a cost: what counts as cheaper


class NoProgram(Exception):
    """A root can be computed by no finite program: each way to it needs itself."""


def tree(graph: EGraph, costs: Sequence[float]) -> dict[int, int]:
    """The choice of least tree cost, for every class that can be computed; costs are not negative."""
    return _computable(graph, tree_costs(graph, costs)[0])


def tree_costs(graph: EGraph, costs: Sequence[float]) -> tuple[dict[int, int], dict[int, float]]:
    """The choice of least tree cost and that cost, for every class that can be computed, whatever the roots are."""
    return settled(graph, lambda n, total: costs[n] + sum(total[c] for c in graph.nodes[n].children), float)


def settled(
    graph: EGraph, value: Callable[[int, Mapping[int, V]], V | None], key: Callable[[V], float]
) -> tuple[dict[int, int], dict[int, V]]:
    """The best node of every class that can be computed, and what it is worth (Knuth 1977).

    `value` is what a node is worth where it needs classes of such values, or None if it cannot be; the least by `key`
    is the best, and none is less than a value that it needs.
    """
    missing = [len(set(n.children)) for n in graph.nodes]
    values: dict[int, V] = {}
    choice: dict[int, int] = {}
    heap: list[tuple[float, int, V]] = []

    def offer(node: int) -> None:
        found = value(node, values)
        if found is not None:
            heapq.heappush(heap, (key(found), node, found))

    for node in (n for n, count in enumerate(missing) if not count):
        offer(node)
    while heap:
        _, position, found = heapq.heappop(heap)
        klass = graph.nodes[position].klass
        if klass in values:
            continue
        values[klass], choice[klass] = found, position
        for user in graph.users.get(klass, ()):
            missing[user] -= 1
            if not missing[user] and graph.nodes[user].klass not in values:
                offer(user)
    return choice, values


def shared(graph: EGraph, costs: Sequence[float]) -> dict[int, int]:
    """A choice of small cost with sharing: each class keeps the set of classes that its best way needs.

    Sets are compared by their cost, so a way that needs what is needed anyway
    is cheap. Greedy: a class decides without knowing what its users share.
    """
    needs: dict[int, dict[int, float]] = {}
    total: dict[int, float] = {}
    choice: dict[int, int] = {}
    queue = deque(i for i, n in enumerate(graph.nodes) if not n.children)
    waiting = set(queue)
    while queue:
        position = queue.popleft()
        waiting.discard(position)
        node = graph.nodes[position]
        if any(c not in needs or node.klass in needs[c] for c in node.children):
            continue
        merged = {node.klass: costs[position]}
        for child in node.children:
            merged.update(needs[child])
        cost = sum(merged.values())
        if node.klass in total and cost >= total[node.klass] * (1 - 1e-12):
            continue
        total[node.klass], choice[node.klass], needs[node.klass] = cost, position, merged
        fresh = [u for u in graph.users.get(node.klass, ()) if u not in waiting]
        queue.extend(fresh)
        waiting.update(fresh)
    choice = _computable(graph, choice)
    by_tree = tree(graph, costs)  # stale sets may hide a cycle or a worse sum: never return more than this
    if cycle(graph, choice) or cost_of(graph, by_tree, costs) < cost_of(graph, choice, costs):
        choice = by_tree
    return improved(graph, costs, choice)


def improved(graph: EGraph, costs: Sequence[float], choice: Choice) -> dict[int, int]:
    """A choice that costs no more, in which no node alone can be exchanged for a cheaper whole.

    It ends early once it has visited `VISITS` classes.
    """
    found = dict(choice)
    best, left = cost_of(graph, found, costs), VISITS
    changed = True
    while changed:
        changed = False
        for klass in used(graph, found):
            for node in graph.members[klass]:
                kept = found[klass]
                if node == kept or not all(c in found for c in graph.nodes[node].children):
                    continue
                found[klass] = node
                cost, visited = _cost_below(graph, found, costs, best * (1 - _LESS))
                left -= visited
                changed |= cost < math.inf
                best, found[klass] = (cost, node) if cost < math.inf else (best, kept)
                if left < 0:
                    return found
    return found


def _cost_below(graph: EGraph, choice: Choice, costs: Sequence[float], limit: float) -> tuple[float, int]:
    """The cost of a choice, infinite if it has a cycle or costs `limit` or more; how many classes that took."""
    cost, open_, done = 0.0, set[int](), set[int]()
    stack = list(graph.roots)
    while stack and cost < limit:
        klass = stack[-1]
        if klass in open_:
            open_.discard(klass)
            done.add(stack.pop())
        elif klass in done:
            stack.pop()
        else:
            open_.add(klass)
            cost += costs[choice[klass]]
            children = graph.nodes[choice[klass]].children
            if any(c in open_ for c in children):
                return math.inf, len(done) + len(open_)
            stack += [c for c in children if c not in done]
    return (cost if cost < limit else math.inf), len(done) + len(open_)


def used(graph: EGraph, choice: Choice) -> list[int]:
    """The classes that the roots need under a choice, each before its users."""
    return postorder(graph.roots, lambda klass: graph.nodes[choice[klass]].children)


def cost_of(graph: EGraph, choice: Choice, costs: Sequence[float]) -> float:
    """The cost of a choice with sharing: each class that the roots need counts once."""
    return sum(costs[choice[k]] for k in used(graph, choice))


def cycle(graph: EGraph, choice: Choice) -> list[int]:
    """The classes of one cycle below the roots under a choice; empty if there is none."""
    state: dict[int, bool] = {}  # True while on the path
    for root in graph.roots:
        if root in state:
            continue
        state[root] = True
        path, pending = [root], [iter(graph.nodes[choice[root]].children)]
        while path:
            child = next(pending[-1], None)
            if child is None:
                state[path.pop()] = False
                pending.pop()
            elif child not in state:
                state[child] = True
                path.append(child)
                pending.append(iter(graph.nodes[choice[child]].children))
            elif state[child]:
                return path[path.index(child) :]
    return []


def _computable(graph: EGraph, choice: dict[int, int]) -> dict[int, int]:
    lost = [r for r in graph.roots if r not in choice]
    if lost:
        raise NoProgram(f"{len(lost)} of {len(graph.roots)} results can be computed by no finite program")
    return choice
