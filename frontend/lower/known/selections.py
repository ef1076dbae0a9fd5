"""Branches as nodes: over loop variables and sizes, over data; and what variables hold behind them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.lower.known.integer_domains import always, known_in, negation, never, of_branches, simplified
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Cases, Demote, Extremum, Formula, Held, Ptr, Sym, Unknown
from raising.support.source import Loc

Action = Callable[[], None]
T = TypeVar("T")
MAX_CHAIN, MAX_CHAINED = 3, 2  # alternatives that become branches, each with what they guard; so many inside each other


def choose(state: State, cond: int, then: Action, orelse: Action | None, loc: Loc) -> None:
    """A branch on a truth value; what its sides declare is its own."""
    before = {*state.arrays}
    bodies = _bodies(state, (then, orelse), ((), ()), ())
    if any(bodies):
        own = frozenset(n for n in {*state.arrays} - before if state.arrays[n].kind in ("local", "cell"))
        state.add(tp.Choose(cond, bodies[0], bodies[1], loc, own))


def affine_branch(state: State, formula: tp.Alternatives, then: Action, orelse: Action | None, loc: Loc) -> None:
    """A branch on conditions over loop variables and sizes; nothing is left of one that is known."""
    if formula == ():
        if orelse is not None:
            orelse()
        return
    if () in formula:
        then()
        return
    if 1 < len(formula) <= MAX_CHAIN and state.chained < MAX_CHAINED:
        # One alternative after the other: conditions of a domain are conjunctions.
        state.chained += 1
        try:
            affine_branch(state, formula[:1], then, lambda: affine_branch(state, formula[1:], then, orelse, loc), loc)
        finally:
            state.chained -= 1
        return
    known = known_in(formula), known_in(negation(formula))
    conds = formula[0] if len(formula) == 1 else ()
    bodies = _bodies(state, (then, orelse), known, conds)
    if any(bodies):
        state.add(tp.If(formula, bodies[0], bodies[1], loc))


def split(state: State, cases: tuple[tuple[tuple[tp.Cond, ...], T], ...], act: Callable[[T], None], loc: Loc) -> None:
    """An action on the value of the case that holds, in branches that ask one condition each: where it is, all hold."""
    facts = state.facts
    possible = (case for case in cases if not any(never(c, facts) for c in case[0]))
    left = tuple((tuple(c for c in conds if not always(c, facts)), value) for conds, value in possible)
    conds, value = left[0] if left else ((), cases[-1][1])
    if not conds or len(left) == 1:
        act(value)
        return
    asked = conds[0]
    holds = tuple((tuple(c for c in conds if c != asked), value) for conds, value in left)
    fails = tuple(case for case in left if asked not in case[0])
    if not fails:
        split(state, holds, act, loc)
        return
    then, orelse = partial(split, state, holds, act, loc), partial(split, state, fails, act, loc)
    affine_branch(state, simplified(((asked,),), facts), then, orelse, loc)


def _bodies(
    state: State,
    actions: tuple[Action, Action | None],
    known: tuple[tuple[Poly, ...], tuple[Poly, ...]],
    conds: tuple[tp.Cond, ...],
) -> tuple[tuple[tp.Node, ...], tuple[tp.Node, ...]]:
    """The nodes of two branches; afterwards variables hold what either left in them."""
    before = dict(state.values)
    ends: list[dict[str, Held]] = []
    nodes = []
    for action, forms in zip(actions, known, strict=True):
        state.values = dict(before)
        with state.block() as body, state.knowing(forms):
            if action is not None:
                action()
        nodes.append(tuple(body))
        ends.append(state.values)
    state.values = before
    for key in {**ends[0], **ends[1]}:
        then, orelse = ends[0].get(key), ends[1].get(key)
        if then != before.get(key) or orelse != before.get(key):
            _merge(state, key, then, orelse, conds)
    return nodes[0], nodes[1]


def _merge(state: State, key: str, then: Held | None, orelse: Held | None, conds: tuple[tp.Cond, ...]) -> None:
    if then is None or orelse is None:
        state.values.pop(key, None)  # declared inside of one branch
    elif then == orelse:
        state.values[key] = then
    elif isinstance(then, Unknown) or isinstance(orelse, Unknown):
        state.values[key] = then if isinstance(then, Unknown) else orelse
    else:
        state.values[key] = chosen(state, key, then, orelse, conds) or Unknown(0)


def chosen(
    state: State, key: str, then: Held, orelse: Held, conds: tuple[tp.Cond, ...]
) -> Sym | Extremum | Cases | None:
    """`then` where the conditions hold, `orelse` elsewhere: the max or min of the two if it is that, else cases.

    None if it cannot be said.
    """
    if not conds or not isinstance(then, Sym | Extremum | Cases) or not isinstance(orelse, Sym | Extremum | Cases):
        return None
    if isinstance(then, Sym) and isinstance(orelse, Sym) and len(conds) == 1 and not conds[0].equality:
        for kind, gap in (("max", then.form - orelse.form), ("min", orelse.form - then.form)):
            if (slack := (gap - conds[0].form).constant) in (0, 1) and slack is not None:
                return Extremum(kind, (then.form, orelse.form), then.type)
    try:
        return of_branches(key, conds, then, orelse, state.facts)
    except Demote:
        return None


def chosen_by(state: State, when: tp.Alternatives, then: Held, orelse: Held) -> Held | None:
    """The value that is `then` where one of the alternatives holds, else `orelse`; None if it cannot be said."""
    if isinstance(then, Ptr | Formula) or isinstance(orelse, Ptr | Formula):
        return None
    found: Held | None = orelse
    for conds in reversed(when):
        found = None if found is None else chosen(state, "", then, found, conds)
    return found
