"""Calls: of functions of the file, which are inlined, and of `memset` and its like, which are loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.leaving_jumps import returns
from raising.frontend.core.types import VOID
from raising.frontend.core.variable_uses import names_in_type
from raising.frontend.lower.from_core.named_variables import declare, load, scalar
from raising.frontend.lower.from_core.record_variables import copy, is_record, new_records
from raising.frontend.lower.from_core.statement_order import run
from raising.frontend.lower.from_core.whole_memory import COPIES, whole
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.types import Number, Pointer, RecordOf
from raising.frontend.lower.known.followed_integers import converted
from raising.frontend.lower.known.numbers_as_data import data, numeric
from raising.frontend.lower.known.resolved_types import resolved
from raising.frontend.lower.known.state import STATEMENTS, Frame, State
from raising.frontend.lower.known.typed_values import Nothing, Value
from raising.support.source import Loc

MAX_CALLS = 40  # nested


def _call(state: State, node: st.Call) -> None:
    loc = node.loc
    if not isinstance(node.callee, str):
        raise Refused(loc, "a call through a pointer")
    arguments = [state.value(a) for a in node.arguments] if _is_known(state, node.callee) else []
    if node.callee.removeprefix("__builtin_") in COPIES and state.unit.routines[node.callee].body is None:
        for stmt in whole(state, node, arguments):
            state.statement(stmt)
        value: Value = arguments[0]
    else:
        value = _inlined(state, node.callee, arguments, loc)
    if node.result is not None:
        _declared(state, node.result, value, loc)


def _declared(state: State, variable: st.Variable, value: Value, loc: Loc) -> None:
    """A parameter or a result with its value."""
    if not is_record(variable.type):
        declare(state, variable, value, loc)
        return
    place = new_records(state, variable.name, variable.type, loc)
    copy(state, place, value, loc)
    state.frame.entities[variable.name] = place


def _is_known(state: State, name: str) -> bool:
    """True for a function that can be read."""
    return state.unit.routines[name].body is not None or name.removeprefix("__builtin_") in COPIES


def _inlined(state: State, name: str, arguments: list[Value], loc: Loc) -> Value:
    function = state.unit.routines[name]
    if function.body is None:
        raise Refused(loc, f"calls '{name}', which is not defined in this file")
    if name in state.frame.calls:
        raise Refused(loc, f"calls '{name}' recursively")
    if len(state.frame.calls) >= MAX_CALLS:
        raise Refused(loc, "calls are nested too deeply")
    if len(function.parameters) != len(arguments):
        raise Refused(loc, f"calls '{name}' with {len(arguments)} arguments in place of {len(function.parameters)}")
    outer = state.frame
    frame = Frame(function, f"{outer.path}{name}:{loc.line}:{loc.col}/", (*outer.calls, name))
    state.frame = frame
    try:
        for k in in_order(function):
            with promised(state, function, function.parameters[k]):
                _declared(state, function.parameters[k], arguments[k], loc)
        return body_value(state)
    finally:
        state.frame = outer


def in_order(function: st.Function) -> list[int]:
    """Parameters by their position, scalars first, because the types of arrays may mention them."""
    parameters = function.parameters
    return sorted(range(len(parameters)), key=lambda k: isinstance(parameters[k].type, core_types.Pointer))


@contextmanager
def promised(state: State, function: st.Function, parameter: st.Variable) -> Iterator[None]:
    """Declare the constants that the type of a parameter mentions; the reader puts them at the start of the body."""
    wanted = names_in_type(parameter.type, parameter.length) - state.frame.entities.keys()
    for stmt in function.body or ():
        if not wanted:
            break
        if isinstance(stmt, st.Declare) and stmt.variable.name in wanted:
            state.statement(stmt)
            wanted.discard(stmt.variable.name)
    yield


def body_value(state: State) -> Value:
    """Run the body of the function that was entered; what it returns."""
    function = state.frame.function
    loc, body = function.loc, function.body or ()
    if function.result == VOID:
        run(state, body)
        return Nothing()
    t = resolved(state, function.result, loc)
    inlined = len(state.frame.calls) > 1
    is_complex = isinstance(function.result, core_types.Complex)
    if not isinstance(t, Number) and not (inlined and (is_complex or isinstance(t, RecordOf | Pointer))):
        raise Refused(loc, "a function that returns a pointer or a struct")
    last = body[-1] if body else None
    if isinstance(last, st.Return) and last.value is not None and next(returns(body[:-1]), None) is None:
        run(state, body[:-1])
        value = state.value(last.value)
        return converted(state, value, t, last.loc) if isinstance(t, Number) else value
    if is_complex:
        raise Refused(loc, "a function that returns a complex number in several places")
    if isinstance(t, RecordOf):
        state.frame.result = place = new_records(state, "result", function.result, loc)
        run(state, body)
        return place
    assert isinstance(t, Number | Pointer)
    state.frame.result = scalar(state, "result", t, loc)
    run(state, body)
    found = load(state, state.frame.result, loc)
    if isinstance(t, Pointer):
        return found
    return data(state, found, loc) if state.frame.result.cell is not None else numeric(found, loc)


STATEMENTS[st.Call] = _call
