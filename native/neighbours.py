"""Rows that read rows of each other, as those of a stencil do: done together, they load each vector once."""

from __future__ import annotations

from itertools import combinations

from native.lanes import element_bits
from native.loop_tree import Loop
from native.nest import Access, Nest
from native.prefetch import large, streams_along

TOGETHER = 4
"""Rows that are done at once."""
_STREAM, _NEAR = 1 << 10, 512 << 10
"""Bytes of a row that is a stream of its own, and of an array that is near in any case."""


def neighbours(node: Loop, depth: int) -> bool:
    """Whether an iteration of a loop reads vectors that neighbouring ones read, too: its own are some rows further."""
    for nest in node.nests():
        reads = [read for read in nest.reads if streams_along(read, depth) and not _in_pieces(read, nest, depth + 1)]
        if any(_rows_apart(one, other, depth) for one, other in combinations(reads, 2)):
            return True
    return False


def _in_pieces(read: Access, nest: Nest, inner: int) -> bool:
    """Whether rows are so short that several at once would not come from a distant cache as the one stream they are."""
    extent = nest.extents[inner]
    short = extent.is_constant and extent.constant * element_bits(read.array.element) // 8 < _STREAM
    return short and large(read, _NEAR)


def _rows_apart(one: Access, other: Access, depth: int) -> bool:
    """Whether two accesses differ by a number of rows only."""
    if one.array != other.array:
        return False
    apart = [(a, a - b) for a, b in zip(one.map, other.map, strict=True) if a != b]
    return len(apart) == 1 and apart[0][0].dims == {depth} and apart[0][1].is_constant
