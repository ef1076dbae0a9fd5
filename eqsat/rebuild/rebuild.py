"""A choice of nodes written back into the function it came from.

Blocks are walked in the order of the text. An operation whose node was chosen stays where it is, with its place in the
source; only its operands may change. A node without an operation is made just before its first user, in the outermost
block in which it was computed before: nothing moves into a loop, and nothing out of a branch, where it might divide by
zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from raising.eqsat.egraph.encode import Encoded, Original, isolated
from raising.eqsat.egraph.engine import Row
from raising.eqsat.egraph.graph import EGraph, Tables, of_sort
from raising.eqsat.egraph.purity import walk
from raising.eqsat.egraph.vocabulary import CannotRead, Vocabulary
from raising.eqsat.rebuild.make import Maker, NotVisible, Scope
from raising.support.mlir.create import InsertPoint
from raising.support.mlir.walk import blocks_of

if TYPE_CHECKING:  # the grammar and its measures, a third of what a short run would import
    from raising.eqsat.rebuild.compose_term import Composer
    from raising.eqsat.rebuild.write_term import Dialect


class Rebuilder:
    """Writes the chosen program of one isolated operation in place."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        encoded: Encoded,
        tables: Tables,
        graph: EGraph,
        choice: Mapping[int, int],
        dialect: Dialect | None,
    ) -> None:
        self.ir, self.vocabulary = vocabulary.ir, vocabulary
        self.encoded, self.tables = encoded, tables
        levels: dict[int, int] = {}
        for original in encoded.originals.values():
            klass = self._class(original)
            levels[klass] = min(original.depth, levels.get(klass, original.depth))
        composer = _composer(vocabulary, tables, graph, choice, dialect) if dialect is not None else None
        self.maker = Maker(vocabulary, tables, graph, choice, encoded.shapes, levels, composer)
        self.made_by: dict[Any, list[int]] = {}
        for number, (value, home) in enumerate(zip(encoded.leaves, encoded.scopes, strict=True)):
            maker = None if hasattr(value, "arg_number") else value.owner.operation
            here = maker is not None and maker.block == home  # else it is there from the beginning of the block
            self.made_by.setdefault(maker if here else home, []).append(number)
        self.skipped: list[str] = []

    def rebuild(self, op: Any) -> list[str]:
        """Rewrite all blocks of `op`; returns why operands had to stay as they were."""
        before = [o for o in self.encoded.originals if used(o) or o in self.encoded.spare]
        self._regions(op)
        gone: set[int] = set()  # hashes from before: the handle of an operation that went with its parent is dead
        hashed = [(hash(o), o) for o in before]  # now, as a hash is of the operands, too
        for name, original in reversed(hashed):  # users stand behind what they use, regions before what is in them
            if name not in gone and not used(original):
                gone.update(hash(inner) for inner, _ in walk(original))
                original.erase()
        return self.skipped

    def _class(self, original: Original) -> int:
        klass: int = self.tables.names[original.name].number
        return klass

    def _regions(self, op: Any) -> None:
        for block in blocks_of(op):
            self._enter(block)
            self._block(block)
            self._leave()

    def _enter(self, block: Any) -> Scope:
        scope = Scope(InsertPoint(None, None))
        scope.leaves.update((n, self.encoded.leaves[n]) for n in self.made_by.get(block, ()))
        self.maker.scopes = [*self.maker.scopes, scope]
        return scope

    def _leave(self) -> None:
        self.maker.scopes = self.maker.scopes[:-1]

    def _block(self, block: Any) -> None:
        scope = self.maker.scopes[-1]
        for child in list(block.operations):
            op = child.operation
            scope.place = InsertPoint(self.ir.InsertionPoint(op), op.location)
            if op in self.encoded.originals:
                self._original(op)
                continue
            made = self.made_by.get(op, ())  # with other operands it has another hash
            for n, value in enumerate(op.operands):
                self._replace(op, n, value)
            if not isolated(op):
                self._regions(op)
            scope.leaves.update((n, self.encoded.leaves[n]) for n in made)

    def _replace(self, op: Any, n: int, value: Any) -> None:
        """Give an operand its chosen program; it keeps its old one if that cannot be written here."""
        name = self.encoded.term.get(value, "")
        if not name.startswith("$"):
            return
        try:
            chosen = self.maker.value(self.tables.names[name].number)
        except (NotVisible, CannotRead) as error:
            self.skipped.append(str(error))
            return
        if chosen != value:
            op.operands[n] = chosen

    def _original(self, op: Any) -> None:
        """Keep an operation whose node was chosen, with the operands and in the regions what was chosen."""
        original = self.encoded.originals[op]
        klass = self._class(original)
        if klass not in self.maker.choice or self.maker.home(klass) >= 0:
            return
        row = self.maker.row(klass)
        if row.name != original.constructor or not self._same(op, row):
            return
        try:
            operands = [self.maker.value(r.number) for r in of_sort(row, "Op")]
            self._set(op, operands)
            for region, ref in zip(op.regions, of_sort(row, "Region"), strict=False):
                self._body(region.blocks[0], self.maker.items(ref))
        except (NotVisible, CannotRead) as error:
            self.skipped.append(str(error))
            return
        self.maker.scopes[-1].computed[klass] = list(op.results)

    def _set(self, op: Any, operands: list[Any]) -> None:
        for n, value in enumerate(operands):
            if op.operands[n] != value:
                op.operands[n] = value

    def _body(self, block: Any, items: list[Row]) -> None:
        """The chosen nodes inside of a region that stays."""
        scope = self._enter(block)
        try:
            self.maker.bind(scope, items[:-1], block)
            operations = [child.operation for child in block.operations]
            for op in operations[:-1]:
                scope.place = InsertPoint(self.ir.InsertionPoint(op), op.location)
                self._original(op)
            scope.place = InsertPoint(self.ir.InsertionPoint(operations[-1]), operations[-1].location)
            self._set(operations[-1], [self.maker.value(r.number) for r in of_sort(items[-1], "Op")])
        finally:
            self._leave()

    def _same(self, op: Any, row: Row) -> bool:
        """An operation has the attributes and types of a row, and its regions have the terminators that were chosen."""
        shape = self.encoded.shapes[row.name]
        wanted = self.maker.attributes(row, shape)
        if any(op.attributes[name] != value for name, value in wanted.items()):
            return False
        types = [self.vocabulary.type_of(self.tables.tree(r)) for r in of_sort(row, "Type")]
        if types != [r.type for r in op.results]:
            return False
        return all(
            self._same_terminator(region.blocks[0], self.maker.items(ref)[-1])
            for region, ref in zip(op.regions, of_sort(row, "Region"), strict=False)
        )

    def _same_terminator(self, block: Any, row: Row) -> bool:
        last = list(block.operations)[-1].operation
        return self.encoded.shapes[row.name].operation == last.name and self._same(last, row)


def _composer(
    vocabulary: Vocabulary, tables: Tables, graph: EGraph, choice: Mapping[int, int], dialect: Dialect
) -> Composer:
    from raising.eqsat.rebuild.compose_term import Composer

    return Composer(vocabulary, tables, graph, choice, dialect)


def used(op: Any) -> bool:
    """True if some operation uses a result."""
    return any(next(iter(r.uses), None) is not None for r in op.results)
