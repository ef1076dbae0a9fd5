"""The body of a nest at one point, or at one vector of points: its reads, its operations, its writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from math import gcd
from typing import Protocol

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.affine.ir.integer_types import wrapped
from raising.native.loops.interleave import (
    Form,
    Group,
    Piece,
    Place,
    apart,
    interleaved,
    load_whole,
    piece_of,
    place_of,
    reordered,
    taken,
)
from raising.native.loops.loop_tree import backwards, unit_stride
from raising.native.loops.private_rows import is_private
from raising.native.loops.vector_ops import Lane, element_bits, printed, vector_type, widened
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import affine_value
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest, Scalar
from raising.support.record import dataclass


@dataclass(frozen=True)
class Point:
    """A point of the loops: the names of terms and buffers, what to add to some dimensions, the vector and its mask.

    With `beyond`, the mask may be empty, and even an element that all lanes share beyond the end of its array. With
    `past`, stores of vectors go past the caches: they lie at multiples of so many bytes.
    """

    names: Mapping[Term, str]
    shift: tuple[tuple[Term, int], ...]
    dim: int
    lanes: int
    mask: str | None = None
    beyond: bool = False
    past: int = 0

    def at(self, index: Affine) -> Affine:
        """An expression with the shifts in it."""
        return index + sum(index.coefficient(number) * offset for number, offset in self.shift)

    def element(self, access: Access) -> Access:
        """An access with the shifts in it: equal for two points if it is the same memory."""
        return Access(access.array, tuple(self.at(index) for index in access.map))


class Readable(Protocol):
    """The values and buffers that a body may read."""

    def read(self, access: Access, point: Point) -> Lane:
        """The value that the access reads at a point."""


@dataclass
class Memory:
    """Loads and stores at points that belong together: each element goes to or from memory once.

    `known` has what elements hold, `pending` what is not stored yet, `hoisted` what does not change at all.
    Stores to the roots in `temporary` are left out: nobody reads them. `reads` are all accesses that are read at
    each point: interleaved ones are loaded together. Lanes have a `form`.
    """

    code: Lines
    hoisted: Mapping[Access, Lane] = field(default_factory=dict)
    temporary: frozenset[str] = frozenset()
    reads: tuple[Access, ...] = ()
    known: dict[Access, Lane] = field(default_factory=dict)
    pending: dict[Access, tuple[Lane, Point]] = field(default_factory=dict)
    whole: dict[Group, tuple[str, Piece]] = field(default_factory=dict)
    form: Form = Form()

    def read(self, access: Access, point: Point) -> Lane:
        """The value that the access reads."""
        element = point.element(access)
        found = self.hoisted.get(element) or self.known.get(element)
        if found is None:
            self._store_overlapping(element, point)
            place = _interleaved(element, point)
            found = self._loaded(element, point) if place is None else self._member(element, place, point)
            self.known[element] = found
        return found

    def _loaded(self, element: Access, point: Point) -> Lane:
        found = load(self.code, element, point)
        ordered = reordered(self.code, found.name, found.element, point.lanes, self.form) if found.wide else found.name
        return replace(found, name=ordered)

    def _member(self, element: Access, place: Place, point: Point) -> Lane:
        """A vector of interleaved elements, out of those of its group; rows may reach others than the first one did."""
        held = self.whole.get(place.group)
        if held is None or not 0 <= place.phase - held[1].phase < held[1].span:
            others = (point.element(access) for access in self.reads)
            members = [each for each in others if (at := _interleaved(each, point)) and at.group == place.group]
            piece = piece_of([element, *members], point.dim)

            def where(start: int) -> str:
                return subscripted(self.code, piece.first, point.names, -start)

            loaded = load_whole(self.code, where, piece, place, (point.lanes, self.form))
            self.whole[place.group] = loaded, piece
        member = taken(self.code, *self.whole[place.group], place, point.lanes, self.form)
        return Lane(member, element.array.element, True)

    def write(self, access: Access, value: Lane, point: Point) -> None:
        """Remember a value that has to be stored."""
        element = point.element(access)
        self._store_overlapping(element, point)
        for other in [other for other in self.known if _may_meet(other, element, point)]:
            del self.known[other]
        place = _interleaved(element, point)
        for group in [group for group in self.whole if place is None or group != place.group]:
            if group.array.may_overlap(element.array):
                del self.whole[group]
        self.known[element] = value
        self.pending[element] = value, point

    def _store_overlapping(self, element: Access, point: Point) -> None:
        for other in [other for other in self.pending if _may_meet(other, element, point)]:
            self._store(other)

    def _store(self, element: Access) -> None:
        value, point = self.pending.pop(element)
        if element.array.root not in self.temporary:
            if value.wide:
                name = reordered(self.code, value.name, value.element, point.lanes, self.form)
                value = replace(value, name=name)
            store(self.code, element, value, point)

    def flush(self) -> None:
        """Store what is pending."""
        for element in list(self.pending):
            if element in self.pending and not self._store_group(element):
                self._store(element)

    def _store_group(self, element: Access) -> bool:
        """Store all members of a group together, if all are pending."""
        point = self.pending[element][1]
        place = _interleaved(element, point)
        if place is None:
            return False
        found = {
            at.phase: each for each in self.pending if (at := _interleaved(each, point)) and at.group == place.group
        }
        if len(found) < place.group.step:
            return False
        array, lanes = element.array, point.lanes
        first = found[0]
        values = [widened(self.code, self.pending.pop(found[phase])[0], lanes) for phase in sorted(found)]
        if array.root not in self.temporary:
            for value, start, length in interleaved(self.code, values, array.element, lanes, self.form):
                where, kind = subscripted(self.code, first, point.names, -start), vector_type(array.element, length)
                store_whole(self.code, value, where, (array, kind), point, start)
        return True


def _interleaved(element: Access, point: Point) -> Place | None:
    """The group of an element at a whole vector of points."""
    return place_of(element, point.dim) if point.lanes > 1 and point.mask is None else None


def _may_meet(one: Access, other: Access, point: Point) -> bool:
    """Whether two different elements may be the same memory."""
    return one != other and one.array.may_overlap(other.array) and not apart(one, other, point.dim)


def subscripted(code: Lines, element: Access, names: Mapping[Term, str], back: int = 0) -> str:
    """Buffer and subscripts, as loads and stores have them; `back` elements before along the last dimension."""
    *outer, last = element.map or (None,)
    indices = [*outer, last - back] if last is not None else []
    return (
        f"{names[element.array.name]}[{', '.join(code.affine(index, names) for index in indices if index is not None)}]"
    )


def load(code: Lines, element: Access, point: Point) -> Lane:
    """An element, or as many as there are lanes if it moves with the vector."""
    array, kind = element.array, vector_type(element.array.element, point.lanes)
    if point.lanes == 1 or point.dim not in element.dims:
        if point.beyond:
            return _gather(code, element, point, kind)
        return Lane(
            code.op(f"memref.load {subscripted(code, element, point.names)} : {array.type}", "s"), array.element, False
        )
    if unit_stride(element, point.dim):
        where = subscripted(code, element, point.names)
        if point.mask is None or is_private(array):
            return Lane(code.op(f"vector.load {where} : {array.type}, {kind}", "l"), array.element, True)
        types = f"{array.type}, vector<{point.lanes}xi1>, {kind} into {kind}"
        text = f"vector.maskedload {where}, {point.mask}, {zero(code, array.element, point.lanes)} : {types}"
        return Lane(code.op(text, "l"), array.element, True)
    if backwards(element, point.dim):
        return Lane(_reversed(code, element, point, kind), array.element, True)
    return _gather(code, element, point, kind)


def _reversed(code: Lines, element: Access, point: Point, kind: str) -> str:
    """A vector whose first lane is last in memory."""
    array, lanes = element.array, point.lanes
    where = subscripted(code, element, point.names, lanes - 1)
    if point.mask is None:
        return _turned(code, code.op(f"vector.load {where} : {array.type}, {kind}", "l"), kind, lanes)
    flags = f"vector<{lanes}xi1>"
    mask = _turned(code, point.mask, flags, lanes)
    types = f"{array.type}, {flags}, {kind} into {kind}"
    ordered = code.op(f"vector.maskedload {where}, {mask}, {zero(code, array.element, lanes)} : {types}", "l")
    return _turned(code, ordered, kind, lanes)


def _store_reversed(code: Lines, element: Access, name: str, point: Point) -> None:
    """Store a vector whose first lane is last in memory."""
    array, lanes = element.array, point.lanes
    where, kind = subscripted(code, element, point.names, lanes - 1), vector_type(array.element, lanes)
    name = _turned(code, name, kind, lanes)
    if point.mask is None:
        code.line(f"vector.store {name}, {where} : {array.type}, {kind}")
    else:
        flags = f"vector<{lanes}xi1>"
        mask = _turned(code, point.mask, flags, lanes)
        code.line(f"vector.maskedstore {where}, {mask}, {name} : {array.type}, {flags}, {kind}")


def _turned(code: Lines, name: str, kind: str, lanes: int) -> str:
    """The lanes of a vector in the opposite order."""
    order = list(reversed(range(lanes)))
    return code.op(f"vector.shuffle {name}, {name} {order} : {kind}, {kind}", "l")


def _lanes(code: Lines, element: Access, point: Point) -> tuple[str, str, str, str]:
    """Offsets and flags of the lanes that are elements one by one, and the types of both."""
    lanes, stride = point.lanes, element.stride(point.dim)
    assert stride is not None
    index, flags = f"vector<{lanes}xindex>", f"vector<{lanes}xi1>"
    steps = ", ".join(str(lane * stride) for lane in range(lanes))
    offsets = code.op(f"arith.constant dense<[{steps}]> : {index}", "o")
    return offsets, point.mask or code.op(f"arith.constant dense<true> : {flags}", "m"), index, flags


def _by_elements(code: Lines, element: Access, point: Point) -> tuple[str, str]:
    """Buffer and subscripts of the first lane, and the buffer's type, for offsets that count elements."""
    where, array = subscripted(code, element, point.names), element.array
    if array.by_elements:
        return where, array.type
    name, subscripts = where[:-1].split("[")
    cast, kind = array.in_elements(name)
    return f"{code.op(cast, 'e')}[{subscripts}, {code.index(0)}]", kind


def _scatter(code: Lines, element: Access, name: str, point: Point) -> None:
    """Write the lanes one by one; those beyond the mask are not touched."""
    offsets, mask, index, flags = _lanes(code, element, point)
    where, memref = _by_elements(code, element, point)
    rest = f"{memref}, {index}, {flags}, {vector_type(element.array.element, point.lanes)}"
    code.line(f"vector.scatter {where} [{offsets}], {mask}, {name} : {rest}")


def _gather(code: Lines, element: Access, point: Point, kind: str) -> Lane:
    """Elements one by one; the lanes beyond the mask are not touched."""
    array, lanes = element.array, point.lanes
    if point.mask is None:
        return Lane(_loaded_one_by_one(code, element, point, kind), array.element, True)
    offsets, mask, index, flags = _lanes(code, element, point)
    where, memref = _by_elements(code, element, point)
    rest = f"{memref}, {index}, {flags}, {kind} into {kind}"
    text = f"vector.gather {where} [{offsets}], {mask}, {zero(code, array.element, lanes)} : {rest}"
    return Lane(code.op(text, "g"), array.element, True)


def _loaded_one_by_one(code: Lines, element: Access, point: Point, kind: str) -> str:
    """Elements at a stride by a load each: an instruction that takes the address of each lane is slower than these."""
    loaded = []
    for lane in range(point.lanes):
        there = replace(point, shift=((point.dim, lane),)).element(element)
        where = subscripted(code, there, point.names)
        loaded.append(code.op(f"memref.load {where} : {element.array.type}", "s"))
    return code.op(f"vector.from_elements {', '.join(loaded)} : {kind}", "g")


def zero(code: Lines, element: str, lanes: int) -> str:
    """Zero in all lanes."""
    number = "0.0" if element.startswith(("f", "bf")) else "false" if element == "i1" else "0"
    return code.op(f"arith.constant dense<{number}> : {vector_type(element, lanes)}", "z")


def store(code: Lines, element: Access, value: Lane, point: Point) -> None:
    """Write one element, or one per lane."""
    array, lanes = element.array, point.lanes
    where = subscripted(code, element, point.names)
    if lanes == 1 or point.dim not in element.dims:
        code.line(f"memref.store {value.name}, {where} : {array.type}")
        return
    kind, name = vector_type(array.element, lanes), widened(code, value, lanes)
    if backwards(element, point.dim):
        _store_reversed(code, element, name, point)
    elif not unit_stride(element, point.dim):
        _scatter(code, element, name, point)
    elif point.mask is None or is_private(array):
        store_whole(code, name, where, (array, kind), point)
    else:
        code.line(f"vector.maskedstore {where}, {point.mask}, {name} : {array.type}, vector<{lanes}xi1>, {kind}")


def store_whole(code: Lines, name: str, where: str, what: tuple[Array, str], point: Point, start: int = 0) -> None:
    """Store a vector to where it lies in an array, so many elements behind that of its point."""
    array, kind = what
    bytes_ = gcd(point.past, start * element_bits(array.element) // 8)
    how = f" {{alignment = {bytes_} : i64, nontemporal = true}}" if point.past else ""
    code.line(f"vector.store {name}, {where}{how} : {array.type}, {kind}")


_SIGNED = re.compile(r"predicate = [0-5]\b")
_NARROW = {8: "i32", 16: "i32", 32: "i16", 64: "i8"}
"""Integers that have room for twice so many lanes, and fill a vector of them."""
_FROM_INDEX = ("arith.index_cast", "arith.index_castui")


@dataclass
class Body:
    """The operations of a nest at a point; each is written once, and only if a result needs it.

    With `permutes`, the machine takes any bytes of two vectors.
    """

    code: Lines
    nest: Nest
    point: Point
    memory: Readable
    own: Mapping[Access, Lane] = field(default_factory=dict)
    permutes: bool = False
    _values: dict[str, Lane] = field(default_factory=dict)

    def value(self, name: str) -> Lane:
        """The value of this name."""
        if name not in self._values:
            self._values[name] = self._compute(name)
        return self._values[name]

    def _compute(self, name: str) -> Lane:
        if name.startswith("%"):
            return Lane(self.point.names[name], dict(self.nest.captured)[name], False)
        if name.startswith("in"):
            access = self.nest.reads[int(name[2:])]
            return self.own[access] if access in self.own else self.memory.read(access, self.point)
        return self._scalar(self.nest.body[int(name[1:])])

    def _scalar(self, scalar: Scalar) -> Lane:
        if scalar.name == "linalg.index":
            return self._index(int(scalar.properties))
        if scalar.name == "arith.cmpi" and (compared := self._of_lanes(scalar)) is not None:
            return compared
        if scalar.name in _FROM_INDEX and (number := self._of_positions(scalar)) is not None:
            return number
        args = [self.value(arg) for arg in scalar.args]
        return printed(self.code, scalar, args, self.point.lanes, self.permutes)

    def _of_lanes(self, scalar: Scalar) -> Lane | None:
        """A comparison of subscripts that go along the vector, on lanes as narrow as they can be.

        What the first lane has more or less than a whole vector decides as a whole vector does.
        """
        point, lanes = self.point, self.point.lanes
        sides = [self._subscript(arg) for arg in scalar.args] if lanes > 1 and scalar.operands[0] == "index" else []
        if len(sides) < 2 or sides[0] is None or sides[1] is None or not _SIGNED.search(scalar.properties):
            return None
        form = sides[0] - sides[1]
        step = form.coefficient(point.dim)
        if abs(step) != 1:
            return None
        first, code = self.code.affine(point.at(form), point.names), self.code
        first = code.formula(f"max(min({first}, {lanes}), {-lanes})")
        element = _NARROW.get(lanes, "i64")
        kind, others = vector_type(element, lanes), self._multiples(-step, element)
        text = f'"arith.cmpi"({self._as_number(first, element)}, {others}) {scalar.properties} : ({kind}, {kind}) -> '
        return Lane(code.op(text + vector_type("i1", lanes)), "i1", True)

    def _of_positions(self, scalar: Scalar) -> Lane | None:
        """A subscript along the vector as a number, on lanes of its own type: those of indices may be twice as wide.

        The lowest bits of a sum are those of the sum of lowest bits.
        """
        form = self._subscript(scalar.args[0]) if self.point.lanes > 1 and scalar.operands[0] == "index" else None
        step = form.coefficient(self.point.dim) if form is not None else 0
        if form is None or not step:
            return None
        element, first = scalar.result, self.code.affine(self.point.at(form), self.point.names)
        wide, others = self._as_number(first, element), self._multiples(step, element)
        kind = vector_type(element, self.point.lanes)
        return Lane(self.code.op(f"arith.addi {wide}, {others} : {kind}"), element, True)

    def _as_number(self, index: str, element: str) -> str:
        """An index as a number of a type, in every lane."""
        number = Lane(self.code.op(f"arith.index_cast {index} : index to {element}"), element, False)
        return widened(self.code, number, self.point.lanes)

    def _multiples(self, step: int, element: str) -> str:
        """What each lane has more than the first one, if neighbours have so much."""
        numbers = ", ".join(str(wrapped(step * lane, element)) for lane in range(self.point.lanes))
        return self.code.op(f"arith.constant dense<[{numbers}]> : {vector_type(element, self.point.lanes)}", "n")

    def _subscript(self, name: str) -> Affine | None:
        """An index over the dimensions and indices around the nest; None if it is not affine."""
        return affine_value(Fragment((), self.nest.body, "", "", self.nest.captured), name, symbols=True)

    def _index(self, number: int) -> Lane:
        first = Lane(self.code.affine(self.point.at(dim(number)), self.point.names), "index", False)
        if number != self.point.dim or self.point.lanes == 1:
            return first
        kind = vector_type("index", self.point.lanes)
        start, steps = widened(self.code, first, self.point.lanes), self.code.op(f"vector.step : {kind}")
        return Lane(self.code.op(f"arith.addi {start}, {steps} : {kind}"), "index", True)


def run_at(code: Lines, nest: Nest, point: Point, memory: Memory) -> None:
    """A whole nest at one point."""
    body = Body(code, nest, point, memory, permutes=memory.form.permutes)
    results = [body.value(name) for name in nest.yields]
    for write, value in zip(nest.writes, results, strict=True):
        memory.write(write, value, point)
