"""Graphs: reachable vertices, their postorder, strongly connected components, and classes of equal vertices."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

V = TypeVar("V", bound=Hashable)


def components(labels: Sequence[V], edges: Mapping[V, Collection[V]]) -> list[list[V]]:
    """Components in topological order, text order (that of `labels`) first among the free ones and within each.

    `edges` has all vertices as its keys.
    """
    number = component_of(edges)
    groups: dict[int, list[V]] = {}
    for label in labels:
        groups.setdefault(number[label], []).append(label)
    names = list(groups)
    position = {name: n for n, name in enumerate(names)}
    users = {name: {number[t] for v in group for t in edges[v]} - {name} for name, group in groups.items()}
    missing = dict.fromkeys(names, 0)
    for target in (t for targets in users.values() for t in targets):
        missing[target] += 1
    free = [position[name] for name in names if not missing[name]]
    ordered: list[list[V]] = []
    while free:
        name = names[heapq.heappop(free)]
        ordered.append(groups[name])
        for target in users[name]:
            missing[target] -= 1
            if not missing[target]:
                heapq.heappush(free, position[target])
    return ordered


def component_of(edges: Mapping[V, Collection[V]]) -> dict[V, int]:
    """The number of each vertex's component, in time that is linear in the graph (Sharir 1981)."""
    backwards: dict[V, list[V]] = {v: [] for v in edges}
    for v, targets in edges.items():
        for target in targets:
            backwards[target].append(v)
    found: dict[V, int] = {}
    for number, start in enumerate(reversed(postorder(edges, edges.__getitem__))):
        pending = [start]
        while pending:
            v = pending.pop()
            if v not in found:
                found[v] = number
                pending += backwards[v]
    return found


def on_cycles(edges: Mapping[V, Collection[V]]) -> set[V]:
    """The vertices that a path leads back to."""
    number = component_of(edges)
    members = Counter(number.values())
    return {v for v, targets in edges.items() if members[number[v]] > 1 or v in targets}


def postorder(starts: Iterable[V], successors: Callable[[V], Iterable[V]]) -> list[V]:
    """What can be reached from some vertices, in the order in which a search in depth leaves it: successors first."""
    order: list[V] = []
    seen: set[V] = set()
    pending = [(v, False) for v in reversed(list(starts))]
    while pending:
        v, leaving = pending.pop()
        if leaving:
            order.append(v)
        elif v not in seen:
            seen.add(v)
            pending.append((v, True))
            pending += [(t, False) for t in reversed(list(successors(v))) if t not in seen]
    return order


def reachable(starts: Iterable[V], successors: Callable[[V], Iterable[V]]) -> list[V]:
    """The vertices that can be reached from some vertices, these included, in breadth-first order."""
    found = dict.fromkeys(starts)
    order = list(found)
    for v in order:
        for target in successors(v):
            if target not in found:
                found[target] = None
                order.append(target)
    return order


class UnionFind(Generic[V]):
    """Disjoint sets of vertices; a vertex that was in no union is a set of its own."""

    def __init__(self) -> None:
        self.parent: dict[V, V] = {}

    def find(self, v: V) -> V:
        """The vertex that represents the set of `v`."""
        root = v
        while (above := self.parent.get(root, root)) != root:
            root = above
        while v != root:
            self.parent[v], v = root, self.parent[v]
        return root

    def union(self, kept: V, other: V) -> None:
        """Join two sets; the representative of `kept` represents both."""
        self.parent[self.find(other)] = self.find(kept)
