"""Products of two matrices by any operations, in tiles of registers, each element in the order of the loops.

A nest updates an element (i, j) for each k from what it reads at (i, k) and at (k, j): (min, +) for lengths of paths,
(max, min) for their widths, (or, and) for whether there is one, and sums of products whose order counts. A tile of
elements stays in registers over all k, and every value that is loaded serves a row or a column of it. Nothing but the
order of different elements changes.

    before  for i: for j: for k: d[i, j] = min(d[i, j], a[i, k] + b[k, j])
    after   for band by 48: for j by 48: for i by 6 in the band: t[6, 48] = d[i .. i + 6, j .. j + 48]
              for k: t[r, c] = min(t[r, c], a[i + r, k] + b[k, j + c])
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.base.target import Target
from raising.native.bufferize.shapes import name_extents
from raising.native.loops.body import Body, Memory, Point, load, store, subscripted
from raising.native.loops.emit_loops import Machine, Writer, write_kernel
from raising.native.loops.loop_plan import bits_of, vectorisable
from raising.native.loops.loop_tree import permuted, unit_stride
from raising.native.loops.vector_ops import Lane, may_be_masked, vector_type, widened
from raising.native.nest.kernel_call import call
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Nest
from raising.native.nest.read_nests import read_operation
from raising.native.nest.read_views import Reader
from raising.support.mlir.walk import named
from raising.support.record import dataclass

LEAST = 16
"""Steps of k that repay loading and storing a tile."""
TILES = {16: (4, 2), 32: (6, 3)}
"""Rows and vectors of a tile, by the number of vector registers: its values, a row of operands, and what is between."""
BAND = 8
"""Tiles one below the other that are done for the same columns, whose operands the cache holds meanwhile."""
_I, _J, _K = 0, 1, 2


def tile_products(module: Any, target: Target, kernels: Collection[str] = ()) -> frozenset[str]:
    """Put a kernel in place of each such product of the module; the names of the kernels, with those there were."""
    known = set(kernels)
    with module.context, ir.Location.unknown():
        for function in [each for each in module.body.operations if each.operation.name == "func.func"]:
            if function.name.value not in known:
                reader = Reader(kernels=known, extents=name_extents(function))
                for operation in named(function, "linalg.generic"):
                    _replace(module, operation, reader, target)
    return frozenset(known)


def _replace(module: Any, operation: Any, reader: Reader, target: Target) -> None:
    what = read_operation(operation, reader)
    nest = product_of(what) if isinstance(what, Nest) else None
    if nest is None:
        return
    machine = Machine(target.vector_bits, target.l2, target.threads)
    writer = Writer(Lines(), machine, True, frozenset())

    def emit(writer: Writer, names: Mapping[Term, str]) -> None:
        _Tiles(writer, nest, TILES[target.registers], names, target.l2).write()

    name = f"native_product_{len(reader.kernels)}"
    kernel = write_kernel((nest,), name, writer, (frozenset(), frozenset()), emit)
    call(module, kernel, name, reader, operation)
    operation.erase()


def product_of(nest: Nest) -> Nest | None:
    """The nest over rows, neighbours in memory and steps, if it updates each element by a product; else None."""
    steps = [d for d, parallel in enumerate(nest.parallel) if not parallel]
    if len(nest.extents) != 3 or len(steps) != 1 or len(nest.writes) != 1:
        return None
    (write,), (k,) = nest.writes, steps
    columns = [d for d in sorted(write.dims) if unit_stride(write, d)]
    rows = [d for d in sorted(write.dims) if d not in columns]
    if len(columns) != 1 or len(rows) != 1 or k in write.dims:
        return None
    found = permuted(nest, (rows[0], columns[0], k))
    return found if _may_be_tiled(found) and _pays(found) else None


def _may_be_tiled(nest: Nest) -> bool:
    """Whether elements have nothing to do with each other, and what a lane computes ends no program."""
    (write,) = nest.writes
    others = [read for read in nest.reads if read != write]
    apart = not any(read.array.may_overlap(write.array) for read in others)
    along = all(_J not in read.dims or unit_stride(read, _J) for read in others)
    return write in nest.reads and apart and along and vectorisable(nest, _J)


def _pays(nest: Nest) -> bool:
    """Whether each value that is read serves a row or a column of a tile, for as long as that is worth it."""
    kinds = [read.dims for read in nest.reads if read != nest.writes[0]]
    long = all(
        not extent.is_constant or extent.constant >= least
        for extent, least in zip(nest.extents, (4, 4, LEAST), strict=True)
    )
    both = any(dims >= {_I, _J} for dims in kinds)
    return long and not both and {_I, _K} in kinds and {_J, _K} in kinds


@dataclass(frozen=True)
class _Strip:
    """Columns from, to, by, done as so many vectors of lanes; under a mask, which ends with them, if `masked`."""

    bounds: tuple[str, str, int]
    vectors: int
    lanes: int
    masked: bool = False


@dataclass(frozen=True)
class _Tiles:
    """The loops of one product. `shape` is the rows and vectors of a tile, `names` those of what is around it.

    The columns of a tile, for a block of steps, take a quarter of the second cache, of `cache` bytes.
    """

    writer: Writer
    nest: Nest
    shape: tuple[int, int]
    names: Mapping[Term, str]
    cache: int

    def write(self) -> None:
        """Blocks of steps, one after the other."""
        code, total = self.writer.code, self.writer.code.affine(self.nest.extents[_K], self.names)
        depth = self.cache * 8 // (4 * self.shape[1] * self.writer.machine.vector_bits)
        with code.loop((code.index(0), total, code.index(depth))) as block:
            self._bands((block.induction, code.formula(f"min({block.induction} + {depth}, {total})")))

    def _bands(self, steps: tuple[str, str]) -> None:
        """Bands of rows, for threads, and what is left row by row; within a band, all of its columns.

        So the rows of a band are read side by side from memory, and the columns of a tile stay in the cache.
        """
        code, rows = self.writer.code, self.shape[0]
        down, strips = code.affine(self.nest.extents[_I], self.names), self._strips()
        whole = self._multiple(self.nest.extents[_I], down, rows)
        for height, begin, end in ((rows, code.index(0), whole), (1, whole, down)):
            if begin == end:
                continue
            size = code.index(BAND * height)
            with code.loop((begin, end, size), parallel=self.writer.machine.threads > 1) as band:
                top = code.formula(f"min({band.induction} + {size}, {end})")
                for strip in strips:
                    self._strip(strip, (band.induction, top, height), steps)

    def _strips(self) -> list[_Strip]:
        """Whole tiles, then single vectors: the last under a mask, or element by element."""
        code, (_, vectors) = self.writer.code, self.shape
        extent, lanes = self.nest.extents[_J], max(1, self.writer.machine.vector_bits // bits_of(self.nest))
        end = code.affine(extent, self.names)
        wide, whole = (self._multiple(extent, end, step) for step in (vectors * lanes, lanes))
        found = [_Strip((code.index(0), wide, vectors * lanes), vectors, lanes)]
        if self._maskable():
            found.append(_Strip((wide, end, lanes), 1, lanes, masked=True))
        else:
            found += [_Strip((wide, whole, lanes), 1, lanes), _Strip((whole, end, 1), 1, 1)]
        return [each for each in found if each.bounds[0] != each.bounds[1]]

    def _multiple(self, extent: Affine, end: str, step: int) -> str:
        code = self.writer.code
        if extent.is_constant:
            return code.index(max(0, extent.constant) // step * step)
        some = code.formula(f"max({end}, 0)")
        return code.formula(f"{some} - remsi({some}, {step})")

    def _maskable(self) -> bool:
        elements = (each.array.element for each in (*self.nest.reads, *self.nest.writes))
        return may_be_masked(elements, self.writer.machine.vector_bits)

    def _strip(self, strip: _Strip, rows: tuple[str, str, int], steps: tuple[str, str]) -> None:
        """All columns of a strip, for rows from, to, by."""
        code, (low, high, step) = self.writer.code, strip.bounds
        with code.loop((low, high, code.index(step)), whole=True) as column:
            mask = None
            if strip.masked:
                left = code.formula(f"{high} - {column.induction}")
                mask = code.op(f"vector.create_mask {left} : vector<{strip.lanes}xi1>", "m")
            soon = code.formula(f"max(min({column.induction} + {step}, {high} - {step}), {low})")
            begin, top, height = rows
            with code.loop((begin, top, code.index(height)), whole=True) as row:
                at: dict[Term, str] = {**self.names, _I: row.induction, _J: column.induction}
                first = Point(at, (), _J, strip.lanes, mask)
                self._ask(replace(first, names={**at, _J: soon}), (height, strip.vectors))
                self._tile(first, (height, strip.vectors), steps)

    def _tile(self, first: Point, shape: tuple[int, int], steps: tuple[str, str]) -> None:
        """One tile: from memory, through steps from, to, back to memory."""
        code, (write,) = self.writer.code, self.nest.writes
        points = list(_points(first, shape))
        kind = vector_type(write.array.element, first.lanes)
        carried = [(load(code, point.element(write), point).name, kind) for point in points]
        with code.loop((*steps, code.index(1)), carried, whole=True) as step:
            memory = Memory(code)
            now = [replace(point, names={**point.names, _K: step.induction}) for point in points]
            step.values[:] = [self._step(*each, memory) for each in zip(now, step.start, strict=True)]
        for point, value in zip(points, step.results, strict=True):
            store(code, point.element(write), Lane(value, write.array.element, True), point)

    def _step(self, point: Point, old: str, memory: Memory) -> str:
        """The next value of one vector of a tile."""
        (write,) = self.nest.writes
        body = Body(self.writer.code, self.nest, point, memory, {write: Lane(old, write.array.element, True)})
        return widened(self.writer.code, body.value(self.nest.yields[0]), point.lanes)

    def _ask(self, first: Point, shape: tuple[int, int]) -> None:
        """Ask for a tile that comes later."""
        code, (write,) = self.writer.code, self.nest.writes
        for point in _points(first, shape):
            where = subscripted(code, point.element(write), point.names)
            code.line(f"memref.prefetch {where}, write, locality<3>, data : {write.array.type}")


def _points(first: Point, shape: tuple[int, int]) -> Iterator[Point]:
    """The vectors of a tile, row by row."""
    for row in range(shape[0]):
        for vector in range(shape[1]):
            yield replace(first, shift=((_I, row), (_J, vector * first.lanes)))
