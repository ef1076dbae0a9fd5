"""The parameters of a function, in the order of the source, and the variables of the file that it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.traverse import Body, nodes_of, statements
from raising.frontend.core.variable_uses import names_in
from raising.frontend.lower.from_core.inlining import in_order, promised
from raising.frontend.lower.from_core.named_variables import is_table, local_array, scalar, store
from raising.frontend.lower.from_core.parameters.record_parameters import (
    Taken,
    global_records,
    is_of_records,
    of_the_file,
)
from raising.frontend.lower.from_core.record_variables import copy, is_table_of_records, record_variable
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import Refused, check_name
from raising.frontend.lower.ir.nodes import Array, Parameter
from raising.frontend.lower.ir.polynomial import const, var
from raising.frontend.lower.ir.types import UNTYPED, Number, Pointer, Void, extents, scalar_of
from raising.frontend.lower.known.pointers import shape_of
from raising.frontend.lower.known.resolved_types import length, resolved
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Ptr, Sym, Variable


def function_parameters(state: State) -> tuple[Parameter, ...]:
    """The parameters in the order of the source; their names have values from here on."""
    function = state.frame.function
    check_name(function.name, function.loc)
    found: dict[int, tuple[Parameter, ...]] = {}
    for k in in_order(function):
        with promised(state, function, function.parameters[k]):
            found[k] = _parameter(state, function.parameters[k], k)
    return tuple(p for k in range(len(found)) for p in found[k])


def file_parameters(state: State, used: set[str]) -> tuple[Parameter, ...]:
    """Declare the used variables of the file that are known where a function starts; the parameters that this takes.

    A table of constants becomes memory of the function's own, and each field of a struct becomes a parameter.
    """
    parameters: tuple[Parameter, ...] = ()
    for name in sorted(used & state.unit.globals.keys()):
        node = state.unit.globals[name]
        if is_table_of_records(state.unit, node):
            state.outside[name] = record_variable(state, node.variable, node.initial, node.variable.loc)
        elif of_the_file(state.unit, name):
            state.outside[name], more = global_records(state, node)
            parameters += tuple(more)
        elif is_table(node):
            state.outside[name] = local_array(state, node.variable, node.initial)
    return parameters


def _parameter(state: State, node: st.Variable, position: int) -> tuple[Parameter, ...]:
    loc = node.loc
    if not node.source:
        raise Refused(loc, "a parameter without a name")
    check_name(node.source, loc)
    t, name = resolved(state, node.type, loc), state.unique(node.source)
    if is_of_records(t):
        return _of_records(state, node, name, position)
    if isinstance(t, Number):
        path = f"{position}+0*" if node.by_address else str(position)
        return (replace(_scalar(state, node, name, t), path=path, numbers=node.numbers),)
    if isinstance(t, Pointer):
        return (_pointer(state, node, name, t, position),)
    raise Refused(loc, f"parameter '{node.source}' is of a type that is not supported")


def _scalar(state: State, node: st.Variable, name: str, t: Number) -> Parameter:
    loc, number = node.loc, state.number()
    variable = scalar(state, node.name, t, loc)
    if variable.cell is None:
        form = var(name)
        state.facts = Facts(state.facts.free | {name}, (*state.facts.forms, *([] if t.signed else [form])))
        state.limits += (form - t.range[0], const(t.range[1]) - form)
        state.values[variable.key] = Sym(form, t)
    else:
        state.write(variable.cell, (), number, loc)
    state.frame.entities[node.name] = variable
    return Parameter(name, t, loc, number)


def _pointer(state: State, node: st.Variable, name: str, t: Pointer, position: int) -> Parameter:
    """An array of numbers: flat, unless the source declares rows."""
    loc, python, literal = node.loc, state.unit.language == "Python", state.choices.literal
    shape = (None,) if literal else (length(state, node.length, loc), *extents(t.to))
    element = UNTYPED if isinstance(t.to, Void) else scalar_of(t.to)
    if element is None:
        raise Refused(loc, f"parameter '{node.source}' points to pointers or structs")
    least, known = (0, shape) if python else (1, shape[1:])  # C has no arrays without elements
    declared = [e for e in known if e is not None and e.names()]
    asked = _asked(state) if declared else set()
    state.facts = state.facts.with_forms(e - least for e in declared if not e.names() & asked)
    # a complex number of C is two elements of a row; in Python the parts have a dimension of their own
    row = 2 if isinstance(node.type.to, core_types.Complex) and not python else 0  # type: ignore[union-attr]
    if row:
        shape = (None if shape[0] is None else shape[0] * row,)
    shape = shape_of(state, name, shape)
    flat = len(shape) == 1 and (not python or literal)
    state.arrays[name] = Array(name, element, shape, "parameter", loc, flat, t.restrict, t.constant, row, not flat)
    variable = scalar(state, node.name, t, loc)
    store(state, variable, Ptr(name, (const(0),), t.to), loc)
    state.frame.entities[node.name] = variable
    return Parameter(name, element, loc, None, str(position), node.numbers)


def _asked(state: State) -> set[str]:
    """The sizes that a condition compares with nothing but sizes: the function may be called with any of them."""
    sizes = {p.name for p in state.frame.function.parameters if isinstance(p.type, core_types.Int)}
    found: set[str] = set()
    for condition in _chosen_by(state.frame.function.body or ()):
        names = names_in(condition)
        found |= names if names <= sizes else set()
    entities = (state.frame.entities.get(name) for name in found)
    held = (state.values.get(one.key) for one in entities if isinstance(one, Variable))
    return {name for value in held if isinstance(value, Sym) for name in value.form.names()}


def _chosen_by(body: Body) -> Iterator[ex.Expr]:
    """The conditions of branches and selections."""
    yield from (stmt.condition for stmt in statements(body) if isinstance(stmt, st.If))
    yield from (node.condition for node in nodes_of(body) if isinstance(node, ex.Select))


def _of_records(state: State, node: st.Variable, name: str, position: int) -> tuple[Parameter, ...]:
    """A struct, or a pointer to structs: a parameter for each field."""
    taken = Taken(state, node.loc)
    if isinstance(node.type, core_types.Record):
        passed = taken.records(name, f"&{position}", node.type)
        place = record_variable(state, node, None, node.loc)
        copy(state, place, passed, node.loc)
        return tuple(taken.parameters)
    t = resolved(state, node.type, node.loc)
    if not isinstance(node.type, core_types.Pointer) or not isinstance(t, Pointer):
        raise Refused(node.loc, f"parameter '{node.source}' is of a type that is not supported")
    if not isinstance(core_types.innermost(node.type.to), core_types.Record):
        raise Refused(node.loc, f"parameter '{node.source}' points to pointers or structs")
    variable = scalar(state, node.name, t, node.loc)
    store(state, variable, taken.records(name, str(position), node.type.to), node.loc)
    state.frame.entities[node.name] = variable
    return tuple(taken.parameters)
