"""The cost of a node as rules declare it: computed by a rule, declared with its constructor, or 1."""

from __future__ import annotations

import math
from collections.abc import Sequence

from raising.eqsat.egraph.dialegg import Rules
from raising.eqsat.egraph.encode import Encoded, Original
from raising.eqsat.egraph.graph import STRUCTURE, EGraph, Node, Tables, of_sort
from raising.eqsat.extract.greedy import cost_of, tree
from raising.eqsat.rebuild.rebuild import used

_NEW = 1e-6  # what a node is held to cost more than an equal one that is there already

Key = tuple[str, int, tuple[int, ...]]


def node_costs(graph: EGraph, tables: Tables, rules: Rules) -> list[float]:
    """The cost of each node, without what is below it; values, blocks and regions are free."""
    costs = []
    for node in graph.nodes:
        declared = 0.0 if node.op in STRUCTURE else rules.costs.get(node.op, 1.0)
        costs.append(max(0.0, tables.dynamic_costs.get((node.op, tables.row(node).inputs), declared)))
    return costs


def preferring_originals(graph: EGraph, tables: Tables, encoded: Encoded, costs: Sequence[float]) -> list[float]:
    """Costs under which a tie goes to the operation that is there."""
    there = {_original(o, tables) for o in encoded.originals.values()}
    return [
        cost + (0.0 if node.op in STRUCTURE or _key(tables, node) in there else _NEW)
        for node, cost in zip(graph.nodes, costs, strict=True)
    ]


def as_it_was(graph: EGraph, tables: Tables, encoded: Encoded, costs: Sequence[float]) -> dict[int, int] | None:
    """The program that is there as a choice, equal operations as one; None if rules took a part of it away."""
    there = {_original(o, tables) for o in encoded.originals.values()}
    kept = [
        cost if node.op in STRUCTURE or _key(tables, node) in there or _ends_block(tables, node) else math.inf
        for node, cost in zip(graph.nodes, costs, strict=True)
    ]
    choice = tree(graph, kept)
    return choice if math.isfinite(cost_of(graph, choice, kept)) else None


def _ends_block(tables: Tables, node: Node) -> bool:
    row = tables.row(node)
    return row.output.sort == "Op" and not of_sort(row, "Type")


def cost_before(graph: EGraph, tables: Tables, encoded: Encoded, costs: Sequence[float]) -> float:
    """The cost of the operations that are there and used, each counted."""
    by_key = {_key(tables, node): cost for node, cost in zip(graph.nodes, costs, strict=True)}
    keys = (_original(o, tables) for op, o in encoded.originals.items() if used(op))
    return sum(by_key.get(key, 0.0) for key in keys if key is not None)


def _key(tables: Tables, node: Node) -> Key:
    """The identity of a node, without looking at its regions."""
    return node.op, node.klass, tuple(r.number for r in of_sort(tables.row(node), "Op"))


def _original(original: Original, tables: Tables) -> Key | None:
    """The node of an operation that is there, without looking at its regions."""
    if not all(o in tables.names for o in original.operands):
        return None
    children = tuple(tables.names[o].number for o in original.operands)
    return original.constructor, tables.names[original.name].number, children
