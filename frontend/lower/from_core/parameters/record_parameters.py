"""Structs that a caller passes: each field that is used is a parameter of its own.

A field that nothing changes through a pointer is read once, where the function starts; C's rule of effective types
(C11 6.5p7) says that memory of another type does not overlap it, and where the types agree an assumption says it. An
array of structs is passed once for each type of scalar in it: the whole memory as numbers of that type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.build import plain
from raising.frontend.core.printer import type_text
from raising.frontend.core.types import Record, Type, innermost
from raising.frontend.lower.from_core.record_fields import MANY
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Argument, Array, Assumption, Parameter
from raising.frontend.lower.ir.polynomial import Poly, const, var
from raising.frontend.lower.ir.types import UNTYPED, ArrayOf, Number, Pointer, RecordOf, Void, extents, scalar_of
from raising.frontend.lower.known.pointers import shape_of
from raising.frontend.lower.known.record_memory import Part, Records, bytes_of, fields_of
from raising.frontend.lower.known.resolved_types import resolved
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Data, Memory, Ptr, Sym
from raising.support.record import dataclass
from raising.support.source import Loc

MAX_DEPTH = 4  # pointers to structs that are followed one behind the other
MAX_PARAMETERS = 200
FILE = "@"
"""The first character of the paths of fields that belong to a variable of the file."""


@dataclass
class Taken:
    """The parameters that the fields of one argument become."""

    state: State
    loc: Loc
    parameters: list[Parameter] = field(default_factory=list)

    def records(self, name: str, path: str, t: Type, held: tuple[str, ...] = ()) -> Ptr:
        """The memory behind a pointer; `path` leads to it, `held` are the structs on the way."""
        state, key = self.state, f"@{name}"  # no variable of a function is called like that
        many = key + MANY in state.choices.demoted or isinstance(t, core_types.Array)
        found = state.records[key] = Records(t, self.loc, path, many=many)
        if found.many:
            self._as_numbers(name, found)
        elif isinstance(t, Record):
            self._fields(name, found, t, 0, "", (*held, t.name))
        return Ptr(key, (const(0),), resolved(state, t, self.loc), ("",))

    def _fields(self, name: str, records: Records, t: Record, offset: int, prefix: str, held: tuple[str, ...]) -> None:
        for one in fields_of(self.state.unit, t.name):
            if (t.name, one.name) not in self.state.uses.used or one.bits is not None:
                continue
            at, shown = offset + one.offset // 8, f"{prefix}_{one.name}"
            if isinstance(one.type, Record):
                self._fields(name, records, one.type, at, shown, held)
                continue
            fixed = (t.name, one.name) not in self.state.uses.written
            part = self._part(f"{name}{shown}", f"{records.path}+{at}{_counted(one)}", one.type, fixed, held)
            if part is not None:
                records.parts[at] = part

    def _part(self, name: str, path: str, t: Type, fixed: bool, held: tuple[str, ...]) -> Part | None:
        """A field as a parameter; None for one whose use is refused."""
        if isinstance(t, core_types.Array) and isinstance(innermost(t), Record):
            return self.records(self.state.unique(name), path, t.element, held)
        try:
            kind = resolved(self.state, t, self.loc)
        except Refused:
            return None
        if isinstance(kind, Number):
            return (
                self._scalar(name, path + "*", kind)
                if fixed and (not self.state.choices.alone or path.startswith("&"))
                else self._memory(name, path, ArrayOf(kind, const(1)), kind, row=1)
            )
        if isinstance(kind, ArrayOf):
            return None if scalar_of(kind) is None else self._memory(name, path, kind, kind)
        if isinstance(kind, Pointer) and fixed:
            return self._pointer(name, path + "*", t, kind, held)
        return None

    def _pointer(self, name: str, path: str, t: Type, kind: Pointer, held: tuple[str, ...]) -> Part | None:
        assert isinstance(t, core_types.Pointer)
        inner = innermost(t.to)
        if isinstance(inner, Record):
            if len(held) >= MAX_DEPTH or inner.name in held:
                return None
            return self.records(self.state.unique(name), path, t.to, held)
        element = UNTYPED if isinstance(kind.to, Void) else scalar_of(kind.to)
        if element is None:
            return None
        array = self._array(name, path, element, (None, *extents(kind.to)))
        return Ptr(array, (const(0),), kind.to)

    def _memory(self, name: str, path: str, whole: ArrayOf, kind: ArrayOf | Number, row: int = 0) -> Memory:
        element = scalar_of(whole)
        assert element is not None
        return Memory(self._array(name, path, element, extents(whole), row), kind)

    def _scalar(self, name: str, path: str, t: Number) -> Sym | Data:
        state = self.state
        shown, number = state.unique(name), state.number()
        self._add(Parameter(shown, t, self.loc, number, path))
        if state.choices.literal or t.kind != "int" or shown in state.choices.demoted:
            return Data(number, t)
        form = var(shown)
        state.facts = Facts(state.facts.free | {shown}, (*state.facts.forms, *([] if t.signed else [form])))
        state.limits += (form - t.range[0], const(t.range[1]) - form)
        return Sym(form, t)

    def _array(self, name: str, path: str, element: Number, shape: tuple[Poly | None, ...], row: int = 0) -> str:
        state, shown = self.state, self.state.unique(name)
        kept = (None,) if state.choices.literal else shape_of(state, shown, shape)
        flat = len(kept) == 1
        state.arrays[shown] = Array(shown, element, kept, "parameter", self.loc, flat, row=row)
        self._add(Parameter(shown, element, self.loc, None, path))
        return shown

    def _add(self, parameter: Parameter) -> None:
        if len(self.parameters) >= MAX_PARAMETERS:
            raise Refused(self.loc, f"structs of more than {MAX_PARAMETERS} fields")
        self.parameters.append(parameter)

    # ---- arrays of structs -------------------------------------------------------------------------

    def _as_numbers(self, name: str, records: Records) -> None:
        """The memory of an array of structs, once for each type of scalar in it."""
        size = bytes_of(self.state.unit, innermost(records.to), self.loc)
        for t in dict.fromkeys(self._scalars(innermost(records.to))):
            width = t.width // 8
            if t.mlir not in records.parts and size % width == 0:
                array = self._array(f"{name}_{t.mlir}", records.path, t, (None,), row=size // width)
                records.parts[t.mlir] = Memory(array, ArrayOf(t, None))

    def _scalars(self, t: Type) -> Iterator[Number]:
        if isinstance(t, Record):
            for one in fields_of(self.state.unit, t.name):
                if (t.name, one.name) in self.state.uses.used and one.bits is None:
                    yield from self._scalars(innermost(one.type))
            return
        try:
            kind = resolved(self.state, t, self.loc)
        except Refused:
            return
        if isinstance(kind, Number):
            yield kind


def of_the_file(unit: st.Unit, name: str) -> bool:
    """True for a variable of the file that is a struct, or an array of them."""
    node = unit.globals.get(name)
    return node is not None and isinstance(innermost(node.variable.type), Record)


def global_records(state: State, node: st.Global) -> tuple[Ptr, list[Parameter]]:
    """The memory of a variable of the file that is a struct or an array of them, and the parameters for its fields.

    Their paths start with `@` and its name: nobody passes them, the function's entry knows where the variable is.
    """
    variable = node.variable
    if variable.storage == "thread":
        raise Refused(variable.loc, f"variable '{variable.source}' belongs to a thread, or is atomic")
    taken = Taken(state, variable.loc)
    t = variable.type.element if isinstance(variable.type, core_types.Array) else variable.type
    place = taken.records(state.unique(variable.name.replace(".", "_")), f"{FILE}{variable.name}", t)
    return place, taken.parameters


def _counted(one: st.Field) -> str:
    """The step of a path that counts elements."""
    return f"~{one.count}" if one.count else ""


def is_of_records(t: object) -> bool:
    """True for a struct, and for a pointer to structs."""
    while isinstance(t, Pointer | ArrayOf):
        t = t.to if isinstance(t, Pointer) else t.element
    return isinstance(t, RecordOf)


# ---- what is assumed --------------------------------------------------------------------------------


def memory_of(path: str) -> str:
    """The object that a part lies in: what the last pointer on its path points to, or an argument's own."""
    pointers = path.rfind("*") + 1
    return path[:pointers] if pointers else path.partition("+")[0]


def file_variable(path: str) -> str:
    """The variable of the file that a path starts at."""
    return path.removeprefix(FILE).partition("+")[0].partition("*")[0]


def is_whole(memory: str) -> bool:
    """True for the memory of a variable of the file, which overlaps no other variable's."""
    return memory.startswith(FILE) and "*" not in memory


def read_at_start(parameters: tuple[Parameter, ...], written: list[tuple[Parameter, Array]]) -> list[Assumption]:
    """Fields that are read once, and memory of their type that is written and could be theirs."""
    found = []
    for array_of, array in written:
        if array.restrict:
            continue
        kept = [p for p in parameters if _may_change(p, array_of, array)]
        if kept:
            names = ", ".join(f"'{p.name}'" for p in kept)
            text = f"what is written through '{array.name}' does not change {names}"
            found.append(Assumption(array.loc, text, kept=tuple((array.name, p.name) for p in kept)))
    return found


def _may_change(kept: Parameter, array_of: Parameter, array: Array) -> bool:
    """Whether memory that is written may hold a field, or a pointer on the way to it: by bytes, or by its own type."""
    places, target = [place for place, _ in kept.read_from], memory_of(array_of.path)
    if array.element.width > 8:
        same = kept.value is not None and kept.type.mlir == array.element.mlir
        places = places[-1:] if same else []
    held = {memory_of(place) for place in places} - {target}
    return any(not (is_whole(holder) and is_whole(target)) for holder in held)


# ---- what C passes ----------------------------------------------------------------------------------

_IN_REGISTERS = 16  # bytes of the largest struct that is passed in registers


def arguments(unit: st.Unit, function: st.Function, parameters: Iterable[Parameter]) -> tuple[Argument, ...]:
    """The arguments of a function that takes structs or pointers to structs, or has `parameters` that are no arguments;
    nothing for any other."""
    takes = any(p.by_address or isinstance(_behind(p.type), Record) for p in function.parameters)
    if not takes and all(p.path.isdigit() for p in parameters):
        return ()
    return tuple(_argument(unit, p) for p in function.parameters)


def _behind(t: Type) -> Type:
    while isinstance(t, core_types.Pointer | core_types.Array):
        t = t.to if isinstance(t, core_types.Pointer) else t.element
    return t


def _argument(unit: st.Unit, parameter: st.Variable) -> Argument:
    t = core_types.Pointer(parameter.type) if parameter.by_address else parameter.type
    if isinstance(t, Record):
        size = unit.records[t.name].size
        return Argument(t.name, parameter.source, size, _words(unit, t, size, parameter.loc))
    return Argument(type_text(plain(t)), parameter.source)


def _words(unit: st.Unit, t: Record, size: int, loc: Loc) -> tuple[str, ...]:
    """The registers that a struct is passed in (System V ABI, AMD64, 3.2.3): of floats only, or not, by 8 bytes."""
    if size == 0:
        raise Refused(loc, "an empty struct is passed by value")
    leaves = list(_scalars_at(unit, t, 0, loc))
    if size > _IN_REGISTERS:
        return ()
    words = []
    for start in range(0, size, 8):
        real = all(isinstance(kind, core_types.Float) for at, kind in leaves if start <= at < start + 8)
        words.append("i64" if not real else "f64" if size - start > 4 else "f32")
    return tuple(words)


def _scalars_at(unit: st.Unit, t: Type, at: int, loc: Loc) -> Iterator[tuple[int, Type]]:
    """(byte, type) of every number and pointer in a type."""
    if isinstance(t, Record):
        layout = unit.records[t.name]
        if layout.union or layout.fields is None or any(f.bits is not None for f in layout.fields):
            raise Refused(loc, "a struct with a union or bit-fields in it is passed by value")
        for one in layout.fields:
            yield from _scalars_at(unit, one.type, at + one.offset // 8, loc)
    elif isinstance(t, core_types.Array):
        size = bytes_of(unit, t.element, loc)
        count = t.extent if isinstance(t.extent, int) else 0
        for k in range(min(count, _IN_REGISTERS + 1)):
            yield from _scalars_at(unit, t.element, at + k * size, loc)
    elif isinstance(t, core_types.Complex | core_types.Opaque) or (isinstance(t, core_types.Float) and t.width > 64):
        raise Refused(loc, "a struct with numbers of other kinds in it is passed by value")
    else:
        yield at, t
