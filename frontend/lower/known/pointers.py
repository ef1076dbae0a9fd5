"""Pointers: places in arrays, in one case or in several."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import AtData, Refused
from raising.frontend.lower.ir.nodes import Array, Assumption, Cond, Parameter
from raising.frontend.lower.ir.polynomial import ADDRESS, Poly, const, divided, is_data, var
from raising.frontend.lower.ir.types import BYTE, LONG, UNTYPED, ArrayOf, CType, Number, Pointer, Void
from raising.frontend.lower.known.integer_domains import MAX_CASES, cases_of, known_in, never
from raising.frontend.lower.known.numbers_as_data import index
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import (
    Cases,
    Demote,
    Element,
    Elements,
    Extremum,
    Memory,
    Places,
    Ptr,
    Sym,
    Value,
)
from raising.support.source import Loc


def pointer(value: Value, loc: Loc) -> Ptr:
    """The value if it is a pointer."""
    if isinstance(value, Ptr):
        return value
    raise Refused(loc, "a number is used as a pointer, or the pointer is not known")


def given_address(state: State, at: Ptr, loc: Loc) -> Poly | None:
    """The address of what a caller's pointer points to, which is 0 for a null pointer; None if it never is one.

    A struct is passed as its fields, so its address takes a parameter of its own.
    """
    name, records = at.array, state.records.get(at.array)
    if records is None:
        return var(f"{ADDRESS}{name}") if state.arrays[name].kind == "parameter" else None
    if records.own or not (records.path[0].isdigit() or records.path.endswith("*")):
        return None
    name = name.removeprefix("@")
    if name not in state.arrays:
        state.arrays[name] = Array(name, BYTE, (None,), "place", loc)
        state.asked += (Parameter(name, BYTE, loc, None, records.path),)
    return var(f"{ADDRESS}{name}")


def start_of(memory: Memory) -> Ptr | Element:
    """The pointer that an array's name decays to; a global scalar is an element."""
    if isinstance(memory.type, Number):
        return Element(memory.array, (), memory.type)
    assert isinstance(memory.type, ArrayOf | Pointer)
    to = memory.type.element if isinstance(memory.type, ArrayOf) else memory.type.to
    return Ptr(memory.array, (const(0),), to)


# ---- moving -----------------------------------------------------------------------------------------


def moved(state: State, base: Value, by: Value, loc: Loc) -> Ptr | Places:
    """A pointer so many elements further; both may be known in cases."""
    if not isinstance(base, Places) and not isinstance(by, Extremum | Cases):
        return _moved(state, pointer(base, loc), by, loc)
    starts = base.cases if isinstance(base, Places) else (((), pointer(base, loc)),)
    found: list[tuple[tuple[Cond, ...], Ptr]] = []
    for start_conds, start in starts:
        for step_conds, step in cases_of(by):
            conds = (*start_conds, *step_conds)
            if not any(never(c, state.facts) for c in conds):
                with state.knowing(known_in((conds,))):
                    found.append((conds, _moved(state, start, Sym(step, LONG), loc)))
    if not 0 < len(found) <= MAX_CASES:
        why = f"has more than {MAX_CASES} cases" if found else "depends on data"
        raise Refused(loc, f"a subscript {why}; it must be an affine function of loop variables and sizes")
    return Places(tuple(found))


def _moved(state: State, base: Ptr, by: Value, loc: Loc) -> Ptr:
    if state.choices.literal:
        by = Sym(index(state, by, loc), LONG)
    if not isinstance(by, Sym):
        raise AtData(loc)
    by_data = is_data(by.form)
    if state.unit.language == "Python" and by_data and not state.trial:
        text = f"positions in '{base.array}' that are data are inside of it, and none counts from its end"
        state.assumptions.append(Assumption(loc, text))
    if (
        state.unit.language == "Python"
        and not state.choices.literal
        and not by_data
        and not state.holds(by.form, "subscripts are not negative", loc)
    ):
        raise Refused(loc, "a subscript that may be negative, and then counts from the end of the array")
    if not base.subscripts:
        if by.form.constant == 0:
            return base
        raise Refused(loc, "a variable is used as an array")
    if base.trail and base.trail[-1] and by.form.constant != 0:
        raise Refused(loc, "the address of a field is moved to another one")
    if base.array in state.arrays and state.arrays[base.array].row == 1 and by.form.constant != 0:
        raise Refused(loc, "a field is used as an array")
    step = by.form * size_of(base.to, loc) if is_flat(state, base.array) else by.form
    return replace(base, subscripts=(*base.subscripts[:-1], base.subscripts[-1] + step))


def is_flat(state: State, array: str) -> bool:
    """True for an array of one dimension whose shape is not known yet."""
    return array not in state.records and state.arrays[array].flat


ROWS = "[][]"
"""Marks an array, among what is demoted, as one of a single dimension: pointers into its rows go beyond them."""


def shape_of(state: State, name: str, shape: tuple[Poly | None, ...]) -> tuple[Poly | None, ...]:
    """The extents of an array of more dimensions, or their product if it is one of a single dimension."""
    if name + ROWS not in state.choices.demoted:
        return shape
    total: Poly | None = const(1)
    for extent in shape:
        total = None if total is None or extent is None else total * extent
    return (total,)


def _leaves_row(state: State, shape: tuple[Poly | None, ...], subscripts: tuple[Poly, ...]) -> bool:
    """Whether a subscript goes beyond its row at all sizes from 2 on, as that of a pointer to all elements does."""
    for extent, subscript in zip(shape[1:], subscripts[1:], strict=True):
        inside = (subscript, None if extent is None else extent - 1 - subscript)
        if any(form is not None and _fails(state.facts, form) for form in inside):
            return True
    return False


def _fails(facts: Facts, form: Poly) -> bool:
    """Whether `form >= 0` is not known, and would need something of sizes that is below 0 or 0 from 2 on.

    Of quotients and remainders too little is known to say that.
    """
    if form.constant is not None or facts.proves(form):
        return form.constant is not None and form.constant < 0
    if not all(isinstance(atom, str) for mono, _ in form.terms for atom in mono):
        return False
    needed = (bound for bound in facts.below(form) if bound.names() <= facts.free)
    return any(_never_above_zero(facts.with_forms(var(n) - 2 for n in bound.names()), bound) for bound in needed)


def _never_above_zero(facts: Facts, form: Poly) -> bool:
    """Whether `form <= 0`, also where a size is a factor of it."""
    if facts.proves(-form):
        return True
    common = set.intersection(*(set(mono) for mono, _ in form.terms)) if form.terms else set()
    return any(facts.proves(-divided(form, var(name))[0]) for name in common if isinstance(name, str))


def size_of(t: CType, loc: Loc) -> Poly:
    """How many numbers an object of a type holds."""
    size = const(1)
    while isinstance(t, ArrayOf):
        if t.extent is None:
            raise Refused(loc, "an array without a length is stepped over")
        size, t = size * t.extent, t.element
    return size


def difference(a: Ptr, b: Ptr, loc: Loc) -> Poly:
    """How many elements `a` lies behind `b`, in units of the last subscript."""
    if (a.array, a.subscripts[:-1], a.to, a.trail) != (b.array, b.subscripts[:-1], b.to, b.trail):
        raise Refused(loc, "pointers into different arrays are compared")
    return a.subscripts[-1] - b.subscripts[-1] if a.subscripts else const(0)


# ---- what a pointer points to -----------------------------------------------------------------------


def pointed(state: State, value: Value, loc: Loc) -> Element | Ptr | Elements | Places:
    """The element or array that a pointer points to, in each case; an array decays to a pointer."""
    if not isinstance(value, Places):
        return _pointed(state, pointer(value, loc), loc)
    found: list[tuple[tuple[Cond, ...], Element | Ptr]] = []
    for conds, place in value.cases:
        with state.knowing(known_in((conds,))):
            found.append((conds, _pointed(state, place, loc)))
    elements = tuple((conds, e) for conds, e in found if isinstance(e, Element))
    return Elements(elements) if elements else Places(tuple((c, p) for c, p in found if isinstance(p, Ptr)))


def _pointed(state: State, p: Ptr, loc: Loc) -> Element | Ptr:
    if p.array in state.records:
        if isinstance(p.to, ArrayOf):
            return replace(p, subscripts=(*p.subscripts, const(0)), to=p.to.element, trail=(*p.trail, ""))
        return p
    array = state.arrays[p.array]
    if isinstance(p.to, Number):
        if array.element.width != p.to.width or len(array.shape) != len(p.subscripts):
            raise Refused(loc, "memory is used as another type than its own")
        if len(array.shape) > 1 and state.unit.language != "Python" and _leaves_row(state, array.shape, p.subscripts):
            if array.kind == "global":
                raise Refused(loc, f"a pointer into a row of '{p.array}' goes beyond the row")
            raise Demote(p.array + ROWS)
        return Element(p.array, p.subscripts, p.to)
    if isinstance(p.to, ArrayOf):
        return Ptr(p.array, p.subscripts if array.flat else (*p.subscripts, const(0)), p.to.element)
    raise Refused(loc, "a pointer to a pointer or to void is followed")


def cast_pointer(state: State, p: Ptr, to: CType, loc: Loc) -> Ptr:
    """A pointer converted to a pointer to another type with the same elements."""
    if to == p.to or isinstance(to, Void):
        return p
    if p.array in state.records:
        raise Refused(loc, "a struct is used as another type than its own")
    array = state.arrays[p.array]
    if not p.subscripts and isinstance(to, ArrayOf):
        raise Refused(loc, "a variable is used as an array")
    inner: CType = to
    while isinstance(inner, ArrayOf):
        inner = inner.element
    if array.element == UNTYPED and isinstance(inner, Number):
        array = state.arrays[p.array] = replace(array, element=inner)
    if not isinstance(inner, Number) or inner.mlir != array.element.mlir:
        raise Refused(loc, "memory is used as another type than its own")
    if array.flat:
        return Ptr(p.array, p.subscripts, to)
    if isinstance(to, Number):
        rest = len(array.shape) - len(p.subscripts)
        return Ptr(p.array, p.subscripts + (const(0),) * rest, to)
    raise Refused(loc, "an array is used with another shape than its own")


def cast_value(state: State, value: Value, to: CType, loc: Loc) -> Ptr | Places:
    """A pointer, or one in several cases, converted to a pointer to another type."""
    if isinstance(value, Places):
        return Places(tuple((c, cast_pointer(state, p, to, loc)) for c, p in value.cases))
    return cast_pointer(state, pointer(value, loc), to, loc)
