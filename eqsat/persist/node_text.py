"""The nodes of an e-graph as operations of MLIR in generic form, whose operands are classes by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from raising.eqsat.egraph.encode import Encoded
from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.vocabulary import CannotRead
from raising.eqsat.extract.single import Kind, Singles
from raising.support.mlir.operand_segments import SEGMENTS

TEMPLATE = "raise.template"
"""With a number after it, an operation that stands for a copy of one of `templates`, inside of a region."""

_SORTS = ("Op", "Type", "AttrPair", "Region")


class Parts(NamedTuple):
    """The operands of a row, by sort: classes of operands and regions, types, attributes."""

    operands: list[int]
    types: list[Ref]
    pairs: tuple[int, ...]
    regions: list[int]


class Middle(NamedTuple):
    """An operation without its operands and results: its name, its attributes as text; the template if it has one."""

    name: str
    attributes: str = ""
    template: int = -1


class NodeText:
    """Writes the nodes of one e-graph.

    An operation whose regions follow from its name (`linalg.matmul`) is written once, as one of `templates`, and
    copied: reading and checking the same region for each node would take most of the time.
    """

    def __init__(self, single: Singles, encoded: Encoded) -> None:
        self.single, self.encoded = single, encoded
        self.templates: list[Any] = []
        self._middles: dict[Any, Middle | None] = {}
        self._columns: dict[str, list[list[int]]] = {}
        self._types: dict[int, str] = {}
        self._values: dict[int, tuple[str, Kind] | None] = {}

    def type(self, ref: Ref) -> str:
        """The text of a type."""
        if ref.number not in self._types:
            kind = self.single.kind(ref)
            self._types[ref.number] = "none" if kind is None else str(kind.type)
        return self._types[ref.number]

    def parts(self, row: Row) -> Parts:
        """The inputs of a row by their sort, in order; those of a constructor are in the same columns of each row."""
        columns = self._columns.get(row.name)
        if columns is None:
            sorts = [v.sort if isinstance(v, Ref) else "" for v in row.inputs]
            columns = [[n for n, s in enumerate(sorts) if s == sort] for sort in _SORTS]
            self._columns[row.name] = columns
        inputs, (operands, types, pairs, regions) = row.inputs, columns
        return Parts(
            [inputs[n].number for n in operands],
            [inputs[n] for n in types],
            tuple([inputs[n].number for n in pairs]),
            [inputs[n].number for n in regions],
        )

    def operands(self, parts: Parts) -> list[tuple[str, Kind]] | None:
        """The types of the operands, as text and as what is to know about them; none if one is not known."""
        values = self._values
        known = [values[k] if k in values else self._value(k) for k in parts.operands]
        found = [k for k in known if k is not None]
        return found if len(found) == len(known) else None

    def _value(self, klass: int) -> tuple[str, Kind] | None:
        kind = self.single.value(klass)
        self._values[klass] = None if kind is None else (self.type(self.single.types[klass][0]), kind)
        return self._values[klass]

    def result(self, parts: Parts) -> tuple[str, Any] | None:
        """The type of the only result as text and as it is."""
        kind = self.single.kind(parts.types[0]) if len(parts.types) == 1 else None
        return None if kind is None else (self.type(parts.types[0]), kind.type)

    def operation(
        self,
        parts: Parts,
        position: int,
        middle: Middle,
        operands: Sequence[tuple[str, Kind]],
        regions: Iterable[Sequence[str]] = (),
    ) -> str:
        """The operation of a node, with the lines of its regions."""
        many = f":{len(parts.types)}" if len(parts.types) > 1 else ""
        made = f"%n{position}{many} = " if parts.types else ""
        names = ", ".join([f"%c{k}" for k in parts.operands])
        inner = ", ".join("{\n" + "\n".join(lines) + "\n}" for lines in regions)
        attributes = f"({inner}) {middle.attributes}" if inner else middle.attributes
        types = ", ".join([text for text, _ in operands])
        results = ", ".join([self.type(r) for r in parts.types])
        return f'{made}"{middle.name}"({names}) {attributes} : ({types}) -> ({results})'

    def middle(self, row: Row, parts: Parts, operands: Sequence[tuple[str, Kind]]) -> Middle | None:
        """The name of the operation of a row, or of a template, and the text of its attributes."""
        kinds = [kind for _, kind in operands]
        results = [k for r in parts.types if (k := self.single.kind(r)) is not None]
        key = (row.name, parts.pairs, *[k.pattern for k in kinds], len(results), *[k.pattern for k in results])
        if key not in self._middles:
            self._middles[key] = self._of_row(row, parts) or self._of_operation(row, parts, kinds)
        return self._middles[key]

    def _of_row(self, row: Row, parts: Parts) -> Middle | None:
        """From the attributes of the row, where that is all there is."""
        shape = self.encoded.shapes.get(row.name)
        if shape is None or not (parts.regions or not parts.types):
            return None
        try:
            attributes = self.single.maker({}).attributes(row, shape)
        except CannotRead:
            return None
        said = {**attributes, SEGMENTS: shape.segments} if shape.segments else attributes
        return Middle(shape.operation, _attributes(said))

    def _of_operation(self, row: Row, parts: Parts, operands: list[Kind]) -> Middle | None:
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
            return Middle(f"{TEMPLATE}{number}", template=number)
        return Middle(op.name, _attributes({name: op.attributes[name] for name in op.attributes}))


def _attributes(given: dict[str, Any]) -> str:
    return f"{{{', '.join(f'{name} = {value}' for name, value in given.items())}}}"
