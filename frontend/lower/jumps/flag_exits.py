"""Flags that end loops become jumps: `while (i < n && !done) { if (c) done = 1; i++; }` is left where `done` is set.

`while (i < n) { if (c) { done = 1; break; } i++; } if (done) i++;` does the same, if `done` is 0 in front of the loop
(else it is not entered), and if whatever the loop gives it ends the loop. A flag that is set in a loop of the body, or
in front of other statements of it, is set again at the end of the body, by way of a variable of its own.

    before  for (i = 0; i < n && !found; i++) if (x[i] < 0) found = 1;
    after   for (i = 0; i < n; i++) if (x[i] < 0) { found = 1; break; }
            if (found) i = i + 1;
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, cast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import has_jump
from raising.frontend.core.traverse import (
    Body,
    inside,
    map_bodies,
    nodes_of,
    statements,
    with_operands,
)
from raising.frontend.core.types import BOOL, Bool, Int
from raising.frontend.core.variable_uses import addressed, names_in, written_by, written_names
from raising.frontend.lower.jumps.copies import NewVariables
from raising.frontend.lower.jumps.counted_exits import is_load_of, opposite
from raising.frontend.lower.jumps.exit_conditions import spelled
from raising.support.record import dataclass


def with_flags_as_exits(function: st.Function) -> st.Function:
    """The function with jumps in place of flags in the conditions of its loops."""
    body = function.body or ()
    if not any(isinstance(s, st.Loop) and isinstance(s.condition, ex.Logical) for s in statements(body)):
        return function
    worker = _Flags(function)
    made = worker.block(body, ())
    return function if made == body else worker.new.function(function, made)


@dataclass(frozen=True)
class _Flag:
    """A variable, and the condition on it under which a loop goes on; its value there, if that is known.

    `entered`: the condition holds in front of the loop.
    """

    name: str
    goes_on: ex.Expr
    value: int | None
    entered: bool


class _Flags:
    def __init__(self, function: st.Function) -> None:
        self.new = NewVariables(function.variables)
        pointed = addressed(function.body or ())
        variables = (v for v in function.variables.values() if v.storage in ("local", "hidden", "parameter"))
        self.free = {v.name for v in variables if v.name not in pointed and isinstance(v.type, Int | Bool)}
        self.loads = _loads(function.body or ())

    def block(self, body: Body, known: tuple[_Flag, ...]) -> Body:
        """A block in which loops are left by jumps; `known` are flags that end no loop at its start."""
        out: list[st.Stmt] = []
        for k, stmt in enumerate(body):
            still = tuple(flag for flag in known if flag.name not in written_names(body[:k]))
            made = self._loop(stmt, body[:k], still) if isinstance(stmt, st.Loop) else None
            if made is None:
                inner = () if isinstance(stmt, st.Loop) else still
                made = (map_bodies(stmt, partial(self.block, known=inner)),)
            out += made
        return tuple(out)

    def _loop(self, loop: st.Loop, before: Body, known: tuple[_Flag, ...]) -> Body | None:
        """What a loop with flags in its condition becomes; None for any other."""
        if loop.test or not loop.tests_first:
            return None
        asked = _conjuncts(loop.condition)
        flags = tuple(flag for e in asked if (flag := self._flag(e, loop, before, known)) is not None)
        rest = [e for e in asked if all(e is not flag.goes_on for flag in flags)]
        steps = loop.step or _step(loop.body)
        body: Body | None = loop.body if loop.step else loop.body[: len(loop.body) - len(steps)]
        if not flags or not rest or not body or (not loop.step and has_jump(body, st.Continue)):
            return None
        body = self.block(body, flags)
        for flag in flags:
            body = _with_branches(body, flag)
            body = _left_at(body, flag) or self._left_at_end(body, flag)
            if body is None:
                return None
        condition = rest[0]
        for other in rest[1:]:
            condition = build.both(condition, other, loop.loc)
        made = replace(loop, condition=condition, body=body if loop.step else (*body, *steps))
        whole: Body = (made,) if self._dead(loop, steps, before) else (made, _behind(flags, steps, loop))
        asked_first = [flag.goes_on for flag in flags if not flag.entered]
        whole = (*self._set_again(steps, before), *whole) if asked_first else whole
        for e in asked_first:
            whole = (st.If(e, whole, (), loop.loc),)
        return whole

    def _dead(self, loop: st.Loop, steps: Body, before: Body) -> bool:
        """Whether nothing asks what the steps of a loop leave behind it."""
        declared = {s.variable.name for s in before if isinstance(s, st.Declare)}
        own = _loads((loop,))
        return all(name in declared and self.loads.get(name, 0) == own.get(name, 0) for name in written_names(steps))

    def _set_again(self, steps: Body, before: Body) -> Body:
        """The constants that counters have in front of a loop, for a branch around it."""
        targets = [s.target for s in steps if isinstance(s, st.Assign) and isinstance(s.target, ex.Name)]
        values = ((t, _last_value(before, t.name)) for t in targets if t.name in self.free)
        return tuple(st.Assign(t, build.integer(v, t.type, t.loc), t.loc) for t, v in values if v is not None)

    def _flag(self, asked: ex.Expr, loop: st.Loop, before: Body, known: tuple[_Flag, ...]) -> _Flag | None:
        """The flag of a part of a loop's condition, if the loop only gives it values that end the loop."""
        names = names_in(asked)
        if len(names) != 1 or not names <= self.free or any(isinstance(p, ex.Deref | ex.Member) for p in inside(asked)):
            return None
        (name,) = names
        value, entered = _last_value(before, name), False
        for flag in known if name not in written_names(before) else ():
            if flag.name == name and spelled(flag.goes_on) == spelled(asked):
                value, entered = flag.value, True
        if value is not None:
            entered = _holds(asked, name, value) is True
            if not entered:
                return None
        if [_holds(asked, name, v) for v in (0, 1, -1, 2)] == [True, False, False, False]:
            value = 0  # the only one with which the loop goes on
        found = _Flag(name, asked, value, entered)
        sets = [s for s in statements(loop.body) if name in written_by(s)]
        step = name in written_names(loop.step)
        return found if sets and not step and all(_ends(s, found) for s in sets) else None

    def _left_at_end(self, body: Body, flag: _Flag) -> Body | None:
        """The body, left at its end where it sets the flag; None if it asks for the flag behind that."""
        first = next(k for k, s in enumerate(body) if flag.name in written_names((s,)))
        sets = [s for s in statements(body) if isinstance(s, st.Assign) and _is_name(s.target, flag.name)]
        if flag.name in _loads(body[first:]) or len({spelled(s.value) for s in sets}) > 1:
            return None
        if has_jump(body, st.Break) or any(isinstance(s, st.Continue | st.Goto | st.Return) for s in statements(body)):
            return None
        loc = body[first].loc
        own = self.new.variable(f"{flag.name}_set", BOOL, loc)
        marked = _marking(body, flag.name, own)
        leave = st.If(build.read(own, loc), (sets[0], st.Break(loc)), (), loc)
        return (st.Declare(own, build.truth(False, loc), loc), *marked, leave)


def _behind(flags: tuple[_Flag, ...], steps: Body, loop: st.Loop) -> st.Stmt:
    """The step of the last iteration, behind a loop that a flag ended."""
    ended = opposite(flags[0].goes_on)
    for flag in flags[1:]:
        ended = build.either(ended, opposite(flag.goes_on), loop.loc)
    return st.If(ended, steps, (), loop.loc)


def _conjuncts(condition: ex.Expr) -> list[ex.Expr]:
    if isinstance(condition, ex.Logical) and condition.op == "and":
        return [*_conjuncts(condition.left), *_conjuncts(condition.right)]
    return [condition]


def _step(body: Body) -> Body:
    """The last statement of a body, if it moves a counter."""
    last = body[-1] if body else None
    if not isinstance(last, st.Assign) or not isinstance(last.target, ex.Name) or not isinstance(last.value, ex.Binary):
        return ()
    moves = is_load_of(last.value.left, last.target.name) and isinstance(last.value.right, ex.Literal)
    return (last,) if moves else ()


def _loads(body: Body) -> dict[str, int]:
    """How often variables are read, or their address is taken."""
    found: dict[str, int] = {}
    for part in nodes_of(body):
        held = part.source if isinstance(part, ex.Load) else getattr(part, "target", None)
        if isinstance(held, ex.Name):
            found[held.name] = found.get(held.name, 0) + 1
    return found


def _is_name(target: ex.Lvalue, name: str) -> bool:
    return isinstance(target, ex.Name) and target.name == name


def _last_value(before: Body, name: str) -> int | None:
    """The constant that the last of these statements which gives the variable a value gives it."""
    for s in reversed(before):
        if isinstance(s, st.Label):
            return None
        if name not in written_names((s,)):
            continue
        value = s.initial if isinstance(s, st.Declare) else s.value if isinstance(s, st.Assign) else None
        return int(value.value) if isinstance(value, ex.Literal) else None
    return None


def _ends(s: st.Stmt, flag: _Flag) -> bool:
    """Whether an assignment to a flag gives it a value that ends the loop, or a truth value which does or changes
    nothing."""
    if not isinstance(s, st.Assign):
        return False
    if isinstance(s.value, ex.Literal):
        return _holds(flag.goes_on, flag.name, int(s.value.value)) is False
    other = {0: 1, 1: 0}.get(-1 if flag.value is None else flag.value)
    return _truth(s.value) is not None and other is not None and _holds(flag.goes_on, flag.name, other) is False


def _truth(value: ex.Expr) -> ex.Expr | None:
    """The truth value that a value is."""
    if isinstance(value, ex.Convert) and isinstance(value.type, Int):
        value = value.operand
    return value if isinstance(value.type, Bool) and not isinstance(value, ex.Load | ex.Literal) else None


def _with_branches(body: Body, flag: _Flag) -> Body:
    """Statements in which a flag is only set to constants, under conditions."""
    out: list[st.Stmt] = []
    for s in body:
        truth = _truth(s.value) if isinstance(s, st.Assign) and _is_name(s.target, flag.name) else None
        if truth is not None:
            assign, value = cast(st.Assign, s), cast(int, flag.value)
            literal = ex.Literal(bool(1 - value) if assign.value.type == BOOL else 1 - value, assign.value.type, s.loc)
            taken = cast(ex.Expr, _with_value(truth, flag.name, value))
            taken = opposite(taken) if value else taken
            out.append(st.If(taken, (replace(assign, value=literal),), (), s.loc))
        else:
            out.append(map_bodies(s, lambda part: _with_branches(part, flag)))
    return tuple(out)


def _with_value(node: Any, name: str, value: int) -> Any:
    """An expression in which a variable has a constant value, as far as that decides conditions."""
    if is_load_of(node, name):
        return ex.Literal(bool(value) if node.type == BOOL else value, node.type, node.loc)
    return _decided(with_operands(node, lambda part: _with_value(part, name, value)))


def _decided(node: Any) -> Any:
    """A condition on constants as a constant, or as the operand that decides it; any other expression as it is."""
    match node:
        case ex.Not(operand=ex.Literal() as operand):
            return build.negated(operand, node.loc)
        case ex.Convert(operand=ex.Literal() as operand) if isinstance(operand.type, Bool):
            return build.convert(operand, node.type, node.loc)
        case ex.Compare(op="eq" | "ne", left=ex.Literal() as left, right=ex.Literal() as right):
            return build.truth((left.value == right.value) == (node.op == "eq"), node.loc)
        case ex.Logical(left=ex.Literal() as known, right=other) | ex.Logical(left=other, right=ex.Literal() as known):
            if bool(known.value) is (node.op == "and"):
                return other
            return known if known is node.left else node
    return node


def _left_at(body: Body, flag: _Flag) -> Body | None:
    """The body, left where it sets the flag; None if it does more behind that than assign."""
    k = next((k for k, s in enumerate(body) if flag.name in written_names((s,))), None)
    if k is None:
        return body
    at, rest = body[k], body[k + 1 :]
    if isinstance(at, st.Assign):
        more = rest[:-1] if rest and isinstance(rest[-1], st.Continue) else rest
        plain = all(isinstance(s, st.Assign) and not _is_name(s.target, flag.name) for s in more)
        return (*body[: k + 1], *more, st.Break(at.loc)) if plain else None
    if not isinstance(at, st.If) or (rest and (at.otherwise or not isinstance(at.then[-1], st.Continue))):
        return None
    then, otherwise, after = (_left_at(part, flag) for part in (at.then, at.otherwise, rest))
    if then is None or otherwise is None or after is None:
        return None
    if then and isinstance(then[-1], st.Break):
        return (*body[:k], replace(at, then=then, otherwise=()), *otherwise, *after)
    if after:
        return None
    if otherwise and isinstance(otherwise[-1], st.Break):
        return (*body[:k], replace(at, condition=opposite(at.condition), then=otherwise, otherwise=()), *then)
    return (*body[:k], replace(at, then=then, otherwise=otherwise))


def _marking(body: Body, name: str, own: st.Variable) -> Body:
    """The statements with a variable set in place of the flag."""
    out: list[st.Stmt] = []
    for s in body:
        if isinstance(s, st.Assign) and _is_name(s.target, name):
            out.append(st.Assign(build.name(own, s.loc), build.truth(True, s.loc), s.loc))
        else:
            out.append(map_bodies(s, lambda part: _marking(part, name, own)))
    return tuple(out)


def _holds(asked: ex.Expr, name: str, value: int) -> bool | None:
    """Whether a condition holds where the variable has this value; None if that does not decide it."""
    found = _with_value(asked, name, value)
    return bool(found.value) if isinstance(found, ex.Literal) and not isinstance(found.value, float) else None
