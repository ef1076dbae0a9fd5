"""What the nodes of a frozen e-graph do: each is made as an operation of its own, lowered, and counted (`op_work`).

Nodes that differ in sizes only are counted once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from raising.eqsat.egraph.engine import Ref, Row
from raising.eqsat.egraph.graph import STRUCTURE, of_sort
from raising.eqsat.extract.algebra_work import Shapes, returned_work, work_of
from raising.eqsat.extract.op_work import Amount, Work
from raising.eqsat.extract.prices import Pricing
from raising.eqsat.extract.single import Kind, Singles
from raising.eqsat.ruleset.to_egglog import ROOT, SORT, SPREAD

Operands = tuple[tuple[int, ...], ...]
"""The shapes of operands, and behind them of results."""

_NOTHING = Work()
_UNKNOWN = Work(lowered=False)


class NodeWork:
    """Counts the work of nodes, which are made by `single`."""

    def __init__(self, single: Singles, pricing: Pricing) -> None:
        self.single, self.pricing, self.tables = single, pricing, single.tables
        self._shapes = Shapes(self.tables, pricing.sizes)
        self._counted: dict[Any, Work] = {}

    def all(self) -> list[tuple[Work, Operands]]:
        """For each node what it does, and the shapes of its operands."""
        nodes = self.single.graph.nodes
        spread = {node.klass for node in nodes if node.op == SPREAD}
        found: list[tuple[Work, Operands]] = []
        for node in nodes:
            row = self.tables.row(node)
            if node.op == ROOT:
                kind = self.single.kind(row.inputs[1])
                found.append((_NOTHING if kind is None else returned_work(kind.shape, node.children[0] in spread), ()))
            elif node.op in STRUCTURE:
                found.append((_NOTHING, ()))
            else:
                found.append((work_of(row, self._shapes), ()) if row.output.sort == SORT else self._of_operation(row))
        return found

    @cached_property
    def whole(self) -> frozenset[int]:
        """The classes with a term of the algebra: an operation there is counted with what is in its regions."""
        return frozenset(node.klass for node in self.single.graph.nodes if node.op == ROOT)

    def _of_operation(self, row: Row) -> tuple[Work, Operands]:
        """The work of an operation of a dialect."""
        operands = [self.single.value(r.number) for r in of_sort(row, "Op")]
        results = [self.single.kind(r) for r in of_sort(row, "Type")]
        known = [k for k in (*operands, *results) if k is not None]
        if len(known) < len(operands) + len(results):
            return _UNKNOWN, ()
        if not results:  # the end of a block
            return _NOTHING, ()
        shapes = tuple(k.shape for k in known)
        generic = self._apart_from_sizes(row, known)
        work = self._counted.get(generic)
        if work is None or work.sized:
            sized = (*generic, shapes)
            if sized not in self._counted:
                self._counted[sized] = self._at_sizes(self._count(row, known[: len(operands)]))
            work = self._counted[sized]
            self._counted.setdefault(generic, work)
        return work, shapes

    def _apart_from_sizes(self, row: Row, kinds: Sequence[Kind]) -> tuple[Any, ...]:
        """What a node is but for the extents of its operands and results."""
        rest = tuple(i for i in row.inputs if not (isinstance(i, Ref) and i.sort in ("Op", "Region", "Type")))
        fixed = tuple(r for r in of_sort(row, "Op") if self.single.is_constant(r)) if of_sort(row, "Region") else ()
        whole = row.output.number in self.whole
        return (row.name, rest, fixed, _repeated(row), tuple(k.pattern for k in kinds), whole)

    def _at_sizes(self, work: Work) -> Work:
        """Work in which numbers that stand for extents are what they count as."""
        if not self.pricing.extents:
            return work
        amounts = tuple(replace(a, extents=self.pricing.sizes(a.extents)) for a in work.amounts)
        return replace(work, amounts=amounts, points=self.pricing.sizes(work.points))

    def _count(self, row: Row, operands: list[Kind]) -> Work:
        """The work of a node: made as the only operation of a function, lowered, counted."""
        ir, lowerer, compiles = self.single.ir, self.pricing.lowerer, self.pricing.compiles
        regions = bool(of_sort(row, "Region")) and row.output.number not in self.whole
        with ir.Location.unknown():
            module = ir.Module.create()
            if not self.single.made(module, row, operands, regions):  # it may need what is around it
                return Work((Amount(row.name, 1.0),), lowered=row.name in self._there)
            work = lowerer.work(module, regions)
            if _repeated(row):  # other operations of equal operands may be folded: that is what rules are for
                again = ir.Module.create()
                self.single.made(again, row, operands, regions, _repeated(row))
                symmetric = lowerer.work(again, regions)
                work = replace(symmetric, product=work.product) if symmetric.share < 1.0 else work
        if work.lowered and compiles is not None:
            lowered = lowerer.lowered(module)
            work = work if lowered is not None and compiles(lowered) else replace(work, lowered=False)
        return work

    @cached_property
    def _there(self) -> frozenset[str]:
        """The constructors of the operations of the source."""
        return frozenset(o.constructor for o in self.single.encoded.originals.values())


def _repeated(row: Row) -> tuple[int, ...]:
    """For each operand of a row the first one that is the same; nothing if all of them differ."""
    classes = [r.number for r in of_sort(row, "Op")]
    return tuple(classes.index(k) for k in classes) if len(set(classes)) < len(classes) else ()
