"""A saturated e-graph as plain tables: what costs, extraction and pictures read.

Classes are numbered from 0. A node is one way to compute its class from other classes; types, attributes and numbers
are no classes, and are the node's label. `Tables` adds their meaning: which nodes are programs, and what their types
and attributes are. Nodes inside of regions are told apart by the block arguments that they use.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from typing import Any

from raising.eqsat.egraph.dialegg import COST
from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.vocabulary import CannotRead, Tree
from raising.support.graphs import reachable
from raising.support.record import dataclass


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

        def children(klass: int) -> Iterator[int]:
            return (c for n in self.members.get(klass, ()) for c in self.nodes[n].children)

        return frozenset(reachable(self.roots, children))


PROGRAM = frozenset({"Op", "Region", "Block", "Tensor"})
STRUCTURE = frozenset({"Value", "BlockArg", "Result", "Reg", "Blk", "t.lift", "t.lower"})
_LOOKUPS = frozenset({"type-of", "t.elem"})  # tables that are written as terms; no term is made of them


class Tables:
    """Rows by what they say. A node's label is the position of its row."""

    def __init__(self, rows: tuple[Row, ...], hidden: frozenset[str]) -> None:
        self.rows, self.hidden = rows, hidden | _LOOKUPS
        self.names = {r.name: r.output for r in rows if r.name.startswith("$")}
        self._trees: dict[Ref, Tree] = {}

    def graph(self, roots: list[Ref]) -> EGraph:
        """The programs that compute some classes."""
        return EGraph(self.nodes, tuple(r.number for r in roots))

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """One node for each row that is a program."""
        return tuple(
            Node(row.name, row.output.number, tuple(r.number for r in programs(row.inputs)), n)
            for n, row in enumerate(self.rows)
            if isinstance(row.output, Ref) and row.output.sort in PROGRAM and self._is_term(row)
        )

    def row(self, node: Node) -> Row:
        """The row that a node stands for."""
        assert isinstance(node.label, int)
        return self.rows[node.label]

    def _is_term(self, row: Row) -> bool:
        return not row.name.startswith("$") and row.name not in self.hidden

    @cached_property
    def dynamic_costs(self) -> Mapping[tuple[str, tuple[Any, ...]], float]:
        """The costs that rules computed for nodes, by their constructors and inputs."""
        return {(r.name.removeprefix(COST), r.inputs): float(r.output) for r in self.rows if r.name.startswith(COST)}

    def tree(self, value: Any) -> Any:
        """A type, an attribute or a pair of them as a term; numbers and texts are themselves."""
        if isinstance(value, tuple):
            return [self.tree(v) for v in value]
        if not isinstance(value, Ref):
            return value
        if value not in self._trees:
            self._trees[value] = self._read(value)
        return self._trees[value]

    def _read(self, ref: Ref) -> Tree:
        found: list[Tree] = []
        for row in self._by_class.get(ref, ()):
            tree = (row.name, *(self.tree(i) for i in row.inputs))
            if tree not in found:
                found.append(tree)
        if ref.sort == "Type" and len(found) > 1:
            texts = " and ".join(t[0] for t in found)
            raise CannotRead(f"the rules made different types equal: {texts}")
        if not found:
            raise CannotRead(f"a rule used a {ref.sort} that nothing defines")
        return found[0]

    @cached_property
    def _by_class(self) -> dict[Ref, list[Row]]:
        found: dict[Ref, list[Row]] = {}
        for row in self.rows:
            if isinstance(row.output, Ref) and row.output.sort not in PROGRAM and self._is_term(row):
                found.setdefault(row.output, []).append(row)
        return found


def programs(inputs: tuple[Any, ...]) -> Iterator[Ref]:
    """The classes of programs among the inputs of a row, those in vectors too."""
    for value in inputs:
        if isinstance(value, tuple):
            yield from programs(value)
        elif isinstance(value, Ref) and value.sort in PROGRAM:
            yield value


def of_sort(row: Row, sort: str) -> list[Ref]:
    """The inputs of a row that are of one sort, in order."""
    return [r for r in row.inputs if isinstance(r, Ref) and r.sort == sort]


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
