"""Square tiles that are transposed in registers, for two loops that write along one and read along the other.

Along either loop alone, the elements of one of the two arrays come from a cache line each. A tile loads and stores
whole vectors of both arrays; tiles are done in bands, so that lines which two tiles share are still in the cache.

    before  for i: for j: out[i, j] = a[j, i]
    after   for i by 8: for j by 8: 8 vectors of a[j .. j + 8, i .. i + 8], transposed by shuffles,
                                    stored at out[i .. i + 8, j .. j + 8]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.loops.body import Memory, Point, run_at, subscripted, zero
from raising.native.loops.loop_tree import Loop, crosses
from raising.native.loops.vector_ops import Lane, element_bits, vector_type
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Nest
from raising.support.record import dataclass

BLOCK_BITS = 128
"""Parts of a vector within which machines interleave elements; between parts they move whole ones."""


@dataclass(frozen=True)
class Limits:
    """How many rows and columns of a tile exist: index values."""

    rows: str
    columns: str


def transposed(code: Lines, rows: Sequence[str], kind: str) -> list[str]:
    """The columns of a tile of as many rows as a vector of this type has lanes, a power of two.

    First two vectors at a time are interleaved within blocks of 128 bits, then their blocks are parted, the even ones
    from the odd ones: for both, machines have instructions of two operands that need no vector of indices.
    """
    lanes = len(rows)
    block = min(lanes, max(1, BLOCK_BITS // element_bits(kind[:-1].split("x")[-1])))
    found, distance, width = list(rows), 1, 1
    while distance < lanes:
        orders = _interleaving(lanes, block, width) if width < block else _parting(lanes, block)
        for row in (row for row in range(lanes) if not row & distance):
            pair = found[row], found[row | distance]
            for place, order in zip((row, row | distance), orders, strict=True):
                found[place] = code.op(f"vector.shuffle {pair[0]}, {pair[1]} {order} : {kind}, {kind}", "x")
        distance, width = 2 * distance, 2 * width
    return [found[_turned_bits(column, block)] for column in range(lanes)]


def _turned_bits(number: int, block: int) -> int:
    """The number with its bits below `block`, a power of two, in the opposite order."""
    bits = [number & bit and 1 for bit in (1 << place for place in range(block.bit_length() - 1))]
    return number - number % block + sum(bit << place for place, bit in enumerate(reversed(bits)))


def _interleaving(lanes: int, block: int, width: int) -> list[list[int]]:
    """For each block the pieces of its first half, of both vectors in turn; and those of its second half."""
    pieces = [[start + piece for piece in range(0, block, width)] for start in range(0, lanes, block)]
    halves = [[each[: len(each) // 2] for each in pieces], [each[len(each) // 2 :] for each in pieces]]
    return [
        [piece + side + offset for each in half for piece in each for side in (0, lanes) for offset in range(width)]
        for half in halves
    ]


def _parting(lanes: int, block: int) -> list[list[int]]:
    """The even blocks of both vectors; and the odd ones."""
    return [
        [start + offset for start in range(first, 2 * lanes, 2 * block) for offset in range(block)]
        for first in (0, block)
    ]


@dataclass(frozen=True)
class Tile:
    """Elements of an access for all lanes of a point and as many iterations, the last subscript moving by `sign`."""

    code: Lines
    access: Access
    sign: int
    point: Point
    limits: Limits | None = None

    def load(self) -> list[Lane]:
        """One vector over the lanes for each of as many iterations."""
        element, kind = self.access.array.element, self._kind
        rows = []
        for row in range(self.point.lanes):
            where, mask = self._place(row), self._mask(row)
            if mask is None:
                rows.append(self.code.op(f"vector.load {where} : {self.access.array.type}, {kind}", "l"))
                continue
            types = f"{self.access.array.type}, vector<{self.point.lanes}xi1>, {kind} into {kind}"
            nothing = zero(self.code, element, self.point.lanes)
            rows.append(self.code.op(f"vector.maskedload {where}, {mask}, {nothing} : {types}", "l"))
        columns = transposed(self.code, rows, kind)
        return [Lane(name, element, True) for name in columns[:: self.sign]]

    def store(self, values: Sequence[str]) -> None:
        """Store a vector over the lanes for each of as many iterations."""
        for row, name in enumerate(transposed(self.code, values[:: self.sign], self._kind)):
            where, mask = self._place(row), self._mask(row)
            if mask is None:
                self.code.line(f"vector.store {name}, {where} : {self.access.array.type}, {self._kind}")
            else:
                types = f"{self.access.array.type}, vector<{self.point.lanes}xi1>, {self._kind}"
                self.code.line(f"vector.maskedstore {where}, {mask}, {name} : {types}")

    @property
    def _kind(self) -> str:
        return vector_type(self.access.array.element, self.point.lanes)

    def _place(self, row: int) -> str:
        """The first element in memory of a row."""
        back = 0 if self.sign > 0 else self.point.lanes - 1
        point = replace(self.point, shift=((self.point.dim, row),))
        *outer, last = point.element(self.access).map
        return subscripted(self.code, Access(self.access.array, (*outer, last - back)), self.point.names)

    def _mask(self, row: int) -> str | None:
        """The columns of a row that exist; None if the tile is whole."""
        if self.limits is None:
            return None
        flags = f"vector<{self.point.lanes}xi1>"
        columns = self.limits.columns
        if self.sign < 0:
            columns = self.code.formula(f"{self.point.lanes} - {columns}")
        mask = self.code.op(f"vector.create_mask {columns} : {flags}", "m")
        if self.sign < 0:
            every = self.code.op(f"arith.constant dense<true> : {flags}", "m")
            mask = self.code.op(f"arith.xori {mask}, {every} : {flags}", "m")
        return only_if(self.code, row, self.limits.rows, mask, self.point.lanes)


def only_if(code: Lines, number: int, limit: str, mask: str, lanes: int) -> str:
    """The mask if a number is below a limit, else nothing."""
    flags = f"vector<{lanes}xi1>"
    inside = code.formula(f"{number} < {limit}")
    nothing = code.op(f"arith.constant dense<false> : {flags}", "m")
    return code.op(f"arith.select {inside}, {mask}, {nothing} : {flags}", "m")


def moves_last(access: Access, time: str) -> int:
    """+1 or -1 if the last subscript moves so with `time`, at distance 1 in memory, and nothing else does; else 0."""
    if not access.map or access.array.strides[-1] != 1:
        return 0
    *outer, last = access.map
    sign = last.coefficient(time)
    alone = not last.dims and all(index.coefficient(time) == 0 for index in outer)
    return sign if abs(sign) == 1 and alone and _single(outer) else 0


def _single(outer: Sequence[Affine]) -> bool:
    """Whether the dimension 0 occurs once, and no other one."""
    moving = [index for index in outer if index.dims]
    return len(moving) == 1 and moving[0].dims == {0}


BAND = 128
"""Iterations of the outer loop that are done together: what they write of a vector's width fits the first cache."""
MOST_LANES = 16
MOST_OPERATIONS = 64
"""In the loops' body, which is written once for each row of a tile."""


@dataclass(frozen=True)
class Transposing:
    """Nests inside of the loops `outer` (which stores do not move along in memory) and `outer + 1`, on vectors."""

    nests: tuple[Nest, ...]
    outer: int
    lanes: int

    @property
    def inner(self) -> int:
        """The loop that vectors go along."""
        return self.outer + 1

    @property
    def repeatable(self) -> bool:
        """Whether points may be done twice: nothing that is read is written."""
        pairs = ((read, write) for nest in self.nests for read in nest.reads for other in self.nests
                 for write in other.writes)  # fmt: skip
        return not any(read.array.may_overlap(write.array) for read, write in pairs)

    @property
    def across(self) -> tuple[Access, ...]:
        """The accesses that are read by rows along the outer loop."""
        reads = dict.fromkeys(read for nest in self.nests for read in nest.reads)
        return tuple(read for read in reads if crosses(read, self.outer, self.inner))


def transposing(node: Loop, depth: int, lanes: int, fits: Callable[[Nest], bool]) -> Transposing | None:
    """The plan for these loops in tiles; None if no access is transposed, or if iterations depend on each other.

    `lanes` has a vector of the widest element; `fits` says whether a nest can be done on vectors along the loop inside.
    """
    inner = node.body[0] if len(node.body) == 1 else None
    if not isinstance(inner, Loop) or any(isinstance(child, Loop) for child in inner.body):
        return None
    nests = tuple(inner.nests())
    operations = sum(len(nest.body) for nest in nests)
    plan = Transposing(nests, depth, min(MOST_LANES, lanes))
    small = any(e.is_constant and e.constant < plan.lanes for e in (node.extent, inner.extent))
    if not plan.across or small or lanes < 2 or operations > MOST_OPERATIONS or depth in inner.extent.dims:
        return None
    along = tuple(replace(n, reads=tuple(r for r in n.reads if r not in plan.across)) for n in nests)
    if not all(nest.parallel[depth] and nest.parallel[depth + 1] for nest in nests) or not all(map(fits, along)):
        return None
    return plan if _apart(nests) else None


def _apart(nests: tuple[Nest, ...]) -> bool:
    """Whether each element that is written is read at its own point only, if at all."""
    writes = {write for nest in nests for write in nest.writes}
    accesses = writes.union(*(nest.reads for nest in nests))
    return not any(a != w and a.array.may_overlap(w.array) for a in accesses for w in writes)


def write_tiles(
    code: Lines, plan: Transposing, node: Loop, names: Mapping[Term, str], how: tuple[bool, frozenset[str]]
) -> None:
    """The loops in bands of tiles; `how` says whether bands may run in parallel, and which roots need no stores.

    Where both loops have room for a tile and may run twice, the last tile of a row or column overlaps the one before.
    """
    inner = node.body[0]
    assert isinstance(inner, Loop)
    ends = code.affine(node.extent, names), code.affine(inner.extent, names)
    bands = _Bands(code, plan, ends, names, how)
    if all(e.is_constant and e.constant % plan.lanes == 0 for e in (node.extent, inner.extent)):
        bands.write(bands.whole)
    elif plan.repeatable:
        code.line(f"scf.if {code.formula(f'min({ends[0]}, {ends[1]}) >= {plan.lanes}')} {{")
        bands.write(bands.overlapping)
        code.line("} else {")
        bands.write(bands.ragged)
        code.line("}")
    else:
        bands.write(bands.ragged)


@dataclass(frozen=True)
class _Bands:
    """Writes bands of tiles; `ends` are those of the outer and the inner loop."""

    code: Lines
    plan: Transposing
    ends: tuple[str, str]
    names: Mapping[Term, str]
    how: tuple[bool, frozenset[str]]

    @property
    def step(self) -> str:
        """The rows of a tile, and its columns."""
        return self.code.index(self.plan.lanes)

    def write(self, column: Callable[[str, tuple[str, str]], None]) -> None:
        """All bands; `column` writes the tiles of one vector of the inner loop, from one row of a band to its end."""
        code, zero = self.code, self.code.index(0)
        with code.loop((zero, self.ends[0], code.index(BAND)), parallel=self.how[0]) as band:
            end = code.formula(f"min({band.induction} + {BAND}, {self.ends[0]})")
            with code.loop((zero, self.ends[1], self.step)) as vectors:
                column(vectors.induction, (band.induction, end))

    def whole(self, vector: str, rows: tuple[str, str]) -> None:
        """Tiles where all are whole."""
        with self.code.loop((*rows, self.step)) as tiles:
            self._tile(vector, tiles.induction)

    def overlapping(self, vector: str, rows: tuple[str, str]) -> None:
        """Whole tiles, of which the last ones begin as far before the end as they are long."""
        vector, last = self._before(vector, self.ends[1]), rows[1]
        with self.code.loop((*rows, self.step)) as tiles:
            self._tile(vector, self._before(tiles.induction, last))

    def ragged(self, vector: str, rows: tuple[str, str]) -> None:
        """Whole tiles, and what they leave over under masks."""
        code = self.code
        exist = code.formula(f"min({self.ends[1]} - {vector}, {self.plan.lanes})")
        whole = _whole(code, rows, exist, self.step)
        self.whole(vector, (rows[0], whole))
        with code.loop((whole, rows[1], self.step)) as tiles:
            limits = Limits(exist, code.formula(f"min({rows[1]} - {tiles.induction}, {self.plan.lanes})"))
            self._tile(vector, tiles.induction, limits)

    def _before(self, start: str, end: str) -> str:
        return self.code.formula(f"min({start}, {end} - {self.plan.lanes})")

    def _tile(self, vector: str, row: str, limits: Limits | None = None) -> None:
        here = {**self.names, self.plan.inner: vector, self.plan.outer: row}
        _tile(self.code, self.plan, here, self.how[1], limits)


def _whole(code: Lines, bounds: tuple[str, str], rows: str, step: str) -> str:
    """Where whole tiles of a band end: at its begin, if the last vector of rows is not whole."""
    low, high = bounds
    end = code.formula(f"{high} - remsi({high} - {low}, {step})")
    return code.formula(f"{end} if {rows} == {step} else {low}")


def _tile(
    code: Lines, plan: Transposing, names: Mapping[Term, str], temporary: frozenset[str], limits: Limits | None = None
) -> None:
    """All nests at the points of a tile."""
    memory = Memory(code, {}, temporary)
    base = Point(names, (), plan.inner, plan.lanes)
    points = [replace(base, shift=((plan.outer, step),) if step else ()) for step in range(plan.lanes)]
    for access in plan.across:
        lanes = Tile(code, access, 1, base, limits).load()
        memory.known |= {point.element(access): lane for point, lane in zip(points, lanes, strict=True)}
    mask = "" if limits is None else code.op(f"vector.create_mask {limits.rows} : vector<{plan.lanes}xi1>", "m")
    for step, point in enumerate(points):
        if limits is not None:
            here = only_if(code, step, limits.columns, mask, plan.lanes)
            point = replace(point, mask=here, beyond=step > 0)
        for nest in plan.nests:
            run_at(code, nest, point, memory)
    memory.flush()
