"""Accumulators: the partial results of reductions along the vector, for each row and each copy of the body.

They begin at the neutral element, are joined behind the loop, copy by copy and lane by lane, and are added to their
elements of memory. Where the order of sums is kept, there is one, and it begins as the element itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raising.native.loops.body import Point, load, subscripted
from raising.native.loops.interleave import Shape
from raising.native.loops.loop_tree import unit_stride
from raising.native.loops.vector_ops import (
    Lane,
    Partial,
    Sum,
    flags_of,
    reduction,
    sums_of_rows,
    vector_type,
)
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Nest
from raising.support.record import dataclass


def sums_along(nests: Sequence[Nest], dim: int, rows: int) -> list[Sum]:
    """The reductions along a loop, those of the rows of a write one behind the other."""
    found = []
    for number, nest in enumerate(nests):
        for place, write in enumerate(nest.writes):
            combine = reduction(nest, place) if dim not in write.dims else None
            if combine is not None:
                found += [Sum(number, place, row, write, combine) for row in range(rows)]
    return found


@dataclass
class Accumulators:
    """Writes what becomes of the accumulators of a loop; `points` are those of each row, one element at a time."""

    code: Lines
    sums: Sequence[Sum]
    shape: Shape
    points: Sequence[Point]

    def table(self, names: Sequence[str]) -> Partial:
        """The accumulators with these names, in the order of `begin`."""
        keys = [(each, copy) for each in self.sums for copy in range(self.shape.copies)]
        wide = self.shape.lanes > 1
        return {key: Lane(name, key[0].access.array.element, wide) for key, name in zip(keys, names, strict=True)}

    def begin(self, copies: int | None = None) -> list[tuple[str, str]]:
        """The first value of each accumulator, and its type."""
        times = range(self.shape.copies if copies is None else copies)
        return [(self._start(each), self.kind(each)) for each in self.sums for _ in times]

    def kind(self, each: Sum) -> str:
        """The type of an accumulator."""
        lanes, grouped = self.shape.lanes, self.shape.grouped
        return grouped[each.nest].kind(lanes) if grouped else vector_type(each.access.array.element, lanes)

    def _start(self, each: Sum) -> str:
        """The start of an accumulator: the element itself where the order is kept, else the neutral element."""
        if self.shape.ordered:
            return self._old(each)
        neutral = f"dense<{each.combine.neutral}>" if self.shape.lanes > 1 else each.combine.neutral
        return self.code.op(f"arith.constant {neutral} : {self.kind(each)}")

    def _old(self, each: Sum) -> str:
        point = self.points[each.row]
        return load(self.code, point.element(each.access), point).name

    def finish(self, partial: Partial) -> None:
        """Join the accumulators and store: those of neighbouring rows together, where they lie side by side."""
        rows, plain = self.shape.rows, not (self.shape.ordered or self.shape.grouped)
        together = plain and 2 < rows <= self.shape.lanes and rows & (rows - 1) == 0
        for place in range(0, len(self.sums), rows):
            same = self.sums[place : place + rows]  # `sums_along` lists them so
            if together and unit_stride(same[0].access, self.points[0].dim - 1):
                self._stored_rows(same, [self.joined(each, partial) for each in same])
                continue
            for each in same:
                self._stored(each, self.joined(each, partial))

    def joined(self, each: Sum, partial: Partial) -> str:
        """The accumulators of all copies in one."""
        left = [partial[each, copy].name for copy in range(self.shape.copies)]
        while len(left) > 1:
            half = len(left) // 2
            pairs = zip(left[:half], left[half : 2 * half], strict=True)
            joined = (self.join(each, a, b) for a, b in pairs)
            left = [*joined, *left[2 * half :]]
        return left[0]

    def join(self, each: Sum, one: str, two: str) -> str:
        """Two accumulators in one."""
        return self.code.op(f"{each.combine.name} {one}, {two}{flags_of(each)} : {self.kind(each)}")

    def add_block(self, each: Sum, one: str, two: str) -> str:
        """The accumulator of a block behind those before it, as it stands.

        LLVM would group it with the sums inside of the block where no thread keeps these in memory.
        """
        return self.code.op(f"{each.combine.name} {one}, {two} : {self.kind(each)}")

    def _stored(self, each: Sum, total: str) -> None:
        """Add an accumulator to its element, and store that."""
        element, flags = each.access.array.element, flags_of(each)
        if self.shape.grouped:
            total = self.shape.grouped[each.nest].total(self.code, total, self.shape.lanes, element)
        elif self.shape.lanes > 1:
            kind = f"{self.kind(each)} into {element}"
            total = self.code.op(f"vector.reduction <{each.combine.kind}>, {total}{flags} : {kind}")
        if not self.shape.ordered:
            total = self.code.op(f"{each.combine.name} {self._old(each)}, {total}{flags} : {element}")
        where = subscripted(self.code, self.points[each.row].element(each.access), self.points[0].names)
        self.code.line(f"memref.store {total}, {where} : {each.access.array.type}")

    def _stored_rows(self, sums: Sequence[Sum], totals: list[str]) -> None:
        """Add the accumulators of neighbouring rows to their elements, which are one vector."""
        array, combine = sums[0].access.array, sums[0].combine
        total = sums_of_rows(self.code, totals, combine, array.element, self.shape.lanes)
        kind = vector_type(array.element, len(sums))
        where = subscripted(self.code, self.points[0].element(sums[0].access), self.points[0].names)
        old = self.code.op(f"vector.load {where} : {array.type}, {kind}", "l")
        total = self.code.op(f"{combine.name} {old}, {total}{flags_of(sums[0])} : {kind}")
        self.code.line(f"vector.store {total}, {where} : {array.type}, {kind}")

    def kept(self, new: Lane, old: Lane, mask: str | None) -> Lane:
        """The new value of an accumulator in the lanes that exist."""
        if mask is None:
            return new
        kinds = f"vector<{self.shape.lanes}xi1>, {vector_type(new.element, self.shape.lanes)}"
        return replace(new, name=self.code.op(f"arith.select {mask}, {new.name}, {old.name} : {kinds}", "v"))
