"""Loops of rank-one updates in blocks of iterations: most elements have all iterations of a block at once.

before  for t in 0 .. n: for i, j: d[i, j] = f(d[i, j], d[i, t], d[t, j])
after   for b in 0 .. n by 64:
          for t in b .. b + 64: the same for rows and columns b .. b + 64; c[i, t - b] = d[i, t]; r[t - b, j] = d[t, j]
          for other i, j: for t in 0 .. 64: d[i, j] = f(d[i, j], c[i, t], r[t, j])   # a product

Every element has its iterations in their order, and each of them reads what it read before: nothing is asked of f.
See Venkataraman, Sahni and Mukhopadhyaya, A blocked all-pairs shortest-paths algorithm (2003); they need more of f.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

from mlir import ir

from raising.native.nest.read_nests import read_block
from raising.native.nest.read_views import Reader
from raising.native.transforms.memory_writer import BlockWriter, Size, long_loops, mapped
from raising.native.transforms.rank_one_loops import AFTER, BEFORE, RankOne, Span, Update, rank_one
from raising.support.mlir.operand_segments import DYNAMIC

BLOCK = 64
"""Iterations of a block: as many that a tile's loads and stores are little, and that its rows and columns are few."""

_ASIDE = 16
"""Elements by which rows that are kept are longer: at a power of two from each other, caches would drop them."""

_WITHIN = 2
_I, _J, _K = 0, 1, 2


def block_updates(module: Any) -> None:
    """Rewrite the functions of a module of memory in place; every result stays the same, to the bit."""
    with module.context, ir.Location.unknown():
        for loop, reader, _ in long_loops(module, 2 * BLOCK):
            found = rank_one(loop, read_block(loop.regions[0].blocks[0], reader), reader)
            if found is not None:
                _Blocked(loop, reader, found).write()


class _Blocked(BlockWriter):
    """A loop on its way to be one in another over blocks of its iterations."""

    def __init__(self, loop: Any, reader: Reader, found: RankOne) -> None:
        for constant in [op for op in loop.regions[0].blocks[0].operations if op.operation.name == "arith.constant"]:
            constant.operation.move_before(loop)
        super().__init__(loop, reader, BLOCK)
        self.found, self.matrix = found, reader.values[found.matrix.name]
        self.place = ir.InsertionPoint(loop.parent)
        self.shape = [self._extent(axis) for axis in (0, 1)]
        self.kept = [self._memories(update) for update in found.updates]

    def _extent(self, axis: int) -> Size:
        """Where the subscripts that are kept end, and a bit more: how long an array of C is, nobody may know."""
        known = ir.MemRefType(self.matrix.type).shape[axis]
        if known != DYNAMIC:
            return known + _ASIDE
        ends = [self._end(span) for span in dict.fromkeys(update.spans[axis] for update in self.found.updates)]
        return self.same(
            "arith.addi", reduce(partial(self.same, "arith.maxsi"), ends, self.index(0)), self.index(_ASIDE)
        )

    def _end(self, span: Span) -> ir.Value:
        """A number that no subscript reaches: where one moves with the iteration, it is below the loop's end."""
        moves = self.reader.name(self.time) in span.high.symbols
        return self.end if moves else self._value(span.high)

    def _memories(self, update: Update) -> list[Any]:
        """Memory for what a block's iterations read, for each input but the element itself."""
        elements = [ir.MemRefType(operand.type).element_type for operand in update.operation.operands]
        shapes = [
            None if read is None else _kept(read, BLOCK, [self.shape[axis] for axis in read]) for read in update.reads
        ]
        return [shape and self.memory(shape, element) for shape, element in zip(shapes, elements, strict=False)]

    def write(self) -> None:
        """The iterations for the block's own rows and columns, and then those for all other elements."""
        for update, kept in zip(self.found.updates, self.kept, strict=True):
            self.place = ir.InsertionPoint(update.operation)
            self._keep(update, kept)
            within, whole = [self._part(span, _WITHIN) for span in update.spans], [self._whole(s) for s in update.spans]
            self._piece(update, (within[0], whole[1]))
            for side in (BEFORE, AFTER):
                if side in update.spans[0].sides:
                    self._piece(update, (self._part(update.spans[0], side), within[1]))
        self.place = ir.InsertionPoint.after(self.inner)
        for update, kept in zip(self.found.updates, self.kept, strict=True):
            for quarter in sorted(update.quarters):
                self._rest(update, kept, quarter)
        for update in self.found.updates:
            update.operation.erase()

    # ---- rows and columns ---------------------------------------------------------------------------

    def _whole(self, span: Span) -> tuple[ir.Value, ir.Value]:
        """The first subscript of an iteration, and how many there are."""
        low = self._value(span.low)
        return low, self._length(low, self._value(span.high))

    def _length(self, low: ir.Value, high: ir.Value) -> ir.Value:
        return self.same("arith.maxsi", self.same("arith.subi", high, low), self.index(0))

    def _part(self, span: Span, side: int) -> tuple[ir.Value, ir.Value]:
        """The subscripts below the block's, beyond them, or within: the first, and how many.

        A bound that moves with the iteration lies within the block or at its ends, and limits nothing outside of it.
        """
        moves = [self.reader.name(self.time) in bound.symbols for bound in (span.low, span.high)]
        low = self.last if moves[0] and side == AFTER else self._value(span.low)
        high = self.first if moves[1] and side == BEFORE else self._value(span.high)
        if side != BEFORE:
            low = self.same("arith.maxsi", low, self.first if side == _WITHIN else self.last)
        if side != AFTER:
            high = self.same("arith.minsi", high, self.first if side == BEFORE else self.last)
        return low, self._length(low, high)

    # ---- the iterations of a block ------------------------------------------------------------------

    def _keep(self, update: Update, kept: Sequence[Any]) -> None:
        """Store what this iteration reads."""
        row = self.same("arith.subi", self.time, self.first)
        for memory, read, operand in zip(kept, update.reads, update.operation.operands, strict=False):
            if memory is None or read is None:
                continue
            spans = [self._whole(update.spans[axis]) for axis in read]
            offsets, sizes = _kept(read, row, [low for low, _ in spans]), _kept(read, 1, [size for _, size in spans])
            self.copied(operand, self.view(memory, offsets, sizes, dropped=offsets.index(row)))

    def _piece(self, update: Update, parts: Sequence[tuple[ir.Value, ir.Value]]) -> None:
        """The update of an iteration, for some rows and columns."""
        offsets: dict[int, Size] = {}
        sizes: dict[int, Size] = {}
        for span, (low, length) in zip(update.spans, parts, strict=True):
            offsets[span.dim], sizes[span.dim] = self.same("arith.subi", low, self._value(span.low)), length
        operation, views = update.operation, []
        for operand, each in zip(operation.operands, operation.attributes["indexing_maps"], strict=True):
            dims = [ir.AffineDimExpr(result).position for result in ir.AffineMapAttr(each).value.results]
            views.append(self.view(operand, [offsets[d] for d in dims], [sizes[d] for d in dims]))
        made = operation.clone(self.place)
        for number, view in enumerate(views):
            made.operands[number] = view

    def _rest(self, update: Update, kept: Sequence[Any], quarter: tuple[int, int]) -> None:
        """All iterations of a block, for the rows and columns of one quarter."""
        parts = [self._part(span, side) for span, side in zip(update.spans, quarter, strict=True)]
        source = update.operation.regions[0].blocks[0]
        operands: list[ir.Value] = []
        maps: list[ir.AffineMap] = []
        places: list[int] = []
        for memory, read in zip(kept, update.reads, strict=True):
            places.append(-1 if read is None else len(operands))
            if memory is not None and read is not None:
                mine = [parts[axis] for axis in read]
                offsets = _kept(read, 0, [low for low, _ in mine])
                operands.append(self.view(memory, offsets, _kept(read, self.height, [size for _, size in mine])))
                maps.append(mapped((_I, _J, _K), _kept(read, _K, list(read))))
        operands.append(self.view(self.matrix, [low for low, _ in parts], [length for _, length in parts]))
        maps.append(mapped((_I, _J, _K), (_I, _J)))
        self.generic(operands, maps, ["parallel", "parallel", "reduction"], source, [*places, -1])


def _kept(read: frozenset[int], step: Any, other: list[Any]) -> list[Any]:
    """What belongs to the dimensions of the memory of a read: steps of a row of the matrix lie side by side."""
    return [*other, step] if read == {0} else [step, *other]
