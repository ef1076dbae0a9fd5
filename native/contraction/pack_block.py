"""Whole blocks of A or of B, packed panel by panel, each in the way that suits how its elements are stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from raising.native.contraction.masks import folded, side
from raising.native.contraction.microkernel import Block, Context
from raising.native.contraction.packing import (
    Buffer,
    Strip,
    along_k,
    pack_across,
    pack_by_rows,
    pack_singly,
    pack_transposed,
)
from raising.native.nest.folded_lines import FoldedLines, Index
from raising.native.nest.fragment_algebra import is_zero

_SQUARE = 4
"""The smallest square of elements that is worth transposing in registers."""


def pack_b(context: Context, block: Block, column: Index, columns: Index) -> None:
    """All panels of a block of B."""
    code, gemm, blocking = context.code, context.gemm, context.blocking
    width = blocking.columns
    word = blocking.word and replace(blocking.word, flipped=False)
    with code.each(0, code.known(f"ceildiv({columns}, {width})"), parallel=blocking.threads > 1) as panel:
        offset = code.known(f"{panel} * {width}")
        exist = code.known(f"{columns} - {offset}")
        for number, product in enumerate(gemm.products):
            first = code.known(f"{column} + {offset}")
            strip = Strip(product.b, gemm.extents, context.base, gemm.n, gemm.k, first, block.start,
                          exist, block.length, width, blocking.lanes, word)  # fmt: skip
            _pack(context, strip, block.b, panel, code.known(f"{block.length} * {number}"))


def steps_of_k(context: Context) -> int:
    """The number that blocks of k are multiples of: a vector, if the last of several dimensions of k has whole ones."""
    gemm, lanes = context.gemm, context.blocking.lanes
    last = gemm.extents[gemm.k[-1]]
    return lanes if len(gemm.k) > 1 and last.is_constant and last.constant % lanes == 0 else 1


def _pack(context: Context, strip: Strip, buffer: Buffer, panel: Index, at: Index) -> None:
    """Pack an operand in the way that suits the order in which it lies in memory."""
    square = min(strip.lanes, strip.width & -strip.width)
    aligned = steps_of_k(context) > 1 or len(strip.depth) == 1
    pack: Callable[[FoldedLines, Strip, Buffer, Index, Index], None] = pack_across
    if buffer.by_rows:
        pack = pack_by_rows if aligned else pack_singly
    elif len(strip.along) > 1:
        pack = pack_singly
    elif aligned and square >= _SQUARE and along_k(strip.fragment, strip.along[-1], strip.depth[-1]):
        pack, strip = pack_transposed, replace(strip, lanes=square)
    pack(context.code, strip, buffer, panel, at)


def pack_a(context: Context, a: Buffer, block: Block, place: tuple[Index, Index]) -> None:
    """All panels of a block of A."""
    row, rows = place
    code, gemm, blocking = context.code, context.gemm, context.blocking
    width = blocking.rows
    with code.each(0, code.known(f"ceildiv({rows}, {width})")) as panel:
        offset = code.known(f"{panel} * {width}")
        exist = code.known(f"{rows} - {offset}")
        for number, product in enumerate(gemm.products):
            first = code.known(f"{row} + {offset}")
            strip = Strip(product.a, gemm.extents, context.base, gemm.m, gemm.k, first, block.start,
                          exist, block.length, width, blocking.lanes, blocking.word)  # fmt: skip
            for at, piece in _pieces(context, strip):
                _pack(context, piece, a, panel, code.known(f"{block.length} * {number} + {at}"))


def _pieces(context: Context, strip: Strip) -> list[tuple[Index, Strip]]:
    """A panel of A cut where the diagonal crosses it, each piece with the code that counts there, and its first step.

    A piece of zeros is left out if tiles leave it out, too.
    """
    code, fragment = context.code, strip.fragment
    if len(strip.along) > 1 or len(strip.depth) > 1:
        return [(0, strip)]
    sides = [folded(fragment, side(strip.along[0], strip.depth[0], sign, least=2)) for sign in (1, -1)]
    if fragment in sides:
        return [(0, strip)]
    first = code.known(f"max(0, min({strip.length}, {strip.first} - 1 - {strip.start}))")
    last = code.known(f"max(0, min({strip.length}, {strip.first} + {strip.width + 1} - {strip.start}))")
    ends = [(0, first, sides[0]), (first, last, fragment), (last, strip.length, sides[1])]
    pieces: list[tuple[Index, Strip]] = []
    for low, high, part in ends:
        if not (context.gemm.a_band and is_zero(part, part.result)):
            start, length = code.known(f"{strip.start} + {low}"), code.known(f"{high} - {low}")
            pieces.append((low, replace(strip, fragment=part, start=start, length=length)))
    return pieces
