"""Terms of sums over the places in an interval, written for many intervals at once.

A block of intervals has memory for what its sums are so far. Terms for all u and v of a block are a product; what it
reads across its rows is copied first, so that it lies together. A maximum or a minimum of floats has to heed NaN and
the signs of zeros, which takes most of the time of a product; where no operand is NaN, infinite, -0.0, or so large that
a term could overflow, which is seen when a product begins, no term is NaN, and no sum of them is -0.0: one instruction
does. (A product may be too small for a number, so that a sum that it is joined with is -0.0.)

before  s[u, v] = max of t[u, x] + t[x, v], over 0 <= x < n
after   for 256 x at once: w[x, v] = t[x, v]; odd |= whether t[u, x] or w[x, v] is NaN, ...
          if odd: s[u, v] = maximumf(t[u, x] + w[x, v], s[u, v])
          else: s[u, v] = maximumf(t[u, x] + w[x, v], s[u, v]) fastmath<nnan,nsz>
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import dim
from raising.native.intervals.interval_sums import Sum, U, V, X
from raising.native.nest.nest import Access
from raising.native.transforms.memory_writer import LoopWriter, Size, mapped
from raising.support.record import dataclass

BLOCK = 96
"""Iterations of a block in either direction, a multiple of every tile's: 4 x 16, 6 x 24 and 6 x 48 elements."""
DEPTH = 256
"""Terms for which a product's rows are copied at once: they stay in the second cache."""

Range = tuple[Any, Any]
"""The first value and the number of values of a dimension; the number is None for one value."""
Operand = tuple[Any, list[int | None]]
"""A part of an array, and the dimension of each of its own, or None."""

_BITS = {"f32": (32, 8, 23), "f64": (64, 11, 52)}
"""Bits of a number, of its exponent and of its fraction."""
_EXTREMA = ("arith.maximumf", "arith.minimumf")


@dataclass(frozen=True)
class Partial:
    """A sum, and what a block has of it: `memory` for its intervals, from `begins` (u and v) on.

    `rows` has memory for the rows that are copied for a product, `odd` whether a number has been met that is not plain,
    and `limit` the numbers that are too large to be, if that matters; `flags` are what is known where all are plain.
    """

    sum: Sum
    element: Any
    memory: Any
    begins: list[Any]
    rows: tuple[Any, ...]
    odd: Any
    limit: int
    flags: str


class TermWriter(LoopWriter):
    """Writes sums in parts."""

    def partial(self, each: Sum) -> Partial:
        """Memory for a sum of each interval of a block."""
        element = ir.MemRefType(list(each.operation.operands)[-1].type).element_type
        rows = tuple(
            self.memory([DEPTH, BLOCK], ir.Type.parse(read.array.element)) if _across(read) else None
            for read in each.reads
        )
        limit, flags = _limit(each)
        odd = self.memory([], ir.IntegerType.get_signless(32)) if limit else None
        return Partial(each, element, self.memory([BLOCK, BLOCK], element), [], rows, odd, limit, flags)

    def reset(self, part: Partial) -> None:
        """Begin a block."""
        self.fill(part.memory, part.sum.combine.neutral, part.element)
        if part.limit:
            self.op("memref.store", [], [self.constant(ir.IntegerType.get_signless(32), 0), part.odd])

    def product(self, part: Partial, ranges: Mapping[int, Range]) -> None:
        """Terms for all intervals of a block, some at a time."""
        first, count = ranges[X]
        with self.loop(self.index(0), count, self.index(DEPTH)) as now:
            depth = self.same("arith.minsi", self.index(DEPTH), self.same("arith.subi", count, now))
            some = {**ranges, X: (self.same("arith.addi", first, now), depth)}
            operands = [self._operand(read, some) for read in part.sum.reads]
            for number, memory in enumerate(part.rows):
                if memory is not None:
                    operands[number] = self._copied(operands[number], memory, some)
            self._as_plain(part, some, operands)

    def _as_plain(self, part: Partial, ranges: Mapping[int, Range], operands: Sequence[Any]) -> None:
        """A product, in two ways if that is worth it."""
        if not part.limit:
            self._joined(part, ranges, operands)
            return
        for read, (view, dims) in ((read, operand) for read, operand in zip(part.sum.reads, operands, strict=True)):
            assert isinstance(read, Access)
            self._look(view, [d for d in dims if d is not None], part)
        whole = ir.IntegerType.get_signless(32)
        plain = self.compare("eq", self.op("memref.load", [whole], [part.odd])[0], self.constant(whole, 0))
        branch = ir.Operation.create("scf.if", [], [plain], regions=2, ip=self.place)
        outer = self.place
        for region, flags in zip(branch.regions, (part.flags, ""), strict=True):
            done = ir.Operation.create("scf.yield", ip=ir.InsertionPoint(region.blocks.append()))
            self.place = ir.InsertionPoint(done)
            self._joined(part, ranges, operands, flags)
        self.place = outer

    def terms(self, part: Partial, ranges: Mapping[int, Range]) -> None:
        """Terms for some intervals of a block."""
        self._joined(part, ranges, [self._operand(read, ranges) for read in part.sum.reads])

    def _joined(self, part: Partial, ranges: Mapping[int, Range], given: Sequence[Any], flags: str = "") -> None:
        """Add terms to the memory of the block."""
        ends = _order(part.sum)
        dims = [d for d in (*ends, X) if ranges[d][1] is not None]
        places, operands = list[Any](), list[Operand]()
        for operand in given:
            places.append(len(operands) if isinstance(operand, tuple) else operand)
            operands += [operand] if isinstance(operand, tuple) else []
        sizes = [1 if ranges[end][1] is None else ranges[end][1] for end in ends]
        result = self.view(part.memory, self.within(part, ranges), sizes)
        operands.append((result, [None if ranges[end][1] is None else end for end in ends]))
        kinds = ["reduction" if d == X else "parallel" for d in dims]
        views, maps = [view for view, _ in operands], [mapped(dims, each) for _, each in operands]
        source = part.sum.operation.regions[0].blocks[0]
        self.generic(views, maps, kinds, source, [*places, len(operands) - 1])
        if flags:
            made = views[-1].owner.operation.block.operations
            _mark(made[len(made) - 2].operation, flags)

    def within(self, part: Partial, ends: Mapping[int, Range]) -> list[Any]:
        """Where the memory of the block has these ends."""
        return [self.same("arith.subi", ends[end][0], part.begins[end]) for end in _order(part.sum)]

    # ---- operands -----------------------------------------------------------------------------------

    def _operand(self, read: Access | ir.Value, ranges: Mapping[int, Range]) -> Operand | ir.Value:
        """What terms read of an array."""
        if not isinstance(read, Access):
            return read
        offsets, sizes, dims = list[Size](), list[Size](), list[int | None]()
        for index in read.map:
            own = min(index.dims, default=None)
            rest = self.value(index if own is None else index - dim(own), {})
            offsets.append(rest if own is None else self.same("arith.addi", rest, ranges[own][0]))
            dims.append(None if own is None or ranges[own][1] is None else own)
            sizes.append(1 if dims[-1] is None else ranges[dims[-1]][1])
        return self.view(self.reader.values[read.array.name], offsets, sizes), dims

    def _copied(self, operand: Operand, memory: Any, ranges: Mapping[int, Range]) -> Operand:
        """The same, in memory that has a row for each term."""
        source, dims = operand[0], [d for d in operand[1] if d is not None]
        rows = self.view(memory, [0, 0], [ranges[d][1] for d in dims])
        self.copied(source, rows)
        return rows, [*dims]

    def _look(self, view: Any, dims: Sequence[int], part: Partial) -> None:
        """Note whether an element is not plain."""
        maps = [mapped(dims, dims), mapped(dims, [])]
        block = self.empty([view, part.odd], maps, ["reduction"] * len(dims))
        outer, self.place = self.place, ir.InsertionPoint(block)
        element, old = block.arguments
        bits, exponent, fraction = _BITS[str(element.type)]
        whole = ir.IntegerType.get_signless(bits)
        number = self.one("arith.bitcast", whole, element)
        size = self.same("arith.andi", number, self.constant(whole, (1 << (bits - 1)) - 1))
        bound = self.constant(whole, (part.limit + (1 << (exponent - 1)) - 1) << fraction)
        large = self.compare("sle", bound, size)
        zero = self.compare("eq", number, self.constant(whole, -1 << (bits - 1)))
        odd = self.one("arith.extui", old.type, self.same("arith.ori", large, zero))
        ir.Operation.create("linalg.yield", operands=[self.same("arith.ori", old, odd)], ip=self.place)
        self.place = outer


def _order(each: Sum) -> tuple[int, int]:
    """The ends as the axes of the intervals' array have them."""
    return (U, V) if each.axis == 1 else (V, U)


def _across(read: Access | ir.Value) -> bool:
    """Whether the elements of one term lie together, those of many terms do not."""
    if not isinstance(read, Access) or len(read.map) != 2:
        return False
    first, last = (index.dims for index in read.map)
    return first == {X} and len(last) == 1


def _mark(generic: Any, flags: str) -> None:
    """Give these flags to the extremum that joins the terms."""
    for view in generic.regions[0].blocks[0].operations:
        if view.operation.name in _EXTREMA:
            view.operation.attributes["fastmath"] = ir.Attribute.parse(f"#arith.fastmath<{flags}>")


def _limit(each: Sum) -> tuple[int, str]:
    """A power of 2 below which operands have to be so that terms do not overflow, and what is known of terms then.

    It is 0 where terms are not joined by the extremum of floats, or compute something else than sums and products.
    """
    block = each.operation.regions[0].blocks[0]
    *inside, end = (view.operation for view in block.operations)
    term = [value for value in inside[-1].operands if value != list(block.arguments)[-1]] if inside else []
    extremum = inside and inside[-1].name in _EXTREMA and list(end.operands) == list(inside[-1].results)
    if not extremum or len(term) != 1 or str(term[0].type) not in _BITS:
        return 0, ""
    if not all(isinstance(read, Access) and read.array.element == str(term[0].type) for read in each.reads):
        return 0, ""
    degree = _degree(term[0], block)
    _, exponent, _ = _BITS[str(term[0].type)]
    sums = isinstance(term[0].owner, ir.Block) or all(op.name != "arith.mulf" for op in inside)
    limit = ((1 << (exponent - 1)) - 2 - len(inside)) // degree if degree else 0
    return limit, "nnan,nsz" if sums else "nnan"


def _degree(value: Any, block: Any) -> int:
    """How many operands are multiplied at most, 0 if that is not known.

    Where operands are below 2^k, a value of degree d that n operations compute is below 2^(d k + n).
    """
    if isinstance(value.owner, ir.Block):
        return int(value in list(block.arguments))
    operation = value.owner.operation
    if operation.name not in ("arith.addf", "arith.subf", "arith.mulf") or operation.block != block:
        return 0
    one, other = (_degree(operand, block) for operand in operation.operands)
    if not one or not other:
        return 0
    return one + other if operation.name == "arith.mulf" else max(one, other)
