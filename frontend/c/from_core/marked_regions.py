"""Regions between `#pragma scop` and `#pragma endscop`, as functions of their own.

What a region uses of the function around it becomes parameters: arrays and
pointers as they are, numbers by value. A number that the region changes and
that is used after it is passed by address, as `NAME_at`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from raising.frontend.c.from_core.statement_order import leaves
from raising.frontend.c.ir.module import Refused
from raising.frontend.c.known.state import assigned_names
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core import types as core_types
from raising.frontend.core.traverse import bodies, inside, own_expressions, statements, with_bodies, with_operands
from raising.support.record import dataclass
from raising.support.source import Loc

Body = tuple[st.Stmt, ...]


@dataclass(frozen=True)
class Marked:
    """A region of a function: `after` are the names that the function uses behind it; in a loop, outside of it."""

    region: st.Region
    after: frozenset[str]
    again: bool


def regions(function: st.Function) -> list[Marked]:
    """The regions of a function, in order."""
    return list(_inside(function.body or (), (), function.body or (), False))


def _inside(body: Body, after: Body, whole: Body, again: bool) -> Iterator[Marked]:
    for k, item in enumerate(body):
        behind = (*body[k + 1 :], *after)
        if isinstance(item, st.Region):
            names = _names(whole, item) if again else _names(behind)
            yield Marked(item, frozenset(names), again)
        else:
            for part in bodies(item):
                yield from _inside(part, behind, whole, again or isinstance(item, st.Loop))


def _names(body: Body, but: st.Stmt | None = None) -> set[str]:
    """The variables that statements mention, without those in one of them."""
    found: set[str] = set()
    pending = list(body)
    while pending:
        item = pending.pop()
        if item is but:
            continue
        for expression in own_expressions(item):
            found |= {part.name for part in inside(expression) if isinstance(part, ex.Name)}
        pending += [part for inner in bodies(item) for part in inner]
    return found


# ---- what a region needs ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Passed:
    """How a variable comes into a region: its parameter, and statements before and behind."""

    parameter: st.Variable | None
    before: Body = ()
    behind: Body = ()


def outlined(function: st.Function, marked: Marked, name: str) -> tuple[st.Function, frozenset[str]]:
    """A region as a function of this name, and those of its parameters that are objects of their own."""
    body, loc = marked.region.body, marked.region.loc
    leaving = next((item for item in body if leaves(item)), None)
    if leaving is not None:
        raise Refused(_jump(leaving).loc, "control leaves the region before its end")
    lengths = _Lengths(function, loc)
    names = _names(body) & function.variables.keys()
    names -= {item.variable.name for item in statements(body) if isinstance(item, st.Declare)}
    names -= {item.result.name for item in statements(body) if isinstance(item, st.Call) and item.result is not None}
    outer = {n: lengths.without_hidden(function.variables[n]) for n in names}
    for variable in list(outer.values()):
        for n in lengths.of(variable):
            outer.setdefault(n, function.variables[n])
    ordered = [outer[n] for n in function.variables if n in outer]
    passed = [_passed(marked, variable) for variable in ordered]
    arrays = frozenset(v.name for v in ordered if isinstance(v.type, core_types.Array))
    whole = tuple(s for p in passed for s in p.before) + body + tuple(s for p in passed for s in p.behind)
    parameters = tuple(p.parameter for p in passed if p.parameter is not None)
    inner = [v for v in ordered if v.storage != "parameter"]
    addressed = _addressed(function.body or ())
    own = {v.name for v in inner if v.name in arrays} | {f"{v.name}_at" for v in inner if v.name not in addressed}
    body = tuple(_pointing(item, {p.name: p for p in parameters if p.name in arrays}) for item in whole)
    variables = {p.name: p for p in parameters} | {
        item.variable.name: item.variable for item in statements(body) if isinstance(item, st.Declare)
    }
    made = st.Function(name, core_types.VOID, parameters, body, loc, variables)
    return made, frozenset(own)


def _jump(item: st.Stmt) -> st.Stmt:
    """The jump that leaves a statement."""
    while not isinstance(item, st.Return | st.Break | st.Continue):
        item = next(part for inner in bodies(item) for part in inner if leaves(part))
    return item


def _passed(marked: Marked, variable: st.Variable) -> _Passed:
    body, name, loc = marked.region.body, variable.name, variable.loc
    changes = name in assigned_names(body)
    needed, is_set = _needs(body, name, False)
    used_after = name in marked.after or (marked.again and needed)
    parameter = replace(variable, storage="parameter", constant=variable.constant and not changes)
    if isinstance(variable.type, core_types.Array):
        element = variable.type.element
        return _Passed(replace(parameter, type=core_types.Pointer(element), length=variable.type.extent))
    if isinstance(variable.type, core_types.Pointer):
        if changes and used_after:
            raise Refused(marked.region.loc, f"pointer '{variable.source}' changes in the region and is used after it")
        return _Passed(parameter)
    local = replace(variable, storage="local", constant=False)
    declared = (st.Declare(local, None, loc),)
    if not changes or not used_after:
        return _Passed(parameter) if needed or not changes else _Passed(None, declared)
    pointer = core_types.Pointer(variable.type)
    at = replace(variable, name=f"{name}_at", source=f"{variable.source}_at", type=pointer, storage="parameter")
    there = build.deref(build.read(at, loc), loc)
    fetch = () if is_set and not needed else (st.Assign(build.name(local, loc), build.load(there, loc), loc),)
    return _Passed(at, (*declared, *fetch), (st.Assign(there, build.read(local, loc), loc),))


def _needs(body: Body, name: str, is_set: bool) -> tuple[bool, bool]:
    """Whether statements may read a variable before it is set, and whether it is set behind them in any case."""
    needed = False
    for item in body:
        needs, is_set = _statement_needs(item, name, is_set)
        needed |= needs
    return needed, is_set


def _statement_needs(item: st.Stmt, name: str, is_set: bool) -> tuple[bool, bool]:
    if isinstance(item, st.Assign) and isinstance(item.target, ex.Name) and item.target.name == name:
        return not is_set and _reads((item.value,), name), True
    reads = not is_set and _reads(own_expressions(item), name)
    if isinstance(item, st.Loop):
        order = (
            [(*item.test,), (*item.body, *item.step)] if item.tests_first else [(*item.body, *item.step, *item.test)]
        )
        first, is_set_first = _needs(order[0], name, is_set)
        rest = any(_needs(part, name, is_set_first)[0] for part in order[1:])
        return reads or first or rest, is_set_first
    found = [_needs(part, name, is_set) for part in bodies(item)]
    certain = isinstance(item, st.Region) or (isinstance(item, st.If) and len(found) == 2)
    return reads or any(n for n, _ in found), is_set or (certain and all(known for _, known in found))


def _reads(expressions: tuple[ex.Expr | ex.Lvalue | ex.Initial, ...], name: str) -> bool:
    return any(isinstance(part, ex.Name) and part.name == name for e in expressions for part in inside(e))


def _addressed(body: Body) -> set[str]:
    """The variables whose address is taken."""
    return {
        part.target.name
        for item in statements(body)
        for expression in own_expressions(item)
        for part in inside(expression)
        if isinstance(part, ex.AddressOf) and isinstance(part.target, ex.Name)
    }


# ---- lengths ----------------------------------------------------------------------------------------


class _Lengths:
    """The extents of the arrays of a function, over variables that the user has declared."""

    def __init__(self, function: st.Function, loc: Loc) -> None:
        self.loc = loc
        self.changed = assigned_names(function.body or ())
        self.variables = function.variables
        found = [s for s in statements(function.body or ()) if isinstance(s, st.Declare)]
        self.hidden = {s.variable.name: s.initial for s in found if s.variable.storage == "hidden"}

    def without_hidden(self, variable: st.Variable) -> st.Variable:
        """A variable whose type mentions no constant that the reader has made."""
        t, extent = self._type(variable.type, variable), variable.length
        shown = extent if extent is None or isinstance(extent, int) else self._expression(extent, variable)
        return variable if t is variable.type and shown is extent else replace(variable, type=t, length=shown)

    def of(self, variable: st.Variable) -> set[str]:
        """The variables that its extents mention."""
        found: set[str] = set()
        t: core_types.Type = variable.type
        extents = [variable.length]
        while isinstance(t, core_types.Array | core_types.Pointer):
            extents += [t.extent] if isinstance(t, core_types.Array) else []
            t = t.element if isinstance(t, core_types.Array) else t.to
        for extent in extents:
            if extent is not None and not isinstance(extent, int):
                found |= {part.name for part in inside(extent) if isinstance(part, ex.Name)}
        return found & self.variables.keys()

    def _type(self, t: core_types.Type, variable: st.Variable) -> core_types.Type:
        if isinstance(t, core_types.Pointer):
            to = self._type(t.to, variable)
            return t if to is t.to else replace(t, to=to)
        if not isinstance(t, core_types.Array):
            return t
        element, extent = self._type(t.element, variable), t.extent
        shown = extent if extent is None or isinstance(extent, int) else self._expression(extent, variable)
        return t if element is t.element and shown is extent else core_types.Array(element, shown)

    def _expression(self, node: ex.Expr, variable: st.Variable) -> ex.Expr:
        hidden = isinstance(node, ex.Load) and isinstance(node.source, ex.Name)
        initial = self.hidden.get(node.source.name) if hidden else None  # type: ignore[union-attr]
        if initial is not None and not isinstance(initial, ex.Aggregate):
            return self._expression(initial, variable)
        if isinstance(node, ex.Name) and node.name in self.changed:
            raise Refused(self.loc, f"the length of '{variable.source}' is a variable that changes")
        changed: ex.Expr = with_operands(node, lambda part: self._expression(part, variable))
        return changed


def _pointing(item: st.Stmt, pointers: dict[str, st.Variable]) -> st.Stmt:
    """A statement in which arrays are parameters: pointers to their elements."""

    def change(node: ex.Expr | ex.Lvalue | ex.Initial) -> ex.Expr | ex.Lvalue | ex.Initial:
        if isinstance(node, ex.Decay) and isinstance(node.array, ex.Name) and node.array.name in pointers:
            return build.read(pointers[node.array.name], node.loc)
        return with_operands(node, change)

    if not pointers:
        return item
    fields = {name: getattr(item, name) for name in ("target", "value", "condition", "initial") if hasattr(item, name)}
    changed = {name: change(old) for name, old in fields.items() if old is not None}
    new_ones: dict[str, Any] = {name: new for name, new in changed.items() if new is not fields[name]}
    made: st.Stmt = replace(item, **new_ones) if new_ones else item
    if isinstance(made, st.Call):
        made = replace(made, arguments=tuple(change(a) for a in made.arguments))  # type: ignore[misc]
    inner = tuple(tuple(_pointing(part, pointers) for part in body) for body in bodies(made))
    return with_bodies(made, inner) if inner else made
