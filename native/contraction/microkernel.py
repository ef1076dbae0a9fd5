"""The microkernel: one tile of C keeps its sums in registers over all of a block's k, and is then stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import partial

from raising.native.contraction.blocking import Blocking
from raising.native.contraction.dot_products import dots, flips
from raising.native.contraction.gemm import Gemm, HalfPlane
from raising.native.contraction.packing import Buffer, Point, Unpacked, split
from raising.native.nest.folded_lines import Condition, FoldedLines, Index
from raising.native.nest.fragment import Lanes, Printer, outer
from raising.native.nest.mlir_builder import STEP_BY_STEP
from raising.support.record import dataclass


@dataclass(frozen=True)
class Tile:
    """The place of a tile. `row` and `column` are of C, the panels those of the packed operands.

    `rows` x `vectors` are computed; `exist_rows` and `exist_columns` of them are within C. `b_first` is the
    tile's first column in its panel.
    """

    rows: int
    vectors: int
    row: Index
    column: Index
    a_panel: Index
    b_panel: Index
    exist_rows: Index
    exist_columns: Index
    b_first: int = 0


@dataclass(frozen=True)
class Block:
    """A block of k: from `start`, `length` steps of each product; packed one after the other from `packed` buffers.

    `phases` lists which pairs of (first, last) blocks there can be; `first` and `last` tell which one this is.
    `rest` has room for a tile of C that exists in part, if there can be one.
    """

    a: Buffer | Unpacked
    b: Buffer
    start: Index
    length: Index
    products: int
    first: Condition
    last: Condition
    phases: Sequence[tuple[bool, bool]]
    rest: Buffer | None = None


@dataclass(frozen=True)
class Context:
    """The surroundings that all tiles of a contraction share; `base` has the names around it and the batch.

    `fused`: products are added without being rounded. With `varying`, extents change from call to
    call; what packed panels are in is `given` then.
    """

    code: FoldedLines
    gemm: Gemm
    blocking: Blocking
    base: Point
    fused: bool
    varying: bool = False
    given: list[Buffer] = field(default_factory=list)

    def place(self, row: Index, column: Index) -> dict[int | str, Index]:
        """The dimensions of an element of C."""
        rows = split(self.code, self.gemm.extents, self.base, self.gemm.m, row)
        return {**self.base, **rows, self.gemm.n[0]: column}


def tile(context: Context, block: Block, where: Tile) -> None:
    """Compute a tile; one that the border of the region crosses as strips of one vector, to do less outside."""
    code, gemm = context.code, context.gemm
    inside: Condition = True
    for plane in gemm.region:
        inside = code.known(f"{inside} and 0 <= {_extreme(code, plane, where, context.blocking.lanes, False)}")
    with code.when(inside):
        _tile(context, block, where, masked=gemm.where is not None and not gemm.mirrored)
    with code.when(f"not {inside}"):
        for strip in _strips(code, where, context.blocking.lanes):
            _tile(context, block, strip, masked=True)


def _strips(code: FoldedLines, where: Tile, lanes: int) -> list[Tile]:
    """The vectors of a tile as tiles."""
    return [
        replace(where, vectors=1, column=code.known(f"{where.column} + {x * lanes}"), b_first=x * lanes,
                exist_columns=code.known(f"{where.exist_columns} - {x * lanes}"))
        for x in range(where.vectors)
    ]  # fmt: skip


def _tile(context: Context, block: Block, where: Tile, *, masked: bool) -> None:
    """Compute a tile, unless the block adds nothing to it or nobody needs it."""
    code, gemm = context.code, context.gemm
    low, high = _steps(context, block, where)
    needed: Condition = True
    for plane in gemm.region:
        needed = code.known(f"{needed} and 0 <= {_extreme(code, plane, where, context.blocking.lanes, True)}")
    if gemm.a_band or gemm.b_band:
        first = False if _kept(gemm) else block.first
        needed = code.known(f"{needed} and ({low} < {high} or ({block.last} or {first}))")
    with code.when(needed):
        _prefetch(context, where)
        sums = _multiply(context, block, where, low, high)
        _finish(context, block, where, sums, masked=masked)


def _prefetch(context: Context, where: Tile) -> None:
    """Ask for the tile's part of C, which is needed only after all of k."""
    code, array = context.code, context.gemm.write.array
    for row in range(where.rows):
        for x in range(where.vectors):
            first = code.known(f"{where.row} + {row}")
            point = context.place(first, code.known(f"{where.column} + {x * context.blocking.lanes}"))
            place = Printer(code, point).subscripts(context.gemm.write)
            code.line(f"memref.prefetch {outer(array.name)}[{place}], write, locality<3>, data : {array.type}")


def _kept(gemm: Gemm) -> bool:
    """Whether the sum starts from the contents of C, so that a block that adds nothing may be skipped."""
    return gemm.init is not None and gemm.init.plain == gemm.write


def _steps(context: Context, block: Block, where: Tile) -> tuple[Index, Index]:
    """The steps of the block in which neither operand is known to be 0."""
    code, gemm = context.code, context.gemm
    low: Index = 0
    if context.blocking.word:
        return low, code.known(f"ceildiv({block.length}, {context.blocking.word.steps})")
    high = code.known(f"{block.length} * {block.products}")
    bands = [(plane.row, plane.column, plane.constant, where.row, where.rows) for plane in gemm.a_band]
    columns = where.vectors * context.blocking.lanes
    bands += [(plane.column, plane.row, plane.constant, where.column, columns) for plane in gemm.b_band]
    for factor, k_factor, constant, at, count in bands:
        # factor * i + k_factor * k + constant >= 0 for some i of the tile
        best = code.known(f"{at} + {count - 1}") if factor > 0 else at
        if k_factor > 0:
            low = code.known(f"max({low}, {best} * {-factor} - {constant} - {block.start})")
        else:
            high = code.known(f"min({high}, {best} * {factor} + {constant + 1} - {block.start})")
    return low, high


def _extreme(code: FoldedLines, plane: HalfPlane, where: Tile, lanes: int, largest: bool) -> Index:
    """The largest or smallest value of a half-plane's expression over a tile."""
    row = code.known(f"{where.row} + {where.rows - 1 if (plane.row > 0) == largest else 0}")
    last = where.vectors * lanes - 1
    column = code.known(f"{where.column} + {last if (plane.column > 0) == largest else 0}")
    return _value(code, plane, row, column)


def _value(code: FoldedLines, plane: HalfPlane, row: Index, column: Index) -> Index:
    """The value of a half-plane's expression at an element."""
    return code.known(f"{row} * {plane.row} + {column} * {plane.column} + {plane.constant}")


def _multiply(context: Context, block: Block, where: Tile, low: Index, high: Index) -> list[list[str]]:
    """The sums of a tile, per row and vector."""
    code, gemm, lanes = context.code, context.gemm, context.blocking.lanes
    kind = f"vector<{lanes}x{gemm.element}>"
    zero = code.constant(f"dense<{'0' if gemm.integer else '0.0'}> : {kind}")
    extra = context.blocking.word is not None and context.blocking.word.flipped
    rows = where.rows + extra
    count = rows * where.vectors
    names = [code.fresh() for _ in range(count)]
    result, k = code.fresh(), code.fresh()
    carried = ", ".join(f"{name} = {zero}" for name in names)
    kinds = ", ".join([kind] * count)
    head = f"{result}:{count} = scf.for {k} = {code.named(low)} to {code.named(high)} step {code.named(1)}"
    with code.region(f"{head} iter_args({carried}) -> ({kinds}) {{", f"}} {{{STEP_BY_STEP}}}"):
        firsts = range(where.b_first, where.b_first + where.vectors * lanes, lanes)
        places = [block.b.place(code, where.b_panel, first, k) for first in firsts]
        right = [code.op(f"vector.load {place} : {block.b.type}, {kind}") for place in places]
        sums = []
        for row in range(rows):
            left = _left(context, block, (where.a_panel, row, k), kind) if row < where.rows else flips(code, kind)
            old = names[row * where.vectors : (row + 1) * where.vectors]
            sums += [_add_product(context, left, b, s, kind) for b, s in zip(right, old, strict=True)]
        code.line(f"scf.yield {', '.join(sums)} : {kinds}")
    found = [f"{result}#{number}" for number in range(count)]
    values = [found[row * where.vectors : (row + 1) * where.vectors] for row in range(rows)]
    return [[code.op(f"arith.subi {a}, {b} : {kind}") for a, b in zip(row, values[-1], strict=True)]
            for row in values[:-1]] if extra else values  # fmt: skip


def _left(context: Context, block: Block, place: tuple[Index, Index, Index], kind: str) -> str:
    """An element of A, in every lane."""
    code = context.code
    left = code.op(f"memref.load {block.a.place(code, *place)} : {block.a.type}")
    return code.op(f"vector.broadcast {left} : {context.gemm.element} to {kind}")


def _add_product(context: Context, left: str, right: str, old: str, kind: str) -> str:
    code, word = context.code, context.blocking.word
    if word is not None:
        return dots(code, word, (left, right), old, context.blocking.lanes)
    if context.gemm.integer:
        return code.op(f"arith.addi {old}, {code.op(f'arith.muli {left}, {right} : {kind}')} : {kind}")
    if context.fused:
        return code.op(f"vector.fma {left}, {right}, {old} : {kind}")
    return code.op(f"arith.addf {old}, {code.op(f'arith.mulf {left}, {right} : {kind}')} : {kind}")


def _finish(context: Context, block: Block, where: Tile, sums: list[list[str]], *, masked: bool) -> None:
    """Bring the sums to C; with `masked`, only those of the region."""
    code, columns = context.code, where.vectors * context.blocking.lanes
    whole: Condition = True
    if block.rest is not None:
        # One sum, not two conditions: LLVM would copy the loop over rows for columns that all exist.
        exist = code.known(f"{where.exist_rows} + min({columns}, {where.exist_columns})")
        whole = isinstance(exist, int) or code.known(f"{exist} == {where.rows + columns}")
    with code.when(whole):
        _in_phases(context, block, partial(_finish_whole, context, where, sums, masked))
    if whole is not True and block.rest is not None:
        with code.when(f"not {whole}"):
            kind = _keep(context, block.rest, sums)
            _in_phases(context, block, partial(_finish_rest, context, where, (block.rest, kind), masked))


def _in_phases(context: Context, block: Block, finish: Callable[[tuple[bool, bool]], None]) -> None:
    """What is done with the sums in each phase that makes a difference."""
    code, gemm = context.code, context.gemm
    starts, ends = not _kept(gemm), gemm.epilogue is not None and not gemm.mirrored
    for first, last in dict.fromkeys((first and starts, last and ends) for first, last in block.phases):
        begun = f"{'' if first else 'not '}{block.first}" if starts else "True"
        ended = f"{'' if last else 'not '}{block.last}" if ends else "True"
        with code.when(f"{begun} and {ended}"):
            finish((first, last))


def _finish_whole(context: Context, where: Tile, sums: list[list[str]], masked: bool, phase: tuple[bool, bool]) -> None:
    """A tile by vectors: of a tile with room for its rest, all exist; else only the last ones may be cut."""
    code, lanes = context.code, context.blocking.lanes
    for number, values in enumerate(sums):
        sure = isinstance(where.exist_rows, int) or context.varying
        with code.when(sure or f"{number} < {where.exist_rows}"):
            for x, value in enumerate(values):
                left = code.known(f"{where.exist_columns} - {x * lanes}")
                cut = left < lanes if isinstance(left, int) else x == where.vectors - 1 and not context.varying
                place = code.known(f"{where.row} + {number}"), code.known(f"{where.column} + {x * lanes}")
                _finish_masked(context, place, value, phase, masked, left if cut else None)


def _keep(context: Context, rest: Buffer, sums: list[list[str]]) -> str:
    """Put the sums of a tile into memory; the type of a vector of them."""
    code, lanes = context.code, context.blocking.lanes
    kind = f"vector<{lanes}x{context.gemm.element}>"
    for number, values in enumerate(sums):
        for x, value in enumerate(values):
            code.line(f"vector.store {value}, {rest.place(code, 0, x * lanes, number)} : {rest.type}, {kind}")
    return kind


def _finish_rest(
    context: Context, where: Tile, kept: tuple[Buffer, str], masked: bool, phase: tuple[bool, bool]
) -> None:
    """A tile that exists in part, from memory: one piece of code for all of its vectors."""
    code, lanes, (rest, kind) = context.code, context.blocking.lanes, kept
    columns = code.known(f"min({where.vectors * lanes}, {where.exist_columns})")
    with code.each(0, where.exist_rows, whole=True) as number, code.each(0, columns, lanes, whole=True) as offset:
        value = code.op(f"vector.load {rest.place(code, 0, offset, number)} : {rest.type}, {kind}")
        place = code.known(f"{where.row} + {number}"), code.known(f"{where.column} + {offset}")
        _finish_masked(context, place, value, phase, masked, code.known(f"{where.exist_columns} - {offset}"))


def _finish_masked(
    context: Context,
    place: tuple[Index, Index],
    value: str,
    phase: tuple[bool, bool],
    masked: bool,
    left: Index | None,
) -> None:
    """A vector, of which `left` elements exist (None: all), and those of the region are wanted."""
    mask = _mask(context, place, masked, left)
    if mask is not None or not masked:
        _finish_vector(context, place, value, phase, mask)


def _mask(context: Context, place: tuple[Index, Index], masked: bool, left: Index | None) -> str | None:
    """Which elements of a vector exist and are wanted; None if all."""
    code, gemm, lanes = context.code, context.gemm, context.blocking.lanes
    kind = f"vector<{lanes}xi1>"
    masks = [] if left is None else [code.op(f"vector.create_mask {code.named(left)} : {kind}")]
    if masked:
        masks += [_plane_mask(code, plane, *place, kind) for plane in gemm.region]
        if gemm.where is not None and not gemm.mirrored:
            printer = Printer(code, context.place(*place), Lanes(gemm.n[0], lanes))
            masks.append(printer.value(gemm.where))
    while len(masks) > 1:
        masks.append(code.op(f"arith.andi {masks.pop()}, {masks.pop()} : {kind}"))
    return masks[0] if masks else None


def _plane_mask(code: FoldedLines, plane: HalfPlane, row: Index, column: Index, kind: str) -> str:
    """The lanes of a row that are in a half-plane, from the value of its expression in the first lane."""
    at = _value(code, plane, row, column)
    if plane.column < 0:
        return code.op(f"vector.create_mask {code.formula(f'{at} + 1')} : {kind}")
    outside = code.op(f"vector.create_mask {code.formula(f'0 - {at}')} : {kind}")
    return code.op(f"arith.xori {outside}, {code.constant(f'dense<true> : {kind}')} : {kind}")


def _finish_vector(
    context: Context, place: tuple[Index, Index], value: str, phase: tuple[bool, bool], mask: str | None
) -> None:
    code, gemm = context.code, context.gemm
    (row, column), (first, last) = place, phase
    lanes = Lanes(gemm.n[0], context.blocking.lanes, mask)
    printer = Printer(code, context.place(row, column), lanes)
    old = (gemm.init and printer.value(gemm.init)) if first else printer.load(gemm.write)
    if old is not None:
        add = "arith.addi" if gemm.integer else "arith.addf"
        value = code.op(f"{add} {old}, {value} : {printer.vector(gemm.element)}")
    if last and gemm.epilogue is not None and not gemm.mirrored:
        printer.sum = value
        value = printer.value(gemm.epilogue)
    printer.store(value, gemm.write)
