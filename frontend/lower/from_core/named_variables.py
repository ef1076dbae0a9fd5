"""Variables and memory: what names mean, where values are read from and written to, what declarations make.

A name means an `Entity`: a variable that is followed in closed form or has a memory cell, an array, or a value. An
lvalue designates a `Target` (`designated`), which is read by its class (`_LOADS`), written (`_STORES`), or has an
address. So a new kind of variable is a class of `known.typed_values` and its entries here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice, product
from math import prod
from typing import Any

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.lower.from_core.complex_values import float_of, pair, part_of, parts_of
from raising.frontend.lower.from_core.initial_bytes import initial_value, table_entry, table_of
from raising.frontend.lower.from_core.record_fields import member
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Array
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.ir.types import BOOL, INT, LONG, CType, Number, Pointer, RecordOf, extents, scalar_of
from raising.frontend.lower.known.followed_integers import converted
from raising.frontend.lower.known.numbers_as_data import TRUTH, data, distance, index, truth_id
from raising.frontend.lower.known.pointers import cast_value, is_flat, pointed, pointer, shape_of, size_of, start_of
from raising.frontend.lower.known.resolved_types import resolved
from raising.frontend.lower.known.selections import split
from raising.frontend.lower.known.state import VALUES, State
from raising.frontend.lower.known.typed_values import (
    Cases,
    ComplexVariable,
    Data,
    Demote,
    Element,
    Elements,
    Entity,
    Extremum,
    Formula,
    Memory,
    Pair,
    Places,
    Ptr,
    Sym,
    Target,
    Truth,
    Value,
    Variable,
)
from raising.support.source import Loc

MAX_INITIAL = 4096  # elements of an initialised array
MAX_ZEROS = 8  # elements that the source leaves out and that are stored one by one


# ---- what names mean --------------------------------------------------------------------------------


def entity(state: State, name: str, loc: Loc) -> Entity:
    """What a name means; a variable of the unit is declared at its first use."""
    known = state.frame.entities.get(name) or state.outside.get(name)
    if known is not None:
        return known
    if name not in state.unit.globals:
        raise Refused(loc, f"'{name}' is not declared, or of a kind that is not supported")
    made = _of_unit(state, state.unit.globals[name])
    if not isinstance(made, Data):  # which may be of a branch
        state.outside[name] = made
    return made


def _of_unit(state: State, node: st.Global) -> Entity:
    """A constant of the file by its value, any other variable of it as memory."""
    variable, loc = node.variable, node.variable.loc
    if variable.storage == "thread":
        raise Refused(loc, f"variable '{variable.source}' belongs to a thread, or is atomic")
    t = resolved(state, variable.type, loc)
    if variable.constant and node.defined and isinstance(t, Number) and node.initial is not None:
        value = converted(state, state.value(node.initial), t, loc)  # type: ignore[arg-type]
        return value if isinstance(value, Sym) else data(state, value, loc)
    scalar = scalar_of(t)
    if scalar is None or isinstance(core_types.innermost(variable.type), core_types.Complex):
        raise Refused(loc, f"global '{variable.source}' is of a type that is not supported")
    if any(e is None for e in extents(t)):
        raise Refused(loc, f"global '{variable.source}' is an array without a length")
    name, shape = variable.name, extents(t)
    flat = state.choices.literal and bool(shape)
    state.arrays[name] = Array(name, scalar, (None,) if flat else shape, "global", loc, flat)
    return Memory(name, t)


def is_table(node: st.Global) -> bool:
    """True for an array of constants whose contents the file says."""
    return (
        isinstance(node.variable.type, core_types.Array)
        and node.variable.constant
        and isinstance(node.initial, ex.Aggregate)
    )


# ---- targets ----------------------------------------------------------------------------------------


def designated(state: State, lvalue: ex.Lvalue) -> Target | Value:
    """What an lvalue designates: a variable, an element, or a value that is neither (an array decays)."""
    loc = lvalue.loc
    match lvalue:
        case ex.Name():
            meant = entity(state, lvalue.name, loc)
            return start_of(meant) if isinstance(meant, Memory) else meant
        case ex.Deref():
            return pointed(state, state.value(lvalue.pointer), loc)
        case ex.Member():
            return member(state, designated(state, lvalue.base), lvalue)
        case ex.Half():
            return part_of(designated(state, lvalue.base), lvalue.which, loc)
    raise Refused(loc, "a string")


def load(state: State, target: Target | Value, loc: Loc) -> Value:
    """The value of a target; a value is its own."""
    if isinstance(target, ComplexVariable):
        raise Refused(loc, "a complex number is used as a real one")
    read = _LOADS.get(type(target))
    return target if read is None else read(state, target, loc)  # type: ignore[return-value]


def store(state: State, target: Target | Value, value: Value, loc: Loc) -> None:
    """Assign a value of the target's type."""
    write = _STORES.get(type(target))
    if write is None:
        raise Refused(loc, "the target of this assignment is not a variable or an element of an array")
    write(state, target, value, loc)


def _element_value(state: State, element: Element, loc: Loc) -> Value:
    constant = table_entry(state, state.arrays[element.array], element.subscripts)
    if constant is not None:
        return converted(state, constant, element.type, loc)
    found = _element_data(state, element, loc)
    if (table := state.tables.get(element.array)) is not None and table.span is not None:
        state.spans[found.id] = table.span
    return found


def _element_data(state: State, element: Element, loc: Loc) -> Data:
    held, number = state.arrays[element.array].element, state.read(element.array, element.subscripts, loc)
    return Data(_same_bits(state, number, held, element.type, loc), element.type)


def _store_element(state: State, element: Element, value: Value, loc: Loc) -> None:
    _write_element(state, element, data(state, converted(state, value, element.type, loc), loc), loc)


def _write_element(state: State, element: Element, stored: Data, loc: Loc) -> None:
    held = state.arrays[element.array].element
    number = _same_bits(state, stored.id, element.type, held, loc)
    state.write(element.array, element.subscripts, number, loc)


def _same_bits(state: State, number: int, t: Number, to: Number, loc: Loc) -> int:
    """The number of another type of the same width that has the same bits, as `memcpy` and unions make it."""
    if t.mlir == to.mlir:
        return number
    return state.let(f"arith.bitcast {{0}} : {t.mlir} to {to.mlir}", (number,), to.mlir, loc)


def _elements_value(state: State, elements: Elements, loc: Loc) -> Data:
    """Each case loads its element into one cell."""
    t = elements.cases[0][1].type
    cell = state.cell("case", t, loc)
    split(state, elements.cases, lambda e: state.write(cell, (), _element_data(state, e, loc).id, loc), loc)
    return Data(state.read(cell, (), loc), t)


def _store_elements(state: State, elements: Elements, value: Value, loc: Loc) -> None:
    stored = data(state, converted(state, value, elements.cases[0][1].type, loc), loc)
    split(state, elements.cases, lambda e: _write_element(state, e, stored, loc), loc)


def _variable_value(state: State, variable: Variable, loc: Loc) -> Value:
    if variable.cell is None:
        return state.held(variable, loc)
    if isinstance(variable.type, Pointer):
        return _pointer_in(state, variable, loc)
    number, t = state.read(variable.cell, (), loc), state.arrays[variable.cell].element
    return Truth(number) if t.width == 1 else Data(number, t)


def _store_variable(state: State, variable: Variable, value: Value, loc: Loc) -> None:
    if isinstance(variable.type, Pointer):
        kept = cast_value(state, value, variable.type.to, loc)
        state.values[variable.key] = kept if variable.cell is None else _keep_pointer(state, variable.cell, kept, loc)
    elif variable.cell is None:
        number = converted(state, value, variable.type, loc)
        if not isinstance(number, Sym | Extremum | Cases):
            raise Demote(variable.key)
        state.values[variable.key] = number
    else:
        t = state.arrays[variable.cell].element
        stored = truth_id(state, value, loc) if t.width == 1 else data(state, converted(state, value, t, loc), loc).id
        state.write(variable.cell, (), stored, loc)


def _pointer_in(state: State, variable: Variable, loc: Loc) -> Ptr:
    """A pointer whose array is known, and that lies as many elements behind its start as its cell says."""
    known = state.values.get(variable.key)
    if not isinstance(known, Ptr) or variable.cell is None:
        raise Refused(loc, "a pointer whose array is not known")
    offset = index(state, Data(state.read(variable.cell, (), loc), LONG), loc)
    return Ptr(known.array, (offset,) if known.subscripts else (), known.to)


def _keep_pointer(state: State, cell: str, value: Ptr | Places, loc: Loc) -> Ptr:
    """Write how far a pointer lies behind the start of its array; what is followed is that start."""
    kept = pointer(value, loc)
    offset = kept.subscripts[0] if kept.subscripts else const(0)
    state.write(cell, (), data(state, distance(state, offset, loc), loc).id, loc)
    return Ptr(kept.array, (const(0),) if kept.subscripts else (), kept.to)


_LOADS: dict[type, Callable[[State, Any, Loc], Value]] = {
    Element: _element_value,
    Elements: _elements_value,
    Variable: _variable_value,
}
_STORES: dict[type, Callable[[State, Any, Value, Loc], None]] = {
    Element: _store_element,
    Elements: _store_elements,
    Variable: _store_variable,
}


def address(state: State, lvalue: ex.Lvalue, loc: Loc) -> Ptr:
    """The address of an lvalue; `Demote` for a variable that is followed, which has none."""
    match designated(state, lvalue):
        case Element() as element:
            return Ptr(element.array, element.subscripts, element.type)
        case Variable(type=Pointer()):
            raise Refused(loc, "the address of a pointer is taken")
        case Variable() as variable:
            if variable.cell is None:
                raise Demote(variable.key)
            return Ptr(variable.cell, (), variable.type)
        case Ptr() as start if start.array in state.records:
            if isinstance(start.to, RecordOf):
                return start
            raise Refused(loc, "the address of an array of structs is taken")
        case Ptr() as start if start.subscripts:
            kept = start.subscripts if is_flat(state, start.array) else start.subscripts[:-1]
            return Ptr(start.array, kept, resolved(state, lvalue.type, loc))
    raise Refused(loc, "the address of this expression is taken")


def _load_value(state: State, node: ex.Load) -> Value:
    target, loc = designated(state, node.source), node.loc
    if not isinstance(node.type, core_types.Complex):
        return load(state, target, loc)
    if isinstance(target, Pair):
        return target
    return Pair(*(data(state, load(state, part, loc), loc) for part in parts_of(target, loc)))


def _decay_value(state: State, node: ex.Decay) -> Value:
    start = designated(state, node.array)
    assert not isinstance(start, Variable | ComplexVariable | Element | Elements)
    return start


VALUES[ex.Load] = _load_value
VALUES[ex.Decay] = _decay_value
VALUES[ex.AddressOf] = lambda state, node: address(state, node.target, node.loc)


# ---- declarations -----------------------------------------------------------------------------------


def scalar(
    state: State, name: str, t: Number | Pointer, loc: Loc, hidden: bool = False, in_memory: bool = False
) -> Variable:
    """A new variable, symbolic if it is a pointer or an integer that can be followed (and not put `in_memory`)."""
    key = f"{state.frame.path}{name}"
    shown = name.partition(".")[0].replace("->", "_")
    if state.choices.literal and not (isinstance(t, Pointer) and isinstance(t.to, RecordOf)):
        kept = LONG if isinstance(t, Pointer) else TRUTH if hidden and t == BOOL else t
        return Variable(key, t, state.cell(shown, kept, loc))
    if isinstance(t, Pointer):
        if key in state.choices.demoted:
            raise Refused(loc, f"pointer '{shown}' changes in a way that cannot be followed")
        return Variable(key, t)
    if t.is_float or t.kind == "bool" or in_memory or key in state.choices.demoted:
        return Variable(key, t, state.cell(shown, TRUTH if hidden and t == BOOL else t, loc))
    state.values.pop(key, None)
    return Variable(key, t)


def declare(state: State, variable: st.Variable, value: Value | None, loc: Loc) -> None:
    """A scalar or pointer variable with its first value; one that is data from the start is never symbolic."""
    t, hidden, entities = resolved(state, variable.type, loc), variable.storage == "hidden", state.frame.entities
    if isinstance(variable.type, core_types.Complex):
        part = float_of(variable.type, loc)
        parts = (scalar(state, f"{variable.name}->{name}", part, loc) for name in ("re", "im"))
        entities[variable.name] = made = ComplexVariable(*parts)
        if value is not None:
            _store_complex(state, made, value, loc)
        return
    if not isinstance(t, Number | Pointer):
        raise Refused(loc, f"'{variable.source}' is of a type that is not supported")
    if hidden and isinstance(value, Formula):
        entities[variable.name] = value
        if variable.constant or variable.name not in state.frame.changing:
            return
    declared = scalar(state, variable.name, t, loc, hidden)
    if value is not None:
        if declared.cell is None and isinstance(t, Number):
            value = converted(state, value, t, loc)
            if isinstance(value, Data):
                declared = replace(declared, cell=state.cell(variable.name, t, loc))
        store(state, declared, value, loc)
    entities[variable.name] = declared


def _store_complex(state: State, target: Target | Value, value: Value, loc: Loc) -> None:
    for part, number in zip(parts_of(target, loc), pair(value, loc), strict=True):
        store(state, part, number, loc)


def local_array(state: State, variable: st.Variable, initial: ex.Initial | None) -> Memory:
    """An array that a block declares; its length has to be known before the loops."""
    loc, t = variable.loc, resolved(state, variable.type, variable.loc)
    element = scalar_of(t)
    if element is None:
        raise Refused(loc, f"array '{variable.source}' holds pointers or structs")
    name = local_memory(state, variable.source or "t", element, t, loc)
    state.tables.pop(name, None)
    state.frame.entities[variable.name] = made = Memory(name, t)
    if initial is not None:
        if isinstance(initial, ex.Aggregate) and _is_mostly_zero(variable.type, initial):
            _store_initial(state, build.name(variable, loc), initial)
        else:
            _fill(state, state.arrays[name], extents(t), initial)
        if variable.constant and isinstance(initial, ex.Aggregate):
            state.tables[name] = table_of(initial, element)
    return made


def local_memory(state: State, source: str, element: Number, t: CType, loc: Loc) -> str:
    """An array of the function's own for a type whose elements are numbers; its name.

    In a literal reading it has one dimension: of constant length it lies on the stack, any other lives as long as its
    block.
    """
    name = state.unique(source)
    if state.choices.literal:
        length = size_of(t, loc)
        kind = "owned" if length.constant is None else "local"
        if kind == "owned":
            state.owned.append((name, len(state.nodes)))
        state.arrays[name] = Array(name, element, (length,), kind, loc, flat=True)
        return name
    for extent in extents(t):
        if extent is None or not extent.names() <= state.facts.free:
            raise Refused(loc, f"the length of array '{source}' is not a size that is known before the loops")
    shape = shape_of(state, name, extents(t))
    state.arrays[name] = Array(name, element, shape, "local", loc, len(shape) == 1 and state.unit.language != "Python")
    return name


def _fill(state: State, array: Array, declared: tuple[Poly | None, ...], initial: ex.Initial) -> None:
    """Store every element of an array that is initialised, of its declared extents; what the source leaves out is 0."""
    sizes = [(extent.constant if extent is not None else None) or MAX_INITIAL + 1 for extent in declared]
    if prod(sizes) > MAX_INITIAL or not isinstance(initial, ex.Aggregate):
        raise Refused(array.loc, f"the initial values of array '{array.name}' are too many")
    for number, at in enumerate(product(*map(range, sizes))):
        given = initial_value(initial, at)
        value, loc = (Sym(const(0), INT), array.loc) if given is None else (state.value(given), given.loc)
        subscripts = (const(number),) if len(array.shape) < len(declared) else tuple(map(const, at))
        _store_element(state, Element(array.name, subscripts, array.element), value, loc)


def _is_mostly_zero(t: core_types.Type, initial: ex.Aggregate) -> bool:
    """Whether so many elements are left out that loops store them; False if they are not numbers, or not counted."""
    length = 1
    while isinstance(t, core_types.Array) and isinstance(t.extent, int):
        length, t = length * t.extent, t.element
    named = sum(1 for _ in islice(build.listed(initial), MAX_INITIAL + 1))
    is_number = isinstance(t, core_types.Bool | core_types.Int | core_types.Float)
    return is_number and named <= MAX_INITIAL and length - named > MAX_ZEROS


def _store_initial(state: State, array: ex.Lvalue, initial: ex.Aggregate) -> None:
    """Store zeros everywhere, then what an initialiser names; a 0 that it names is there already."""
    for stmt in build.store_zeros(array, initial.loc):
        state.statement(stmt)
    for at, value in build.listed(initial):
        if not isinstance(value, ex.Literal) or str(value.value) not in ("0", "0.0", "False"):
            place = array
            for k in at:
                place = build.element(place, build.integer(k, core_types.I64, value.loc), value.loc)
            state.statement(st.Assign(place, value, value.loc))


def declaration(state: State, node: st.Declare) -> None:
    """A variable that is no struct."""
    variable = node.variable
    if isinstance(variable.type, core_types.Array):
        state.frame.entities[variable.name] = local_array(state, variable, node.initial)
    elif isinstance(node.initial, ex.Aggregate):
        raise Refused(node.loc, "a struct is not supported")
    else:
        outer, state.declaring = state.declaring, variable.source if variable.source.isascii() else ""
        try:
            value = None if node.initial is None else state.value(node.initial)
        finally:
            state.declaring = outer
        declare(state, variable, value, node.loc)


def assignment(state: State, node: st.Assign) -> None:
    """An assignment of a number or a pointer."""
    stepped = state.asking and isinstance(node.target, ex.Name) and _is_step(state, node.value, node.target.name)
    with state.trying(stepped):  # a counter that wraps around when its loop ends is not read again
        value = state.value(node.value)
        target = designated(state, node.target)
        if isinstance(node.target.type, core_types.Complex):
            _store_complex(state, target, value, node.loc)
        elif isinstance(target, Formula) and isinstance(node.target, ex.Name):
            raise Demote(f"{state.frame.path}{node.target.name}")
        else:
            store(state, target, value, node.loc)


def _is_step(state: State, value: ex.Expr, name: str) -> bool:
    """True for `name + 1` and the like, with conversions, also of a copy of the variable."""
    value = _unconverted(value)
    left = _unconverted(value.left) if isinstance(value, ex.Binary) else None
    if not isinstance(left, ex.Load) or not isinstance(left.source, ex.Name):
        return False
    both = [state.frame.entities.get(n) for n in (left.source.name, name)]
    held = [state.values.get(v.key) for v in both if isinstance(v, Variable)]
    return len(held) == 2 and held[0] is not None and held[0] == held[1]


def _unconverted(value: ex.Expr) -> ex.Expr:
    while isinstance(value, ex.Convert):
        value = value.operand
    return value
