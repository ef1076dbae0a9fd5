"""Types of the core with the extents of arrays as polynomials over sizes."""

from __future__ import annotations

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.polynomial import Poly, const
from raising.frontend.lower.ir.types import ArrayOf, CType, Pointer, RecordOf, Void
from raising.frontend.lower.known.numbers_as_data import index, number_of
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Sym
from raising.support.source import Loc


def resolved(state: State, t: core_types.Type, loc: Loc) -> CType:
    """A type in the function that is being lowered; `Refused` for one that the typed program does not have."""
    known = None if state.choices.literal else state.frame.types.get(t)
    if known is None:
        known = state.frame.types[t] = _resolved(state, t, loc)
    return known


def _resolved(state: State, t: core_types.Type, loc: Loc) -> CType:
    match t:
        case core_types.Void():
            return Void()
        case core_types.Pointer():
            return Pointer(resolved(state, t.to, loc), t.restrict, t.constant)
        case core_types.Array():
            return ArrayOf(resolved(state, t.element, loc), length(state, t.extent, loc))
        case core_types.Record():
            layout = state.unit.records.get(t.name)
            if layout is not None and layout.union and not _is_one_number(layout):
                raise Refused(loc, "a union is not supported whose members are not numbers of one size")
            return RecordOf(t.name)
        case core_types.Routine():
            raise Refused(loc, "a pointer to a function is not supported")
        case core_types.Complex():
            return ArrayOf(number_of(t.part, loc), const(2))
        case core_types.Opaque():
            raise Refused(loc, f"type '{t.text}' is not supported")
    return number_of(t, loc)


def _is_one_number(union: st.RecordLayout) -> bool:
    """Whether each member of a union is a number that fills it."""
    return all(
        m.bits is None and isinstance(m.type, core_types.Int | core_types.Float) and m.type.width == 8 * union.size
        for m in union.fields or ()
    )


def length(state: State, extent: int | ex.Expr | None, loc: Loc) -> Poly | None:
    """The extent of an array as a polynomial."""
    if extent is None:
        return None
    if isinstance(extent, int):
        if extent < 0 or extent == 0 and state.unit.language != "Python":
            raise Refused(loc, f"an array of length {extent}")
        return const(extent)
    value = state.value(extent)
    if state.choices.literal:
        return index(state, value, loc)
    if not isinstance(value, Sym):
        raise Refused(loc, "the length of an array depends on data")
    return value.form
