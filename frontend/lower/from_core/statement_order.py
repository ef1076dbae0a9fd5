"""Statements in order; what follows a branch that leaves goes into its other side, so that jumps end sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leaving_jumps import ends, has_jump, leaves, returns
from raising.frontend.lower.from_core.conditions import branch, formula
from raising.frontend.lower.from_core.named_variables import store
from raising.frontend.lower.from_core.record_variables import copy
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Own
from raising.frontend.lower.ir.types import Number
from raising.frontend.lower.known.followed_integers import converted
from raising.frontend.lower.known.state import STATEMENTS, State
from raising.frontend.lower.known.typed_values import Ptr
from raising.support.source import Loc

Body = Sequence[st.Stmt]


def run(state: State, body: Body) -> None:
    """The effects of statements; a jump ends them, and their end ends the arrays that live in them."""
    owned = len(state.owned)
    _run(state, body)
    while len(state.owned) > owned:
        name, start = state.owned.pop()
        inside = tuple(state.nodes[start:])
        del state.nodes[start:]
        state.add(Own(name, inside, state.arrays[name].loc))


def _run(state: State, body: Body) -> None:
    for k, item in enumerate(body):
        if isinstance(item, st.Continue):
            return
        if isinstance(item, st.Return):
            _return(state, item)
            return
        if leaves(item):
            _leaving(state, item, tuple(body[k + 1 :]))
            return
        state.statement(item)


def _leaving(state: State, item: st.Stmt, rest: tuple[st.Stmt, ...]) -> None:
    """A statement from inside of which control may go past the others."""
    if isinstance(item, st.Switch):
        run(state, (*as_branches(item), *rest))
    elif isinstance(item, st.Region):
        run(state, (*item.body, *rest))
    elif isinstance(item, st.If):
        state.budget.spend(item.loc)
        sides = [(*side, *(() if ends(side) else rest)) for side in (item.then, item.otherwise)]
        branch(state, item.condition, partial(run, state, sides[0]), partial(run, state, sides[1]))
    elif isinstance(item, st.Break):
        raise Refused(item.loc, "the loop is left early (break)")
    else:
        found = next(returns((item,)))
        raise Refused(found.loc, "returns from inside of a loop")


# ---- switches ---------------------------------------------------------------------------------------


def as_branches(node: st.Switch) -> tuple[st.Stmt, ...]:
    """A switch as a chain of branches on a variable of its own; an arm that falls has the next one behind it."""
    loc = node.loc
    name = f"switch.{loc.line}.{loc.col}"
    variable = st.Variable(name, node.value.type, "hidden", loc, constant=True)
    chain: tuple[st.Stmt, ...] = ()
    behind: tuple[st.Stmt, ...] = ()
    sides: list[tuple[st.Arm, tuple[st.Stmt, ...]]] = []
    for arm in reversed(node.arms):
        behind = without_breaks((*arm.body, *(behind if arm.falls else ())))
        sides.insert(0, (arm, behind))
    chain = next((body for arm, body in sides if arm.default), ())
    for arm, body in reversed([side for side in sides if not side[0].default]):
        test = _is_one_of(variable, arm)
        chain = (st.If(test, body, chain, arm.loc),)
    return (st.Declare(variable, node.value, loc), *chain)


def _is_one_of(variable: st.Variable, arm: st.Arm) -> ex.Expr:
    tests = [
        build.compare("eq", build.read(variable, arm.loc), build.integer(value, variable.type, arm.loc), arm.loc)
        for value in arm.values
    ]
    test: ex.Expr = tests[0]
    for other in tests[1:]:
        test = build.either(test, other, arm.loc)
    return test


def without_breaks(body: tuple[st.Stmt, ...]) -> tuple[st.Stmt, ...]:
    """The statements of an arm, so that each `break` that leaves it stands at its end, and is gone."""
    out: list[st.Stmt] = []
    for k, item in enumerate(body):
        if isinstance(item, st.Break):
            break
        if isinstance(item, st.If) and has_jump((item,), st.Break):
            rest = body[k + 1 :]
            sides = [without_breaks((*side, *(() if ends(side) else rest))) for side in (item.then, item.otherwise)]
            return (*out, replace(item, then=sides[0], otherwise=sides[1]))
        out.append(item)
    return tuple(out)


# ---- statements that hold others, and jumps ---------------------------------------------------------


def _if(state: State, node: st.If) -> None:
    for side, other, negated in ((node.then, node.otherwise, True), (node.otherwise, node.then, False)):
        if not state.choices.literal and _dies(state, side) and _assumed(state, node.condition, negated, node.loc):
            run(state, other)
            return
    orelse = partial(run, state, node.otherwise) if node.otherwise else None
    branch(state, node.condition, partial(run, state, node.then), orelse)


def _dies(state: State, body: Body) -> bool:
    """True if statements end in the call of a function that does not return, as those of `assert` do."""
    last = body[-1] if body else None
    if not isinstance(last, st.Call) or not isinstance(last.callee, str):
        return False
    called = state.unit.routines[last.callee]
    return not called.returns and called.body is None


def _assumed(state: State, condition: ex.Expr, negated: bool, loc: Loc) -> bool:
    """Assume a condition, or its opposite, over loop variables and sizes; False (and no effect) for any other."""
    found = formula(state, build.negated(condition, loc) if negated else condition)
    if found is None or len(found) != 1:
        return False
    point = state.point()
    if all(state.holds(form, "the program goes on", loc) for c in found[0] for form in c.forms):
        return True
    state.forget(point)
    return False


def _switch(state: State, node: st.Switch) -> None:
    run(state, as_branches(node))


def _region(state: State, node: st.Region) -> None:
    run(state, node.body)


def _return(state: State, node: st.Return) -> None:
    if state.frame.in_loop:
        raise Refused(node.loc, "returns from inside of a loop")
    result = state.frame.result
    if node.value is None:
        return
    value = state.value(node.value)
    if result is None:
        return
    if isinstance(result, Ptr):
        copy(state, result, value, node.loc)
    elif isinstance(result.type, Number):
        store(state, result, converted(state, value, result.type, node.loc), node.loc)
    else:
        store(state, result, value, node.loc)


def _refused(state: State, node: st.Refused) -> None:
    raise Refused(node.loc, node.reason)


def _goto(state: State, node: st.Goto) -> None:
    raise Refused(node.loc, "goto")


def _label(state: State, node: st.Label) -> None:
    raise Refused(node.loc, "a label")


STATEMENTS.update(
    {
        st.If: _if,
        st.Switch: _switch,
        st.Region: _region,
        st.Refused: _refused,
        st.Goto: _goto,
        st.Label: _label,
    }
)
