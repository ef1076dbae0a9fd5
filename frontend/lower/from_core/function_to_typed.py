"""One function of the core as a typed program: lowered again and again, until all its variables can be followed."""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.known_callees import called
from raising.frontend.core.traverse import nodes_of
from raising.frontend.lower.from_core import conditions, loops_that_count, values_of  # noqa: F401  (each fills its tables)
from raising.frontend.lower.from_core.inlining import body_value
from raising.frontend.lower.from_core.parameters.function_parameters import file_parameters, function_parameters
from raising.frontend.lower.from_core.parameters.needed_parameters import without_unused
from raising.frontend.lower.from_core.parameters.overlaps import no_overlaps
from raising.frontend.lower.from_core.parameters.record_parameters import arguments
from raising.frontend.lower.from_core.record_fields import MANY
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Function
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.lower.known.numbers_as_data import data
from raising.frontend.lower.known.state import Budget, Choices, Frame, State
from raising.frontend.lower.known.typed_values import Demote, NeedsInduction, Nothing, Split

MAX_ATTEMPTS = 200


def lower(
    unit: st.Unit, function: st.Function, budget: Budget, choices: Choices, whole: frozenset[str] = frozenset()
) -> Function:
    """The typed program of a function with a body; `Refused` if it is outside of the subset.

    Parameters in `whole` are known to be arrays of their own, which do not overlap one another. An integer variable
    that cannot be followed is demoted, and a loop that has to be split is, each in another attempt.
    """
    budget.begin()
    splits: dict[str, tuple[Poly, ...]] | None = {} if choices.splitting else None
    for _ in range(MAX_ATTEMPTS):
        try:
            return _lowered(State(unit, _frame(function), budget, choices, splits), whole)
        except Demote as variable:
            if variable.key in choices.demoted:
                break
            choices = replace(choices, demoted=choices.demoted | {variable.key})
        except Split as loop:
            splits = {**(splits or {}), loop.key: (*(splits or {}).get(loop.key, ()), loop.divisor)}
        except RecursionError:
            raise Refused(function.loc, "it is nested too deeply") from None
    raise Refused(function.loc, "its integer variables cannot be followed")


def original(unit: st.Unit, function: st.Function, budget: Budget, alone: bool = False) -> Function:
    """The typed program of a function as it is written, with nothing assumed: what runs where a guard does not hold.

    Every variable lies in a memory of its own, every array is flat, pointers are
    offsets, and loops ask their condition before each iteration. Integers that
    are not constants are numbered values with C's types, so they wrap around as
    C says; in subscripts such a value is a name. With `alone` it stands
    for the function with no guard in front: fields of structs are read where C reads them, and what is taken for
    granted even so are its assumptions.
    """
    budget.begin()
    choices = Choices(literal=True, alone=alone)
    while True:
        try:
            return _lowered(State(unit, _frame(function), budget, choices), frozenset())
        except (Demote, NeedsInduction) as error:
            if not isinstance(error, Demote) or not error.key.endswith(MANY) or error.key in choices.demoted:
                raise Refused(function.loc, "a pointer of it cannot be followed without the assumptions") from None
            choices = replace(choices, demoted=choices.demoted | {error.key})


def _frame(function: st.Function) -> Frame:
    return Frame(function, calls=(function.name,))


def _lowered(state: State, whole: frozenset[str]) -> Function:
    function = state.frame.function
    loc = function.loc
    if function.variadic:
        raise Refused(loc, "a variable number of parameters, or parameters without a type")
    bodies = state.budget.bodies
    state.uses = bodies.fields(state.unit, function)
    parameters = function_parameters(state)
    if state.unit.globals:
        parameters += file_parameters(state, bodies.names(state.unit, function))
    value = body_value(state)
    result = None if isinstance(value, Nothing) else data(state, value, loc)
    parameters = without_unused(state, (*parameters, *state.asked), result.id if result else None)
    return Function(
        name=function.name,
        loc=loc,
        parameters=tuple(
            p if p.value is not None else replace(p, type=state.arrays[p.name].element) for p in parameters
        ),
        arrays=state.arrays,
        body=tuple(state.nodes),
        result=result.id if result else None,
        result_type=result.type if result else None,
        assumptions=(*no_overlaps(state, parameters, whole), *dict.fromkeys(state.assumptions)),
        facts=Facts(state.facts.free | state.quotients.keys(), (*state.facts.forms, *state.in_spans)),
        bounds=state.bounds,
        quotients=tuple(state.quotients.values()),
        arguments=arguments(state.unit, function, parameters),
        numbers=function.numbers,
    )


def divides(unit: st.Unit, function: st.Function) -> bool:
    """Whether a function, or one that it calls, divides by what is no constant, or a product."""
    divisions = ("div", "rem", "floordiv", "floormod")
    body = function.body or ()
    parts = (p for one in (body, *(f.body or () for f in called(unit, body))) for p in nodes_of(one))
    return any(isinstance(p, ex.Binary) and p.op in divisions and isinstance(p.type, core_types.Int) for p in parts)
