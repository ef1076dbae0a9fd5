"""Aliasing: contractions whose result is stored where one of their operands is, as fusion puts it there.

Where the text does, its loops run in their order: `raising.native.nest.read_nests` reads no nest there.

    before  linalg.generic ins(%a, %b) outs(%b)         # a sum of products
    after   the same, and no kernel: a tile would read what another one has written
"""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.contraction.gemm import Gemm
from raising.native.nest.fragment_algebra import moved_access
from raising.native.nest.nest import Access

_LARGEST = 1024
"""Steps of k, and columns, up to which they may be one block."""


def without_hazards(gemm: Gemm) -> Gemm | None:
    """The contraction, if nothing that it reads is overwritten before: None otherwise."""
    write = gemm.write
    if gemm.init is not None and not all(_same_or_apart(access, write) for access in gemm.init.reads):
        return None
    later = [part for part in (gemm.epilogue, gemm.where) if part is not None]
    if any(access.array.may_overlap(write.array) for part in later for access in part.reads):
        return None
    operands = ([each.a for each in gemm.products], [each.b for each in gemm.products])
    overlaps = [any(access.array.may_overlap(write.array) for side in sides for access in side.reads)
                for sides in operands]  # fmt: skip
    if not any(overlaps):
        return gemm
    if all(overlaps) or len(gemm.products) != 1:
        return None
    return _rows_in_place(gemm) if overlaps[0] else _steps_in_place(gemm)


def _same_or_apart(access: Access, write: Access) -> bool:
    return access == write or not access.array.may_overlap(write.array)


def _rows_in_place(gemm: Gemm) -> Gemm | None:
    """A row of A may be overwritten by the same row of C, if all of the row is packed before."""
    (operands,) = gemm.products
    rows = [_only(index, {*gemm.m, *gemm.batch}) for index in gemm.write.map]
    for access in operands.a.reads:
        if access.array.may_overlap(gemm.write.array) and (
            access.array != gemm.write.array
            or [_only(index, {*gemm.m, *gemm.batch}) for index in access.map] != rows
            or any(r.dims and index != r for r, index in zip(rows, access.map, strict=True))
        ):
            return None
    sizes = [gemm.extent(group) for group in (gemm.n, gemm.k)]
    return replace(gemm, whole=True) if all(size is not None and size <= _LARGEST for size in sizes) else None


def _only(index: Affine, dims: set[int]) -> Affine:
    """The terms of an expression in some dimensions."""
    return Affine(0, tuple((term, factor) for term, factor in index.terms if term in dims))


def _steps_in_place(gemm: Gemm) -> Gemm | None:
    """B may be overwritten by C if row k of B is packed before row k of C is touched, as a triangular A can have it."""
    (operands,) = gemm.products
    if len(gemm.m) != 1 or len(gemm.k) != 1 or gemm.init is None or gemm.init.plain != gemm.write:
        return None
    there = moved_access(gemm.write, {gemm.m[0]: dim(gemm.k[0])})
    if any(access != there and access.array.may_overlap(gemm.write.array) for access in operands.b.reads):
        return None
    for plane in gemm.a_band:
        if plane.row < 0 < plane.column and plane.constant <= 0:
            return gemm  # k >= m: a block of k changes only rows before its end
        if plane.column < 0 < plane.row and plane.constant <= 0:
            return replace(gemm, descending=True)
    return None
