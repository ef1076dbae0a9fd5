"""The code of a contraction: blocks for the caches around tiles for the registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from raising.native.base.target import WITHOUT_LSR, Target
from raising.native.contraction.blocking import choose
from raising.native.contraction.gemm import Gemm
from raising.native.contraction.microkernel import Block, Context, Tile, tile
from raising.native.contraction.pack_block import pack_a, pack_b, steps_of_k
from raising.native.contraction.packing import Buffer, Unpacked, along_k, split
from raising.native.contraction.symmetric import symmetric_update
from raising.native.nest.folded_lines import FoldedLines, Index
from raising.native.nest.fragment import outer, stride_name
from raising.native.nest.kernel_call import Kernel
from raising.native.nest.nest import Access, Array
from raising.native.threads.outline import IN_ORDER
from raising.support.record import dataclass

Span = tuple[Index, Index]
"""Where something starts, and how long it is."""


def write_kernel(gemm: Gemm, target: Target, name: str, *, varying: bool = False) -> Kernel:
    """A private function that does a contraction.

    Extents that are `varying` change from call to call, so that few calls have a short rest: there is less code then,
    which stays a function of its own. (LLVM takes three times as long for it within the loops around the calls.)
    """
    return write_function(gemm, target, name, partial(_all, varying=varying))


def write_function(
    gemm: Gemm, target: Target, name: str, body: Callable[[Context], None], *, more: Iterable[Access] = ()
) -> Kernel:
    """A private function with the surroundings of a contraction, and `more` arrays, around what `body` writes."""
    code = FoldedLines()
    arrays = {access.array.name: access.array for access in (*gemm.accesses, *more)}
    captured = dict(pair for fragment in gemm.fragments for pair in fragment.captured)
    indices = sorted(_symbols(gemm) - {f"{array.name}.{axis}" for array in arrays.values() for axis in _axes(array)})
    kinds = {**{array: arrays[array].type for array in arrays}, **captured, **dict.fromkeys(indices, "index")}
    base = _surroundings(code, gemm, arrays) | {index: outer(index) for index in indices}
    context = Context(code, gemm, choose(gemm, target), base, target.fuses)
    body(context)
    given = [(outer(each), kind) for each, kind in kinds.items()]
    given += [(buffer.name, f"{buffer.type} {{llvm.noalias}}") for buffer in context.given]
    attributes = f'attributes {{passthrough = ["noinline", "{WITHOUT_LSR}"]}}' if context.given else ""
    buffers = tuple(buffer.type for buffer in context.given)
    return Kernel(code.function(name, given, attributes), tuple(kinds), buffers)


def _axes(array: Array) -> range:
    return range(len(array.shape))


def _symbols(gemm: Gemm) -> set[str]:
    used = [*gemm.extents, *(index for access in gemm.accesses for index in access.map)]
    return {symbol for expression in used for symbol in expression.symbols}


def _surroundings(code: FoldedLines, gemm: Gemm, arrays: dict[str, Array]) -> dict[int | str, Index]:
    """Sizes and strides of the arrays that are needed and not known when compiling."""
    needed, base = _symbols(gemm), dict[int | str, Index]()
    for array in arrays.values():
        for axis in _axes(array):
            if (symbol := f"{array.name}.{axis}") in needed:
                base[symbol] = code.dim(outer(array.name), axis, array.type)
        if None in array.strides:
            _strides(code, array)
    return base


def _strides(code: FoldedLines, array: Array) -> None:
    """Names for the strides, as `Printer` uses them."""
    rank = len(array.shape)
    names = [f"{outer(array.name)}_size{axis}" for axis in range(rank)]
    names += [stride_name(array.name, axis) for axis in range(rank)]
    results = ", ".join([f"{outer(array.name)}_base", f"{outer(array.name)}_offset", *names])
    kinds = ", ".join([f"memref<{array.element}>", *["index"] * (2 * rank + 1)])
    code.line(f"{results} = memref.extract_strided_metadata {outer(array.name)} : {array.type} -> {kinds}")


def _all(context: Context, *, varying: bool) -> None:
    """Batch by batch, each with all threads; or each share of each batch with one."""
    context = replace(context, varying=varying)
    gemm, share = context.gemm, context.blocking.share
    if share is None:
        _batches(context, gemm.batch)
    else:
        _shares(context, *share)


def _batches(context: Context, dims: tuple[int, ...]) -> None:
    """A loop per dimension of the batch, around everything."""
    if not dims:
        _columns(context, (0, _length(context, context.gemm.m)), (0, _length(context, context.gemm.n)))
        return
    extent = context.code.total(context.gemm.extents[dims[0]], context.base)
    with context.code.each(0, extent) as index:
        _batches(replace(context, base={**context.base, dims[0]: index}), dims[1:])


def _shares(context: Context, height: int, width: int) -> None:
    """All shares of all batches, in parallel."""
    code, gemm = context.code, context.gemm
    m, n = (_length(context, group) for group in (gemm.m, gemm.n))
    rows = _Cut(m, code.known(f"ceildiv({m}, {height})"), height)
    columns = _Cut(n, code.known(f"ceildiv({n}, {width})"), width)
    each = code.known(f"{rows.count} * {columns.count}")
    with code.each(0, code.known(f"{_length(context, gemm.batch)} * {each}"), parallel=True) as number:
        part = code.known(f"remui({number}, {each})")
        batch = {}
        if gemm.batch:
            batch = split(code, gemm.extents, context.base, gemm.batch, code.known(f"{number} // {each}"))
        row, column = code.known(f"{part} // {columns.count}"), code.known(f"remui({part}, {columns.count})")
        own = replace(context, base={**context.base, **batch})
        _columns(own, rows.block(code, row), columns.block(code, column))


def _length(context: Context, group: tuple[int, ...]) -> Index:
    total: Index = 1
    for dim in group:
        total = context.code.known(f"{total} * {context.code.total(context.gemm.extents[dim], context.base)}")
    return total


@dataclass(frozen=True)
class _Cut:
    """An extent cut into `count` blocks of `size` (a multiple of `unit`); the last one may be shorter."""

    extent: Index
    count: Index
    size: Index

    def block(self, code: FoldedLines, number: Index) -> Span:
        """The start and the length of a block."""
        start = code.known(f"{number} * {self.size}")
        if self.count == 1:
            return 0, self.extent
        return start, code.known(f"min({self.size}, {self.extent} - {start})")


def _cut(code: FoldedLines, extent: Index, largest: int, unit: int, multiple: int = 1) -> _Cut:
    """Equal blocks of at most `largest`; as many as a multiple of `multiple`, if there is enough for it."""
    count = code.known(f"max(1, ceildiv({extent}, {largest}))")
    wanted = code.known(f"ceildiv({count}, {multiple}) * {multiple}")
    size = code.known(f"max({unit}, ceildiv(ceildiv({extent}, {wanted}), {unit}) * {unit})")
    return _Cut(extent, code.known(f"max(1, ceildiv({extent}, {size}))"), size)


def _columns(context: Context, rows: Span, columns: Span) -> None:
    """Blocks of n, and of k within, for these rows and columns of C."""
    code, gemm, blocking = context.code, context.gemm, context.blocking
    n = _cut(code, columns[1], blocking.nc, blocking.columns)
    each = blocking.word.steps if blocking.word else 1
    k = _cut(code, _length(context, gemm.k), _steps(context) * each, steps_of_k(context) * each)
    b = _allocate(context, blocking.nc // blocking.columns, (_depth(context), blocking.columns), by_rows=False)
    with code.each(0, n.count) as number:
        column, width = n.block(code, number)
        part = code.known(f"{columns[0]} + {column}"), width
        with code.each(0, k.count) as step:
            at = code.known(f"{k.count} - 1 - {step}") if gemm.descending else step
            start, length = k.block(code, at)
            # A missing k still leaves C to be initialised: the one block is empty then.
            last = code.known(f"{step} == {k.count} - 1")
            first = code.known(f"{step} == 0")
            block = Block(b, b, start, length, len(gemm.products), first, last, _phases(k.count))
            pack_b(context, block, *part)
            _rows(context, block, rows, part)
    _free(context, b)
    if gemm.mirrored:
        symmetric_update(context)


def _steps(context: Context) -> int:
    """Elements of a panel along k in a block, for each product, at most."""
    unit = steps_of_k(context)
    return -(-max(1, context.blocking.kc // len(context.gemm.products)) // unit) * unit


def _depth(context: Context) -> int:
    """Steps of k that a packed panel has room for, with some to spare for whole vectors."""
    return len(context.gemm.products) * _steps(context) + 2 * context.blocking.lanes


def _phases(blocks: Index) -> list[tuple[bool, bool]]:
    """Which combinations of first and last block there are."""
    if blocks == 1:
        return [(True, True)]
    known = [(True, False), (False, True), (False, False)]
    if isinstance(blocks, int):
        return known if blocks > 2 else known[:2]
    return [(True, True), *known]


def _allocate(context: Context, panels: int, inner: tuple[int, int], *, by_rows: bool) -> Buffer:
    """Memory for packed panels, as much as the largest block needs; a function of its own is given it."""
    code, element = context.code, context.gemm.element
    kind = f"memref<{panels}x{inner[0]}x{inner[1]}x{element}>"
    name = code.fresh() if context.varying else code.op(f"memref.alloc() {{alignment = 64 : i64}} : {kind}")
    buffer = Buffer(name, kind, element, by_rows)
    if context.varying:
        context.given.append(buffer)
    return buffer


def _free(context: Context, buffer: Buffer) -> None:
    if not context.varying:
        context.code.line(f"memref.dealloc {buffer.name} : {buffer.type}")


def _rows(context: Context, block: Block, span: Span, columns: Span) -> None:
    """Blocks of m: each packs its part of A and computes its tiles; they are independent of each other.

    Where a block has the more to do the further down it is, the last one is first, so that threads end together.
    """
    code, gemm, blocking = context.code, context.gemm, context.blocking
    threads, planes = blocking.threads, (*gemm.region, *gemm.a_band)
    pieces = threads * 8 if threads > 1 and planes else threads
    m = _cut(code, span[1], blocking.mc, blocking.rows, pieces)
    backwards = threads > 1 and any(plane.row > 0 for plane in planes)
    with code.each(0, m.count, parallel=IN_ORDER if threads > 1 else False) as number:
        first, height = m.block(code, code.known(f"{m.count} - 1 - {number}") if backwards else number)
        row = code.known(f"{span[0]} + {first}")
        if blocking.unpacked:
            access = gemm.products[0].a.reads[0]
            a = Unpacked(access, context.base, gemm.m[0], gemm.k[0], row, block.start, blocking.rows)
            _tiles(context, replace(block, a=a), (row, height), columns)
        else:
            _packed_rows(context, block, (row, height), columns)


def _packed_rows(context: Context, block: Block, rows: Span, columns: Span) -> None:
    """A block of m by way of packed panels."""
    gemm, blocking = context.gemm, context.blocking
    by_rows = along_k(gemm.products[0].a, gemm.m[-1], gemm.k[-1])
    inner = (blocking.rows, _depth(context)) if by_rows else (_depth(context), blocking.rows)
    a = _allocate(context, blocking.mc // blocking.rows, inner, by_rows=by_rows)
    rest = None
    if context.varying and None in (gemm.extent(gemm.m), gemm.extent(gemm.n)):
        rest = _allocate(context, 1, (blocking.rows, blocking.columns), by_rows=False)
    pack_a(context, a, block, rows)
    _tiles(context, replace(block, a=a, rest=rest), rows, columns)
    _free(context, a)
    if rest is not None:
        _free(context, rest)


def _tiles(context: Context, block: Block, rows: Span, columns: Span) -> None:
    """All tiles of a block of C: panels of B around panels of A, which stay in the second cache."""
    code, blocking = context.code, context.blocking
    row, height = rows
    column, width = columns

    def strip(vectors: int, panel: Index, exist: Index) -> None:
        at = code.known(f"{column} + {panel} * {blocking.columns}")

        def each(count: int, a_panel: Index, exist_rows: Index) -> None:
            top = code.known(f"{row} + {a_panel} * {blocking.rows}")
            tile(context, block, Tile(count, vectors, top, at, a_panel, panel, exist_rows, exist))

        _down(code, height, context.gemm.extent(context.gemm.m), blocking.rows, each)

    _across(context, width, strip)


def _down(
    code: FoldedLines, length: Index, extent: int | None, width: int, each: Callable[[int, Index, Index], None]
) -> None:
    """Panels of A: as many rows as there are, if that is known; else whole ones, the last of them cut."""
    if extent is None:
        _whole(code, length, width, partial(each, width))
        return
    count = code.known(f"{length} // {width}")
    with code.each(0, count) as panel:
        each(width, panel, width)
    if extent % width:
        with code.when(f"{count} * {width} < {length}"):
            each(extent % width, count, extent % width)


def _across(context: Context, length: Index, each: Callable[[int, Index, Index], None]) -> None:
    """Panels of B, the last one with as many vectors as are needed: a case for each number, unless extents vary."""
    code, width, lanes = context.code, context.blocking.columns, context.blocking.lanes
    extent = context.gemm.extent(context.gemm.n)
    if extent is None and context.varying:
        _whole(code, length, width, partial(each, width // lanes))
        return
    count = code.known(f"{length} // {width}")
    with code.each(0, count) as panel:
        each(width // lanes, panel, width)
    rest = code.known(f"{length} - {count} * {width}")
    if extent is None:
        for vectors in range(1, width // lanes + 1):
            with code.when(f"ceildiv({rest}, {lanes}) == {vectors}"):
                each(vectors, count, rest)
    elif extent % width:
        with code.when(f"0 < {rest}"):
            each(-(-(extent % width) // lanes), count, extent % width)


def _whole(code: FoldedLines, length: Index, width: int, each: Callable[[Index, Index], None]) -> None:
    """Panels of one width, of which the last may exist in part."""
    with code.each(0, code.known(f"ceildiv({length}, {width})"), whole=True) as panel:
        each(panel, code.known(f"min({width}, {length} - {panel} * {width})"))
