"""Loops that end where they set a stop flag jump there instead: `for (…; i < n && !found; …)` has a `break`.

A loop goes on until its next test when a flag is set, so the step of the last iteration is done behind it. Three
rewrites make such a loop:

1. An assignment of a condition to the flag becomes a branch that sets the flag to a constant.
2. The body is left where it sets the flag, if it only assigns variables behind that. Else a new variable notes that the
   flag would be set, and the body sets the flag and leaves at its end.
3. Where the flag is not known to let the loop begin, a branch asks that first.

    before  for (i = 0; i < n && !found; i++) if (x[i] < 0) found = 1;
    after   for (i = 0; i < n; i++) if (x[i] < 0) { found = 1; break; }
            if (found) i = i + 1;
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial, reduce

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import has_jump
from raising.frontend.core.traverse import Body, map_bodies, nodes_of, statements
from raising.frontend.core.types import BOOL, Bool, Int
from raising.frontend.core.variable_uses import addressed, declared_names, names_in, written_names
from raising.frontend.lower.jumps.copies import NewVariables
from raising.frontend.lower.jumps.counted_exits import is_load_of, opposite
from raising.frontend.lower.jumps.exit_conditions import spelled
from raising.frontend.lower.jumps.stop_flags import Flag, flag_of, last_constant, truth_value, with_value


def with_flags_as_exits(function: st.Function) -> st.Function:
    """The function with jumps in place of stop flags in the conditions of its loops."""
    body = function.body or ()
    if not any(isinstance(s, st.Loop) and isinstance(s.condition, ex.Logical) for s in statements(body)):
        return function
    rewriter = _Rewriter(function)
    made = rewriter.block(body, ())
    return function if made == body else rewriter.new.function(function, made)


class _Rewriter:
    def __init__(self, function: st.Function) -> None:
        self.new = NewVariables(function.variables)
        pointed = addressed(function.body or ())
        variables = (v for v in function.variables.values() if v.storage in ("local", "hidden", "parameter"))
        self.candidates = {v.name for v in variables if v.name not in pointed and isinstance(v.type, Int | Bool)}
        self.loads = Counter(_loaded(function.body or ()))

    def block(self, body: Body, outer: Sequence[Flag]) -> Body:
        """A block with its loops rewritten; `outer` are the stop flags of the loop that it is the body of."""
        out: list[st.Stmt] = []
        for k, stmt in enumerate(body):
            unset = [flag for flag in outer if flag.name not in written_names(body[:k])]
            made = self._loop(stmt, body[:k], unset) if isinstance(stmt, st.Loop) else None
            inner = () if isinstance(stmt, st.Loop) else unset
            out += made or (map_bodies(stmt, partial(self.block, outer=inner)),)
        return tuple(out)

    def _loop(self, loop: st.Loop, before: Body, outer: Sequence[Flag]) -> Body | None:
        """What a loop with stop flags in its condition becomes; None for any other loop."""
        if loop.test or not loop.tests_first:
            return None
        parts = _conjuncts(loop.condition)
        asked = (part for part in parts if names_in(part) <= self.candidates)
        flags = [flag for part in asked if (flag := flag_of(part, loop, before, outer)) is not None]
        rest = [part for part in parts if all(part is not flag.goes_on for flag in flags)]
        steps = loop.step or _last_step(loop.body)
        body = loop.body if loop.step else loop.body[: len(loop.body) - len(steps)]
        if not flags or not rest or not body or (not loop.step and has_jump(body, st.Continue)):
            return None
        left = self._left(self.block(body, flags), flags)
        if left is None:
            return None
        condition = reduce(lambda a, b: build.both(a, b, loop.loc), rest)
        made = replace(loop, condition=condition, body=left if loop.step else (*left, *steps))
        behind = () if self._unread(loop, steps, before) else (_step_behind(flags, steps, loop),)
        return self._entered((made, *behind), loop, flags, self._constants(steps, before))

    def _left(self, body: Body, flags: Sequence[Flag]) -> Body | None:
        """A body that is left where it sets one of the flags; None if that cannot be said."""
        for flag in flags:
            conditional = _set_in_branches(body, flag)
            left = _left_at(conditional, flag.name) or self._left_at_end(conditional, flag.name)
            if left is None:
                return None
            body = left
        return body

    def _left_at_end(self, body: Body, name: str) -> Body | None:
        """The body, left at its end if it sets the flag; None if it reads the flag or jumps behind that."""
        first = next(k for k, s in enumerate(body) if name in written_names((s,)))
        sets = [s for s in statements(body) if _assigns(s, name)]
        if name in _loaded(body[first:]) or len({spelled(s.value) for s in sets if isinstance(s, st.Assign)}) > 1:
            return None
        if has_jump(body, st.Break) or any(isinstance(s, st.Continue | st.Goto | st.Return) for s in statements(body)):
            return None
        loc = body[first].loc
        note = self.new.variable(f"{name}_set", BOOL, loc)
        leave = st.If(build.read(note, loc), (sets[0], st.Break(loc)), (), loc)
        return (st.Declare(note, build.truth(False, loc), loc), *_noted(body, name, note), leave)

    def _unread(self, loop: st.Loop, steps: Body, before: Body) -> bool:
        """Whether nothing reads behind a loop what its steps assign: variables of the block, read in the loop only."""
        own, inside = declared_names(before), Counter(_loaded((loop,)))
        return all(name in own and self.loads[name] == inside[name] for name in written_names(steps))

    def _constants(self, steps: Body, before: Body) -> Body:
        """The constants that counters have in front of a loop, assigned again for a branch around it."""
        targets = [s.target for s in steps if isinstance(s, st.Assign) and isinstance(s.target, ex.Name)]
        values = ((t, last_constant(before, t.name)) for t in targets if t.name in self.candidates)
        return tuple(st.Assign(t, build.integer(v, t.type, t.loc), t.loc) for t, v in values if v is not None)

    def _entered(self, made: Body, loop: st.Loop, flags: Sequence[Flag], constants: Body) -> Body:
        """The loop in branches that ask the conditions on flags which are not known to hold in front of it."""
        asked = [flag.goes_on for flag in flags if not flag.entered]
        inside = (*constants, *made) if asked else made
        for condition in asked:
            inside = (st.If(condition, inside, (), loop.loc),)
        return inside


def _conjuncts(condition: ex.Expr) -> list[ex.Expr]:
    if isinstance(condition, ex.Logical) and condition.op == "and":
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    return [condition]


def _last_step(body: Body) -> Body:
    """The last statement of a body, if it moves a counter by a constant; else nothing."""
    last = body[-1] if body else None
    if not isinstance(last, st.Assign) or not isinstance(last.target, ex.Name) or not isinstance(last.value, ex.Binary):
        return ()
    moves = is_load_of(last.value.left, last.target.name) and isinstance(last.value.right, ex.Literal)
    return (last,) if moves else ()


def _loaded(body: Body) -> Iterator[str]:
    """The variables that statements read, or take the address of: once for each time."""
    for node in nodes_of(body):
        used = node.source if isinstance(node, ex.Load) else getattr(node, "target", None)
        if isinstance(used, ex.Name):
            yield used.name


def _step_behind(flags: Sequence[Flag], steps: Body, loop: st.Loop) -> st.Stmt:
    """The step of the last iteration, if a flag ended the loop."""
    ended = reduce(lambda a, b: build.either(a, b, loop.loc), [opposite(flag.goes_on) for flag in flags])
    return st.If(ended, steps, (), loop.loc)


def _assigns(s: st.Stmt, name: str) -> bool:
    return isinstance(s, st.Assign) and isinstance(s.target, ex.Name) and s.target.name == name


def _set_in_branches(body: Body, flag: Flag) -> Body:
    """Statements in which `flag = condition` is `if (condition) flag = constant`, unless that is the value it has."""
    out: list[st.Stmt] = []
    for s in body:
        condition = truth_value(s.value) if isinstance(s, st.Assign) and _assigns(s, flag.name) else None
        if isinstance(s, st.Assign) and condition is not None and flag.value is not None:
            other = 1 - flag.value
            taken = with_value(condition, flag.name, flag.value)
            constant = ex.Literal(bool(other) if s.value.type == BOOL else other, s.value.type, s.loc)
            out.append(st.If(opposite(taken) if flag.value else taken, (replace(s, value=constant),), (), s.loc))
        else:
            out.append(map_bodies(s, partial(_set_in_branches, flag=flag)))
    return tuple(out)


def _left_at(body: Body, name: str) -> Body | None:
    """The body, left where it sets the flag; None if it does more behind that than assign variables."""
    k = next((k for k, s in enumerate(body) if name in written_names((s,))), None)
    if k is None:
        return body
    at, rest = body[k], body[k + 1 :]
    if isinstance(at, st.Assign):
        more = rest[:-1] if rest and isinstance(rest[-1], st.Continue) else rest
        plain = all(isinstance(s, st.Assign) and not _assigns(s, name) for s in more)
        return (*body[: k + 1], *more, st.Break(at.loc)) if plain else None
    if not isinstance(at, st.If) or (rest and (at.otherwise or not isinstance(at.then[-1], st.Continue))):
        return None
    then, otherwise, after = (_left_at(part, name) for part in (at.then, at.otherwise, rest))
    if then is None or otherwise is None or after is None:
        return None
    if then and isinstance(then[-1], st.Break):
        return (*body[:k], replace(at, then=then, otherwise=()), *otherwise, *after)
    if after:
        return None
    if otherwise and isinstance(otherwise[-1], st.Break):
        return (*body[:k], replace(at, condition=opposite(at.condition), then=otherwise, otherwise=()), *then)
    return (*body[:k], replace(at, then=then, otherwise=otherwise))


def _noted(body: Body, name: str, note: st.Variable) -> Body:
    """The statements with another variable set in place of the flag."""
    return tuple(
        st.Assign(build.name(note, s.loc), build.truth(True, s.loc), s.loc)
        if _assigns(s, name)
        else map_bodies(s, partial(_noted, name=name, note=note))
        for s in body
    )
