"""Packing: a block of an operand, with its elementwise code applied, in the order in which tiles read it.

before  %p = arith.mulf %x, (math.exp %y)            # in a sum over k
after   vector.store (math.exp (vector.load %b)), %panel     # once for each element of a block
        vector.fma %x, (vector.load %panel), %sum
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.contraction.blocking import Word
from raising.native.nest.folded_lines import FoldedLines, Index
from raising.native.nest.fragment import Fragment, Lanes, Printer, outer
from raising.native.nest.nest import Access
from raising.support.record import dataclass

Point = Mapping[Term, Index]

WORD = 32
"""Bits of an element of a panel that holds several steps of k."""
HIGHEST = -0x7F7F7F80
"""The highest bit of each byte of a word."""


@dataclass(frozen=True)
class Strip:
    """The panel of an operand that one tile reads: `width` rows of A (or columns of B), all of the block's k.

    `along` and `depth` are the dimensions of m (or n) and of k; `first` and `start` are where panel
    and block begin, `exist` how many of the operand's rows there are from `first` on. With `word`, an element of the
    panel holds several steps of k, as small integers.
    """

    fragment: Fragment
    extents: tuple[Affine, ...]
    base: Point
    along: tuple[int, ...]
    depth: tuple[int, ...]
    first: Index
    start: Index
    exist: Index
    length: Index
    width: int
    lanes: int
    word: Word | None = None

    @property
    def steps(self) -> int:
        """Steps of k in an element of the panel."""
        return self.word.steps if self.word else 1

    def elements(self, code: FoldedLines) -> Index:
        """Elements of the panel along k; the last one may lack steps, which are 0."""
        return code.known(f"ceildiv({self.length}, {self.steps})")

    def at(self, code: FoldedLines, row: Index, k: Index) -> dict[Term, Index]:
        """The dimensions of an element of the panel."""
        rows = split(code, self.extents, self.base, self.along, code.known(f"{self.first} + {row}"))
        steps = split(code, self.extents, self.base, self.depth, code.known(f"{self.start} + {k}"))
        return {**self.base, **rows, **steps}


def split(
    code: FoldedLines, extents: tuple[Affine, ...], base: Point, group: tuple[int, ...], index: Index
) -> dict[Term, Index]:
    """The index of each dimension of a group, for an index into all of them as one."""
    point: dict[Term, Index] = {}
    for dim in reversed(group[1:]):
        extent = code.total(extents[dim], base)
        point[dim] = code.known(f"remui({index}, {extent})")
        index = code.known(f"{index} // {extent}")
    point[group[0]] = index
    return point


@dataclass(frozen=True)
class Buffer:
    """Packed panels: `[panel][k][width]`, or with `by_rows` `[panel][width][k]`, which is for A only."""

    name: str
    type: str
    element: str
    by_rows: bool = False

    def place(self, code: FoldedLines, panel: Index, across: Index, depth: Index) -> str:
        """The text of an element of a panel, with its subscripts."""
        return f"{self.name}[{code.names(*((panel, across, depth) if self.by_rows else (panel, depth, across)))}]"


@dataclass(frozen=True)
class Unpacked:
    """A block of an operand where it is, read like packed panels of `width` rows each."""

    access: Access
    base: Point
    along: int
    depth: int
    first: Index
    start: Index
    width: int

    @property
    def type(self) -> str:
        """The type of the memory."""
        return self.access.array.type

    def place(self, code: FoldedLines, panel: Index, across: Index, depth: Index) -> str:
        """The text of an element of a panel, with its subscripts."""
        row, step = code.known(f"{self.first} + ({panel} * {self.width} + {across})"), f"{self.start} + {depth}"
        printer = Printer(code, {**self.base, self.along: row, self.depth: code.known(step)})
        return f"{outer(self.access.array.name)}[{printer.subscripts(self.access)}]"


def along_k(fragment: Fragment, along: int, depth: int) -> bool:
    """Whether an operand's elements are neighbours in memory along k rather than along the other dimension."""
    strides = [(access.stride(depth), access.stride(along)) for access in fragment.reads]
    return sum(k == 1 for k, _ in strides) > sum(other == 1 for _, other in strides)


def pack_by_rows(code: FoldedLines, strip: Strip, buffer: Buffer, panel: Index, at: Index) -> None:
    """Copy rows that lie along k: row r of the panel at `[panel][r][at ...]`. The buffer has a vector to spare."""
    with code.each(0, code.known(f"min({strip.width}, {strip.exist})")) as row:
        _vectors_along_k(code, strip, buffer, panel, at, row)


def _vectors_along_k(code: FoldedLines, strip: Strip, buffer: Buffer, panel: Index, at: Index, row: Index) -> None:
    kind = f"vector<{strip.lanes}x{buffer.element}>"

    def copy(k: Index, masked: bool) -> None:
        value = _along(code, strip, row, k, masked)
        target = buffer.place(code, panel, row, code.known(f"{at} + {k}"))
        code.line(f"vector.store {value}, {target} : {buffer.type}, {kind}")

    _whole_and_rest(code, strip, copy)


def _whole_and_rest(code: FoldedLines, strip: Strip, copy: Callable[[Index, bool], None]) -> None:
    """Vectors along k, given where in the panel they begin: whole ones, then the last one under a mask."""
    whole = code.known(f"{strip.length} // {strip.lanes * strip.steps} * {strip.lanes}")
    with code.each(0, whole, strip.lanes) as k:
        copy(k, False)
    with code.when(f"0 < {strip.length} - {whole} * {strip.steps}"):
        copy(whole, True)


def _along(code: FoldedLines, strip: Strip, row: Index, k: Index, masked: bool) -> str:
    """A vector of elements of the panel along k, from `k` on: of a row of the operand; with 0 where there is no k."""
    step, count = code.known(f"{k} * {strip.steps}"), strip.lanes * strip.steps
    left = code.known(f"{strip.length} - {step}")
    mask = code.op(f"vector.create_mask {code.named(left)} : vector<{count}xi1>") if masked else None
    value = Printer(code, strip.at(code, row, step), Lanes(strip.depth[-1], count, mask)).value(strip.fragment)
    if strip.word is None:
        return value
    small, wide = f"vector<{count}xi{WORD // strip.steps}>", f"vector<{strip.lanes}xi{WORD}>"
    value = code.op(f"arith.trunci {value} : vector<{count}x{strip.fragment.element}> to {small}")
    return _flipped(code, strip, code.op(f"vector.bitcast {value} : {small} to {wide}"), wide)


def _flipped(code: FoldedLines, strip: Strip, value: str, kind: str) -> str:
    """The same with the highest bit of each byte turned over, where that is wanted."""
    if strip.word is None or not strip.word.flipped:
        return value
    return code.op(f"arith.xori {value}, {code.constant(f'dense<{HIGHEST}> : {kind}')} : {kind}")


def pack_across(code: FoldedLines, strip: Strip, buffer: Buffer, panel: Index, at: Index) -> None:
    """Copy vectors that lie across k: step k of the panel at `[panel][at + k]`, with 0 for rows that do not exist."""
    widths = _widths(strip.width, strip.lanes)

    def copy(k: Index, masked: bool, cut: bool) -> None:
        for part in widths:
            value = _across(code, strip, k, part, masked, cut)
            target = buffer.place(code, panel, part[0], code.known(f"{at} + {k}"))
            code.line(f"vector.store {value}, {target} : {buffer.type}, vector<{part[1]}x{buffer.element}>")

    def every(masked: bool) -> None:
        whole = code.known(f"{strip.length} // {strip.steps}")
        with code.each(0, whole) as k:
            copy(k, masked, False)
        with code.when(f"{whole} < {strip.elements(code)}"):
            copy(whole, masked, True)

    inside = code.known(f"{strip.width} <= {strip.exist}")
    with code.when(inside):
        every(False)
    with code.when(f"not {inside}"):
        every(True)


def _across(code: FoldedLines, strip: Strip, k: Index, part: tuple[int, int], masked: bool, cut: bool) -> str:
    """A vector of elements of the panel across k: of neighbouring rows; with `cut`, there is not all of the last k."""
    offset, width = part
    kind, steps = f"vector<{width}x{strip.fragment.element}>", []
    for number in range(strip.steps):
        step = code.known(f"{k} * {strip.steps} + {number}")
        left = code.known(f"{strip.exist} - {offset}") if masked else width
        if cut:
            left = code.known(f"min({left}, max(0, {strip.length} - {step}) * {width})")
        mask = code.op(f"vector.create_mask {code.named(left)} : vector<{width}xi1>") if masked or cut else None
        lanes = Lanes(strip.along[-1], width, mask)
        steps.append(Printer(code, strip.at(code, offset, step), lanes).value(strip.fragment))
    if strip.word is None:
        return steps[0]
    size = WORD // strip.steps
    low = code.constant(f"dense<{(1 << size) - 1}> : {kind}")
    word = code.op(f"arith.andi {steps[0]}, {low} : {kind}")
    for number, value in enumerate(steps[1:], 1):
        if number < strip.steps - 1:
            value = code.op(f"arith.andi {value}, {low} : {kind}")
        value = code.op(f"arith.shli {value}, {code.constant(f'dense<{number * size}> : {kind}')} : {kind}")
        word = code.op(f"arith.ori {word}, {value} : {kind}")
    return _flipped(code, strip, word, kind)


def pack_singly(code: FoldedLines, strip: Strip, buffer: Buffer, panel: Index, at: Index) -> None:
    """Element by element, for dimensions that are not one after the other in memory."""
    rows = code.known(f"min({strip.width}, {strip.exist})")
    with code.each(0, strip.length) as k, code.each(0, rows) as row:
        value = Printer(code, strip.at(code, row, k)).value(strip.fragment)
        target = buffer.place(code, panel, row, code.known(f"{at} + {k}"))
        code.line(f"memref.store {value}, {target} : {buffer.type}")


def _widths(width: int, lanes: int) -> list[tuple[int, int]]:
    """Offsets and lengths of the vectors that make up so many elements: whole registers, then powers of two."""
    parts: list[tuple[int, int]] = []
    offset, part = 0, lanes
    while offset < width:
        if offset + part <= width:
            parts.append((offset, part))
            offset += part
        else:
            part //= 2
    return parts


def pack_transposed(code: FoldedLines, strip: Strip, buffer: Buffer, panel: Index, at: Index) -> None:
    """Read vectors along k, transpose squares of them in registers, and write them across k.

    Rows that do not exist repeat the last one. The buffer has `lanes` steps of k to spare.
    """
    size = strip.lanes

    def copy(k: Index, masked: bool) -> None:
        with code.each(0, strip.width, size) as offset:
            places = [code.known(f"min({offset} + {lane}, {strip.exist} - 1)") for lane in range(size)]
            rows = [_along(code, strip, row, k, masked) for row in places]
            for step, value in enumerate(transpose(code, rows, buffer.element)):
                target = buffer.place(code, panel, offset, code.known(f"{at} + ({k} + {step})"))
                code.line(f"vector.store {value}, {target} : {buffer.type}, vector<{size}x{buffer.element}>")

    if strip.word is not None:  # masks of bytes are dear
        _whole_and_rest(code, strip, copy)
    else:
        with code.each(0, strip.length, size) as k:
            copy(k, True)


def transpose(code: FoldedLines, rows: list[str], element: str) -> list[str]:
    """The columns of a square of vectors: interleaving the first half with the second, log2 times."""
    size = len(rows)
    kind = f"vector<{size}x{element}>"
    halves = ([lane // 2 + lane % 2 * size + start for lane in range(size)] for start in (0, size // 2))
    low, high = (", ".join(map(str, half)) for half in halves)
    for _ in range(size.bit_length() - 1):
        pairs = list(zip(rows[: size // 2], rows[size // 2 :], strict=True))
        rows = [code.op(f"vector.shuffle {a}, {b} [{mask}] : {kind}, {kind}") for a, b in pairs for mask in (low, high)]
    return rows
