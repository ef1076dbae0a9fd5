"""Left-looking loops in blocks of iterations: the sum over everything before a block is one contraction.

before  for t in 0 .. n: x[t] -= sum of a[t, j] * x[j] over j < t
after   for b in 0 .. n by 128: s[0 .. 128] = sum of a[b .. b + 128, j] * x[j] over j < b   # a contraction
                               for t in b .. b + 128: x[t] -= s[t - b] + (the sum over b <= j < t)

A block is a left-looking loop, too, from its first iteration on: it is done in smaller blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.native.nest.read_views import Reader
from raising.native.transforms.left_looking import Prefix, body_of, known_before, prefixes
from raising.native.transforms.memory_writer import FIRST, BlockWriter, Size, long_loops, mapped
from raising.support.mlir.operand_segments import DYNAMIC

BLOCKS = (128, 32)
"""Iterations of a block, and of the blocks in it: the first repay that all rows are packed once more, the second leave
few terms of each sum to be added singly."""


def block_loops(module: Any, fp: str) -> None:
    """Rewrite the functions of a module of memory in place. Sums are taken in another order: with `fp` strict, not."""
    if fp == "strict":
        return
    with module.context, ir.Location.unknown():
        for size in BLOCKS:
            for loop, reader, low in long_loops(module, BLOCKS[0]):
                body = body_of(loop, reader, low)
                found = [each for each in prefixes(body, FIRST) if _is_known(each, loop, reader)]
                if found:
                    _Blocked(loop, reader, size).write(found)


def _is_known(prefix: Prefix, loop: Any, reader: Reader) -> bool:
    """Whether all that is needed of the surroundings is there before the loop."""
    indices = [*(index for read in prefix.reads for index in read.map), *(size for size in prefix.sizes if size)]
    names = {read.array.name for read in prefix.reads}.union(*(index.symbols for index in indices)) - {FIRST}
    return known_before(names, loop, reader)


class _Blocked(BlockWriter):
    """A loop on its way to be one in another over blocks of its iterations."""

    def write(self, found: Sequence[Prefix]) -> None:
        """All sums, before the loop and inside."""
        sums = [self._before(each) for each in found]
        self.place = ir.InsertionPoint.at_block_begin(self.inner.regions[0].blocks[0])
        row = self.same("arith.subi", self.time, self.first)
        for each, memory in zip(found, sums, strict=True):
            self._rest(each, row)
            self._add(each, memory, row)

    # ---- before the block ---------------------------------------------------------------------------

    def _before(self, prefix: Prefix) -> ir.Value:
        """The sums of a block over all before it: a row for each iteration."""
        before = self.same("arith.subi", self.first, self.low)
        sizes: dict[int, Size] = {d: self.extent(size) for d, size in enumerate(prefix.sizes) if size is not None}
        *_, result = prefix.operation.operands
        element = ir.MemRefType(result.type).element_type
        memory = self.memory([self.size, *sizes.values()], element)
        rows = self.view(memory, [0] * (1 + len(sizes)), [self.height, *sizes.values()])
        self.fill(rows, prefix.combine.neutral, element)
        sizes |= {prefix.row: self.height, prefix.k: before}
        views, maps = zip(*(self.part(read, sizes) for read in prefix.reads), strict=True)
        order = [prefix.row, *(d for d, size in enumerate(prefix.sizes) if size is not None), prefix.k]
        kinds = ["parallel"] * (len(order) - 1) + ["reduction"]
        source = prefix.operation.regions[0].blocks[0]
        self.generic(
            [*views, rows], [*(mapped(order, each) for each in maps), mapped(order, order[:-1])], kinds, source
        )
        return memory

    # ---- within the block ---------------------------------------------------------------------------

    def _rest(self, prefix: Prefix, row: ir.Value) -> None:
        """Reduce the sum in the loop to the terms of its own block."""
        operation = prefix.operation
        self.place = ir.InsertionPoint(operation)
        extents, before = self._extents(prefix, row), self.same("arith.subi", self.first, self.low)
        maps = [ir.AffineMapAttr(each).value for each in operation.attributes["indexing_maps"]]
        for number, (operand, each) in enumerate(list(zip(operation.operands, maps, strict=True))[:-1]):
            dims = [ir.AffineDimExpr(result).position for result in each.results]
            if prefix.k in dims:
                offsets = [before if d == prefix.k else 0 for d in dims]
                operation.operands[number] = self.view(operand, offsets, [extents[d] for d in dims])

    def _extents(self, prefix: Prefix, row: ir.Value) -> dict[int, Size]:
        """The extent of each dimension of the sum, as its own result has it."""
        *_, result = prefix.operation.operands
        given = iter(result.owner.operation.operands)
        shape = [next(given) if size == DYNAMIC else size for size in ir.MemRefType(result.type).shape]
        kept = [d for d, size in enumerate(prefix.sizes) if size is not None]
        return {**dict(zip(kept, shape, strict=True)), prefix.k: row}

    def _add(self, prefix: Prefix, memory: ir.Value, row: ir.Value) -> None:
        """Add what was summed before the block."""
        *_, result = prefix.operation.operands
        extents = self._extents(prefix, row)
        kept = [d for d, size in enumerate(prefix.sizes) if size is not None]
        self.place = ir.InsertionPoint.after(prefix.operation)
        offsets: list[Size] = [row, *(row if d in prefix.moving else 0 for d in kept)]
        part = self.view(memory, offsets, [1, *(extents[d] for d in kept)], dropped=0)
        self._combined([part, result], prefix.combine.name, ir.MemRefType(result.type).element_type)

    def _combined(self, operands: list[ir.Value], name: str, element: ir.Type) -> None:
        """The second array joined with the first, element by element."""
        rank = list(range(ir.MemRefType(operands[1].type).rank))
        block = self.empty(operands, [mapped(rank, rank)] * 2, ["parallel"] * len(rank))
        place = ir.InsertionPoint(block)
        joined = ir.Operation.create(name, [element], list(block.arguments)[::-1], ip=place)
        ir.Operation.create("linalg.yield", operands=[joined.results[0]], ip=place)
