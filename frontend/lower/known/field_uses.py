"""Which fields of structs a function uses, with all functions that it calls, and which of them it writes."""

from __future__ import annotations

from collections.abc import Iterator

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import bodies, inside, own_expressions
from raising.frontend.core.types import Array, Record, Type, innermost
from raising.frontend.lower.known.record_memory import fields_of
from raising.support.record import dataclass

Field = tuple[str, str]
"""The names of a struct and of its field."""


@dataclass(frozen=True)
class FieldUses:
    """Fields by their structs: `written` through pointers, whatever these point to, or `looped`: written in any way
    where a loop may repeat it."""

    used: frozenset[Field]
    written: frozenset[Field]
    looped: frozenset[Field]


NONE = FieldUses(frozenset(), frozenset(), frozenset())


def field_uses(unit: st.Unit, function: st.Function) -> FieldUses:
    """The fields that a call of a function may use."""
    if not unit.records:
        return NONE
    used: set[Field] = set()
    written: set[Field] = set()
    looped: set[Field] = set()
    for stmt, repeats in _reached(unit, function):
        for expression in own_expressions(stmt):
            used.update(_mentioned(unit, expression))
        through, own = set(_written(unit, stmt)), set(_declared(unit, stmt))
        used |= {field for field, _ in through} | own
        written |= {field for field, pointed in through if pointed}
        if repeats:
            looped |= {field for field, _ in through} | own
    return FieldUses(frozenset(used), frozenset(written), frozenset(looped))


def _reached(unit: st.Unit, function: st.Function) -> Iterator[tuple[st.Stmt, bool]]:
    """Every statement that a call may run, and whether a loop of these functions stands around it."""
    seen: set[tuple[str, bool]] = set()
    functions = [(function, False)]
    while functions:
        one, around = functions.pop()
        pending = [(s, around) for s in one.body or ()]
        while pending:
            stmt, repeats = pending.pop()
            yield stmt, repeats
            within = repeats or isinstance(stmt, st.Loop)
            pending += [(s, within) for body in bodies(stmt) for s in body]
            if isinstance(stmt, st.Call) and isinstance(stmt.callee, str) and (stmt.callee, repeats) not in seen:
                seen.add((stmt.callee, repeats))
                functions.append((unit.routines[stmt.callee], repeats))


def _mentioned(unit: st.Unit, node: ex.Expr | ex.Lvalue | ex.Initial) -> Iterator[Field]:
    for part in inside(node):
        if isinstance(part, ex.Member) and isinstance(part.base.type, Record):
            yield part.base.type.name, part.field
        if isinstance(part, ex.Load) and isinstance(part.type, Record):
            yield from _all_of(unit, part.type)


def _declared(unit: st.Unit, stmt: st.Stmt) -> Iterator[Field]:
    if isinstance(stmt, st.Declare):
        yield from _all_of(unit, stmt.variable.type)
    if isinstance(stmt, st.Call) and stmt.result is not None:
        yield from _all_of(unit, stmt.result.type)


def _written(unit: st.Unit, stmt: st.Stmt) -> Iterator[tuple[Field, bool]]:
    """The fields whose own memory a statement writes, or whose address it takes; whether through a pointer, or of a
    variable of the file."""
    targets: list[ex.Lvalue] = [stmt.target] if isinstance(stmt, st.Assign) else []
    for expression in own_expressions(stmt):
        for part in inside(expression):
            if isinstance(part, ex.AddressOf) and not isinstance(part.target.type, Record):
                targets.append(part.target)
    for target in targets:
        pointed = not _is_own(unit, target)
        while isinstance(target, ex.Half):
            target = target.base
        if isinstance(target, ex.Member) and isinstance(target.base.type, Record):
            yield (target.base.type.name, target.field), pointed
        yield from ((field, pointed) for field in _all_of(unit, target.type))


def _is_own(unit: st.Unit, target: ex.Lvalue) -> bool:
    """True for a variable of a function, a part of it, or an element of an array variable."""
    while not isinstance(target, ex.Name):
        if isinstance(target, ex.Member | ex.Half):
            target = target.base
        elif isinstance(target, ex.Deref) and isinstance(target.pointer, ex.Offset):
            if not isinstance(target.pointer.pointer, ex.Decay):
                return False
            target = target.pointer.pointer.array
        else:
            return False
    return target.name not in unit.globals


def _all_of(unit: st.Unit, t: Type) -> Iterator[Field]:
    """Every field of a struct, those of the structs in it included."""
    inner = innermost(t) if isinstance(t, Array) else t
    if isinstance(inner, Record):
        for field in fields_of(unit, inner.name):
            yield inner.name, field.name
            yield from _all_of(unit, field.type)
