"""Calls through pointers to functions that are known, as calls by name.

`integrate(&square, a, b)` calls `integrate` with a pointer that it never changes: a copy of `integrate` for `square`
takes its place, without that parameter, in which `f(x)` is `square(x)`. So does a variable that only ever holds one
function's address. A pointer that may be more than one function stays a pointer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import bodies, inside, own_expressions, statements, with_bodies
from raising.frontend.core.types import Pointer, Routine
from raising.support.record import dataclass

MAX_COPIES = 200
"""Copies of functions in a unit; a call that needs one more stays as it is."""

Callees = Mapping[str, str]
"""Names of functions by the variables that hold their addresses."""


def with_known_callees(unit: st.Unit) -> st.Unit:
    """The unit, in which calls through pointers whose function is known are calls by name."""
    if not any(_is_routine(v.type) for f in unit.routines.values() for v in f.variables.values()):
        return unit
    worker = _Copies(unit)
    changed = {name: worker.function(f, {}) for name, f in unit.routines.items()}
    return replace(unit, routines={**changed, **worker.made})


def _is_routine(t: object) -> bool:
    return isinstance(t, Pointer) and isinstance(t.to, Routine)


@dataclass
class _Copies:
    """Copies of the functions of a unit, by the functions that their parameters are."""

    unit: st.Unit

    def __post_init__(self) -> None:
        self.made: dict[str, st.Function] = {}

    def function(self, function: st.Function, given: Callees) -> st.Function:
        """The function with calls by name, where these parameters hold the addresses of these functions."""
        if function.body is None:
            return function
        known = {**given, **_held(function, given)}
        body = self._block(function.body, known)
        unused = known.keys() - _mentioned(body)
        if not unused and body == function.body:
            return function
        body = _without(body, unused)
        parameters = tuple(p for p in function.parameters if p.name not in unused & given.keys())
        variables = {name: v for name, v in function.variables.items() if v in parameters or name not in unused}
        return replace(function, body=body, parameters=parameters, variables=variables)

    def _block(self, body: tuple[st.Stmt, ...], known: Callees) -> tuple[st.Stmt, ...]:
        return tuple(self._statement(s, known) for s in body)

    def _statement(self, stmt: st.Stmt, known: Callees) -> st.Stmt:
        if isinstance(stmt, st.Call):
            return self._call(stmt, known)
        old = bodies(stmt)
        new = tuple(self._block(part, known) for part in old)
        return stmt if new == old else with_bodies(stmt, new)

    def _call(self, call: st.Call, known: Callees) -> st.Call:
        name = call.callee if isinstance(call.callee, str) else _routine(call.callee, known)
        if name is None:
            return call
        function = self.unit.routines[name]
        passed = tuple(_routine(a, known) for a in call.arguments)
        if not any(passed) or function.body is None or len(passed) != len(function.parameters) or function.variadic:
            return replace(call, callee=name)
        fixed = {
            p.name: to
            for p, to in zip(function.parameters, passed, strict=True)
            if to is not None and _is_routine(p.type) and p.name not in _changed(function)
        }
        copy = self._copy(function, fixed)
        if copy is None:
            return replace(call, callee=name)
        left = {p.name for p in copy.parameters}
        pairs = zip(function.parameters, call.arguments, strict=True)
        return replace(call, callee=copy.name, arguments=tuple(a for p, a in pairs if p.name in left))

    def _copy(self, function: st.Function, fixed: Callees) -> st.Function | None:
        name = f"{function.name}.{'.'.join(fixed.values())}"
        if name in self.made:
            return self.made[name] if self.made[name].body is not None else None
        if not fixed or len(self.made) >= MAX_COPIES:
            return None
        self.made[name] = replace(function, name=name, body=None)  # which a recursive call finds
        made = replace(
            self.function(function, fixed), name=name, external=False, copy_of=function.copy_of or function.name
        )
        self.made[name] = made
        return made


def _changed(function: st.Function) -> set[str]:
    """The variables that get values behind their declaration, or whose address is taken."""
    found = set[str]()
    for s in statements(function.body or ()):
        if isinstance(s, st.Assign) and isinstance(s.target, ex.Name):
            found.add(s.target.name)
        taken = (p.target for e in own_expressions(s) for p in inside(e) if isinstance(p, ex.AddressOf))
        found |= {t.name for t in taken if isinstance(t, ex.Name)}
    return found


def _held(function: st.Function, given: Callees) -> dict[str, str]:
    """The variables that only hold the address of one function."""
    found, changed = dict(given), _changed(function)
    for s in statements(function.body or ()):
        if isinstance(s, st.Declare) and _is_routine(s.variable.type) and s.variable.name not in changed:
            name = _routine(s.initial, found) if s.initial is not None else None
            if name is not None:
                found[s.variable.name] = name
    return found


def _routine(node: ex.Expr | ex.Initial, known: Callees) -> str | None:
    """The function whose address an expression is; a conversion to another type of function is none."""
    if isinstance(node, ex.RoutineName):
        return node.name
    if isinstance(node, ex.Load) and isinstance(node.source, ex.Name):
        return known.get(node.source.name)
    return None


def _mentioned(body: tuple[st.Stmt, ...]) -> set[str]:
    """The variables that statements use, but for their declarations."""
    return set(_names(body))


def _names(body: tuple[st.Stmt, ...]) -> Iterator[str]:
    for s in statements(body):
        for e in own_expressions(s):
            yield from (p.name for p in inside(e) if isinstance(p, ex.Name))


def _without(body: tuple[st.Stmt, ...], names: set[str]) -> tuple[st.Stmt, ...]:
    """The statements without the declarations of these variables."""
    kept = tuple(s for s in body if not (isinstance(s, st.Declare) and s.variable.name in names))
    return tuple(with_bodies(s, tuple(_without(part, names) for part in bodies(s))) for s in kept)
