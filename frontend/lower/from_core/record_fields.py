"""Fields of structs: the variable, the element or the pointer that one is."""

from __future__ import annotations

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Record
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.polynomial import const
from raising.frontend.lower.ir.types import ArrayOf, CType, Number, Pointer, RecordOf, scalar_of
from raising.frontend.lower.known.pointers import is_flat, size_of
from raising.frontend.lower.known.record_memory import Records, bytes_at, field_of
from raising.frontend.lower.known.resolved_types import resolved
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Demote, Element, Memory, Ptr, Target, Value
from raising.support.source import Loc

MANY = "[]"
"""Behind the name of a memory of structs: the key of `Demote` that says that there are several of them."""


def member(state: State, base: Target | Value, node: ex.Member) -> Target | Value:
    """The variable, element or pointer that a field is: an array decays, and a struct is a pointer to it."""
    loc = node.loc
    if not isinstance(base, Ptr) or base.array not in state.records:
        raise Refused(loc, "a field of a struct whose memory is not known")
    assert isinstance(node.base.type, Record)
    one = field_of(state.unit, node.base.type.name, node.field)
    if one.bits is not None:
        raise Refused(loc, f"'{one.name}' is a bit-field")
    t = resolved(state, one.type, loc)
    records, trail = state.records[base.array], (*base.trail, one.name)
    if state.unit.records[node.base.type.name].union and not records.own:
        raise Refused(loc, "a union is not supported where it is no variable of the function")
    if isinstance(t, RecordOf):
        return Ptr(base.array, base.subscripts, t, trail)
    inner: CType = t
    while isinstance(inner, ArrayOf):
        inner = inner.element
    if isinstance(t, ArrayOf) and isinstance(inner, RecordOf) and (records.own or records.many):
        return Ptr(base.array, (*base.subscripts, const(0)), t.element, (*trail, ""))
    place = Ptr(base.array, base.subscripts, t, trail)
    if records.own:
        return _own_part(state, records, place, loc)
    return _of_many(state, records, place, loc) if records.many else _passed(state, records, place, loc)


def _own_part(state: State, records: Records, place: Ptr, loc: Loc) -> Target | Value:
    """A part of a variable."""
    part = records.parts.get(place.trail)
    if isinstance(part, Memory):
        return _in_memory(state, part, place)
    if part is None:
        raise Refused(loc, f"field '{place.trail[-1]}' is of a type that is not supported")
    return part


def _in_memory(state: State, part: Memory, place: Ptr) -> Target | Value:
    """An element, or an array in an array of structs: the subscripts of these come first."""
    subscripts = place.subscripts
    if is_flat(state, part.array) and subscripts:  # nothing is followed: the subscripts are counted in elements
        at, t = const(0), part.type
        for subscript in subscripts:
            assert isinstance(t, ArrayOf)
            at, t = at + subscript * size_of(t.element, Loc()), t.element
        subscripts = (at,)
    return _there(state, part.array, subscripts, place.to)


def _there(state: State, array: str, subscripts: tuple[object, ...], t: CType) -> Target | Value:
    if isinstance(t, Number):
        return Element(array, subscripts, t)  # type: ignore[arg-type]
    assert isinstance(t, ArrayOf)
    more = () if is_flat(state, array) and subscripts else (const(0),)
    return Ptr(array, (*subscripts, *more), t.element)  # type: ignore[arg-type]


def _passed(state: State, records: Records, place: Ptr, loc: Loc) -> Target | Value:
    """A part of a struct that a caller passes."""
    at = bytes_at(state.unit, records, place, loc).constant
    part = None if at is None else records.parts.get(at)
    if part is None:
        key = place.array + MANY
        if at is not None and at < _size(state, records, loc):
            raise Refused(loc, f"field '{place.trail[-1]}' is of a type that is not supported, or is changed")
        if key in state.choices.demoted:
            raise Refused(loc, "structs that are used as one and as many")
        raise Demote(key)
    if not isinstance(part, Memory):
        return part
    if isinstance(part.type, Number):
        return Element(part.array, (const(0),), part.type)
    return _there(state, part.array, (), part.type)


def _size(state: State, records: Records, loc: Loc) -> int:
    if not isinstance(records.to, Record):
        raise Refused(loc, "rows of structs")
    return state.unit.records[records.to.name].size


def _of_many(state: State, records: Records, place: Ptr, loc: Loc) -> Target | Value:
    """A part of one of many structs: its bytes as a subscript of the whole memory."""
    number = scalar_of(place.to)
    if number is None:
        what = "pointer" if isinstance(place.to, Pointer) else "field"
        raise Refused(loc, f"'{place.trail[-1]}' is a {what} in an array of structs")
    part = records.parts.get(number.mlir)
    at, size = bytes_at(state.unit, records, place, loc), number.width // 8
    if part is None or any(c % size for _, c in at.terms):
        raise Refused(loc, f"field '{place.trail[-1]}' does not lie at a multiple of its size")
    assert isinstance(part, Memory)
    return _there(state, part.array, (at.floordiv(size),), place.to)
