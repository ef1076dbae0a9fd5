"""Products of two matrices by any operations, in tiles of registers, each element in the order of the loops.

A nest updates an element (i, j) for each k from what it reads at (i, k) and at (k, j): (min, +) for lengths of paths,
(max, min) for their widths, (or, and) for whether there is one, and sums of products whose order counts. A tile of
elements stays in registers over all k, and every value that is loaded serves a row or a column of it. Nothing but the
order of different elements changes.

    before  for i: for j: for k: d[i, j] = min(d[i, j], a[i, k] + b[k, j])
    after   for j by 48: for i by 6: t[6, 48] = d[i .. i + 6, j .. j + 48]
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
from raising.native.loops.emit_loops import MASKS_ALL, Machine, Writer, bits_of, vectorisable, write_kernel
from raising.native.loops.loop_tree import permuted, unit_stride
from raising.native.loops.vector_ops import MASKED, Lane, element_bits, vector_type, widened
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
        _Tiles(writer, nest, TILES[target.registers], names).write()

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
class _Tiles:
    """The loops of one product. `shape` is the rows and vectors of a tile, `names` those of what is around it."""

    writer: Writer
    nest: Nest
    shape: tuple[int, int]
    names: Mapping[Term, str]

    def write(self) -> None:
        """Strips of whole tiles, then single vectors: the last under a mask, or element by element."""
        rows, vectors = self.shape
        extent, lanes = self.nest.extents[_J], max(1, self.writer.machine.vector_bits // bits_of(self.nest))
        end = self.writer.code.affine(extent, self.names)
        wide = self._multiple(extent, end, vectors * lanes)
        self._strips((self.writer.code.index(0), wide, vectors * lanes), (rows, vectors, lanes))
        if wide == end:
            return
        if self._maskable():
            self._strips((wide, end, lanes), (rows, 1, lanes), end)
            return
        whole = self._multiple(extent, end, lanes)
        self._strips((wide, whole, lanes), (rows, 1, lanes))
        self._strips((whole, end, 1), (rows, 1, 1))

    def _multiple(self, extent: Affine, end: str, step: int) -> str:
        code = self.writer.code
        if extent.is_constant:
            return code.index(max(0, extent.constant) // step * step)
        some = code.op(f"arith.maxsi {end}, {code.index(0)} : index")
        rest = code.op(f"arith.remsi {some}, {code.index(step)} : index")
        return code.op(f"arith.subi {some}, {rest} : index")

    def _maskable(self) -> bool:
        small = any(element_bits(each.array.element) < MASKED for each in (*self.nest.reads, *self.nest.writes))
        return not small or self.writer.machine.vector_bits >= MASKS_ALL

    def _strips(self, bounds: tuple[str, str, int], tile: tuple[int, int, int], masked: str | None = None) -> None:
        """Columns from, to, by; `tile` is rows, vectors and lanes. With `masked`, columns end there."""
        code, (low, high, step) = self.writer.code, bounds
        if low == high:
            return
        rows, vectors, lanes = tile
        down = code.affine(self.nest.extents[_I], self.names)
        whole = self._multiple(self.nest.extents[_I], down, rows)
        with code.loop((low, high, code.index(step)), parallel=self.writer.machine.threads > 1) as strip:
            mask = None
            if masked is not None:
                left = code.op(f"arith.subi {masked}, {strip.induction} : index")
                mask = code.op(f"vector.create_mask {left} : vector<{lanes}xi1>", "m")
            for height, begin, end in ((rows, code.index(0), whole), (1, whole, down)):
                if begin != end:
                    with code.loop((begin, end, code.index(height)), whole=True) as row:
                        at = {**self.names, _I: row.induction, _J: strip.induction}
                        self._tile(Point(at, (), _J, lanes, mask), (height, vectors))

    def _tile(self, first: Point, shape: tuple[int, int]) -> None:
        """One tile: from memory, through all steps, back to memory."""
        code, (write,) = self.writer.code, self.nest.writes
        points = list(_points(first, shape))
        self._ask(first, shape)
        kind = vector_type(write.array.element, first.lanes)
        carried = [(load(code, point.element(write), point).name, kind) for point in points]
        bounds = code.index(0), code.affine(self.nest.extents[_K], self.names), code.index(1)
        with code.loop(bounds, carried, whole=True) as step:
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
        """Ask for the tile below, or this one again if it is the last."""
        code, (write,) = self.writer.code, self.nest.writes
        later = code.op(f"arith.addi {first.names[_I]}, {code.index(shape[0])} : index")
        down = code.affine(self.nest.extents[_I], self.names)
        last = code.op(f"arith.subi {down}, {code.index(shape[0])} : index")
        below: dict[Term, str] = {**first.names, _I: code.op(f"arith.minsi {later}, {last} : index")}
        for point in _points(replace(first, names=below), shape):
            where = subscripted(code, point.element(write), point.names)
            code.line(f"memref.prefetch {where}, write, locality<3>, data : {write.array.type}")


def _points(first: Point, shape: tuple[int, int]) -> Iterator[Point]:
    """The vectors of a tile, row by row."""
    for row in range(shape[0]):
        for vector in range(shape[1]):
            yield replace(first, shift=((_I, row), (_J, vector * first.lanes)))
