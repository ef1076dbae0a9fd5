"""Calls through pointers to functions that are known, as calls by name.

`integrate(&square, a, b)` calls `integrate` with a pointer that it never changes: a copy of `integrate` for `square`
takes its place, without that parameter, in which `f(x)` is `square(x)`. So does a variable that only ever holds one
function's address. A pointer that may be more than one function stays a pointer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, Node, map_bodies, nodes_of, statements
from raising.frontend.core.types import Pointer, Routine
from raising.frontend.core.variable_uses import changed_names
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


def called(unit: st.Unit, body: Body) -> list[st.Function]:
    """The functions that statements call by name, and those that these call; each once."""
    found: dict[str, st.Function] = {}
    pending = [body]
    while pending:
        for stmt in statements(pending.pop()):
            if isinstance(stmt, st.Call) and isinstance(stmt.callee, str) and stmt.callee not in found:
                found[stmt.callee] = unit.routines[stmt.callee]
                pending.append(found[stmt.callee].body or ())
    return list(found.values())


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
        known = _fixed_callees(function, given)
        body = self._block(function.body, known)
        unused = known.keys() - {node.name for node in nodes_of(body) if isinstance(node, ex.Name)}
        if not unused and body == function.body:
            return function
        body = _without(body, unused)
        parameters = tuple(p for p in function.parameters if p.name not in unused & given.keys())
        variables = {name: v for name, v in function.variables.items() if v in parameters or name not in unused}
        return replace(function, body=body, parameters=parameters, variables=variables)

    def _block(self, body: Body, known: Callees) -> Body:
        return tuple(self._statement(s, known) for s in body)

    def _statement(self, stmt: st.Stmt, known: Callees) -> st.Stmt:
        if isinstance(stmt, st.Call):
            return self._call(stmt, known)
        return map_bodies(stmt, lambda body: self._block(body, known))

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
            if to is not None and _is_routine(p.type) and p.name not in changed_names(function.body)
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


def _fixed_callees(function: st.Function, given: Callees) -> Callees:
    """The given variables, and those of a function that hold the address of one function all the time."""
    found, changed = dict(given), changed_names(function.body or ())
    for s in statements(function.body or ()):
        if isinstance(s, st.Declare) and _is_routine(s.variable.type) and s.variable.name not in changed:
            name = _routine(s.initial, found) if s.initial is not None else None
            if name is not None:
                found[s.variable.name] = name
    return found


def _routine(node: Node, known: Callees) -> str | None:
    """The function whose address an expression is; a conversion to another type of function is none."""
    if isinstance(node, ex.RoutineName):
        return node.name
    if isinstance(node, ex.Load) and isinstance(node.source, ex.Name):
        return known.get(node.source.name)
    return None


def _without(body: Body, names: set[str]) -> Body:
    """The statements without the declarations of these variables."""
    rest = (s for s in body if not (isinstance(s, st.Declare) and s.variable.name in names))
    return tuple(map_bodies(s, lambda part: _without(part, names)) for s in rest)
