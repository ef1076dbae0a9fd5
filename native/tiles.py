"""Square tiles of a matrix in registers: rows are loaded and stored, columns are computed on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from affine.record import dataclass
from native.affine_index import Affine
from native.body import Point, place, zero
from native.lanes import Lane, vector_type
from native.lines import Lines
from native.nest import Access


@dataclass(frozen=True)
class Limits:
    """How many rows and columns of a tile exist: index values."""

    rows: str
    columns: str


def transposed(code: Lines, rows: Sequence[str], kind: str) -> list[str]:
    """The columns of a tile of as many rows as a vector of this type has lanes, a power of two.

    Blocks beside the diagonal change places: single elements first, then pairs, and so on.
    """
    found, lanes, step = list(rows), len(rows), 1
    while step < lanes:
        first = [lane if not lane & step else lanes + lane - step for lane in range(lanes)]
        second = [lane + step if not lane & step else lanes + lane for lane in range(lanes)]
        for row in (row for row in range(lanes) if not row & step):
            pair = found[row], found[row | step]
            for place_, order in ((row, first), (row | step, second)):
                found[place_] = code.op(f"vector.shuffle {pair[0]}, {pair[1]} {order} : {kind}, {kind}", "x")
        step *= 2
    return found


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
                self.code.do(f"vector.store {name}, {where} : {self.access.array.type}, {self._kind}")
            else:
                types = f"{self.access.array.type}, vector<{self.point.lanes}xi1>, {self._kind}"
                self.code.do(f"vector.maskedstore {where}, {mask}, {name} : {types}")

    @property
    def _kind(self) -> str:
        return vector_type(self.access.array.element, self.point.lanes)

    def _place(self, row: int) -> str:
        """The first element in memory of a row."""
        back = 0 if self.sign > 0 else self.point.lanes - 1
        point = replace(self.point, shift=((self.point.dim, row),))
        *outer, last = point.element(self.access).map
        return place(self.code, Access(self.access.array, (*outer, last - back)), self.point.names)

    def _mask(self, row: int) -> str | None:
        """The columns of a row that exist; None if the tile is whole."""
        if self.limits is None:
            return None
        flags = f"vector<{self.point.lanes}xi1>"
        columns = self.limits.columns
        if self.sign < 0:
            columns = self.code.op(f"arith.subi {self.code.index(self.point.lanes)}, {columns} : index")
        mask = self.code.op(f"vector.create_mask {columns} : {flags}", "m")
        if self.sign < 0:
            every = self.code.op(f"arith.constant dense<true> : {flags}", "m")
            mask = self.code.op(f"arith.xori {mask}, {every} : {flags}", "m")
        return only_if(self.code, row, self.limits.rows, mask, self.point.lanes)


def only_if(code: Lines, number: int, limit: str, mask: str, lanes: int) -> str:
    """The mask if a number is below a limit, else nothing."""
    flags = f"vector<{lanes}xi1>"
    inside = code.op(f"arith.cmpi slt, {code.index(number)}, {limit} : index")
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
    """Whether the dimension 0 occurs once, alone and with the factor 1."""
    moving = [index for index in outer if index.dims]
    return len(moving) == 1 and moving[0].dims == {0} and moving[0].coefficient(0) == 1
