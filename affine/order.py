"""Strongly connected components of small graphs, in an order that respects their edges."""

from __future__ import annotations


def components(labels: list[str], edges: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components in topological order, text order first among the free ones."""
    reach = {a: _reachable(a, edges) for a in labels}
    groups: list[list[str]] = []
    for label in labels:
        for group in groups:
            if label in reach[group[0]] and group[0] in reach[label]:
                group.append(label)
                break
        else:
            groups.append([label])
    ordered: list[list[str]] = []
    while groups:
        ready = next(g for g in groups if not any(g[0] in reach[h[0]] for h in groups if h is not g))
        groups.remove(ready)
        ordered.append(ready)
    return ordered


def _reachable(start: str, edges: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    pending = [start]
    while pending:
        for target in edges[pending.pop()]:
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return seen
