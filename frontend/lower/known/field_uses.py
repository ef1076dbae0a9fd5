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


class _Body:
    """What the body of one function uses, without the functions that it calls.

    `touched` are the fields that it writes or declares; `calls` are callees, and whether a loop of it repeats the call.
    """

    def __init__(self, unit: st.Unit, function: st.Function) -> None:
        self.function = function  # its identity is that of this object while it lives
        self.names: set[str] = set()
        self.used: set[Field] = set()
        self.written: set[Field] = set()
        self.touched: set[Field] = set()
        self.looped: set[Field] = set()
        self.calls: dict[tuple[str, bool], None] = {}
        pending = [(s, False) for s in function.body or ()]
        while pending:
            stmt, repeats = pending.pop()
            touched = self._statement(unit, stmt)
            self.touched |= touched
            if repeats:
                self.looped |= touched
            if isinstance(stmt, st.Call) and isinstance(stmt.callee, str):
                self.calls[stmt.callee, repeats] = None
            within = repeats or isinstance(stmt, st.Loop)
            pending += [(s, within) for body in bodies(stmt) for s in body]

    def _statement(self, unit: st.Unit, stmt: st.Stmt) -> set[Field]:
        """Note what a statement itself uses; the fields that it writes or declares, or whose address it takes."""
        targets: list[ex.Lvalue] = [stmt.target] if isinstance(stmt, st.Assign) else []
        for expression in own_expressions(stmt):
            for part in inside(expression):
                if isinstance(part, ex.Name):
                    self.names.add(part.name)
                elif isinstance(part, ex.Member) and isinstance(part.base.type, Record):
                    self.used.add((part.base.type.name, part.field))
                elif isinstance(part, ex.Load) and isinstance(part.type, Record):
                    self.used.update(_all_of(unit, part.type))
                elif isinstance(part, ex.AddressOf) and not isinstance(part.target.type, Record):
                    targets.append(part.target)
        found = set(_declared(unit, stmt))
        for target in targets:
            fields = set(_fields_in(unit, target))
            found |= fields
            if not _is_own(unit, target):  # through a pointer, or of a variable of the file
                self.written |= fields
        self.used |= found
        return found


class Bodies:
    """What the functions of a file use, with all that they call; each body is looked through once."""

    def __init__(self) -> None:
        self._found: dict[int, _Body] = {}

    def fields(self, unit: st.Unit, function: st.Function) -> FieldUses:
        """The fields that a call of a function may use."""
        if not unit.records:
            return NONE
        used, written, looped = set[Field](), set[Field](), set[Field]()
        for body, around in self._reached(unit, function):
            used |= body.used
            written |= body.written
            looped |= body.touched if around else body.looped
        return FieldUses(frozenset(used), frozenset(written), frozenset(looped))

    def names(self, unit: st.Unit, function: st.Function) -> set[str]:
        """The variables that a function mentions, and those that the functions do that it calls."""
        return {name for body, _ in self._reached(unit, function) for name in body.names}

    def _reached(self, unit: st.Unit, function: st.Function) -> Iterator[tuple[_Body, bool]]:
        """The bodies that a call may run, and whether a loop of these functions stands around them."""
        seen: set[tuple[str, bool]] = set()
        functions = [(function, False)]
        while functions:
            one, around = functions.pop()
            body = self._found.get(id(one))
            if body is None:
                body = self._found[id(one)] = _Body(unit, one)
            yield body, around
            called = {(callee, around or repeats) for callee, repeats in body.calls} - seen
            seen |= called
            functions += [(unit.routines[callee], repeats) for callee, repeats in called]


def _declared(unit: st.Unit, stmt: st.Stmt) -> Iterator[Field]:
    if isinstance(stmt, st.Declare):
        yield from _all_of(unit, stmt.variable.type)
    if isinstance(stmt, st.Call) and stmt.result is not None:
        yield from _all_of(unit, stmt.result.type)


def _fields_in(unit: st.Unit, target: ex.Lvalue) -> Iterator[Field]:
    """The fields whose own memory is that of an lvalue."""
    while isinstance(target, ex.Half):
        target = target.base
    if isinstance(target, ex.Member) and isinstance(target.base.type, Record):
        yield target.base.type.name, target.field
    yield from _all_of(unit, target.type)


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
