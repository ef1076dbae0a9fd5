"""Classes and their nodes as text of MLIR: an operation for each node, an `equivalence.class` for each class.

The dialect is xDSL's `equivalence`: the operands of a class are values that are
equal, users take the result of the class, and a class may come after its
users, as in a cycle. Written in generic form, which every MLIR reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from raising.eqsat.egraph.encode import Encoded
from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import of_sort
from raising.eqsat.egraph.vocabulary import CannotRead
from raising.eqsat.extract.single import Kind, Singles
from raising.eqsat.persist.dominance import Home, Path
from raising.eqsat.persist.graph_scopes import Copy, Region, Scope, Written
from raising.eqsat.rebuild.make import LEAVES
from raising.support.mlir.create import SEGMENTS

GRAPH, YIELD, CONSTANT_CLASS = (f"equivalence.{n}" for n in ("graph", "yield", "const_class"))
TEMPLATE = "raise.template"
"""With a number after it, an operation that stands for a copy of one of `templates`, inside of a region."""


class _Parts(NamedTuple):
    """The operands of a row, by sort: classes of operands and regions, types, attributes."""

    operands: list[int]
    types: list[Ref]
    pairs: tuple[int, ...]
    regions: list[int]


class _Layout(NamedTuple):
    """The columns of a constructor that hold references, by their sort."""

    operands: list[int]
    types: list[int]
    pairs: list[int]
    regions: list[int]


class _Middle(NamedTuple):
    """An operation without its operands and results: its name, its attributes as text; the template if it has one."""

    name: str
    attributes: str = ""
    template: int = -1


class GraphText:
    """Writes the classes of one e-graph; `dropped` are nodes that cannot be written where their class is.

    An operation whose regions follow from its name (`linalg.matmul`) is written once, as one of `templates`, and
    copied: reading and checking the same region for each node would take most of the time.
    """

    def __init__(self, single: Singles, homes: dict[int, Home], encoded: Encoded) -> None:
        self.single, self.homes, self.encoded = single, homes, encoded
        self.graph, self.tables = single.graph, single.tables
        self.middles: dict[Any, _Middle | None] = {}
        self.layouts: dict[str, _Layout] = {}
        self.types: dict[int, str] = {}
        self.values: dict[int, tuple[str, Kind] | None] = {}
        self.templates: list[Any] = []
        self.dropped: set[int] = set()

    def block(self, path: Path, needed: Iterable[int]) -> Scope:
        """The classes that belong to a block which stays, from those that are needed in it."""
        scope = Scope(path, len(path) - 1, stays=True)
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
            if self.homes[klass].floating or self.homes[klass].depth >= scope.depth:
                scope.classes[klass] = self._class(scope, klass)
                stack += scope.classes[klass].needs[::-1]
            else:
                scope.outside[klass] = None

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
        parts = self._parts(row)
        inner = [self._region(k, scope) for k in parts.regions]
        regions = [r for r in inner if r is not None]
        needs = parts.operands + [k for r in regions for k in r.scope.outside]
        known = self._operands(parts) if len(regions) == len(inner) and self._visible(needs, scope) else None
        middle = None if known is None else self._middle(row, parts, [kind for _, kind in known])
        if known is None or middle is None:
            self.dropped.add(position)
            return
        scope.operations.add(position)
        written.members.append(name)
        written.needs += needs
        result = self._result(parts) if middle.template >= 0 and scope.stays else None
        if result is not None:
            written.copies.append(Copy(name, *result, middle.template, parts.operands))
            return
        for region in regions:
            scope.leaves |= region.scope.leaves
        written.operations.append(self._operation(parts, position, middle, known, regions))

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

    def _operands(self, parts: _Parts) -> list[tuple[str, Kind]] | None:
        """The types of the operands; none if one is not known."""
        values = self.values
        known = [values[k] if k in values else self._value(k) for k in parts.operands]
        found = [k for k in known if k is not None]
        return found if len(found) == len(known) else None

    def _result(self, parts: _Parts) -> tuple[str, Any] | None:
        """The type of the only result as text and as it is."""
        kind = self.single.kind(parts.types[0]) if len(parts.types) == 1 else None
        return None if kind is None else (self._type(parts.types[0]), kind.type)

    def _operation(
        self,
        parts: _Parts,
        position: int,
        middle: _Middle,
        operands: list[tuple[str, Kind]],
        regions: Iterable[Region] = (),
    ) -> str:
        many = f":{len(parts.types)}" if len(parts.types) > 1 else ""
        made = f"%n{position}{many} = " if parts.types else ""
        names = ", ".join([f"%c{k}" for k in parts.operands])
        inner = ", ".join("{\n" + "\n".join(r.lines) + "\n}" for r in regions)
        attributes = f"({inner}) {middle.attributes}" if inner else middle.attributes
        types = ", ".join([text for text, _ in operands])
        results = ", ".join([self._type(r) for r in parts.types])
        return f'{made}"{middle.name}"({names}) {attributes} : ({types}) -> ({results})'

    # ---- what an operation consists of -----------------------------------------------------------

    def _parts(self, row: Row) -> _Parts:
        """The inputs of a row by their sort, in order; those of a constructor are the same in each row."""
        layout = self.layouts.get(row.name)
        if layout is None:
            sorts = [v.sort if isinstance(v, Ref) else "" for v in row.inputs]
            columns = ([n for n, s in enumerate(sorts) if s == sort] for sort in ("Op", "Type", "AttrPair", "Region"))
            layout = self.layouts[row.name] = _Layout(*columns)
        inputs = row.inputs
        return _Parts(
            [inputs[n].number for n in layout.operands],
            [inputs[n] for n in layout.types],
            tuple([inputs[n].number for n in layout.pairs]),
            [inputs[n].number for n in layout.regions],
        )

    def _middle(self, row: Row, parts: _Parts, operands: list[Kind]) -> _Middle | None:
        """The name of the operation of a row, or of a template; the text of its attributes."""
        results = [k for r in parts.types if (k := self.single.kind(r)) is not None]
        key = (row.name, parts.pairs, *[k.pattern for k in operands], len(results), *[k.pattern for k in results])
        if key not in self.middles:
            self.middles[key] = self._written(row, parts) or self._made(row, parts, operands)
        return self.middles[key]

    def _written(self, row: Row, parts: _Parts) -> _Middle | None:
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
        return _Middle(shape.operation, f"{{{', '.join(texts)}}}")

    def _made(self, row: Row, parts: _Parts, operands: list[Kind]) -> _Middle | None:
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
            number = len(self.templates) - 1
            return _Middle(f"{TEMPLATE}{number}", template=number)
        texts = [f"{name} = {op.attributes[name]}" for name in op.attributes]
        return _Middle(op.name, f"{{{', '.join(texts)}}}")

    # ---- regions ---------------------------------------------------------------------------------

    def _region(self, region: int, around: Scope) -> Region | None:
        """A block with the classes that belong into it, and its terminator."""
        items = self._items(region)
        if items is None:
            return None
        arguments, (position, last) = items
        parts = self._parts(last)
        known = self._operands(parts)
        middle = None if known is None else self._middle(last, parts, [kind for _, kind in known])
        if known is None or middle is None:
            return None
        scope = Scope(around.path, around.depth + 1)
        self._classes(scope, parts.operands)
        heads = ", ".join(f"{_name(r, 0)}: {self._type(of_sort(r, 'Type')[0])}" for r in arguments)
        end = self._operation(parts, position, middle, known)
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


def _name(row: Row, position: int) -> str:
    """The name of a value that is no e-class."""
    if row.name == "Value":
        return f"%l{row.inputs[0]}"
    return f"%b{row.inputs[0]}_{row.inputs[1]}" if row.name == "BlockArg" else f"%n{position}"
