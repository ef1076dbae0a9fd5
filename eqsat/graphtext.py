"""Classes and their nodes as text of MLIR: an operation for each node, an `equivalence.class` for each class.

The dialect is xDSL's `equivalence`: the operands of a class are values that are
equal, users take the result of the class, and a class may come after its
users, as in a cycle. Written in generic form, which every MLIR reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from eqsat.create import SEGMENTS
from eqsat.encode import Encoded
from eqsat.engine import Ref, Row
from eqsat.graphscope import Region, Scope, Written
from eqsat.make import LEAVES
from eqsat.places import Home, Path
from eqsat.single import Kind, Singles
from eqsat.tables import of_sort
from eqsat.vocabulary import CannotRead

GRAPH, YIELD, CONSTANT_CLASS = (f"equivalence.{n}" for n in ("graph", "yield", "const_class"))
TEMPLATE = "raise.template"
"""With a number after it, an operation that stands for a copy of one of `templates`."""


class _Parts(NamedTuple):
    """What a row refers to, by sort: classes of operands and regions, types, attributes."""

    operands: list[int]
    types: list[Ref]
    pairs: tuple[int, ...]
    regions: list[int]


class GraphText:
    """Writes the classes of one e-graph; `dropped` are nodes that cannot be written where their class is.

    An operation whose regions follow from its name (`linalg.matmul`) is written once, as one of `templates`, and
    copied where its number stands: reading and checking the same region for each node would take most of the time.
    """

    def __init__(self, single: Singles, homes: dict[int, Home], encoded: Encoded) -> None:
        self.single, self.homes, self.encoded = single, homes, encoded
        self.graph, self.tables = single.graph, single.tables
        self.middles: dict[Any, tuple[str, str] | None] = {}
        self.types: dict[int, str] = {}
        self.values: dict[int, tuple[str, Kind] | None] = {}
        self.templates: list[Any] = []
        self.dropped: set[int] = set()

    def block(self, path: Path, needed: Iterable[int]) -> Scope:
        """The classes that belong to a block which stays, from those that are needed in it."""
        scope = Scope(path, len(path) - 1)
        self._classes(scope, needed)
        return scope

    def _value(self, klass: int) -> tuple[str, Kind] | None:
        """The type of a class that is one value, as text and as what is to know about it."""
        if klass not in self.values:
            kind = self.single.value(klass)
            self.values[klass] = None if kind is None else (self._type(self.single.types[klass][0]), kind)
        return self.values[klass]

    def _type(self, ref: Ref) -> str:
        if ref.number not in self.types:
            kind = self.single.kind(ref)
            self.types[ref.number] = "none" if kind is None else str(kind.type)
        return self.types[ref.number]

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
        (ref,) = self.single.types[klass]
        written = Written(self._type(ref))
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
        parts = _parts(row)
        inner = [self._region(k, scope) for k in parts.regions]
        regions = [r for r in inner if r is not None]
        needs = parts.operands + [k for r in regions for k in r.scope.outside]
        if len(regions) < len(inner) or not all([self._visible(k, scope) for k in needs]):
            middle = None
        else:
            middle = self._middle(row, parts)
        if middle is None:
            self.dropped.add(position)
            return
        scope.operations.add(position)
        for region in regions:
            scope.leaves |= region.scope.leaves
        text = ", ".join("{\n" + "\n".join(r.lines) + "\n}" for r in regions)
        attributes = f"({text}) {middle[1]}" if regions else middle[1]
        written.operations.append(self._operation(parts, position, middle[0], attributes))
        written.members.append(name)
        written.needs += needs

    def _visible(self, klass: int, scope: Scope) -> bool:
        if klass not in scope.visible:
            home = self.homes.get(klass)
            near = home is not None and home.path == scope.path[: len(home.path)]
            scope.visible[klass] = near and len(self.single.types.get(klass, ())) == 1
        return scope.visible[klass]

    def _operation(self, parts: _Parts, position: int, name: str, middle: str) -> str:
        many = f":{len(parts.types)}" if len(parts.types) > 1 else ""
        made = f"%n{position}{many} = " if parts.types else ""
        operands = ", ".join([f"%c{k}" for k in parts.operands])
        types = ", ".join([known[0] for k in parts.operands if (known := self._value(k)) is not None])
        results = ", ".join([self._type(r) for r in parts.types])
        return f'{made}"{name}"({operands}) {middle} : ({types}) -> ({results})'

    # ---- what an operation consists of -----------------------------------------------------------

    def _middle(self, row: Row, parts: _Parts) -> tuple[str, str] | None:
        """The name of the operation of a row, or of a template; the text of its attributes."""
        operands = [known[1] for k in parts.operands if (known := self._value(k)) is not None]
        if len(operands) < len(parts.operands):
            return None
        results = [k for r in parts.types if (k := self.single.kind(r)) is not None]
        key = (row.name, parts.pairs, *[k.pattern for k in operands], len(results), *[k.pattern for k in results])
        if key not in self.middles:
            self.middles[key] = self._written(row, parts) or self._made(row, parts, operands)
        return self.middles[key]

    def _written(self, row: Row, parts: _Parts) -> tuple[str, str] | None:
        """From the attributes of the row, where that is all there is."""
        shape = self.encoded.shapes.get(row.name)
        if shape is None or not (parts.regions or not parts.types):
            return None
        try:
            attributes = self.single.maker({}).attributes(row, shape)
        except CannotRead:
            return None
        texts = [f"{name} = {value}" for name, value in attributes.items()]
        texts += [f"{SEGMENTS} = {shape.segments}"] if shape.segments else []
        return shape.operation, f"{{{', '.join(texts)}}}"

    def _made(self, row: Row, parts: _Parts, operands: list[Kind]) -> tuple[str, str] | None:
        """From the operation that MLIR makes of the row; one with regions is a template."""
        ir = self.single.ir
        with ir.Location.unknown():
            module = ir.Module.create()
            if parts.regions or not self.single.made(module, row, operands, False):
                return None
        (function,) = module.body.operations
        op = function.regions[0].blocks[0].operations[0].operation
        if len(op.regions):
            self.templates.append(module)
            return f"{TEMPLATE}{len(self.templates) - 1}", ""
        texts = [f"{name} = {op.attributes[name]}" for name in op.attributes]
        return op.name, f"{{{', '.join(texts)}}}"

    # ---- regions ---------------------------------------------------------------------------------

    def _region(self, region: int, around: Scope) -> Region | None:
        """A block with the classes that belong into it, and its terminator."""
        items = self._items(region)
        if items is None:
            return None
        arguments, (position, last) = items
        parts = _parts(last)
        middle = self._middle(last, parts)
        if middle is None:
            return None
        scope = Scope(around.path, around.depth + 1)
        self._classes(scope, parts.operands)
        heads = ", ".join(f"{_name(r, 0)}: {self._type(of_sort(r, 'Type')[0])}" for r in arguments)
        end = self._operation(parts, position, *middle)
        plain = scope.plain()
        body = [*_graph(scope, parts.operands), end] if plain is None else [*plain, scope.without_classes(end)]
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


def _parts(row: Row) -> _Parts:
    """The inputs of a row by their sort, in order."""
    refs = [v for v in row.inputs if isinstance(v, Ref)]
    return _Parts(
        [r.number for r in refs if r.sort == "Op"],
        [r for r in refs if r.sort == "Type"],
        tuple([r.number for r in refs if r.sort == "AttrPair"]),
        [r.number for r in refs if r.sort == "Region"],
    )


def _name(row: Row, position: int) -> str:
    """How a value is called that is no class."""
    if row.name == "Value":
        return f"%l{row.inputs[0]}"
    return f"%b{row.inputs[0]}_{row.inputs[1]}" if row.name == "BlockArg" else f"%n{position}"
