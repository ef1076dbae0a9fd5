"""Symmetric results: square blocks of sums below the diagonal are stored at both of their places.

before  for i, j, k: c[i, j] += a[i, k] * a[j, k]
after   for the tiles with j <= i: the sum over k, stored at c[i, j] and, transposed, at c[j, i]
"""

from __future__ import annotations

from dataclasses import replace

from raising.native.contraction.gemm import Gemm
from raising.native.contraction.masks import folded, side
from raising.native.contraction.microkernel import Context
from raising.native.contraction.packing import transpose
from raising.native.nest.folded_lines import Index
from raising.native.nest.fragment import Fragment, Lanes, Printer


def symmetric_update(context: Context) -> None:
    """Apply the epilogue to each sum below the diagonal, and write it there and at the mirrored place."""
    code, gemm, size = context.code, context.gemm, context.blocking.lanes
    extent = code.total(gemm.extents[gemm.m[0]], context.base)
    count = code.known(f"ceildiv({extent}, {size})")
    with code.each(0, count, parallel=context.blocking.threads > 1) as number:
        # The longest row first: its sums were computed last, and threads end together.
        row = code.known(f"({count} - 1 - {number}) * {size}")
        whole = code.known(f"{row} + {size} <= {extent}")
        with code.when(whole):
            _row_of_blocks(context, row, size)
        with code.when(f"not {whole}"):
            _row_of_blocks(context, row, code.known(f"{extent} - {row}"))


def _row_of_blocks(context: Context, row: Index, height: Index) -> None:
    """Blocks of `height` rows from the first column to the diagonal; the one there is its own mirror image."""
    code, gemm, size = context.code, context.gemm, context.blocking.lanes
    below, above = (_assuming(gemm, sign) for sign in (1, -1))
    with code.each(0, row, size) as column:
        rows = _load(context, row, column, height)
        if below.epilogue is not None:
            _store(replace(context, gemm=below), row, column, rows, (height, size))
        columns = transpose(code, rows, gemm.element)
        _store(replace(context, gemm=above), column, row, columns, (size, height))
    rows = _load(context, row, row, height)
    columns = transpose(code, rows, gemm.element)
    kind = f"vector<{size}x{gemm.element}>"
    both = []
    for number, (own, other) in enumerate(zip(rows, columns, strict=True)):
        mask = code.op(f"vector.create_mask {code.named(number + 1)} : vector<{size}xi1>")
        both.append(code.op(f"arith.select {mask}, {own}, {other} : vector<{size}xi1>, {kind}"))
    _store(context, row, row, both, (height, height))


def _load(context: Context, row: Index, column: Index, height: Index) -> list[str]:
    """The rows of a block; the last one again for those that do not exist."""
    code, gemm, size = context.code, context.gemm, context.blocking.lanes
    extent = code.total(gemm.extents[gemm.n[0]], context.base)
    mask = None
    if column == row and not (isinstance(height, int) and height == size):
        mask = code.op(f"vector.create_mask {code.formula(f'{extent} - {column}')} : vector<{size}xi1>")
    rows = []
    for number in range(size):
        place = context.place(code.known(f"{row} + min({number}, {height} - 1)"), column)
        rows.append(Printer(code, place, Lanes(gemm.n[0], size, mask)).load(gemm.write))
    return rows


def _store(context: Context, row: Index, column: Index, rows: list[str], shape: tuple[Index, Index]) -> None:
    """The epilogue of a block of sums, to where it belongs."""
    code, gemm, size = context.code, context.gemm, context.blocking.lanes
    height, width = shape
    kind = f"vector<{size}xi1>"
    cut = None if width == size else code.op(f"vector.create_mask {code.named(width)} : {kind}")
    for number, value in enumerate(rows):
        with code.when(height == size or f"{number} < {height}"):
            place = context.place(code.known(f"{row} + {number}"), column)
            printer = Printer(code, place, Lanes(gemm.n[0], size), value)
            mask = cut
            if gemm.where is not None:
                wanted = printer.value(gemm.where)
                mask = wanted if cut is None else code.op(f"arith.andi {cut}, {wanted} : {kind}")
            printer.lanes = Lanes(gemm.n[0], size, mask)
            printer.store(value if gemm.epilogue is None else printer.value(gemm.epilogue), gemm.write)


def _assuming(gemm: Gemm, sign: int) -> Gemm:
    """The contraction with what its epilogue is below (1) or above (-1) the diagonal."""
    known = side(gemm.m[0], gemm.n[0], sign)
    epilogue = gemm.epilogue and folded(gemm.epilogue, known)
    where = gemm.where and folded(gemm.where, known)
    if epilogue is not None and epilogue.result == "sum":
        epilogue = None
    return replace(gemm, epilogue=epilogue, where=None if where is None or _is_true(where) else where)


def _is_true(fragment: Fragment) -> bool:
    return not fragment.reads and len(fragment.body) == 1 and "value = true" in fragment.body[0].properties
