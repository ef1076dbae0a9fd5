"""One function of the core as a typed program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.known_callees import called
from raising.frontend.core.traverse import Body, nodes_of, statements
from raising.frontend.core.variable_uses import names_in
from raising.frontend.lower.from_core import conditions, loops_that_count, values_of  # noqa: F401  (each fills its tables)
from raising.frontend.lower.from_core.inlining import body_value, in_order, promised
from raising.frontend.lower.from_core.named_variables import is_table, local_array, scalar, store
from raising.frontend.lower.from_core.record_fields import MANY
from raising.frontend.lower.from_core.record_parameters import (
    FILE,
    Taken,
    arguments,
    global_records,
    is_of_records,
    is_whole,
    memory_of,
    of_the_file,
    read_at_start,
)
from raising.frontend.lower.from_core.record_variables import copy, is_table_of_records, record_variable
from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import (
    Array,
    Assumption,
    Function,
    If,
    IndexOf,
    Parameter,
    Read,
    Write,
    forms_of,
    used_values,
    walk,
)
from raising.frontend.lower.ir.polynomial import Poly, const, var
from raising.frontend.lower.ir.types import UNTYPED, Number, Pointer, Void, extents, scalar_of
from raising.frontend.lower.known.field_uses import field_uses
from raising.frontend.lower.known.numbers_as_data import data
from raising.frontend.lower.known.pointers import shape_of
from raising.frontend.lower.known.resolved_types import length, resolved
from raising.frontend.lower.known.state import Budget, Frame, State
from raising.frontend.lower.known.typed_values import Demote, NeedsInduction, Nothing, Ptr, Split, Sym, Variable

MAX_ATTEMPTS = 200


def lower(
    unit: st.Unit,
    function: st.Function,
    budget: Budget,
    whole: frozenset[str] = frozenset(),
    demoted: frozenset[str] = frozenset(),
    naming: bool = False,
    splitting: bool = False,
    computed: bool = False,
) -> Function:
    """The typed program of a function with a body; `Refused` if it is outside of the subset.

    Parameters in `whole` are known to be arrays of their own, which do not
    overlap one another; variables in `demoted` are data, not sizes. Quotients of
    sizes are data, or (`naming`) sizes of their own. With `splitting`, loops are split whose counters are divided;
    with `computed`, integers that are data may be positions however they are computed.
    """
    budget.begin()
    splits: dict[str, tuple[Poly, ...]] | None = {} if splitting else None
    for _ in range(MAX_ATTEMPTS):
        state = State(unit, Frame(function, calls=(function.name,)), demoted, budget, naming=naming, splits=splits)
        state.computed = computed
        try:
            return _lowered(state, whole)
        except Demote as variable:
            if variable.key in demoted:
                break
            demoted |= {variable.key}
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
    many: frozenset[str] = frozenset()
    while True:
        state = State(unit, Frame(function, calls=(function.name,)), many, budget, literal=True)
        state.alone = alone
        try:
            return _lowered(state, frozenset())
        except (Demote, NeedsInduction) as error:
            if not isinstance(error, Demote) or not error.key.endswith(MANY) or error.key in many:
                raise Refused(function.loc, "a pointer of it cannot be followed without the assumptions") from None
            many |= {error.key}


def _lowered(state: State, whole: frozenset[str]) -> Function:
    function = state.frame.function
    loc = function.loc
    if function.variadic:
        raise Refused(loc, "a variable number of parameters, or parameters without a type")
    state.uses = field_uses(state.unit, function)
    parameters = _parameters(state)
    parameters += _of_the_file(state, used_names(state.unit, function))
    value = body_value(state)
    result = None if isinstance(value, Nothing) else data(state, value, loc)
    parameters = _without_unused(state, parameters, result.id if result else None)
    return Function(
        name=function.name,
        loc=loc,
        parameters=tuple(p if p.value is not None else _typed(state, p) for p in parameters),
        arrays=state.arrays,
        body=tuple(state.nodes),
        result=result.id if result else None,
        result_type=result.type if result else None,
        assumptions=(*_aliasing(state, parameters, whole), *dict.fromkeys(state.assumptions)),
        facts=Facts(state.facts.free | state.quotients.keys(), state.facts.forms),
        bounds=state.bounds,
        quotients=tuple(state.quotients.values()),
        arguments=arguments(state.unit, function, parameters),
        numbers=function.numbers,
    )


def used_names(unit: st.Unit, function: st.Function) -> set[str]:
    """The variables that a function mentions, and those that the functions do that it calls."""
    return {part.name for part in _expressions(unit, function) if isinstance(part, ex.Name)}


def divides(unit: st.Unit, function: st.Function) -> bool:
    """Whether a function, or one that it calls, divides by what is no constant, or a product."""
    divisions = ("div", "rem", "floordiv", "floormod")
    binary = (p for p in _expressions(unit, function) if isinstance(p, ex.Binary) and p.op in divisions)
    return any(isinstance(p.type, core_types.Int) for p in binary)


def _expressions(unit: st.Unit, function: st.Function) -> Iterator[object]:
    """Every expression of a function, and of those that it calls."""
    body = function.body or ()
    for part in (body, *(f.body or () for f in called(unit, body))):
        yield from nodes_of(part)


def _of_the_file(state: State, used: set[str]) -> tuple[Parameter, ...]:
    """Variables of the file that are declared where a function starts: tables of constants, which become memory of its
    own, and structs, whose fields become parameters."""
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


# ---- parameters -------------------------------------------------------------------------------------


def _parameters(state: State) -> tuple[Parameter, ...]:
    """The parameters in the order of the source."""
    function = state.frame.function
    found: dict[int, tuple[Parameter, ...]] = {}
    for k in in_order(function):
        with promised(state, function, function.parameters[k]):
            found[k] = _parameter(state, function.parameters[k], k)
    return tuple(p for k in range(len(found)) for p in found[k])


def _parameter(state: State, node: st.Variable, position: int) -> tuple[Parameter, ...]:
    loc = node.loc
    if not node.source:
        raise Refused(loc, "a parameter without a name")
    if not node.source.isascii():
        raise Refused(loc, "only names in ASCII are supported")
    t = resolved(state, node.type, loc)
    name = state.unique(node.source)
    if is_of_records(t):
        return _of_records(state, node, name, position)
    if isinstance(t, Number):
        path = f"{position}+0*" if node.by_address else str(position)
        return (replace(_scalar(state, node, name, t), path=path, numbers=node.numbers),)
    if not isinstance(t, Pointer):
        raise Refused(loc, f"parameter '{node.source}' is of a type that is not supported")
    shape = (None,) if state.literal else (length(state, node.length, loc), *extents(t.to))
    element = UNTYPED if isinstance(t.to, Void) else scalar_of(t.to)
    if element is None:
        raise Refused(loc, f"parameter '{node.source}' points to pointers or structs")
    least, known = (1, shape[1:]) if state.unit.language != "Python" else (0, shape)  # C has no arrays without elements
    asked = _asked(state)
    state.facts = state.facts.with_forms(e - least for e in known if e is not None and not e.names() & asked)
    row = 2 if isinstance(node.type.to, core_types.Complex) else 0  # type: ignore[union-attr]
    if state.unit.language == "Python":
        row = 0  # the parts have a dimension of their own
    if row:
        shape = (None if shape[0] is None else shape[0] * row,)
    shape = shape_of(state, name, shape)
    flat = len(shape) == 1 and (state.unit.language != "Python" or state.literal)
    state.arrays[name] = Array(name, element, shape, "parameter", loc, flat, t.restrict, t.constant, row, not flat)
    variable = scalar(state, node.name, t, loc)
    store(state, variable, Ptr(name, (const(0),), t.to), loc)
    state.frame.entities[node.name] = variable
    return (Parameter(name, element, loc, None, str(position), node.numbers),)


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
    variable = scalar(state, node.name, t, node.loc)
    store(state, variable, taken.records(name, str(position), node.type.to), node.loc)
    state.frame.entities[node.name] = variable
    return tuple(taken.parameters)


def _without_unused(state: State, parameters: tuple[Parameter, ...], result: int | None) -> tuple[Parameter, ...]:
    """Without fields that only code mentioned that is gone."""
    used: set[int | str | None] = {result}
    forms = [form for q in state.quotients.values() for form in (q.left, q.right)]
    forms += [form for low, high in state.bounds.values() for form in (*low, *high)]
    forms += [e for a in state.arrays.values() for e in a.shape if e is not None]
    for assumption in state.assumptions:
        forms += [c.form for c in assumption.conds] + [r.form for r in assumption.ranges]
    for node in walk(tuple(state.nodes)):
        forms += forms_of(node)
        used |= {*used_values(node), node.array} if isinstance(node, Read | Write) else {*used_values(node)}
    used |= {name for form in forms for name in form.names()}
    read = [p for p in parameters if p.path.isdigit() or p.name in used or (p.value is not None and p.value in used)]
    for parameter in parameters:
        if parameter not in read:
            state.arrays.pop(parameter.name, None)
    return tuple(read)


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


def _typed(state: State, parameter: Parameter) -> Parameter:
    return replace(parameter, type=state.arrays[parameter.name].element)


def _aliasing(state: State, parameters: tuple[Parameter, ...], whole: frozenset[str]) -> list[Assumption]:
    """Pointers that nothing keeps from overlapping, if memory is written through one of them."""
    nodes = list(walk(tuple(state.nodes)))
    written = {n.array for n in nodes if isinstance(n, Write)}
    touched = written | {n.array for n in nodes if isinstance(n, Read)}
    found = []
    arrays = [state.arrays[p.name] for p in parameters if p.name in touched]
    _one_type_written(parameters, written, state)
    lies = {p.name: memory_of(p.path) for p in parameters}
    apart = whole | {a.name for a in state.arrays.values() if a.kind == "global"}
    outside = [a for a in state.arrays.values() if a.kind == "global" and a.name in touched]
    for k, a in enumerate(arrays):
        candidates = [b for b in (*arrays[k + 1 :], *outside) if {a.name, b.name} & written]
        others = [b for b in candidates if not (a.restrict or b.restrict or {a.name, b.name} <= apart)]
        others = [b for b in others if lies[a.name] != lies.get(b.name)]
        others = [b for b in others if not (is_whole(lies[a.name]) and is_whole(lies.get(b.name, f"{FILE}{b.name}")))]
        if others:
            names = ", ".join(f"'{b.name}'" for b in others)
            hint = " (restrict would say so)" if state.unit.language == "C" else ""
            text = f"'{a.name}' does not overlap {names} in memory{hint}"
            found.append(Assumption(a.loc, text, apart=tuple((a.name, b.name) for b in others)))
    changed = [(p, state.arrays[p.name]) for p in parameters if p.name in written]
    changed += [(Parameter(a.name, a.element, a.loc), a) for a in outside if a.name in written]
    return [*found, *read_at_start(parameters, changed)]


def _one_type_written(parameters: tuple[Parameter, ...], written: set[str], state: State) -> None:
    """`Refused` where numbers of several types are written in one array of structs.

    Each type has its own array over the whole memory, and writing one back may write what lies between its elements.
    """
    found: dict[str, Parameter] = {}
    for parameter in (p for p in parameters if p.name in written and state.arrays[p.name].row > 1):
        other = found.setdefault(parameter.path, parameter)
        if other is not parameter:
            raise Refused(parameter.loc, "fields of several types are written in an array of structs")


def flags(function: Function) -> frozenset[str]:
    """The integer parameters that only conditions ask for, and no loop or subscript: they may as well be data."""
    names = {p.name for p in function.parameters if p.value is not None}
    asked, used = set[str](), {n for q in function.quotients for form in (q.left, q.right) for n in form.names()}
    used |= {n for a in function.arrays.values() for e in a.shape if e is not None for n in e.names()}
    for node in walk(function.body):
        for form in () if isinstance(node, IndexOf) else forms_of(node):
            (asked if isinstance(node, If) and form.names() <= names else used).update(form.names())
    return frozenset(asked - used)
