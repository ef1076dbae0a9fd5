"""Neighbouring rows: loads that they share, and rows that are prefetched.

The rows of a stencil read rows of each other; done together, they load each vector once. While some rows of a loop are
computed, the next ones are prefetched into the second-level cache. Memory is used best when requests come evenly: where
several inner loops go over the same rows one after the other, only the first would wait for memory and the others would
leave it idle; so each prefetches its share of the next rows.

    before  for i: for j: out[i, j] = x[i, j] + x[i + 2, j]
    after   for i in steps of rows: for j: memref.prefetch %x[i + rows + 2, j], read, locality<2>, data
                                           out[i, j] = x[i, j] + x[i + 2, j], for each of the rows
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.loops.body import Point, subscripted
from raising.native.loops.loop_tree import Loop, unit_stride
from raising.native.loops.vector_ops import element_bits
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest
from raising.support.record import dataclass

LINE = 64
"""Bytes that come from memory together."""


@dataclass(frozen=True)
class Ahead:
    """Accesses of a vector loop to ask for at later rows; `names` has the first of those rows."""

    accesses: tuple[tuple[Access, int], ...] = ()
    names: Mapping[Term, str] | None = None


def shares(
    loops: tuple[Loop, ...], depth: int, rows: int, caches: tuple[int, frozenset[str]]
) -> list[tuple[tuple[Access, int], ...]]:
    """For each of the innermost loops in a loop, at `depth`, the accesses and rows that it asks for.

    All that moves with the row and is a vector along the loop inside, of arrays that are known not to fit in the cache:
    `caches` has its bytes, and names of arrays that are in one anyway. An array of open size is not asked for: where it
    is near, each request takes the place of a load, and where it is far, most of them are for what comes anyway.
    """
    cache, near = caches
    streams = [
        {
            access
            for nest in loop.nests()
            for access in nest.reads
            if streams_along(access, depth) and access.array.name not in near and _is_large(access, cache)
        }
        for loop in loops
    ]
    found: list[list[tuple[Access, int]]] = [[] for _ in loops]
    every = sorted(set().union(*streams), key=str)
    seen = {_line(access, depth, row) for access in every for row in range(rows)}
    for access in every:
        users = [number for number, others in enumerate(streams) if access in others]
        for row in range(rows):
            line = _line(access, depth, row + rows)
            if line not in seen:  # neither what these rows have read nor what was asked for
                seen.add(line)
                found[users[row * len(users) // rows]].append((access, row))
    return [tuple(each) for each in found]


def _line(access: Access, depth: int, row: int) -> tuple[Array, tuple[Affine, ...]]:
    """The line in memory that an access begins in at a row: neighbours along a row mostly share one."""
    *outer, last = (index + index.coefficient(depth) * row for index in access.map)
    size = LINE * 8 // element_bits(access.array.element)
    near = last - last.constant + (last.constant + size // 2) // size
    return access.array, (*outer, near)


def streams_along(access: Access, depth: int) -> bool:
    """Whether an access is a vector along the loop inside, and another one in each iteration of the loop at `depth`."""
    return depth in access.dims and unit_stride(access, depth + 1)


def _is_large(access: Access, cache: int) -> bool:
    """Whether an access is to an array that is known not to fit in so many bytes."""
    size = _bytes(access.array)
    return size is not None and size > cache


def _bytes(array: Array) -> int | None:
    """The size of an array, if it is known."""
    total = element_bits(array.element) // 8
    for extent in array.shape:
        if extent is None:
            return None
        total *= extent
    return total


def ask(code: Lines, ahead: Ahead, point: Point, which: tuple[int, int]) -> None:
    """Ask for the lines of a row that begin at a vector of a step: `which` has both numbers, `point` is ahead."""
    row, first = which
    for access, other in ahead.accesses:
        if other == row and first * point.lanes * element_bits(access.array.element) // 8 % LINE == 0:
            shifted = Point(point.names, (*point.shift, (point.dim - 1, row)), point.dim, point.lanes)
            where = subscripted(code, shifted.element(access), point.names)
            code.line(f"memref.prefetch {where}, read, locality<2>, data : {access.array.type}")


TOGETHER = 4
"""Rows that are done at once, at most."""
STREAMS = 12
"""Rows of arrays that a core reads and writes at once, at most, before it loses more than shared loads save."""
STREAM, NEAR = 1 << 10, 512 << 10
"""Bytes of a row that is a stream of its own, and of an array that is near in any case."""


def unroll_and_jam(node: Loop, depth: int) -> bool:
    """Whether an iteration of a loop reads vectors that neighbouring ones read, too: its own are some rows further."""
    for nest in node.nests():
        reads = [read for read in nest.reads if streams_along(read, depth) and not _in_pieces(read, nest, depth + 1)]
        if any(_rows_apart(one, other, depth) for one, other in combinations(reads, 2)):
            return True
    return False


def rows_together(node: Loop, depth: int) -> int:
    """How many neighbouring rows to do at once: fewer where many arrays have rows of their own."""
    used = {access for nest in node.nests() for access in (*nest.reads, *nest.writes) if streams_along(access, depth)}
    streams = {_line(access, depth, row) for access in used for row in range(TOGETHER)}
    return TOGETHER if len(streams) <= STREAMS else TOGETHER // 2


def open_pieces(node: Loop, depth: int) -> tuple[Access, Affine] | None:
    """A read that neighbouring rows share and the length of these rows, where it is open whether they are such pieces.

    Short rows of a large array come from a distant cache as one stream; several of them at once do not.
    """
    for nest in node.nests():
        extent = nest.extents[depth + 1] if len(nest.extents) > depth + 1 else Affine(0)
        reads = [read for read in nest.reads if streams_along(read, depth) and _bytes(read.array) is None]
        if not extent.is_constant and any(_rows_apart(*pair, depth) for pair in combinations(reads, 2)):
            return reads[0], extent
    return None


def _in_pieces(read: Access, nest: Nest, inner: int) -> bool:
    """Whether rows are so short that several at once would not come from a distant cache as the one stream they are."""
    extent = nest.extents[inner]
    short = extent.is_constant and extent.constant * element_bits(read.array.element) // 8 < STREAM
    return short and (_bytes(read.array) is None or _is_large(read, NEAR))


def _rows_apart(one: Access, other: Access, depth: int) -> bool:
    """Whether two accesses differ by a number of rows only."""
    if one.array != other.array:
        return False
    apart = [(a, a - b) for a, b in zip(one.map, other.map, strict=True) if a != b]
    return len(apart) == 1 and apart[0][0].dims == {depth} and apart[0][1].is_constant
