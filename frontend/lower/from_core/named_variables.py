"""Variables and memory: what names mean, where values are read from and written to, what declarations make."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.lower.from_core.complex_values import float_of, pair, part_of, parts_of
from raising.frontend.lower.from_core.record_fields import member
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Array
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.ir.types import BOOL, INT, LONG, CType, Number, Pointer, RecordOf, extents, scalar_of
from raising.frontend.lower.known.followed_integers import converted
from raising.frontend.lower.known.numbers_as_data import TRUTH, data, index, integer, truth_id
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


# ---- what names mean --------------------------------------------------------------------------------


def entity(state: State, name: str, loc: Loc) -> Entity:
    """What a name means; a variable of the unit is declared at its first use."""
    found = state.frame.entities.get(name) or state.outside.get(name)
    if found is None and name in state.unit.globals:
        found = _outside(state, state.unit.globals[name])
        if not isinstance(found, Data):  # which may be of a branch
            state.outside[name] = found
    if found is None:
        raise Refused(loc, f"'{name}' is not declared, or of a kind that is not supported")
    return found


def _outside(state: State, node: st.Global) -> Entity:
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
    if state.literal and shape:
        state.arrays[name] = Array(name, scalar, (None,), "global", loc, flat=True)
    else:
        state.arrays[name] = Array(name, scalar, shape, "global", loc)
    return Memory(name, t)


def is_table(node: st.Global) -> bool:
    """True for an array of constants whose contents the file says."""
    return (
        isinstance(node.variable.type, core_types.Array)
        and node.variable.constant
        and isinstance(node.initial, ex.Aggregate)
    )


# ---- targets ----------------------------------------------------------------------------------------


def target(state: State, lvalue: ex.Lvalue) -> Target | Value:
    """What an lvalue designates: a variable, an element, or a value that is no place (an array decays)."""
    loc = lvalue.loc
    match lvalue:
        case ex.Name():
            found = entity(state, lvalue.name, loc)
            return start_of(found) if isinstance(found, Memory) else found
        case ex.Deref():
            return pointed(state, state.value(lvalue.pointer), loc)
        case ex.Member():
            return member(state, target(state, lvalue.base), lvalue)
        case ex.Half():
            return part_of(target(state, lvalue.base), lvalue.which, loc)
    raise Refused(loc, "a string")


def load(state: State, place: Target | Value, loc: Loc) -> Value:
    """The value at a target."""
    if isinstance(place, Element):
        return Data(state.read(place.array, place.subscripts, loc), place.type)
    if isinstance(place, Elements):
        t = place.cases[0][1].type
        cell = state.cell("case", t, loc)
        split(state, place.cases, lambda e: state.write(cell, (), state.read(e.array, e.subscripts, loc), loc), loc)
        return Data(state.read(cell, (), loc), t)
    if isinstance(place, ComplexVariable):
        raise Refused(loc, "a complex number is used as a real one")
    if not isinstance(place, Variable):
        return place
    if place.cell is None:
        return state.held(place, loc)
    if isinstance(place.type, Pointer):
        return _pointer_in(state, place, loc)
    number = state.read(place.cell, (), loc)
    t = state.arrays[place.cell].element
    return Truth(number) if t.width == 1 else Data(number, t)


def store(state: State, place: Target | Value, value: Value, loc: Loc) -> None:
    """Assign a value of the target's type."""
    if isinstance(place, Element):
        state.write(place.array, place.subscripts, data(state, converted(state, value, place.type, loc), loc).id, loc)
    elif isinstance(place, Elements):
        stored = data(state, converted(state, value, place.cases[0][1].type, loc), loc)
        split(state, place.cases, lambda e: state.write(e.array, e.subscripts, stored.id, loc), loc)
    elif not isinstance(place, Variable):
        raise Refused(loc, "the target of this assignment is not a variable or an element of an array")
    elif isinstance(place.type, Pointer):
        kept = cast_value(state, value, place.type.to, loc)
        state.values[place.key] = kept if place.cell is None else _kept_pointer(state, place.cell, kept, loc)
    elif place.cell is not None:
        state.write(place.cell, (), _for_cell(state, place.cell, value, loc), loc)
    else:
        _follow(state, place, value, loc)


def _pointer_in(state: State, variable: Variable, loc: Loc) -> Ptr:
    """A pointer whose array is known, and that lies a number of elements behind its start."""
    known = state.values.get(variable.key)
    if not isinstance(known, Ptr) or variable.cell is None:
        raise Refused(loc, "a pointer whose array is not known")
    offset = index(state, Data(state.read(variable.cell, (), loc), LONG), loc)
    return Ptr(known.array, (offset,) if known.subscripts else (), known.to)


def _kept_pointer(state: State, cell: str, value: Ptr | Places, loc: Loc) -> Ptr:
    kept = pointer(value, loc)
    offset = kept.subscripts[0] if kept.subscripts else const(0)
    state.write(cell, (), data(state, integer(state, offset, LONG, loc), loc).id, loc)
    return Ptr(kept.array, (const(0),) if kept.subscripts else (), kept.to)


def _for_cell(state: State, cell: str, value: Value, loc: Loc) -> int:
    t = state.arrays[cell].element
    if t.width == 1:
        return truth_id(state, value, loc)
    return data(state, converted(state, value, t, loc), loc).id


def _follow(state: State, variable: Variable, value: Value, loc: Loc) -> None:
    assert isinstance(variable.type, Number)
    number = converted(state, value, variable.type, loc)
    if not isinstance(number, Sym | Extremum | Cases):
        raise Demote(variable.key)
    state.values[variable.key] = number


def address(state: State, lvalue: ex.Lvalue, loc: Loc) -> Ptr:
    """The address of an lvalue."""
    place = target(state, lvalue)
    if isinstance(place, Element):
        return Ptr(place.array, place.subscripts, place.type)
    if isinstance(place, Variable):
        if isinstance(place.type, Pointer):
            raise Refused(loc, "the address of a pointer is taken")
        if place.cell is None:
            raise Demote(place.key)
        return Ptr(place.cell, (), place.type)
    if isinstance(place, Ptr) and place.array in state.records:
        if isinstance(place.to, RecordOf):
            return place
        raise Refused(loc, "the address of an array of structs is taken")
    if isinstance(place, Ptr) and place.subscripts:
        flat = is_flat(state, place.array)
        t = resolved(state, lvalue.type, loc)
        return Ptr(place.array, place.subscripts if flat else place.subscripts[:-1], t)
    raise Refused(loc, "the address of this expression is taken")


def _load_value(state: State, node: ex.Load) -> Value:
    if isinstance(node.type, core_types.Complex):
        return _complex_at(state, target(state, node.source), node.loc)
    return load(state, target(state, node.source), node.loc)


def _complex_at(state: State, place: Target | Value, loc: Loc) -> Value:
    if isinstance(place, Pair):
        return place
    x, y = (data(state, load(state, part, loc), loc) for part in parts_of(place, loc))
    return Pair(x, y)


def _decay_value(state: State, node: ex.Decay) -> Value:
    found = target(state, node.array)
    assert not isinstance(found, Variable | ComplexVariable | Element | Elements)
    return found


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
    if state.literal and not (isinstance(t, Pointer) and isinstance(t.to, RecordOf)):
        kept = LONG if isinstance(t, Pointer) else TRUTH if hidden and t == BOOL else t
        return Variable(key, t, state.cell(shown, kept, loc))
    if isinstance(t, Pointer):
        if key in state.demoted:
            raise Refused(loc, f"pointer '{shown}' changes in a way that cannot be followed")
        return Variable(key, t)
    if t.is_float or t.kind == "bool" or in_memory or key in state.demoted:
        return Variable(key, t, state.cell(shown, TRUTH if hidden and t == BOOL else t, loc))
    state.values.pop(key, None)
    return Variable(key, t)


def declare(state: State, variable: st.Variable, value: Value | None, loc: Loc) -> None:
    """A scalar or pointer variable with its first value; one that is data from the start is never symbolic."""
    t = resolved(state, variable.type, loc)
    if isinstance(variable.type, core_types.Complex):
        _declare_complex(state, variable, float_of(variable.type, loc), value, loc)
        return
    if not isinstance(t, Number | Pointer):
        raise Refused(loc, f"'{variable.source}' is of a type that is not supported")
    if variable.storage == "hidden" and isinstance(value, Formula):
        state.frame.entities[variable.name] = value
        if variable.constant or variable.name not in state.frame.changing:
            return
    found = scalar(state, variable.name, t, loc, variable.storage == "hidden")
    if value is not None:
        if found.cell is None and isinstance(t, Number):
            value = converted(state, value, t, loc)
            if isinstance(value, Data):
                found = replace(found, cell=state.cell(variable.name, t, loc))
        store(state, found, value, loc)
    state.frame.entities[variable.name] = found


def _declare_complex(state: State, variable: st.Variable, t: Number, value: Value | None, loc: Loc) -> None:
    real, imaginary = (scalar(state, f"{variable.name}->{part}", t, loc) for part in ("re", "im"))
    found = state.frame.entities[variable.name] = ComplexVariable(real, imaginary)
    if value is not None:
        _store_complex(state, found, value, loc)


def _store_complex(state: State, place: Target | Value, value: Value, loc: Loc) -> None:
    for part, number in zip(parts_of(place, loc), pair(value, loc), strict=True):
        store(state, part, number, loc)


def local_array(state: State, variable: st.Variable, initial: ex.Initial | None) -> Memory:
    """An array that a block declares; its length has to be known before the loops."""
    loc, t = variable.loc, resolved(state, variable.type, variable.loc)
    element, shape = scalar_of(t), extents(t)
    if element is None:
        raise Refused(loc, f"array '{variable.source}' holds pointers or structs")
    name = local_memory(state, variable.source or "t", element, t, loc)
    if initial is not None:
        _fill(state, name, element, shape, initial, loc)
    return Memory(name, t)


def local_memory(state: State, source: str, element: Number, t: CType, loc: Loc) -> str:
    """An array of the function's own for a type whose elements are numbers; its name."""
    name, shape = state.unique(source), extents(t)
    if state.literal:
        state.arrays[name] = _literal_array(state, name, element, size_of(t, loc), loc)
    for extent in () if state.literal else shape:
        if extent is None or not extent.names() <= state.facts.free:
            raise Refused(loc, f"the length of array '{source}' is not a size that is known before the loops")
    shape = shape_of(state, name, shape)
    flat = len(shape) == 1 and state.unit.language != "Python"
    state.arrays.setdefault(name, Array(name, element, shape, "local", loc, flat))
    return name


def _literal_array(state: State, name: str, element: Number, length: Poly, loc: Loc) -> Array:
    """Memory of one dimension: of constant length it lies on the stack, any other lives as long as its block."""
    if length.constant is None:
        state.owned.append((name, len(state.nodes)))
    return Array(name, element, (length,), "local" if length.constant is not None else "owned", loc, flat=True)


def _fill(
    state: State, name: str, element: Number, shape: tuple[Poly | None, ...], initial: ex.Initial, loc: Loc
) -> None:
    """Store every element of an array that is initialised; what the source leaves out is 0."""
    sizes = [(extent.constant if extent is not None else None) or MAX_INITIAL + 1 for extent in shape]
    if prod(sizes) > MAX_INITIAL or not isinstance(initial, ex.Aggregate):
        raise Refused(loc, f"the initial values of array '{name}' are too many")
    flat = len(state.arrays[name].shape) < len(shape)
    for number, index_ in enumerate(product(*map(range, sizes))):
        given = _given(initial, index_)
        where = loc if given is None else given.loc
        value = converted(state, Sym(const(0), INT) if given is None else state.value(given), element, where)
        subscripts = (const(number),) if flat else tuple(map(const, index_))
        state.write(name, subscripts, data(state, value, where).id, where)


def _given(initial: ex.Initial, at: tuple[int, ...]) -> ex.Expr | None:
    """The initial value of an element, if the source says one."""
    found: ex.Initial | None = initial
    for k in at:
        if isinstance(found, ex.Aggregate):
            found = dict(found.items).get(k)
        elif found is not None:
            found = build.part(found, k, found.loc)  # of a complex number
    return None if isinstance(found, ex.Aggregate) else found


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
        place = target(state, node.target)
        if isinstance(node.target.type, core_types.Complex):
            _store_complex(state, place, value, node.loc)
            return
        if isinstance(place, Formula) and isinstance(node.target, ex.Name):
            raise Demote(f"{state.frame.path}{node.target.name}")
        store(state, place, value, node.loc)


def _is_step(state: State, value: ex.Expr, name: str) -> bool:
    """True for `name + 1` and the like, with conversions, also of a copy of the variable."""
    while isinstance(value, ex.Convert):
        value = value.operand
    if not isinstance(value, ex.Binary):
        return False
    left = value.left
    while isinstance(left, ex.Convert):
        left = left.operand
    if not isinstance(left, ex.Load) or not isinstance(left.source, ex.Name):
        return False
    both = [state.frame.entities.get(n) for n in (left.source.name, name)]
    held = [state.values.get(v.key) for v in both if isinstance(v, Variable)]
    return len(held) == 2 and held[0] is not None and held[0] == held[1]
