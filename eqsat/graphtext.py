"""Classes and their nodes as text of MLIR: an operation for each node, an `equivalence.class` for each class.

The dialect is xDSL's `equivalence`: the operands of a class are values that are
equal, users take the result of the class, and a class may come after its
users, as in a cycle. Written in generic form, which every MLIR reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from eqsat.create import SEGMENTS
from eqsat.encode import Encoded
from eqsat.engine import Ref, Row
from eqsat.make import LEAVES
from eqsat.places import Home, Path
from eqsat.single import Kind, Singles
from eqsat.tables import of_sort
from eqsat.vocabulary import CannotRead

GRAPH, CLASS, YIELD, CONSTANT_CLASS = (f"equivalence.{n}" for n in ("graph", "class", "yield", "const_class"))
_CLASS_NAME = re.compile(r"%c(\d+)\b")


@dataclass
class Written:
    """A class as text: the operations of its nodes, its members by name, and the classes that these need."""

    type: str
    operations: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    needs: list[int] = field(default_factory=list)


@dataclass
class Scope:
    """One block that is written: the classes in it, those that it needs from outside, and the leaves that it uses."""

    path: Path
    depth: int
    classes: dict[int, Written] = field(default_factory=dict)
    operations: set[int] = field(default_factory=set)
    outside: dict[int, None] = field(default_factory=dict)
    leaves: dict[int, None] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """The operations of all nodes, and an operation for each class."""
        found: list[str] = []
        for klass, written in self.classes.items():
            kinds = ", ".join([written.type] * len(written.members))
            found += written.operations
            found.append(f'%c{klass} = "{CLASS}"({", ".join(written.members)}) : ({kinds}) -> {written.type}')
        return found

    def plain(self) -> list[str] | None:
        """The operations in order, if each class has one node and none needs itself; then no class has to be said."""
        if any(len(w.members) != 1 or len(w.operations) > 1 for w in self.classes.values()):
            return None
        found: list[str] = []
        done: set[int] = set()
        while len(done) < len(self.classes):
            ready = [
                k for k, w in self.classes.items() if k not in done and not set(w.needs) & self.classes.keys() - done
            ]
            if not ready:
                return None
            done |= set(ready)
            found += [line for k in ready for line in self.classes[k].operations]
        return [self.without_classes(line) for line in found]

    def renamed(self, line: str) -> str:
        """A line with names for the classes of this block that no block around it has."""
        return _CLASS_NAME.sub(lambda m: f"{m[0]}_{self.depth}" if int(m[1]) in self.classes else m[0], line)

    def without_classes(self, line: str) -> str:
        """A line with the only members of classes in place of these."""
        return _CLASS_NAME.sub(
            lambda m: self.classes[int(m[1])].members[0] if int(m[1]) in self.classes else m[0], line
        )


@dataclass
class Region:
    """A region as text, and what is in it."""

    scope: Scope
    lines: list[str]


class GraphText:
    """Writes the classes of one e-graph; `dropped` are nodes that cannot be written where their class is."""

    def __init__(self, single: Singles, homes: dict[int, Home], encoded: Encoded) -> None:
        self.single, self.homes, self.encoded = single, homes, encoded
        self.graph, self.tables = single.graph, single.tables
        self.middles: dict[Any, tuple[str, str] | None] = {}
        self.types: dict[Ref, str] = {}
        self.dropped: set[int] = set()

    def block(self, path: Path, needed: Iterable[int]) -> Scope:
        """The classes that belong to a block which stays, from those that are needed in it."""
        scope = Scope(path, len(path) - 1)
        self._classes(scope, needed)
        return scope

    def type_text(self, klass: int) -> str:
        """The type of a class that is one value."""
        (ref,) = self.single.types[klass]
        return self._type(ref)

    def _type(self, ref: Ref) -> str:
        if ref not in self.types:
            kind = self.single.kind(ref)
            self.types[ref] = "none" if kind is None else str(kind.type)
        return self.types[ref]

    # ---- classes ---------------------------------------------------------------------------------

    def _classes(self, scope: Scope, needed: Iterable[int]) -> None:
        """Write classes and what they need, as far as it belongs here; the rest is needed from outside."""
        stack = list(dict.fromkeys(needed))[::-1]
        while stack:
            klass = stack.pop()
            if klass in scope.classes or klass in scope.outside:
                continue
            if self._belongs(klass, scope):
                scope.classes[klass] = self._class(scope, klass)
                stack += scope.classes[klass].needs[::-1]
            else:
                scope.outside[klass] = None

    def _belongs(self, klass: int, scope: Scope) -> bool:
        return self.homes[klass].floating or self.homes[klass].depth >= scope.depth

    def _class(self, scope: Scope, klass: int) -> Written:
        """A class with the operations of its nodes."""
        written = Written(self.type_text(klass))
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
        inner = [self._region(r.number, scope) for r in of_sort(row, "Region")]
        regions = [r for r in inner if r is not None]
        needs = [r.number for r in of_sort(row, "Op")] + [k for r in regions for k in r.scope.outside]
        middle = self._middle(row, position)
        if middle is None or len(regions) < len(inner) or not all(self._visible(k, scope) for k in needs):
            self.dropped.add(position)
            return
        scope.operations.add(position)
        for region in regions:
            scope.leaves |= region.scope.leaves
        text = ", ".join("{\n" + "\n".join(r.lines) + "\n}" for r in regions)
        attributes = f"({text}) {middle[1]}" if regions else middle[1]
        written.operations.append(self._operation(row, position, middle[0], attributes))
        written.members.append(name)
        written.needs += needs

    def _visible(self, klass: int, scope: Scope) -> bool:
        home = self.homes.get(klass)
        return (
            home is not None
            and home.path == scope.path[: len(home.path)]
            and len(self.single.types.get(klass, ())) == 1
        )

    def _operation(self, row: Row, position: int, name: str, middle: str) -> str:
        operands = [r.number for r in of_sort(row, "Op")]
        results = [self._type(r) for r in of_sort(row, "Type")]
        many = f":{len(results)}" if len(results) > 1 else ""
        made = f"%n{position}{many} = " if results else ""
        types = ", ".join(self.type_text(k) for k in operands)
        return f'{made}"{name}"({", ".join(f"%c{k}" for k in operands)}) {middle} : ({types}) -> ({", ".join(results)})'

    # ---- what an operation consists of -----------------------------------------------------------

    def _middle(self, row: Row, position: int) -> tuple[str, str] | None:
        """The name of the operation of a row; the text of its attributes, and of a region that its name implies."""
        pairs = tuple(of_sort(row, "AttrPair"))
        kinds = [self.single.operand(r) for r in of_sort(row, "Op")]
        if None in kinds:
            return None
        results = [self.single.kind(r) for r in of_sort(row, "Type")]
        known = [k for k in (*kinds, *results) if k is not None]
        key = (row.name, pairs, len(known), tuple(k.pattern for k in known))
        if key not in self.middles:
            self.middles[key] = self._written(row) or self._made(row, known[: len(kinds)])
        return self.middles[key]

    def _written(self, row: Row) -> tuple[str, str] | None:
        """From the attributes of the row, where that is all there is."""
        shape = self.encoded.shapes.get(row.name)
        if shape is None or not (of_sort(row, "Region") or not of_sort(row, "Type")):
            return None
        maker = self.single.maker()
        try:
            attributes = maker.attributes(row, shape)
        except CannotRead:
            return None
        texts = [f"{name} = {value}" for name, value in attributes.items()]
        texts += [f"{SEGMENTS} = {shape.segments}"] if shape.segments else []
        return shape.operation, f"{{{', '.join(texts)}}}"

    def _made(self, row: Row, operands: list[Kind]) -> tuple[str, str] | None:
        """From the operation that MLIR makes of the row."""
        ir = self.single.ir
        with ir.Location.unknown():
            module = ir.Module.create()
            if not self.single.made(module, row, operands, False):
                return None
        (function,) = module.body.operations
        op = function.regions[0].blocks[0].operations[0].operation
        texts = [f"{name} = {op.attributes[name]}" for name in op.attributes]
        regions = ""
        if len(op.regions):
            text = op.get_asm(print_generic_op_form=True)
            regions = text[text.index("({") : text.rindex("})") + 2]
        return op.name, f"{regions} {{{', '.join(texts)}}}"

    # ---- regions ---------------------------------------------------------------------------------

    def _region(self, region: int, around: Scope) -> Region | None:
        """A block with the classes that belong into it, and its terminator."""
        items = self._items(region)
        if items is None or (middle := self._middle(items[1][1], items[1][0])) is None:
            return None
        arguments, (position, last) = items
        scope = Scope(around.path, around.depth + 1)
        operands = [r.number for r in of_sort(last, "Op")]
        self._classes(scope, operands)
        heads = ", ".join(f"{_name(r, 0)}: {self._type(of_sort(r, 'Type')[0])}" for r in arguments)
        end = self._operation(last, position, *middle)
        plain = scope.plain()
        body = [*_graph(scope, operands), end] if plain is None else [*plain, scope.without_classes(end)]
        body = [scope.renamed(line) for line in body]
        return Region(scope, [f"^bb0({heads}):" if heads else "^bb0:", *body])

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
    """How a value is called that is no class."""
    if row.name == "Value":
        return f"%l{row.inputs[0]}"
    return f"%b{row.inputs[0]}_{row.inputs[1]}" if row.name == "BlockArg" else f"%n{position}"
