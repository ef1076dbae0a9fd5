"""A saturated e-graph as plain tables: what costs, extraction and pictures read.

Classes are numbered from 0. A node is one way to compute its class from other
classes; what is no class of its own (attributes, types, numbers) is its label.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from affine.record import dataclass


@dataclass(frozen=True)
class Node:
    """`klass` can be computed by `op` with a `label` from the classes `children`."""

    op: str
    klass: int
    children: tuple[int, ...]
    label: Hashable = None


@dataclass(frozen=True)
class EGraph:
    """All nodes of an e-graph; `roots` are the classes that a program needs."""

    nodes: tuple[Node, ...]
    roots: tuple[int, ...]

    @cached_property
    def members(self) -> dict[int, tuple[int, ...]]:
        """The positions of the nodes of each class."""
        found: dict[int, list[int]] = {}
        for position, node in enumerate(self.nodes):
            found.setdefault(node.klass, []).append(position)
        return {k: tuple(v) for k, v in found.items()}

    @cached_property
    def users(self) -> dict[int, tuple[int, ...]]:
        """The positions of the nodes that have a class among their children."""
        found: dict[int, list[int]] = {}
        for position, node in enumerate(self.nodes):
            for child in set(node.children):
                found.setdefault(child, []).append(position)
        return {k: tuple(v) for k, v in found.items()}

    def reachable(self) -> frozenset[int]:
        """The classes that some program of the roots may use."""
        seen: set[int] = set()
        stack = list(self.roots)
        while stack:
            klass = stack.pop()
            if klass in seen:
                continue
            seen.add(klass)
            stack += [c for n in self.members.get(klass, ()) for c in self.nodes[n].children]
        return frozenset(seen)
