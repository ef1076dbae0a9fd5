"""How the variables around a part of a function come into the function that is made of it, and out again.

Arrays, structs and pointers are passed as pointers, numbers by value. A number that the part changes and that may be
read afterwards is passed by address, as `NAME_at`; of a pointer, the number of elements by which it moves is, as
`NAME_by`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.traverse import Body
from raising.support.record import dataclass

COUNT = core_types.I64


@dataclass(frozen=True)
class Passed:
    """What a variable becomes in the function that is made of a part.

    `parameters` are its parameters, each with the argument in C; `before` and `behind` are statements around the part.
    `own` are the parameters that are arrays of their own; `moves` is the pointer that the caller has to move.
    """

    parameters: tuple[tuple[st.Variable, str], ...] = ()
    before: Body = ()
    behind: Body = ()
    own: frozenset[str] = frozenset()
    moves: str = ""


def by_value(variable: st.Variable) -> Passed:
    """A variable whose value at the start of the part is all that the part needs."""
    return Passed(((replace(variable, storage="parameter"), _source(variable)),))


def not_passed(variable: st.Variable) -> Passed:
    """A variable that the part gives a value before it reads it, and nobody reads behind the part."""
    return Passed(before=(_local(variable),))


def array_parameter(array: st.Variable) -> Passed:
    """An array: a pointer to its elements."""
    assert isinstance(array.type, core_types.Array)
    pointer = core_types.Pointer(array.type.element)
    parameter = replace(array, storage="parameter", type=pointer, length=array.type.extent)
    return Passed(((parameter, array.source),), own=frozenset({array.name}))


def record_parameter(record: st.Variable) -> Passed:
    """A struct: a pointer to it."""
    to = core_types.Pointer(record.type, record.constant)
    return Passed(((replace(record, type=to, storage="parameter"), f"&{record.source}"),))


def computed(variable: st.Variable, value: ex.Expr, changes: bool, read_after: bool) -> Passed:
    """A number whose value at the start of the part is an expression over other variables."""
    local = replace(variable, storage="local", constant=not changes)
    declared = (st.Declare(local, value, variable.loc),)
    if not read_after:
        return Passed(before=declared)
    at, target = _address(variable, True)
    return Passed(((at, f"&{variable.source}"),), declared, (st.Assign(target, build.read(local, at.loc), at.loc),))


def by_address(variable: st.Variable, needed: bool, own: bool) -> Passed:
    """A number that is read behind the part; `needed`: the part reads it, too. `own`: nothing else points to it."""
    loc = variable.loc
    local = replace(variable, storage="local", constant=False)
    at, target = _address(variable, own)
    behind = (st.Assign(target, build.read(local, loc), loc),)
    if needed and isinstance(variable.type, core_types.Int):  # by value, too, so that it can be where a counter starts
        value = replace(local, storage="parameter")
        return Passed(((value, variable.source), (at, f"&{variable.source}")), (), behind)
    fetch = (st.Assign(build.name(local, loc), build.load(target, loc), loc),) if needed else ()
    return Passed(((at, f"&{variable.source}"),), (_local(variable), *fetch), behind)


def moving_pointer(pointer: st.Variable) -> Passed:
    """A pointer that is read behind the part: the part tells by how many elements it has moved."""
    loc, source = pointer.loc, _source(pointer)
    parameter = replace(pointer, storage="parameter")
    start = st.Variable(f"{pointer.name}.start", pointer.type, "local", loc, constant=True)
    begin = st.Declare(start, build.read(parameter, loc), loc)
    by = st.Variable(f"{pointer.name}_by", core_types.Pointer(COUNT, restrict=True), "parameter", loc, f"{source}_by")
    moved = ex.Distance(build.read(parameter, loc), build.read(start, loc), COUNT, loc)
    end = st.Assign(build.deref(build.read(by, loc), loc), moved, loc)
    return Passed(((parameter, source), (by, f"&{by.source}")), (begin,), (end,), moves=source)


def call_text(name: str, passed: Sequence[Passed]) -> str:
    """The call of a part that is a function, as a statement of C."""
    call = f"{name}({', '.join(argument for p in passed for _, argument in p.parameters)});"
    moving = [p.moves for p in passed if p.moves]
    if not moving:
        return call
    counts = ", ".join(f"{p}_by" for p in moving)
    return f"{{ long {counts}; {call} {' '.join(f'{p} += {p}_by;' for p in moving)} }}"


def _source(variable: st.Variable) -> str:
    """The argument for a variable: of a reference of C++, the address that it stands for."""
    return f"&{variable.source}" if variable.reference else variable.source


def _local(variable: st.Variable) -> st.Declare:
    """A local variable in place of one from around the part, without a value."""
    return st.Declare(replace(variable, storage="local", constant=False), None, variable.loc)


def _address(variable: st.Variable, own: bool) -> tuple[st.Variable, ex.Lvalue]:
    """The parameter that is the address of a variable, and what lies there."""
    pointer, source = core_types.Pointer(variable.type, restrict=own), f"{variable.source}_at"
    at = replace(variable, name=f"{variable.name}_at", type=pointer, storage="parameter", source=source)
    return at, build.deref(build.read(at, variable.loc), variable.loc)
