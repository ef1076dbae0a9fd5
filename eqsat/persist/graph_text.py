"""Classes and their nodes as text of MLIR: an operation for each node, an `equivalence.class` for each class.

The dialect is xDSL's `equivalence`: the operands of a class are values that are
equal, users take the result of the class, and a class may come after its
users, as in a cycle. Written in generic form, which every MLIR reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from raising.eqsat.egraph.encode import Encoded
from raising.eqsat.egraph.engine import Row
from raising.eqsat.egraph.graph import of_sort
from raising.eqsat.extract.single import Singles
from raising.eqsat.persist.dominance import Home, Path
from raising.eqsat.persist.graph_scopes import Copy, Region, Scope, Written
from raising.eqsat.persist.node_text import NodeText
from raising.eqsat.rebuild.make import LEAVES

GRAPH, YIELD, CONSTANT_CLASS = (f"equivalence.{n}" for n in ("graph", "yield", "const_class"))


class GraphText:
    """Writes the classes of one e-graph; `dropped` are nodes that cannot be written where their class is."""

    def __init__(self, single: Singles, homes: dict[int, Home], encoded: Encoded) -> None:
        self.single, self.homes = single, homes
        self.graph, self.tables = single.graph, single.tables
        self.nodes = NodeText(single, encoded)
        self.dropped: set[int] = set()

    def block(self, path: Path, needed: Iterable[int]) -> Scope:
        """The classes that belong to a block which stays, from those that are needed in it."""
        scope = Scope(path, len(path) - 1, stays=True)
        self._classes(scope, needed)
        return scope

    # ---- classes ---------------------------------------------------------------------------------

    def _classes(self, scope: Scope, needed: Iterable[int]) -> None:
        """Write classes and what they need, as far as it belongs here; the rest is needed from outside."""
        stack = list(dict.fromkeys(needed))[::-1]
        while stack:
            klass = stack.pop()
            if klass in scope.classes or klass in scope.outside:
                continue
            if self.homes[klass].floating or self.homes[klass].depth >= scope.depth:
                scope.classes[klass] = self._class(scope, klass)
                stack += scope.classes[klass].needs[::-1]
            else:
                scope.outside[klass] = None

    def _class(self, scope: Scope, klass: int) -> Written:
        """A class with the operations of its nodes."""
        (ref,) = self.single.types[klass]
        written = Written(self.nodes.type(ref))
        for position in self.graph.members.get(klass, ()):
            row = self.tables.row(self.graph.nodes[position])
            if row.name == "Result":
                for inner in self.graph.members.get(of_sort(row, "Op")[0].number, ()):
                    self._member(scope, written, inner, f"%n{inner}#{row.inputs[0]}")
            else:
                self._member(scope, written, position, _name(row, position))
        return written

    def _member(self, scope: Scope, written: Written, position: int, name: str) -> None:
        """Write the operation of a node, if it can be here."""
        row = self.tables.row(self.graph.nodes[position])
        if row.name == "Value":
            scope.leaves[row.inputs[0]] = None
        if row.name in LEAVES or position in scope.operations:
            written.members.append(name)
            return
        parts = self.nodes.parts(row)
        inner = [self._region(k, scope) for k in parts.regions]
        regions = [r for r in inner if r is not None]
        needs = parts.operands + [k for r in regions for k in r.scope.outside]
        operands = self.nodes.operands(parts) if len(regions) == len(inner) and self._visible(needs, scope) else None
        middle = None if operands is None else self.nodes.middle(row, parts, operands)
        if operands is None or middle is None:
            self.dropped.add(position)
            return
        scope.operations.add(position)
        written.members.append(name)
        written.needs += needs
        result = self.nodes.result(parts) if middle.template >= 0 and scope.stays else None
        if result is not None:
            written.copies.append(Copy(name, *result, middle.template, parts.operands))
            return
        for region in regions:
            scope.leaves |= region.scope.leaves
        lines = [region.lines for region in regions]
        written.operations.append(self.nodes.operation(parts, position, middle, operands, lines))

    def _visible(self, needs: Iterable[int], scope: Scope) -> bool:
        """Whether all these classes have one type and can be seen from a block."""
        visible = scope.visible
        for klass in needs:
            if klass not in visible:
                home = self.homes.get(klass)
                near = home is not None and home.path == scope.path[: len(home.path)]
                visible[klass] = near and len(self.single.types.get(klass, ())) == 1
            if not visible[klass]:
                return False
        return True

    # ---- regions ---------------------------------------------------------------------------------

    def _region(self, region: int, around: Scope) -> Region | None:
        """A block with the classes that belong into it, and its terminator."""
        items = self._items(region)
        if items is None:
            return None
        arguments, (position, last) = items
        parts = self.nodes.parts(last)
        operands = self.nodes.operands(parts)
        middle = None if operands is None else self.nodes.middle(last, parts, operands)
        if operands is None or middle is None:
            return None
        scope = Scope(around.path, around.depth + 1)
        self._classes(scope, parts.operands)
        heads = ", ".join(f"{_name(r, 0)}: {self.nodes.type(of_sort(r, 'Type')[0])}" for r in arguments)
        end = self.nodes.operation(parts, position, middle, operands)
        plain = scope.plain()
        body = [*_graph(scope, parts.operands), end] if plain is None else [*plain, scope.without_classes(end)]
        return Region(scope, [f"^bb0({heads}):" if heads else "^bb0:", *map(scope.renamed, body)])

    def _items(self, region: int) -> tuple[list[Row], tuple[int, Row]] | None:
        """The arguments and the terminator of the one block of a region."""
        blocks = self._first(region).children
        if len(blocks) != 1:
            return None
        *arguments, last = self._first(blocks[0]).children
        rows = [self.tables.row(self._first(a, "BlockArg")) for a in arguments]
        position = self.graph.members[last][0]
        return rows, (position, self.tables.row(self.graph.nodes[position]))

    def _first(self, klass: int, name: str = "") -> Any:
        nodes = [self.graph.nodes[n] for n in self.graph.members[klass]]
        return next(n for n in nodes if not name or n.op == name)


def _graph(scope: Scope, operands: list[int]) -> list[str]:
    """The classes of a region in a graph of their own, whose results have the names of the classes."""
    own = [k for k in dict.fromkeys(operands) if k in scope.classes]
    kinds = ", ".join(scope.classes[k].type for k in own)
    names = ", ".join(f"%c{k}" for k in own)
    inside = [*scope.lines(), f'"{YIELD}"({names}) : ({kinds}) -> ()']
    return [f'{names} = "{GRAPH}"() ({{', *inside, f"}}) : () -> ({kinds})"]


def _name(row: Row, position: int) -> str:
    """The name of a value that is no e-class."""
    if row.name == "Value":
        return f"%l{row.inputs[0]}"
    return f"%b{row.inputs[0]}_{row.inputs[1]}" if row.name == "BlockArg" else f"%n{position}"
