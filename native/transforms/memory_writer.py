"""Operations on memory, written one after the other: temporaries, parts of arrays, and empty operations of linalg's.

before  sizes, offsets and the block of an operation; a loop
after   %part = memref.subview %memory[...]; linalg.generic ins(%part) outs(%rows) { the block }; the loop in blocks
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.base.target import ALIGNMENT
from raising.native.nest.nest import Access
from raising.native.nest.read_views import Reader
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.operand_segments import DYNAMIC, box, segmented

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


FIRST = "%first"
"""The name of the first iteration of a block."""
LAST = "%last"
"""The name of the iteration behind a block."""


class BlockWriter(MemoryWriter):
    """A loop on its way to be one in another over blocks of its iterations; writes before the inner one."""

    def __init__(self, loop: Any, reader: Reader, size: int) -> None:
        super().__init__(ir, ir.InsertionPoint(loop))
        self.loop, self.reader, self.size = loop, reader, size
        self.time = loop.regions[0].blocks[0].arguments[0]
        self.low, self.end, _ = loop.operands
        self.first = self._outer(self.low, self.index(size))
        self.last = self.same("arith.minsi", self.same("arith.addi", self.first, self.index(size)), self.end)
        self.height = self.same("arith.subi", self.last, self.first)
        self.loop.operands[0], self.loop.operands[1] = self.first, self.last

    def _outer(self, low: ir.Value, step: ir.Value) -> ir.Value:
        """The loop over blocks, with the given one in it; where a block begins."""
        outer = ir.Operation.create("scf.for", [], [low, self.end, step], regions=1, ip=self.place)
        block = outer.regions[0].blocks.append(ir.IndexType.get())
        done = ir.Operation.create("scf.yield", ip=ir.InsertionPoint(block))
        self.loop.move_before(done)
        self.place = ir.InsertionPoint(self.loop)
        return block.arguments[0]

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
        total, bounds = self.index(index.constant), {FIRST: self.first, LAST: self.last}
        for term, factor in index.terms:
            value = bounds[str(term)] if term in bounds else self.reader.values[str(term)]
            total = self.same("arith.addi", total, self.same("arith.muli", value, self.index(factor)))
        return total


def mapped(order: Sequence[int], results: Sequence[int | None]) -> ir.AffineMap:
    """Dimensions by their place in an order; 0 for None."""
    found = [ir.AffineConstantExpr.get(0) if d is None else ir.AffineDimExpr.get(order.index(d)) for d in results]
    return ir.AffineMap.get(len(order), 0, found)
