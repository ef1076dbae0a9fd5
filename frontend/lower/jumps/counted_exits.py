"""Loops that count by one, up or down, and are left on conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import has_jump
from raising.frontend.core.traverse import Body, bodies, statements
from raising.frontend.core.types import Int
from raising.frontend.core.variable_uses import names_in
from raising.frontend.lower.jumps.forward_gotos import without_continues
from raising.support.record import dataclass


@dataclass(frozen=True)
class Exit:
    """Where a loop is left: in the branch `at`, under `conditions` of the branches around it and its own; `then` is
    done before, and `leave` is the jump."""

    at: st.If
    conditions: tuple[ex.Expr, ...]
    then: Body
    leave: st.Break | st.Return | st.Goto


@dataclass(frozen=True)
class Counted:
    """A loop over `counter` from `first` on, while `condition` holds: below `end`, or above it if it counts down
    (`up` is False). `body` is what it does but for its step; `exits` in the order of the text."""

    counter: ex.Name
    first: ex.Expr
    end: ex.Expr
    up: bool
    condition: ex.Expr
    body: Body
    step: st.Assign
    exits: tuple[Exit, ...]
    pure: bool
    """It does nothing but leave."""


def counted(loop: st.Loop, before: st.Stmt | None) -> Counted | None:
    """A loop that is left early; None for any other. `before` may give its counter the first value."""
    found = _with_bounds(loop, before)
    exits = tuple(_exits(found.body, ())) if found is not None else ()
    if found is None or not exits or not _only_these(found.body, exits):
        return None
    return replace(found, exits=exits, pure=all(s in [e.at for e in exits] for s in found.body))


def counted_whole(loop: st.Loop, before: st.Stmt | None) -> Counted | None:
    """A loop that always runs to its end; None for any other."""
    found = _with_bounds(loop, before)
    whole = found is not None and isinstance(loop.condition, ex.Compare) and _only_these(found.body, ())
    return found if whole else None


def _with_bounds(loop: st.Loop, before: st.Stmt | None) -> Counted | None:
    """A loop that counts by one, its exits not looked for."""
    parts = _parts(loop)
    if parts is None:
        return None
    condition, body, step = parts
    if not isinstance(step.target, ex.Name) or not isinstance(step.target.type, Int):
        return None
    counter = step.target
    start = first_value(before, counter.name) or build.load(counter, loop.loc)
    up = _direction(step, counter)
    if up is None:
        return None
    end = _end(condition, counter, up)
    return None if end is None else Counted(counter, start, end, up, condition, body, step, (), False)


def _parts(loop: st.Loop) -> tuple[ex.Expr, Body, st.Assign] | None:
    """The condition on the counter, the body and the step of a loop; the rest of its condition becomes an exit."""
    stepped = _with_step(loop) if loop.tests_first and not loop.test else None
    if stepped is None:
        return None
    body, step = stepped
    straight = without_continues(body) if has_jump(body, st.Continue) else body
    if straight is None:
        return None
    condition, body = _asked_first(loop.condition, straight)
    if isinstance(condition, ex.Logical) and condition.op == "and":
        leave = st.If(build.negated(condition.right, loop.loc), (st.Break(loop.loc),), (), loop.loc)
        condition, body = condition.left, (leave, *body)
    return condition, body, step


def _with_step(loop: st.Loop) -> tuple[Body, st.Assign] | None:
    """The body and the step of a loop, which may be the last statement of its body; None if there is no one step."""
    body, steps = (loop.body, loop.step) if loop.step else (loop.body[:-1], loop.body[-1:])
    if len(steps) != 1 or not isinstance(step := steps[0], st.Assign):
        return None
    goes_past = not loop.step and has_jump(loop.body, st.Continue)
    return None if goes_past else (body, step)


def _asked_first(condition: ex.Expr, body: Body) -> tuple[ex.Expr, Body]:
    """`for (;;) { if (i >= n) break; … }` as `for (; i < n;) { … }`; any other loop as it is."""
    match condition, body[:1]:
        case ex.Literal(value=always), (st.If(then=(st.Break(),), otherwise=()) as head,) if always:
            return opposite(head.condition), body[1:]
    return condition, body


def opposite(condition: ex.Expr) -> ex.Expr:
    """The condition that holds where this one does not; a comparison of integers stays one."""
    if isinstance(condition, ex.Compare) and isinstance(condition.left.type, Int):
        return turned(condition)
    return build.negated(condition, condition.loc)


def turned(condition: ex.Compare) -> ex.Compare:
    """The comparison that holds where this one does not, if no NaN is compared."""
    return replace(condition, op=ex.OPPOSITE[condition.op])


def first_value(before: st.Stmt | None, counter: str) -> ex.Expr | None:
    """The value that a statement gives a variable, if it is still that behind it: `i = i - 3` has changed its `i`."""
    value = None
    if isinstance(before, st.Declare) and before.variable.name == counter and isinstance(before.initial, ex.Expr):
        value = before.initial
    if isinstance(before, st.Assign) and isinstance(before.target, ex.Name) and before.target.name == counter:
        value = before.value
    return value if value is not None and counter not in names_in(value) else None


def statement_before(loop: st.Loop, front: Sequence[st.Stmt]) -> st.Stmt | None:
    """The statement in front of a loop that gives its counter a constant; else the last one."""
    step = (loop.step or loop.body)[-1:]
    target = step[0].target if step and isinstance(step[0], st.Assign) else None
    for s in reversed(front if isinstance(target, ex.Name) else ()):
        given = s.variable if isinstance(s, st.Declare) else s.target if isinstance(s, st.Assign) else None
        if not isinstance(given, st.Variable | ex.Name):
            break  # a store through a pointer may change the counter, too
        if isinstance(target, ex.Name) and given.name == target.name:
            return s if isinstance(first_value(s, target.name), ex.Literal) else front[-1]
    return front[-1] if front else None


def _direction(step: st.Assign, counter: ex.Name) -> bool | None:
    """True for `counter = counter + 1`, False for `counter = counter - 1`."""
    value = step.value
    if not isinstance(step.target, ex.Name) or step.target.name != counter.name or not isinstance(value, ex.Binary):
        return None
    if value.op not in ("add", "sub") or not is_load_of(value.left, counter.name):
        return None
    by = value.right.value if isinstance(value.right, ex.Literal) else None
    if by not in (1, -1):
        return None
    return (by == 1) == (value.op == "add")


def _end(condition: ex.Expr, counter: ex.Name, up: bool) -> ex.Expr | None:
    """The value of the counter behind the last iteration."""
    if not isinstance(condition, ex.Compare) or condition.right.type != counter.type:
        return None
    bound, loc = _bound(condition, counter), condition.loc
    if bound is None:
        return None
    if condition.op == ("lt" if up else "gt"):
        return bound
    if condition.op != ("le" if up else "ge") or not counter.type.signed:  # type: ignore[union-attr]
        return None
    one = build.integer(1, counter.type, loc)
    if isinstance(bound, ex.Literal) and isinstance(counter.type, Int):
        return build.integer(int(bound.value) + (1 if up else -1), counter.type, loc)
    return build.binary("add" if up else "sub", bound, one, loc)


def _bound(condition: ex.Compare, counter: ex.Name) -> ex.Expr | None:
    """The value that a condition compares the counter with: `n - 1` in `i + 1 < n`."""
    left = condition.left
    if isinstance(left, ex.Binary) and left.op == "add" and not left.wraps and isinstance(left.right, ex.Literal):
        found = build.binary("sub", condition.right, left.right, condition.loc)
        return found if is_load_of(left.left, counter.name) else None
    return condition.right if is_load_of(left, counter.name) else None


def is_load_of(node: ex.Expr, name: str) -> bool:
    """True for the value of a variable."""
    return isinstance(node, ex.Load) and isinstance(node.source, ex.Name) and node.source.name == name


def _exits(body: Body, around: tuple[ex.Expr, ...]) -> Iterator[Exit]:
    for item in body:
        if not isinstance(item, st.If):
            continue
        last = item.then[-1] if item.then else None
        if isinstance(last, st.Break | st.Return | st.Goto) and not item.otherwise:
            yield Exit(item, (*around, item.condition), item.then[:-1], last)
            continue
        yield from _exits(item.then, (*around, item.condition))
        yield from _exits(item.otherwise, (*around, opposite(item.condition)))


def _only_these(body: Body, exits: tuple[Exit, ...]) -> bool:
    """True if no other jumps leave a loop, and nothing but straight code stands in front of a jump."""
    held = {id(e.at) for e in exits}
    plain = all(isinstance(s, st.Assign) for e in exits for s in e.then)
    return plain and not any(_jumps(item, held, False) for item in body)


def _jumps(item: st.Stmt, held: set[int], in_loop: bool) -> bool:
    if id(item) in held:
        return False
    if isinstance(item, st.Return | st.Goto | st.Label | st.Refused | st.Region):
        return True
    if isinstance(item, st.Break | st.Continue):
        return not in_loop
    within = in_loop or isinstance(item, st.Loop | st.Switch)
    if isinstance(item, st.Switch) and any(isinstance(s, st.Continue) for s in statements((item,))):
        return True
    return any(_jumps(s, held, within) for part in bodies(item) for s in part)
