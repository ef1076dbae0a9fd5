"""The tables of a saturated e-graph with their meaning: programs to choose from, types and attributes to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from eqsat.egraph import EGraph, Node
from eqsat.engine import Ref, Row
from eqsat.rulefile import COST
from eqsat.vocabulary import CannotRead, Tree

PROGRAM = frozenset({"Op", "Region", "Block", "Tensor"})
STRUCTURE = frozenset({"Value", "BlockArg", "Result", "Reg", "Blk", "t.lift", "t.lower"})
_LOOKUPS = frozenset({"type-of", "t.elem"})  # tables that are written as terms; no term is made of them


class Tables:
    """Rows by what they say. A node's label is the position of its row."""

    def __init__(self, rows: tuple[Row, ...], hidden: frozenset[str] = frozenset()) -> None:
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
        """What rules computed as the cost of a node, by its constructor and inputs."""
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
