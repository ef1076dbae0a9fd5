"""Loops that update a whole matrix from one row and one column of it in each iteration.

Iteration t of Floyd and Warshall's algorithm, or of an elimination, changes elements (i, j) of a matrix by what it
reads in row t and in column t. Elements outside of some rows and columns t0 .. t1 are read by nobody but themselves in
the iterations t0 .. t1: these may run for one element after the other, if what is read in rows and columns is kept.

    before  for t in 0 .. n: for i, j: d[i, j] = f(d[i, j], d[i, t], d[t, j])
    after   an element with i < t0 or i >= t1, and j likewise, may have its iterations t0 .. t1 at once
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.loops.loop_plan import vectorisable
from raising.native.loops.loop_tree import unit_stride
from raising.native.nest.nest import Access, Array, Effects, Nest
from raising.native.nest.read_nests import Item
from raising.native.nest.read_views import Reader, unguarded
from raising.native.transforms.left_looking import known_before, operands_of, single
from raising.support.record import dataclass

BEFORE, AFTER = 0, 1
"""Rows or columns below those of a block of iterations, and beyond them."""
_HARMLESS = ("memref.dealloc", "scf.yield")


@dataclass(frozen=True)
class Span:
    """Subscripts from `low` to below `high` in one dimension, which is number `dim` of a nest.

    Either bound is the same in all iterations, or the iteration's number, or one more; `sides` are where subscripts lie
    that do not depend on it.
    """

    dim: int
    low: Affine
    high: Affine
    sides: frozenset[int]


@dataclass(frozen=True)
class Update:
    """An operation that changes elements of a matrix in place, by `reads` of their rows, of their columns, or neither.

    There is an entry for each input: None for the element itself, else the subscripts that it depends on (0, 1), at
    most one.
    """

    operation: Any
    spans: tuple[Span, Span]
    reads: tuple[frozenset[int] | None, ...]

    @property
    def quarters(self) -> set[tuple[int, int]]:
        """The sides of a block's rows and columns that it covers in every iteration."""
        return set(product(self.spans[0].sides, self.spans[1].sides))


@dataclass(frozen=True)
class RankOne:
    """The updates of a loop's body, in order, and the matrix that they change."""

    matrix: Array
    updates: tuple[Update, ...]


def rank_one(loop: Any, items: Sequence[Item], reader: Reader) -> RankOne | None:
    """The updates of a loop; None if an element could be needed by others than itself, or each quarter is not one's."""
    time = reader.name(loop.regions[0].blocks[0].arguments[0])
    found = {number: _update(item, time, loop, reader) for number, item in enumerate(items)}
    updates = {number: update for number, update in found.items() if update is not None}
    if not updates:
        return None
    matrices = {_written(items[number].what) for number in updates}
    covered = [quarter for update in updates.values() for quarter in update.quarters]
    matrix = matrices.pop()
    if matrices or matrix.root is None or not covered or len(set(covered)) < len(covered):
        return None
    others = all(_keeps_to(item, matrix, time, reader) for number, item in enumerate(items) if number not in updates)
    reads = (read for number in updates for read in _others(items[number].what))
    return (
        RankOne(matrix, tuple(updates.values())) if others and all(_in_cross(r, matrix, time) for r in reads) else None
    )


def _written(what: Nest | Effects) -> Array:
    assert isinstance(what, Nest)
    return what.writes[0].array


def _others(what: Nest | Effects) -> Iterable[Access]:
    """What a nest reads, but for the elements that it writes."""
    assert isinstance(what, Nest)
    return (read for read in what.reads if read not in what.writes)


def _update(item: Item, time: str, loop: Any, reader: Reader) -> Update | None:
    """An operation as an update of a part of a matrix, from rows, columns and single values; None if it is none."""
    nest, operands = item.what, operands_of(item.operation, reader)
    if not isinstance(nest, Nest) or operands is None or not all(nest.parallel) or len(nest.extents) != 2:
        return None
    if len(nest.writes) != 1 or len(nest.writes[0].map) != 2:
        return None
    (write,) = nest.writes
    first, second = [_span(index, nest, time, reader) for index in write.map]
    kinds = tuple(_kind(read, write) for read in operands)
    if first is None or second is None or first.dim == second.dim or not _plain(item.operation, kinds):
        return None
    found = Update(item.operation, (first, second), kinds)
    return found if known_before(_names(nest, found, time), loop, reader) and _pays(nest, found) else None


def _plain(operation: Any, kinds: Sequence[frozenset[int] | None]) -> bool:
    """Whether each operand has the dimensions of the nest that it depends on for subscripts: one, unless written."""
    maps = [list(ir.AffineMapAttr(each).value.results) for each in operation.attributes["indexing_maps"]]
    dims = all(isinstance(result, ir.AffineDimExpr) for results in maps for result in results)
    fits = (kind is None or len(results) == len(kind) < 2 for results, kind in zip(maps, kinds, strict=False))
    return dims and all(fits)


def _pays(nest: Nest, update: Update) -> bool:
    """Whether what is left is a product of rows and columns, on vectors."""
    (write,), columns = nest.writes, update.spans[1].dim
    both = {frozenset({0}), frozenset({1})} <= set(update.reads)
    return both and unit_stride(write, columns) and vectorisable(nest, columns)


def _names(nest: Nest, update: Update, time: str) -> set[str]:
    """The values around a nest that all of its iterations have to know: scalars, and which part of a matrix it is.

    A bound may be the iteration's number; a scalar may not, as one operation does all iterations of a block.
    """
    bounds = set().union(*(bound.symbols for span in update.spans for bound in (span.low, span.high)))
    return {nest.writes[0].array.name, *(name for name, _ in nest.captured), *(bounds - {time})}


def _span(index: Affine, nest: Nest, time: str, reader: Reader) -> Span | None:
    """The subscripts that a nest has in one dimension of the matrix."""
    if len(index.dims) != 1 or index.coefficient(min(index.dims)) != 1:
        return None
    (d,) = index.dims
    low = index - dim(d)
    high = low + unguarded(nest.extents[d], reader)
    moves = [_moves(bound, time) for bound in (low, high)]
    if None in moves:
        return None
    sides = {side for side, moving in ((AFTER, moves[0]), (BEFORE, moves[1])) if moving}
    return Span(d, low, high, frozenset(sides if len(sides) < 2 else ()) if sides else frozenset({BEFORE, AFTER}))


def _moves(bound: Affine, time: str) -> bool | None:
    """Whether a bound is the iteration's number or the next; None if it depends on it in another way."""
    if bound.coefficient(time) == 0:
        return False
    return True if bound - dim(time) in (Affine(0), Affine(1)) else None


def _kind(read: Access, write: Access) -> frozenset[int] | None:
    """The subscripts of what is written that a read depends on; None for the element itself."""
    if read == write:
        return None
    return frozenset(axis for axis, index in enumerate(write.map) if index.dims & read.dims)


def _in_cross(access: Access, matrix: Array, time: str) -> bool:
    """Whether an access is to memory that is not the matrix, or to its row or column of the iteration's number."""
    if not access.array.may_overlap(matrix):
        return True
    return access.array == matrix and dim(time) in access.map


def _keeps_to(item: Item, matrix: Array, time: str, reader: Reader) -> bool:
    """Whether an operation touches no elements of the matrix but those of the iteration's row and column."""
    if isinstance(item.what, Nest):
        return all(_in_cross(each, matrix, time) for each in (*item.what.reads, *item.what.writes))
    reads, writes = single(item.operation, reader)
    known = item.what.pure or item.operation.name in _HARMLESS or bool(reads or writes)
    return known and all(_in_cross(each, matrix, time) for each in (*reads, *writes))
