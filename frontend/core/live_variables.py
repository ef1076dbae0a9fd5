"""Liveness: which variables a function may read again behind a statement.

A backward data-flow analysis over structured statements (Aho, Lam, Sethi and Ullman, *Compilers*, 2nd ed., 9.2.5).
Loops and jumps are iterated to a fixed point. Before a statement that was refused, every variable is live.
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import inside, own_expressions, statements
from raising.frontend.core.types import Array, Type, is_scalar
from raising.support.record import dataclass

Body = tuple[st.Stmt, ...]
Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(frozen=True)
class _Exits:
    """What is live where control goes by `break` and by `continue`."""

    on_break: Names = NONE
    on_continue: Names = NONE


class Liveness:
    """The live variables of one function, by statement; statements are told apart by identity.

    A variable whose address is taken, and one that lives longer than a call, stays live once it is.
    """

    def __init__(self, function: st.Function) -> None:
        body = function.body or ()
        self.addressed = addressed(body)
        self.always: Names = frozenset(self.addressed | mentioned(body) - function.variables.keys())
        self.everything: Names = frozenset(function.variables) | self.always
        self._behind: dict[int, Names] = {}
        self._known_reads: dict[int, tuple[st.Stmt, Names]] = {}
        self._labels: dict[str, Names] = {}
        known: dict[str, Names] | None = None
        while known != self._labels:
            known = dict(self._labels)
            self._block(body, self.always, _Exits(self.always, self.always))

    def behind(self, stmt: st.Stmt) -> Names:
        """What may be read behind a statement of the function."""
        return self._behind[id(stmt)]

    def before(self, body: Body, behind: Names) -> Names:
        """What statements that control does not leave may read, if `behind` is live behind them."""
        known, self._behind = self._behind, {}
        try:
            return self._block(body, behind, _Exits(behind, behind))
        finally:
            self._behind = known

    def _block(self, body: Body, live: Names, exits: _Exits) -> Names:
        for stmt in reversed(body):
            known = self._behind.get(id(stmt), NONE)
            self._behind[id(stmt)] = known | live
            live = self._stmt(stmt, live, exits)
        return live

    def _stmt(self, stmt: st.Stmt, live: Names, exits: _Exits) -> Names:
        match stmt:
            case st.Break() | st.Continue() | st.Return() | st.Goto() | st.Refused():
                return self._jump(stmt, exits)
            case st.Label():
                self._labels[stmt.label] = live
            case st.If():
                sides = (self._block(side, live, exits) for side in (stmt.then, stmt.otherwise))
                return self._reads(stmt).union(*sides)
            case st.Loop():
                return self._loop(stmt, live)
            case st.Switch():
                return self._switch(stmt, live, exits)
            case st.Region():
                return self._block(stmt.body, live, exits)
        return (live - (assigned(stmt) - self.always)) | self._reads(stmt)

    def _reads(self, stmt: st.Stmt) -> Names:
        known = self._known_reads.get(id(stmt))
        if known is None:
            known = self._known_reads[id(stmt)] = stmt, _read(stmt)
        return known[1]

    def _jump(self, stmt: st.Break | st.Continue | st.Return | st.Goto | st.Refused, exits: _Exits) -> Names:
        match stmt:
            case st.Break():
                return exits.on_break
            case st.Continue():
                return exits.on_continue
            case st.Return():
                return self.always | self._reads(stmt)
            case st.Goto():
                return self._labels.get(stmt.label, NONE)
        return self.everything

    def _loop(self, loop: st.Loop, live: Names) -> Names:
        head: Names = NONE
        while True:
            step = self._block(loop.step, head, _Exits())
            body = self._block(loop.body, step, _Exits(live, step))
            asked = self._block(loop.test, live | body | self._reads(loop), _Exits())
            if asked == head:
                return head if loop.tests_first else body
            head = asked

    def _switch(self, switch: st.Switch, live: Names, exits: _Exits) -> Names:
        found, falls = NONE if any(arm.default for arm in switch.arms) else live, live
        for arm in reversed(switch.arms):
            falls = self._block(arm.body, falls if arm.falls else live, replace(exits, on_break=live))
            found |= falls
        return found | self._reads(switch)


def mentioned(body: Body) -> set[str]:
    """The variables that statements mention, in the lengths of their types, too."""
    found: set[str] = set()
    for stmt in statements(body):
        found |= _read(stmt) | assigned(stmt)
    return found


def addressed(body: Body) -> set[str]:
    """The variables that something may point to, or to a part of them; arrays only if their address is asked for."""
    found: set[str] = set()
    for stmt in statements(body):
        for part in (part for expression in own_expressions(stmt) for part in inside(expression)):
            target = (
                part.target if isinstance(part, ex.AddressOf) else part.array if isinstance(part, ex.Decay) else None
            )
            while isinstance(target, ex.Member | ex.Half):
                target = target.base
            if isinstance(target, ex.Name) and not (isinstance(part, ex.Decay) and isinstance(target.type, Array)):
                found.add(target.name)
    return found


def assigned(stmt: st.Stmt) -> set[str]:
    """The variables that a statement gives a new value as a whole."""
    match stmt:
        case st.Declare():
            return {stmt.variable.name}
        case st.Assign(target=ex.Name() as target) if is_scalar(target.type):
            return {target.name}
        case st.Call() if stmt.result is not None:
            return {stmt.result.name}
    return set()


def _read(stmt: st.Stmt) -> Names:
    """The variables that a statement itself asks for."""
    if isinstance(stmt, st.Assign) and isinstance(stmt.target, ex.Name) and is_scalar(stmt.target.type):
        return frozenset(_names(stmt.value))
    found: set[str] = set()
    for expression in own_expressions(stmt):
        found |= _names(expression)
    return frozenset(found | (_in_type(stmt.variable.type) if isinstance(stmt, st.Declare) else set()))


def _names(node: ex.Expr | ex.Lvalue | ex.Initial) -> set[str]:
    return {part.name for part in inside(node) if isinstance(part, ex.Name)}


def _in_type(t: Type) -> set[str]:
    found: set[str] = set()
    while isinstance(t, Array):
        found |= set() if t.extent is None or isinstance(t.extent, int) else _names(t.extent)
        t = t.element
    return found
