"""Where the classes of an e-graph can be computed: in which blocks, and inside of how many regions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from raising.eqsat.egraph.encode import Encoded
from raising.eqsat.egraph.graph import STRUCTURE, EGraph, Tables, free_levels
from raising.eqsat.extract.greedy import settled
from raising.support.record import dataclass

Path = tuple[Any, ...]
"""The blocks around a place that stay as they are, from the outermost one; empty: any place will do."""


@dataclass(frozen=True)
class Home:
    """The outermost place of a class: the blocks around it that stay, and the number of all regions around it.

    What nothing computed before is `floating`: it may be computed there, but
    only where it is needed is it known to be harmless (it may divide by zero).
    """

    path: Path = ()
    depth: int = 0
    floating: bool = False


def homes(op: Any, graph: EGraph, tables: Tables, encoded: Encoded) -> dict[int, Home]:
    """The home of each class of a function `op`: where it was computed before, or else where it can be.

    Classes that no program computes in one place have none.
    """
    return _Homes(op, graph, tables, encoded).found()


def path_of(op: Any, block: Any) -> Path:
    """The blocks from the body of `op` to one inside of it."""
    found = [block]
    while found[-1].owner.operation != op:
        found.append(found[-1].owner.operation.block)
    return tuple(reversed(found))


class _Homes:
    def __init__(self, op: Any, graph: EGraph, tables: Tables, encoded: Encoded) -> None:
        self.op, self.graph, self.tables, self.encoded = op, graph, tables, encoded
        self.levels = free_levels(graph, tables)
        self.paths: dict[Any, Path] = {}
        self.given = self._given()

    def found(self) -> dict[int, Home]:
        """Classes in the order of their depth: all programs of those further out are known before."""
        return settled(self.graph, self._own, lambda home: home.depth)[1]

    def _given(self) -> dict[int, Home]:
        """The outermost places of the operations that are there."""
        inside = {op for op in self.encoded.originals}
        found: dict[int, Home] = {}
        for op, original in self.encoded.originals.items():
            klass = self.tables.names[original.name].number
            if klass not in found or original.depth < found[klass].depth:
                found[klass] = Home(self._path(self._staying(op, inside)), original.depth)
        return found

    def _staying(self, op: Any, inside: set[Any]) -> Any:
        """The innermost block around an operation that is no part of a term."""
        block = op.block
        while block.owner.operation in inside:
            block = block.owner.operation.block
        return block

    def _path(self, block: Any) -> Path:
        if block not in self.paths:
            self.paths[block] = path_of(self.op, block)
        return self.paths[block]

    def _own(self, position: int, homes: Mapping[int, Home]) -> Home | None:
        """The place of a node: where the class was computed before, or the innermost of those of what it needs."""
        node = self.graph.nodes[position]
        if node.klass in self.given:
            return self.given[node.klass]
        if node.op == "Value":
            path = self._path(self.encoded.scopes[self.tables.row(node).inputs[0]])
            return Home(path, len(path) - 1)
        if node.op in ("BlockArg", "Blk", "Reg"):
            depth = max(0, self.levels.get(node.klass, 0).bit_length() - 1)
        else:
            depth = max((homes[c].depth for c in node.children), default=0)
        joined = _innermost(homes[c].path for c in node.children)
        floating = any(homes[c].floating for c in node.children) if node.op in STRUCTURE else bool(node.children)
        return None if joined is None else Home(joined, depth, floating)


def _innermost(paths: Iterator[Path]) -> Path | None:
    """The longest path if all others are on the way to it, else None."""
    longest: Path = ()
    for path in paths:
        if path is longest:
            continue
        short, long = sorted((longest, path), key=len)
        if long[: len(short)] != short:
            return None
        longest = long
    return longest
