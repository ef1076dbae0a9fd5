"""What of an e-graph is inside of regions."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.egraph import EGraph
from eqsat.tables import Tables


def bound_classes(graph: EGraph, tables: Tables) -> frozenset[int]:
    """The classes that some program computes from an argument of a block around it."""
    return frozenset(klass for klass, levels in free_levels(graph, tables).items() if levels)


def free_levels(graph: EGraph, tables: Tables) -> dict[int, int]:
    """For such classes the levels of these arguments, as bits."""
    free: dict[int, int] = {}
    pending = [n for n, node in enumerate(graph.nodes) if node.op == "BlockArg"]
    while pending:
        position = pending.pop()
        klass, levels = graph.nodes[position].klass, _levels(graph, tables, position, free)
        if levels & ~free.get(klass, 0):
            free[klass] = free.get(klass, 0) | levels
            pending += graph.users.get(klass, ())
    return free


def _levels(graph: EGraph, tables: Tables, position: int, free: Mapping[int, int]) -> int:
    """The levels that a node needs from around it: a block brings those of its own arguments."""
    node = graph.nodes[position]
    if node.op == "BlockArg":
        return 1 << int(tables.row(node).inputs[0])
    levels, own = 0, 0
    for child in node.children:
        levels |= free.get(child, 0)
        if node.op == "Blk" and child != node.children[-1]:
            own |= free.get(child, 0)
    return levels & ~own
