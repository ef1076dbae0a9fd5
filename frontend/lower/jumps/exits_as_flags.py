"""Loops that are left early, as loops that ask a flag: what runs as it is written needs no minimum.

A `return` stores its value and leaves each loop around it as a `break` does; behind the outermost one, the function
returns.

    before  while (c) { A; if (x) break; B; }
    after   go = true; while (go && c) { A; if (x) go = false; if (go) B; }
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import has_jump, returns
from raising.frontend.core.traverse import Body, bodies, map_bodies, statements, with_bodies
from raising.frontend.core.types import BOOL, VOID, Bool, Float, Int
from raising.frontend.lower.jumps.copies import NewVariables
from raising.support.source import Loc


def with_exits_as_flags(function: st.Function) -> st.Function:
    """The function with loops that end where they are asked to go on; itself where none is left early."""
    body = function.body or ()
    loops = [s for s in statements(body) if isinstance(s, st.Loop)]
    if not any(has_jump(loop.body, st.Break) or _has_return(loop.body) for loop in loops):
        return function
    if not isinstance(function.result, Int | Float | Bool) and function.result != VOID:
        return function
    worker = _Flags(function)
    made = worker.outside(body)
    return worker.new.function(function, (*worker.declared(), *made))


def _has_return(body: Body) -> bool:
    return any(returns(body))


class _Flags:
    def __init__(self, function: st.Function) -> None:
        self.new, self.loc = NewVariables(function.variables), function.loc
        self.returned = self.new.variable("returned", BOOL, self.loc)
        self.result = None if function.result == VOID else self.new.variable("result", function.result, self.loc)

    def declared(self) -> Body:
        """The declarations of the flag for `return`, and of the returned value."""
        first: Body = (st.Declare(self.returned, build.truth(False, self.loc), self.loc),)
        return first if self.result is None else (*first, st.Declare(self.result, None, self.loc))

    def outside(self, body: Body) -> Body:
        """Statements in no loop."""
        out: list[st.Stmt] = []
        for item in body:
            if not isinstance(item, st.Loop):
                out.append(map_bodies(item, self.outside))
                continue
            out += self._loop(item)
            if _has_return(item.body):
                value = None if self.result is None else build.read(self.result, item.loc)
                leave = st.Return(value, item.loc)
                out.append(st.If(build.read(self.returned, item.loc), (leave,), (), item.loc))
        return tuple(out)

    def _loop(self, loop: st.Loop) -> Body:
        """A loop with the declaration of its flag."""
        loc = loop.loc
        go = self.new.variable("go", BOOL, loc)
        body = self._inside(loop.body, go, True)
        if not (has_jump(loop.body, st.Break) or _has_return(loop.body)):
            return (replace(loop, body=body),)
        asked = (*loop.test, st.Assign(build.name(go, loc), loop.condition, loc))
        test = self._if_going(go, asked, loc)
        step = self._if_going(go, loop.step, loc)
        changed = replace(loop, test=test, condition=build.read(go, loc), body=body, step=step)
        return (st.Declare(go, build.truth(True, loc), loc), changed)

    def _inside(self, body: Body, go: st.Variable, ours: bool) -> Body:
        """Statements of a loop with this flag; a `break` in them is `ours`, or that of a switch."""
        out: list[st.Stmt] = []
        for k, item in enumerate(body):
            if isinstance(item, st.Return) or (isinstance(item, st.Break) and ours):
                return (*out, *self._left(item, go))
            out += self._statement(item, go, ours)
            if _has_return((item,)) or (ours and has_jump((item,), st.Break)):
                return (*out, *self._if_going(go, self._inside(body[k + 1 :], go, ours), item.loc))
        return tuple(out)

    def _statement(self, item: st.Stmt, go: st.Variable, ours: bool) -> Body:
        """A statement that is no jump; behind it, the flag says whether the loop goes on."""
        if isinstance(item, st.Loop):
            made = self._loop(item)
            stop = st.If(build.read(self.returned, item.loc), self._stop(go, item.loc), (), item.loc)
            return (*made, stop) if _has_return(item.body) else made
        parts = [self._inside(part, go, ours and not isinstance(item, st.Switch)) for part in bodies(item)]
        if isinstance(item, st.Switch) and _has_return((item,)):  # an arm that returns may fall into the next one
            parts = [self._if_going(go, part, item.loc) for part in parts]
        return (with_bodies(item, tuple(parts)),)

    def _left(self, item: st.Return | st.Break, go: st.Variable) -> Body:
        if isinstance(item, st.Break):
            return self._stop(go, item.loc)
        out = [st.Assign(build.name(self.returned, item.loc), build.truth(True, item.loc), item.loc)]
        if item.value is not None and self.result is not None:
            out.insert(0, st.Assign(build.name(self.result, item.loc), item.value, item.loc))
        return (*out, *self._stop(go, item.loc))

    def _stop(self, go: st.Variable, loc: Loc) -> Body:
        return (st.Assign(build.name(go, loc), build.truth(False, loc), loc),)

    def _if_going(self, go: st.Variable, body: Body, loc: Loc) -> Body:
        return (st.If(build.read(go, loc), body, (), loc),) if body else ()
