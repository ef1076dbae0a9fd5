"""Operations on memory, written one after the other: temporaries, parts of arrays, and empty operations of linalg's.

before  sizes, offsets and the block of an operation; a loop
after   %part = memref.subview %memory[...]; linalg.generic ins(%part) outs(%rows) { the block }; the loop in blocks
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.base.target import ALIGNMENT
from raising.native.nest.nest import Access
from raising.native.nest.read_views import Reader
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.operand_segments import DYNAMIC, box, segmented
from raising.support.mlir.walk import operations

_STRIDED = ir.MemRefType.get_dynamic_stride_or_offset()

Size = Any
"""An index known when compiling, or the value of one."""


class MemoryWriter(OpWriter):
    """Writes at `place`."""

    def memory(self, shape: Sequence[Size], element: ir.Type) -> ir.Value:
        """Write the allocation of a temporary; its value."""
        kind = ir.MemRefType.get([size if isinstance(size, int) else DYNAMIC for size in shape], element)
        dynamic = [size for size in shape if not isinstance(size, int)]
        attributes = {
            **segmented(ir, len(dynamic), 0),
            "alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), ALIGNMENT),
        }
        return ir.Operation.create("memref.alloc", [kind], dynamic, attributes, ip=self.place).results[0]

    def view(
        self, memory: ir.Value, offsets: Sequence[Size], sizes: Sequence[Size], dropped: int | None = None
    ) -> ir.Value:
        """A part of an array, without the dimension of this number, which has an extent of 1."""
        kind = ir.MemRefType(memory.type)
        strides, start = kind.get_strides_and_offset()
        known = all(isinstance(each, int) for each in offsets) and start != _STRIDED
        place = start + sum(n * stride for n, stride in zip(offsets, strides, strict=True)) if known else _STRIDED
        shape = [size if isinstance(size, int) else DYNAMIC for size in sizes]
        left = [axis for axis in range(len(shape)) if axis != dropped]
        layout = ir.StridedLayoutAttr.get(place, [strides[axis] for axis in left])
        part = ir.MemRefType.get([shape[axis] for axis in left], kind.element_type, layout)
        values, attributes = box(ir, offsets, sizes, [1] * len(sizes))
        return ir.Operation.create("memref.subview", [part], [memory, *values], attributes, ip=self.place).results[0]

    def fill(self, memory: ir.Value, number: str, element: ir.Type) -> None:
        """One number in all elements."""
        text = f"arith.constant {number} : {element}"
        constant = ir.Operation.parse(text).clone(self.place).results[0]
        rank = list(range(ir.MemRefType(memory.type).rank))
        block = self.empty([memory], [mapped(rank, rank)], ["parallel"] * len(rank))
        ir.Operation.create("linalg.yield", operands=[constant], ip=ir.InsertionPoint(block))

    def copied(self, source: ir.Value, target: ir.Value) -> None:
        """The elements of one array in another of the same shape."""
        rank = list(range(ir.MemRefType(target.type).rank))
        block = self.empty([source, target], [mapped(rank, rank)] * 2, ["parallel"] * len(rank))
        ir.Operation.create("linalg.yield", operands=[block.arguments[0]], ip=ir.InsertionPoint(block))

    def generic(
        self,
        operands: list[ir.Value],
        maps: list[ir.AffineMap],
        kinds: list[str],
        source: Any,
        places: Sequence[int | ir.Value] | None = None,
    ) -> None:
        """An operation that does what a block does.

        `places` are the operands of its arguments, or values that are known before; without it, all operands in order.
        """
        block = self.empty(operands, maps, kinds)
        arguments = list(block.arguments)
        chosen = arguments
        if places is not None:
            chosen = [arguments[place] if isinstance(place, int) else place for place in places]
        values = dict(zip(source.arguments, chosen, strict=True))
        place = ir.InsertionPoint(block)
        for view in source.operations:
            new = view.operation.clone(place)
            for number, operand in enumerate(new.operands):
                new.operands[number] = values.get(operand, operand)
            values |= dict(zip(view.operation.results, new.results, strict=True))

    def empty(self, operands: list[ir.Value], maps: list[ir.AffineMap], kinds: list[str]) -> Any:
        """The block of an operation that still does nothing; the last of the operands is its result."""
        iterators = ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds])
        attributes = {
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(each) for each in maps]),
            "iterator_types": iterators,
            **segmented(ir, len(operands) - 1, 1),
        }
        generic = ir.Operation.create("linalg.generic", [], operands, attributes, regions=1, ip=self.place)
        elements = [ir.MemRefType(operand.type).element_type for operand in operands]
        return generic.regions[0].blocks.append(*elements)


def long_loops(module: Any, least: int) -> Iterator[tuple[Any, Reader, Affine]]:
    """The loops of step 1 without results that are not known to have at most so many iterations.

    Each comes with a reader for what is in it, and with its first iteration.
    """
    for loop in operations(module, lambda op: op.name == "scf.for" and not op.results):
        reader = Reader()
        low, high, step = (reader.index(value) for value in loop.operands)
        trip = high - low
        if step == Affine(1) and not (trip.is_constant and trip.constant <= least):
            yield loop, reader, low


class LoopWriter(MemoryWriter):
    """Writes loops, and what is over the values that a reader knows."""

    def __init__(self, place: Any, reader: Reader) -> None:
        super().__init__(ir, place)
        self.reader = reader

    @contextmanager
    def loop(self, low: ir.Value, high: ir.Value, step: ir.Value) -> Iterator[ir.Value]:
        """A loop with what is written meanwhile; its counter."""
        outer, (counter, self.place) = self.place, self._opened(low, high, step)
        yield counter
        self.place = outer

    def blocks(self, loop: Any, low: ir.Value, high: ir.Value, size: int) -> tuple[ir.Value, ir.Value]:
        """A loop over blocks of so many iterations around a loop, in front of which is written from now on.

        The results are the first iteration of a block, and the one behind it.
        """
        first, end = self._opened(low, high, self.index(size))
        loop.move_before(end.ref_operation)
        self.place = ir.InsertionPoint(loop)
        return first, self.same("arith.minsi", self.same("arith.addi", first, self.index(size)), high)

    def _opened(self, low: ir.Value, high: ir.Value, step: ir.Value) -> tuple[ir.Value, ir.InsertionPoint]:
        """The counter of a loop that does nothing yet, and its end."""
        made = ir.Operation.create("scf.for", [], [low, high, step], regions=1, ip=self.place)
        block = made.regions[0].blocks.append(ir.IndexType.get())
        done = ir.Operation.create("scf.yield", ip=ir.InsertionPoint(block))
        return block.arguments[0], ir.InsertionPoint(done)

    def value(self, index: Affine, values: Mapping[str, ir.Value]) -> ir.Value:
        """An expression over these values, and over those that the reader knows and their extents."""
        total = self.index(index.constant)
        for term, factor in index.terms:
            base, *axis = str(term).split(".")
            value = values[base] if base in values else self.reader.values[base]
            if axis:
                value = self.one("memref.dim", ir.IndexType.get(), value, self.index(int(axis[0])))
            total = self.same("arith.addi", total, self.same("arith.muli", value, self.index(factor)))
        return total


FIRST = "%first"
"""The name of the first iteration of a block."""
LAST = "%last"
"""The name of the iteration behind a block."""


class BlockWriter(LoopWriter):
    """A loop on its way to be one in another over blocks of its iterations; writes before the inner one."""

    def __init__(self, loop: Any, reader: Reader, size: int) -> None:
        super().__init__(ir.InsertionPoint(loop), reader)
        self.inner, self.size = loop, size
        self.time = loop.regions[0].blocks[0].arguments[0]
        self.low, self.end, _ = loop.operands
        self.first, self.last = self.blocks(loop, self.low, self.end, size)
        self.height = self.same("arith.subi", self.last, self.first)
        loop.operands[0], loop.operands[1] = self.first, self.last

    def part(self, access: Access, sizes: Mapping[int, Size]) -> tuple[ir.Value, list[int | None]]:
        """What an access goes through for dimensions of these sizes, and the dimension of each of its own, or None."""
        offsets = [self.at(index - sum((dim(d) for d in index.dims), Affine(0))) for index in access.map]
        extents = [sizes[min(index.dims)] if index.dims else 1 for index in access.map]
        view = self.view(self.reader.values[access.array.name], offsets, extents)
        return view, [min(index.dims, default=None) for index in access.map]

    def extent(self, size: Affine) -> Size:
        """An extent, which is not negative."""
        if size.is_constant:
            return max(size.constant, 0)
        return self.same("arith.maxsi", self._value(size), self.index(0))

    def at(self, index: Affine) -> Size:
        """An index over the block's bounds and what is before the loop."""
        return index.constant if index.is_constant else self._value(index)

    def _value(self, index: Affine) -> ir.Value:
        return self.value(index, {FIRST: self.first, LAST: self.last})


def mapped(order: Sequence[int], results: Sequence[int | None]) -> ir.AffineMap:
    """Dimensions by their place in an order; 0 for None."""
    found = [ir.AffineConstantExpr.get(0) if d is None else ir.AffineDimExpr.get(order.index(d)) for d in results]
    return ir.AffineMap.get(len(order), 0, found)
