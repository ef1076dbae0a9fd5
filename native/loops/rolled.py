"""Statements that do the same to each member of a stride, done to all of them at once, on contiguous vectors.

`x[3 i] += v[3 i]`, `x[3 i + 1] += v[3 i + 1]` and `x[3 i + 2] += v[3 i + 2]` are one statement on neighbours in memory:
nothing has to be taken apart and put together again (superword-level parallelism, Larsen and Amarasinghe 2000).

    before  for i: y[2 * i] += x[2 * i]; y[2 * i + 1] += x[2 * i + 1]
    after   for i in 0 .. 2 * n by 8: y[i .. i + 8] += x[i .. i + 8]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raising.native.loops.body import Body, Point, load, store_whole, subscripted, zero
from raising.native.loops.interleave import Group, place_of
from raising.native.loops.vector_ops import Lane, vector_type, widened
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest
from raising.support.record import dataclass


@dataclass(frozen=True)
class Statement:
    """A write of a nest, and which element of its group's stride it is."""

    nest: Nest
    number: int
    group: Group
    phase: int


def rolled(nests: tuple[Nest, ...], d: int) -> tuple[Statement, ...]:
    """The first statement of each group, if all statements of a loop do to every member of their groups the same.

    Of what is written, a statement may read its own element only, so their order does not matter.
    """
    groups: dict[Group, list[Statement]] = {}
    for nest in nests:
        for number, write in enumerate(nest.writes):
            place = place_of(write, d)
            if place is None:
                return ()
            groups.setdefault(place.group, []).append(Statement(nest, number, place.group, place.phase))
    arrays = [group.array for group in groups]
    if any(one.may_overlap(two) for k, one in enumerate(arrays) for two in arrays[:k]):
        return ()
    for group, members in groups.items():
        if group.step != next(iter(groups)).step:
            return ()
        said = {_Said(each, d, tuple(arrays)).value(each.nest.yields[each.number]) for each in members}
        if sorted(each.phase for each in members) != list(range(group.step)) or len(said) != 1 or None in said:
            return ()
    return tuple(min(members, key=lambda each: each.phase) for members in groups.values())


@dataclass(frozen=True)
class _Said:
    """A statement in a form that is the same for all members of its group; `written` are all results."""

    statement: Statement
    d: int
    written: tuple[Array, ...]

    def value(self, name: str) -> Any:
        """A value of its nest; None if it depends on which member it is for."""
        nest = self.statement.nest
        if name.startswith("%"):
            return name
        if name.startswith("in"):
            return self._read(nest.reads[int(name[2:])])
        scalar = nest.body[int(name[1:])]
        args = tuple(map(self.value, scalar.args))
        if scalar.name == "linalg.index" or None in args:
            return None
        return scalar.name, scalar.properties, scalar.operands, scalar.result, args

    def _read(self, read: Access) -> Any:
        """The same member of a group, or an element that does not move along the vector."""
        fresh = not any(read.array.may_overlap(array) for array in self.written)
        if self.d not in read.dims:
            return read if fresh else None
        place = place_of(read, self.d)
        if place is None or (place.phase, place.group.step) != (self.statement.phase, self.statement.group.step):
            return None
        return place.group if fresh or place.group == self.statement.group else None


@dataclass(frozen=True)
class _Flat:
    """Reads of whole strides from memory."""

    code: Lines

    def read(self, access: Access, point: Point) -> Lane:
        """All members of the group, or the one element."""
        if point.dim not in access.dims:
            return load(self.code, point.element(access), replace(point, lanes=1, mask=None))
        array, kind = access.array, vector_type(access.array.element, point.lanes)
        where = subscripted(self.code, point.element(access), point.names)
        text = f"vector.load {where} : {array.type}, {kind}"
        if point.mask is not None:
            types = f"{array.type}, vector<{point.lanes}xi1>, {kind} into {kind}"
            text = f"vector.maskedload {where}, {point.mask}, {zero(self.code, array.element, point.lanes)} : {types}"
        return Lane(self.code.op(text, "l"), array.element, True)


def write_rolled(code: Lines, statements: tuple[Statement, ...], point: Point, permutes: bool) -> None:
    """The statements at one vector of points."""
    for each in statements:
        wide = replace(point, lanes=point.lanes * each.group.step)
        value = Body(code, each.nest, wide, _Flat(code), permutes=permutes).value(each.nest.yields[each.number])
        write = point.element(each.nest.writes[each.number])
        array, name = write.array, widened(code, value, wide.lanes)
        kind, where = vector_type(array.element, wide.lanes), subscripted(code, write, point.names)
        if point.mask is None:
            store_whole(code, name, where, (array, kind), point)
        else:
            mask = f"{point.mask}, {name} : {array.type}, vector<{wide.lanes}xi1>"
            code.line(f"vector.maskedstore {where}, {mask}, {kind}")
