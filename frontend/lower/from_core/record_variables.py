"""Variables that are structs, or arrays of them: one variable or array for each field; and structs as values."""

from __future__ import annotations

from collections.abc import Iterator

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import (
    I64,
    Array,
    Bool,
    Complex,
    Float,
    Record,
    Type,
    innermost,
)
from raising.frontend.core.types import (
    Pointer as CorePointer,
)
from raising.frontend.lower.from_core.named_variables import assignment, declaration, designated, local_memory, scalar
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.polynomial import const
from raising.frontend.lower.ir.types import ArrayOf, CType, Number, Pointer, RecordOf, scalar_of
from raising.frontend.lower.known.record_memory import Part, Records, fields_of
from raising.frontend.lower.known.resolved_types import resolved
from raising.frontend.lower.known.state import STATEMENTS, State
from raising.frontend.lower.known.typed_values import Element, Memory, Ptr, Value
from raising.support.source import Loc

MAX_PARTS = 256  # fields of one variable, with those of the structs in it
MAX_COPIED = 64  # elements of an array in a struct that are initialised one by one


def is_record(t: Type) -> bool:
    """True for a struct, and for an array of structs."""
    return isinstance(innermost(t), Record)


# ---- declarations -----------------------------------------------------------------------------------


def record_variable(state: State, variable: st.Variable, initial: ex.Initial | None, loc: Loc) -> Ptr:
    """A variable that is a struct or an array of structs, with its first contents."""
    place = new_records(state, variable.name, variable.type, loc)
    state.frame.entities[variable.name] = place
    if isinstance(initial, ex.Aggregate):
        for stmt in _filled(state, build.name(variable, loc), initial):
            state.statement(stmt)
    elif initial is not None:
        copy(state, place, state.value(initial), loc)
    return place


def is_table_of_records(unit: st.Unit, node: st.Global) -> bool:
    """True for a constant struct, or an array of them, whose contents the file says and that holds few numbers."""
    constant = node.variable.constant and isinstance(node.initial, ex.Aggregate)
    return constant and is_record(node.variable.type) and _numbers_in(unit, node.variable.type) <= MAX_COPIED


def _numbers_in(unit: st.Unit, t: Type) -> int:
    if isinstance(t, Array):
        return (t.extent if isinstance(t.extent, int) else MAX_COPIED + 1) * _numbers_in(unit, t.element)
    return sum(_numbers_in(unit, f.type) for f in fields_of(unit, t.name)) if isinstance(t, Record) else 1


def new_records(state: State, name: str, t: Type, loc: Loc) -> Ptr:
    """Memory of the function's own for structs."""
    outer: list[int] = []
    kind = resolved(state, t, loc)
    while isinstance(t, Array):
        if not isinstance(t.extent, int):
            raise Refused(loc, "an array of structs whose length is not a constant")
        outer, t = [*outer, t.extent], t.element
    assert isinstance(t, Record)
    key = f"{state.frame.path}{name}"
    records = state.records[key] = Records(t, loc, own=True)
    for trail, extents, leaf in _leaves(state, t, ("",) * len(outer), tuple(outer)):
        if len(records.parts) >= MAX_PARTS:
            raise Refused(loc, f"a struct of more than {MAX_PARTS} fields")
        part: Part | None
        if state.unit.records[leaf[0]].union:
            part = _member(state, records, trail, extents, leaf[1], loc)
        else:
            part = _part(state, f"{name}->{'_'.join(filter(None, trail))}", extents, leaf, loc)
        if part is not None:
            records.parts[trail] = part
    if not outer:
        assert isinstance(kind, RecordOf)
        return Ptr(key, (), kind)
    assert isinstance(kind, ArrayOf)
    return Ptr(key, (const(0),), kind.element, ("",))


def _leaves(
    state: State, t: Record, trail: tuple[str, ...], extents: tuple[int, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[int, ...], tuple[str, st.Field]]]:
    """(trail, extents of arrays of structs around it, struct and field) of every field that is used."""
    for one in fields_of(state.unit, t.name):
        if (t.name, one.name) not in state.uses.used or one.bits is not None:
            continue
        inner, more = _struct_in(one.type)
        if isinstance(inner, Record):
            yield from _leaves(state, inner, (*trail, one.name, *("",) * len(more)), (*extents, *more))
        else:
            yield (*trail, one.name), extents, (t.name, one)


def _struct_in(t: Type) -> tuple[Type, tuple[int, ...]]:
    """The struct at the bottom of arrays, with their extents; any other type as it is."""
    more: tuple[int, ...] = ()
    inner: Type = t
    while isinstance(inner, Array) and isinstance(inner.extent, int):
        more = (*more, inner.extent)
        inner = inner.element
    return (inner, more) if isinstance(inner, Record) else (t, ())


def _part(state: State, name: str, extents: tuple[int, ...], leaf: tuple[str, st.Field], loc: Loc) -> Part | None:
    record, one = leaf
    try:
        t = resolved(state, one.type, loc)
    except Refused:
        return None  # its use is refused
    if extents or isinstance(t, ArrayOf):
        element = scalar_of(t)
        if element is None:
            return None
        whole: CType = t
        for extent in reversed(extents):
            whole = ArrayOf(whole, const(extent))
        return Memory(local_memory(state, name.replace("->", "_"), element, whole, loc), whole)
    if isinstance(t, Pointer) and (record, one.name) in state.uses.looped:
        return None
    if not isinstance(t, Number | Pointer):
        return None
    forced = not isinstance(t, Pointer) and (record, one.name) in state.uses.looped
    return scalar(state, name, t, loc, in_memory=forced)


def _member(
    state: State, records: Records, trail: tuple[str, ...], extents: tuple[int, ...], one: st.Field, loc: Loc
) -> Part | None:
    """A member of a union: the memory of all of its members, with numbers of this one's type."""
    t = resolved(state, one.type, loc)
    if extents or not isinstance(t, Number):
        return None
    for other, part in records.parts.items():
        if isinstance(part, Element) and isinstance(other, tuple) and other[:-1] == trail[:-1]:
            return Element(part.array, (), t)
    return Element(state.cell(one.name, t, loc), (), t)


def _filled(state: State, place: ex.Lvalue, initial: ex.Aggregate) -> Iterator[st.Stmt]:
    """The assignments that an initialiser stands for; what it leaves out is 0."""
    given, loc, t = dict(initial.items), initial.loc, place.type
    parts: list[tuple[int, ex.Lvalue]]
    if isinstance(t, Record):
        fields = fields_of(state.unit, t.name)
        used = [k for k, f in enumerate(fields) if (t.name, f.name) in state.uses.used]
        if state.unit.records[t.name].union:
            used = [k for k in used if k in given] or used[:1]
        parts = [(k, ex.Member(place, fields[k].name, fields[k].type, loc)) for k in used]
    else:
        assert isinstance(t, Array) and isinstance(t.extent, int)
        if t.extent > MAX_COPIED:
            raise Refused(loc, f"a struct with an array of more than {MAX_COPIED} initial values")
        parts = [(k, build.element(place, build.integer(k, I64, loc), loc)) for k in range(t.extent)]
    for k, part in parts:
        value = given.get(k)
        if value is None and isinstance(part.type, CorePointer):
            continue  # a null pointer; what reads it is refused
        if value is None and isinstance(part.type, Record | Array):
            value = ex.Aggregate((), part.type, loc)
        if isinstance(value, ex.Aggregate):
            yield from _filled(state, part, value)
        else:
            yield st.Assign(part, _zero(part.type, loc) if value is None else value, loc)


def _zero(t: Type, loc: Loc) -> ex.Expr:
    if isinstance(t, Complex):
        raise Refused(loc, "complex numbers are not supported")
    return ex.Literal(0.0 if isinstance(t, Float) else False if isinstance(t, Bool) else 0, t, loc)


# ---- copies -----------------------------------------------------------------------------------------


def copy(state: State, to: Ptr, value: Value, loc: Loc) -> None:
    """A struct to another one, field by field."""
    if not isinstance(value, Ptr) or not isinstance(to.to, RecordOf) or value.to != to.to:
        raise Refused(loc, "a struct whose memory is not known")
    t, names = Record(to.to.name), ("record.to", "record.from")
    before = {name: state.frame.entities.get(name) for name in names}
    for name, place in zip(names, (to, value), strict=True):
        state.frame.entities[name] = place
    for stmt in _copied(state, ex.Name(names[0], t, loc), ex.Name(names[1], t, loc), t, loc, 0):
        state.statement(stmt)
    state.frame.entities.update({name: held for name, held in before.items() if held is not None})


def _copied(state: State, to: ex.Lvalue, source: ex.Lvalue, t: Type, loc: Loc, depth: int) -> Iterator[st.Stmt]:
    if isinstance(t, Record):
        for one in fields_of(state.unit, t.name):
            if (t.name, one.name) in state.uses.used:
                a, b = (ex.Member(base, one.name, one.type, loc) for base in (to, source))
                yield from _copied(state, a, b, one.type, loc, depth)
    elif isinstance(t, Array):
        if not isinstance(t.extent, int):
            raise Refused(loc, "a struct whose size is not known")
        variable = st.Variable(f"i.record{depth}", I64, "hidden", loc)
        at = build.read(variable, loc)
        body = tuple(
            _copied(state, build.element(to, at, loc), build.element(source, at, loc), t.element, loc, depth + 1)
        )
        yield from build.count_to(variable, build.integer(t.extent, I64, loc), body, loc)
    else:
        yield st.Assign(to, build.load(source, loc), loc)


# ---- statements -------------------------------------------------------------------------------------


def _declare(state: State, node: st.Declare) -> None:
    if is_record(node.variable.type):
        record_variable(state, node.variable, node.initial, node.loc)
    else:
        declaration(state, node)


def _assign(state: State, node: st.Assign) -> None:
    if not isinstance(node.target.type, Record):
        assignment(state, node)
        return
    value, place = state.value(node.value), designated(state, node.target)
    if not isinstance(place, Ptr):
        raise Refused(node.loc, "a struct whose memory is not known")
    copy(state, place, value, node.loc)


STATEMENTS[st.Declare] = _declare
STATEMENTS[st.Assign] = _assign
