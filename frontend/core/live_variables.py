"""Liveness: which variables a function may read again behind a statement.

A backward data-flow analysis over structured statements (Aho, Lam, Sethi and Ullman, *Compilers*, 2nd ed., 9.2.5).
Loops and jumps are iterated to a fixed point. Before a statement that was refused, every variable is live.
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body
from raising.frontend.core.variable_uses import addressed, mentioned, overwritten, read_names
from raising.support.record import dataclass

Names = frozenset[str]
NONE: Names = frozenset()


@dataclass(frozen=True)
class _Exits:
    """The live variables at the targets of `break` and of `continue`."""

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
        """The variables that may be read after a statement of the function."""
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
        return (live - (overwritten(stmt) - self.always)) | self._reads(stmt)

    def _reads(self, stmt: st.Stmt) -> Names:
        known = self._known_reads.get(id(stmt))
        if known is None:
            known = self._known_reads[id(stmt)] = stmt, frozenset(read_names(stmt))
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
