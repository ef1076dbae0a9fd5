"""The chosen terms of the algebra below one class, as a view to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import EGraph, Tables
from raising.eqsat.egraph.vocabulary import CannotRead, Vocabulary
from raising.eqsat.rebuild.algebra_to_term import View
from raising.eqsat.rebuild.write_term import Dialect, Writer
from raising.eqsat.ruleset.to_egglog import FLOAT, INTEGER, LEAF, NEGATIVE_ZERO, PAD, SORT
from raising.support.graphs import postorder

_NUMBERS = (FLOAT, INTEGER, NEGATIVE_ZERO)


class Composer:
    """Follows a choice through terms of the algebra down to values of the program."""

    def __init__(
        self, vocabulary: Vocabulary, tables: Tables, graph: EGraph, choice: Mapping[int, int], dialect: Dialect
    ) -> None:
        self.vocabulary, self.tables, self.graph, self.choice = vocabulary, tables, graph, choice
        self.dialect = dialect

    def writer(self) -> Writer:
        """The writer into one block."""
        return Writer(self.dialect, self.vocabulary.ir)

    def leaves(self, root: Row) -> list[Ref]:
        """The values of the program that a chosen term is computed from."""
        rows = [self._row(k) for k in self._below(root)]
        return [r for row in rows if row.name == LEAF for r in row.inputs if isinstance(r, Ref)]

    def view(self, root: Row, writer: Writer, value_of: Callable[[int], Any]) -> View:
        """The term below a root; `value_of` gives the value of a class of the program."""
        for klass in self._below(root):
            if klass not in writer.views:
                row = self._row(klass)
                if row.name == LEAF:
                    writer.views[klass] = writer.leaf(value_of(row.inputs[0].number))
                else:
                    operands = [writer.views[n] for n in _tensors(row)]
                    if row.name == PAD:
                        operands[1] = self._number(_tensors(row)[1], writer) or operands[1]
                    writer.views[klass] = writer.node(row.name, operands, self._labels(row))
        return writer.views[_tensors(root)[0]]

    def _number(self, klass: int, writer: Writer) -> View | None:
        """A class as the number that it is: targets have paddings with a number, not with a value of the program."""
        rows = (self.tables.row(self.graph.nodes[n]) for n in self.graph.members[klass])
        number = next((row for row in rows if row.name in _NUMBERS), None)
        return None if number is None else writer.node(number.name, (), self._labels(number))

    def _row(self, klass: int) -> Row:
        if klass not in self.choice:
            raise CannotRead("nothing computes a part of the rules' result")
        return self.tables.row(self.graph.nodes[self.choice[klass]])

    def _below(self, root: Row) -> list[int]:
        """The classes of arrays below a root, operands before users."""
        return postorder(_tensors(root), lambda klass: _tensors(self._row(klass)))

    def _labels(self, row: Row) -> list[Any]:
        """The labels of a row beside its arrays: extents, a number and its type."""
        if row.name in _NUMBERS:
            kind = str(self.vocabulary.type_of(self.tables.tree(row.inputs[-1])))
            return [*row.inputs[:-1], kind]
        return [i for i in row.inputs if not isinstance(i, Ref)]


def _tensors(row: Row) -> list[int]:
    return [r.number for r in row.inputs if isinstance(r, Ref) and r.sort == SORT]
