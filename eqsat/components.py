"""Strongly connected components of large graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def components(edges: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """The number of each vertex's component, of a graph that has all its vertices as keys (Sharir 1981)."""
    backwards: dict[int, list[int]] = {v: [] for v in edges}
    for v, targets in edges.items():
        for target in targets:
            backwards[target].append(v)
    found: dict[int, int] = {}
    for number, start in enumerate(reversed(_finished(edges))):
        pending = [start]
        while pending:
            v = pending.pop()
            if v not in found:
                found[v] = number
                pending += backwards[v]
    return found


def _finished(edges: Mapping[int, Sequence[int]]) -> list[int]:
    """The vertices in the order in which a search in depth leaves them."""
    order: list[int] = []
    seen: set[int] = set()
    for start in edges:
        pending = [(start, False)]
        while pending:
            v, leaving = pending.pop()
            if leaving:
                order.append(v)
            elif v not in seen:
                seen.add(v)
                pending += [(v, True), *((t, False) for t in edges[v] if t not in seen)]
    return order
