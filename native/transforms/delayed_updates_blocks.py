"""Right-looking loops in blocks of iterations: what they do to everything behind a block is three products of matrices.

before  for t: y = q[:, t] = ... a[:, t]; r[t, t + 1:] = y a[:, t + 1:]; a[:, t + 1:] -= y r[t, t + 1:]
after   for b by 32: last = b + 32
          for t in b .. last: the same, with the columns t + 1 .. last
          w = q[:, b .. last] a[:, last:]; g = q[:, b .. last] q[:, b .. last]     # contractions
          for s in 0 .. 32: w[s] -= sum of g[s, l] w[l] over l < s
          a[:, last:] -= q[:, b .. last] w; r[b .. last, last:] = w                # contraction
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.nest.nest import Access
from raising.native.nest.read_views import unguarded
from raising.native.transforms.delayed_updates import Delayed, Part, delayed, in_block, uses_as_size
from raising.native.transforms.left_looking import Body, body_of
from raising.native.transforms.memory_writer import BlockWriter, Size, long_loops, mapped

BLOCK = 32
"""Iterations of a block: enough to repay reading the array three times, few enough for what is done one by one.

Of 24 to 128, and of blocks in blocks, 32 and 48 were the fastest for 1000 x 1200.
"""


def delay_updates(module: Any, fp: str) -> None:
    """Rewrite the functions of a module of memory in place. Sums are taken in another order: with `fp` strict, not."""
    if fp == "strict":
        return
    with module.context, ir.Location.unknown():
        for loop, reader, low in long_loops(module, 2 * BLOCK):
            body = body_of(loop, reader, low)
            found = delayed(body, loop)
            if found is not None and not _is_short(found):
                _Delaying(loop, body, BLOCK).write(found)


def _is_short(found: Delayed) -> bool:
    """Whether the sums have so few terms that the products of rows with rows would cost more than they save."""
    others = [extent for d, extent in enumerate(found.product.nest.extents) if d != found.product.j]
    count = 1
    for extent in others:
        count *= extent.constant if extent.is_constant else BLOCK
    return count < BLOCK


class _Delaying(BlockWriter):
    """A loop on its way to be one over blocks; behind the inner one comes what is done for a whole block."""

    def __init__(self, loop: Any, body: Body, size: int) -> None:
        super().__init__(loop, body.reader, size)
        self.body = body

    def write(self, found: Delayed) -> None:
        """Everything behind the inner loop, which goes no further than the block."""
        self._cut(found)
        self.place = ir.InsertionPoint.after(self.inner)
        width = self.extent(found.beyond)
        element = ir.MemRefType(found.start.operation.operands[len(found.start.accesses) - 1].type).element_type
        memory = self.memory([self.size, width], element)
        rows = self.view(memory, [0, 0], [self.height, width])
        for part in (found.start, found.product):
            self._for_all(part, found, rows, width)
        self._correct(found, memory, width, element)
        self._update(found, rows, width, element)
        for part in found.ends:
            self._for_all(part, found, rows, width)

    def _cut(self, found: Delayed) -> None:
        """Let the inner loop end with the block in the dimension that goes beyond."""
        for size in found.sizes:
            uses = list(uses_as_size([size]))
            self.place = ir.InsertionPoint.after(size.owner.operation)
            rest = self.same("arith.subi", self.same("arith.subi", self.last, self.index(1)), self.time)
            least = self.same("arith.minsi", size, rest)
            for user, number in uses:
                user.operands[number] = least

    def _sizes(self, part: Part, width: Size) -> dict[int, Size]:
        """The extents of a part's dimensions behind the block, and of the one for its iterations."""
        extents = enumerate(part.nest.extents)
        sizes = {d: self.extent(unguarded(e, self.reader)) if d != part.j else width for d, e in extents}
        return {**sizes, len(sizes): self.height}

    def _for_all(self, part: Part, found: Delayed, rows: ir.Value, width: Size) -> None:
        """A part for all iterations of the block."""
        row, sizes = len(part.nest.extents), self._sizes(part, width)
        order = [d for d in range(row) if part.nest.parallel[d]]
        order = [row, *order, *(d for d in range(row) if d not in order)]
        views, maps = self._operands(part.accesses, part, found, rows, sizes)
        kinds = ["parallel" if d == row or part.nest.parallel[d] else "reduction" for d in order]
        self.generic(views, [mapped(order, each) for each in maps], kinds, part.operation.regions[0].blocks[0])

    def _operands(
        self, accesses: Sequence[Access], part: Part, found: Delayed, rows: ir.Value, sizes: dict[int, Size]
    ) -> tuple[list[ir.Value], list[list[int | None]]]:
        row = len(part.nest.extents)
        views, maps = list[ir.Value](), list[list[int | None]]()
        for access in accesses:
            if access.array.name == found.row:
                views.append(rows)
                maps.append([row, part.j])
            else:
                view, dims = self.part(in_block(access, part, self.body, row), sizes)
                views.append(view)
                maps.append(dims)
        return views, maps

    def _correct(self, found: Delayed, memory: ir.Value, width: Size, element: ir.Type) -> None:
        """What the updates of the block's earlier iterations change in each row."""
        among = self._among(found, element)
        with self.loop(self.index(0), self.height, self.index(1)) as s:
            factors = self.view(among, [s, 0], [1, s], dropped=0)
            before = self.view(memory, [0, 0], [s, width])
            result = self.view(memory, [s, 0], [1, width], dropped=0)
            maps = [mapped([0, 1], dims) for dims in ([1], [1, 0], [0])]
            self._multiplied([factors, before, result], maps, ["parallel", "reduction"], found.sign, element)

    def _among(self, found: Delayed, element: ir.Type) -> ir.Value:
        """The product with what each iteration of the block takes away in place of the array."""
        part, row = found.product, len(found.product.nest.extents)
        memory = self.memory([self.size, self.size], element)
        result = self.view(memory, [0, 0], [self.height, self.height])
        self.fill(result, "0.0", element)
        sizes = {**self._sizes(part, 1), row + 1: self.height}
        own: dict[Term, Affine] = {e: dim(d) for d, e in found.same.items()}
        y = in_block(found.y, found.update, self.body, -1).moved({**own, -1: dim(row + 1)})
        inputs = list(part.accesses[:-1])
        place = next(n for n, access in enumerate(inputs) if part.j in access.dims)
        views, maps = self._operands([a for n, a in enumerate(inputs) if n != place], part, found, result, sizes)
        view, dims = self.part(y, sizes)
        views, maps = (
            [*views[:place], view, *views[place:], result],
            [*maps[:place], dims, *maps[place:], [row, row + 1]],
        )
        sums = [d for d in range(row) if d != part.j]
        order = [row, row + 1, *sums]
        kinds = ["parallel", "parallel", *["reduction"] * len(sums)]
        self.generic(views, [mapped(order, each) for each in maps], kinds, part.operation.regions[0].blocks[0])
        return memory

    def _update(self, found: Delayed, rows: ir.Value, width: Size, element: ir.Type) -> None:
        """The updates of all iterations of the block."""
        part, row = found.update, len(found.update.nest.extents)
        sizes = self._sizes(part, width)
        (y, array), (first, last) = self._operands([found.y, found.array], part, found, rows, sizes)
        order = [*range(row), row]
        kinds = [*["parallel"] * row, "reduction"]
        maps = [mapped(order, dims) for dims in (first, [row, part.j], last)]
        self._multiplied([y, rows, array], maps, kinds, found.sign, element)

    def _multiplied(
        self, operands: list[ir.Value], maps: list[ir.AffineMap], kinds: list[str], sign: str, element: ir.Type
    ) -> None:
        """The product of two operands, added to the third or taken from it."""
        block = self.empty(operands, maps, kinds)
        place = ir.InsertionPoint(block)
        left, right, old = block.arguments
        product = ir.Operation.create("arith.mulf", [element], [left, right], ip=place)
        total = ir.Operation.create(sign, [element], [old, product.results[0]], ip=place)
        ir.Operation.create("linalg.yield", operands=[total.results[0]], ip=place)
