"""Loops that count: their variables in closed form, their condition as a bound.

All variables that a loop changes by a constant in each iteration are functions
of the number of the iteration; so is the loop's condition, and where it stops
holding is the bound. This covers `for` in either direction, `while`, several
counters and pointers that walk.
"""

from __future__ import annotations

from typing import Any

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leading_breaks import early_exit, leaving_first
from raising.frontend.lower.from_core.conditions import alternatives, truth_of
from raising.frontend.lower.from_core.statement_order import run
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Alternatives, For, Node, While
from raising.frontend.lower.ir.polynomial import Poly, const, var
from raising.frontend.lower.ir.types import INT, Number
from raising.frontend.lower.known.counters import (
    Bound,
    Limit,
    advanced,
    asked_unequal,
    at_name,
    difference_of,
    origin,
    placed,
)
from raising.frontend.lower.known.split_loops import Piece, in_steps, pieces
from raising.frontend.lower.known.state import STATEMENTS, State, assigned_names
from raising.frontend.lower.known.typed_values import (
    After,
    Demote,
    Extremum,
    Held,
    NeedsInduction,
    Ptr,
    Sym,
    Unknown,
    Variable,
)
from raising.support.record import dataclass
from raising.support.source import Loc

MAX_DEPTH = 24
Counters = dict[str, Variable]
Stepped = dict[str, tuple[Sym | Ptr, Poly]]


@dataclass(frozen=True)
class Counting:
    """A loop, with the variables of the function around it that its test and step change, and those its body does."""

    node: st.Loop
    stepped: Counters
    changed: Counters
    early: Loc | None = None  # of a `break` that became part of the condition

    @property
    def loc(self) -> Loc:
        """Where it stands."""
        return self.node.loc

    @property
    def first(self) -> bool:
        """Whether the condition comes first."""
        return self.node.tests_first


def loop(state: State, node: st.Loop) -> None:
    """A loop that counts; `Refused` for any other."""
    early = early_exit(node)
    node = leaving_first(node)
    if isinstance(node.condition, ex.Literal) and node.condition.value:
        raise Refused(node.loc, "a loop without a condition")
    counting = Counting(node, _changed(state, node.test, node.step), _changed(state, node.body), early)
    if state.depth >= MAX_DEPTH:
        raise Refused(node.loc, f"loops are nested deeper than {MAX_DEPTH}")
    outer = state.frame.in_loop
    state.depth, state.frame.in_loop = state.depth + 1, True
    frame = state.frame
    try:
        if state.literal:
            _as_it_is(state, node)
        else:
            _tried(state, counting)
    finally:
        state.depth, frame.in_loop = state.depth - 1, outer


def _as_it_is(state: State, node: st.Loop) -> None:
    """A loop that asks its condition before (or behind) each iteration."""
    known = dict(state.values)
    with state.block() as test:
        if not node.tests_first:
            run(state, (*node.body, *node.step))
        run(state, node.test)
        truth = truth_of(state, node.condition)
    with state.block() as inside:
        if node.tests_first:
            run(state, node.body)
            run(state, node.step)
    if any(state.values.get(key) != held for key, held in known.items()):
        raise Refused(node.loc, "a pointer moves to another array in a loop")
    state.add(While(tuple(test), truth, tuple(inside), node.loc))


def _changed(state: State, *parts: tuple[st.Stmt, ...]) -> Counters:
    """The symbolic variables from outside that statements may change, by their key."""
    names: set[str] = set()
    for part in parts:
        known = state.assigned.get(id(part))
        if known is None:
            known = state.assigned[id(part)] = (part, frozenset(assigned_names(part)))
        names |= known[1]
    found: Counters = {}
    for name in sorted(names):
        entity = state.frame.entities.get(name)
        if isinstance(entity, Variable) and entity.cell is None:
            found[entity.key] = entity
    return found


def _tried(state: State, loop: Counting) -> None:
    """First as if no iteration read what the one before changed in its body; else with those in closed form."""
    number = state.number()
    plain = not (loop.stepped.keys() & loop.changed.keys()) and loop.stepped and loop.first
    mark, frame = state.mark(), state.frame
    if plain:
        try:
            return _lowered(state, loop, loop.stepped, number)
        except NeedsInduction as need:
            if need.loop != number:
                raise
            state.frame = frame
            state.restore(mark)
    try:
        return _lowered(state, loop, {**loop.stepped, **loop.changed}, number)
    except NeedsInduction as need:
        if need.loop == number:
            raise Demote(need.key) from None
        raise


# ---- closed forms ------------------------------------------------------------------------------------


def _lowered(state: State, loop: Counting, counters: Counters, number: int) -> None:
    whole = bool(counters.keys() & loop.changed.keys()) or not loop.first
    starts = {key: _start(state, key, v, loop) for key, v in counters.items() if _is_set(state, key)}
    deltas = _deltas(state, loop, starts, whole)
    for key in (loop.changed.keys() | loop.stepped.keys()) - deltas.keys():
        if not isinstance(state.values.get(key), Unknown):
            state.values[key] = Unknown(number)
    count = state.unique(_name_of(counters))
    at = {key: advanced(origin(starts[key]), var(count) * delta) for key, delta in deltas.items()}
    before = dict(state.values)
    bounds = _bounds(state, loop, {**before, **at}, count)
    state.values = before
    _emitted(state, loop, counters, starts, deltas, bounds, count)


def _is_set(state: State, key: str) -> bool:
    held = state.values.get(key)
    return held is not None and not isinstance(held, Unknown)


def _start(state: State, key: str, variable: Variable, loop: Counting) -> Sym | Ptr | Extremum:
    held = state.held(variable, loop.loc)
    if isinstance(held, Sym | Ptr | Extremum):
        return held
    raise Demote(key)


def _deltas(state: State, loop: Counting, starts: dict[str, Any], whole: bool) -> dict[str, Poly]:
    """By how much an iteration changes each counter; found by going through one with unknown starts.

    A counter without such a constant is left out.
    """
    mark = state.mark()
    known = state.facts.free | state.iterators
    names = {key: f"{key}@{state.number()}" for key in starts}
    symbolic = {key: at_name(start, names[key]) for key, start in starts.items()}
    state.values.update(symbolic)
    with state.trying(), state.block():
        if whole and not loop.first:
            run(state, loop.node.body)
        _asked_alternatives(state, loop)
        if whole and loop.first:
            run(state, loop.node.body)
        run(state, loop.node.step)
    ends = dict(state.values)
    state.restore(mark)
    found = {key: difference_of(ends.get(key), symbolic[key]) for key in starts}
    inside = set(names.values())
    return {key: d for key, d in found.items() if d is not None and d.names() <= known - inside}


def _asked_alternatives(state: State, loop: Counting) -> Alternatives:
    """The condition of a loop, behind the effects that asking it has."""
    run(state, loop.node.test)
    found = alternatives(state, loop.node.condition)
    if found is None and loop.early is not None:
        raise Refused(loop.early, "the loop is left early (break)")
    if found is None:
        raise Refused(loop.node.condition.loc, "the loop's condition depends on data")
    return found


def _bounds(state: State, loop: Counting, values: dict[str, Held], count: str) -> list[Bound]:
    """The condition as bounds on the number of the iteration."""
    mark = state.mark()
    state.values = dict(values)
    with state.trying(), state.block():
        if not loop.first:
            run(state, loop.node.body)
        found = _asked_alternatives(state, loop)
    state.restore(mark)
    pair = asked_unequal(found)
    conds = [(pair, True)] if pair is not None else [(form, False) for form in _only_bounds(found, loop)]
    bounds = []
    for form, unequal in conds:
        form = in_steps(state, form, unequal, count, loop.loc)
        slope = Poly(tuple((m, c) for m, c in form.terms if count in m))
        if any(m != (count,) for m, _ in slope.terms):
            raise Refused(loop.loc, "the loop's condition is not affine")
        bounds.append(Bound(form - slope, slope.coefficient(count), unequal))
    if not any(b.slope < 0 or (b.unequal and b.slope) for b in bounds):
        raise Refused(loop.loc, "the loop does not count towards its bound")
    return bounds


def _only_bounds(found: Alternatives, loop: Counting) -> list[Poly]:
    """The forms that are >= 0 while the loop runs."""
    if len(found) != 1 or any(c.equality for c in found[0]):
        raise Refused(loop.loc, "the loop's condition is not a conjunction of bounds")
    return [c.form for c in found[0]]


# ---- output ------------------------------------------------------------------------------------------


def _emitted(
    state: State,
    loop: Counting,
    counters: Counters,
    starts: dict[str, Any],
    deltas: dict[str, Poly],
    bounds: list[Bound],
    count: str,
) -> None:
    limits = [_limit(state, b, loop) for b in bounds]
    _ask_outside(state, loop, starts, deltas, limits)
    primary = _primary(starts, deltas, limits)
    extrema = [k for k in deltas if isinstance(starts[k], Extremum) and deltas[k].constant != 0]
    if extrema and (extrema != [primary] or starts[extrema[0]].kind != "max" or any(b.unequal for b in bounds)):
        raise Refused(loop.loc, "a loop starts at a minimum or maximum in a way that is not supported")
    lower: tuple[Poly, ...] = (const(0),)
    step, base = 1, const(0)
    if primary is not None:
        step = deltas[primary].constant or 1
        start = starts[primary]
        lower = start.forms if isinstance(start, Extremum) else (start.form,)
        base = const(0) if isinstance(start, Extremum) else start.form
    more = 0 if loop.first else 1
    upper = tuple(base + limit.scaled_end(step) + more * step for limit in limits)
    iteration = (var(count) - base).floordiv(step) if primary is not None else var(count)
    outer = dict(state.values)
    for key, delta in deltas.items():
        if key == primary:
            state.values[key] = Sym(var(count), starts[key].type)
        elif isinstance(starts[key], Sym | Ptr):
            state.values[key] = advanced(starts[key], iteration * delta)
    state.bounds[count] = lower, upper
    counted = {k: (advanced(starts[k], (iteration + 1) * d), d) for k, d in deltas.items() if k not in extrema}
    parts = pieces(state, count, loop.loc) if (lower, step) == ((const(0),), 1) else []
    nodes = _split(state, loop, count, counted, parts)
    if not parts and (body := _body(state, loop, count, counted)):
        nodes = [For(count, lower, upper, step, body, loop.loc)]
    state.values = outer
    _after(state, loop, starts, deltas, limits, more)
    for node in nodes:
        state.add(node)
    if loop.first and not _only_counts(state, loop.node.test, counted):
        run(state, tuple(node for node in loop.node.test if not _counts(state, node, counted)))


def _split(state: State, loop: Counting, count: str, counted: Stepped, parts: list[Piece]) -> list[Node]:
    """The loops of each piece of a loop that is split."""
    found: list[Node] = []
    values = dict(state.values)
    for part in parts:
        inside = {count: part.value}
        state.values = {key: placed(held, inside) for key, held in values.items()}
        for name, ends in part.loops:
            state.bounds[name] = (const(0),), ends
        body = _body(state, loop, count, counted, part)
        for name, ends in reversed(part.loops):
            body = (For(name, (const(0),), ends, 1, body, loop.loc),) if body else ()
        found += body
    return found


def _limit(state: State, bound: Bound, loop: Counting) -> Limit:
    slope = -abs(bound.slope)
    start = bound.start if bound.slope < 0 else -bound.start
    if not bound.unequal:
        if bound.slope >= 0:
            raise Refused(loop.loc, "the loop's condition does not bound it")
        return Limit(start, -bound.slope)
    if slope != -1:
        raise Refused(loop.loc, "a loop with '!=' whose step is not 1 or -1")
    if not state.holds(start, "the loop with '!=' ends", loop.loc):
        raise Refused(loop.loc, "a loop with '!=' that may not end")
    return Limit(start - 1, 1)


def _primary(starts: dict[str, Any], deltas: dict[str, Poly], limits: list[Limit]) -> str | None:
    """The counter that the loop's variable can be: an integer that goes up by the slope of the bounds."""
    moving = [k for k, d in deltas.items() if d.constant != 0]
    for key in (k for k in deltas if isinstance(starts[k], Sym | Extremum)):
        step = deltas[key].constant
        if step is None or step <= 0 or any(limit.slope != step for limit in limits):
            continue
        plain = isinstance(starts[key], Sym) and starts[key].form.is_linear
        if (plain and (step == 1 or moving == [key])) or (step == 1 and moving == [key]):
            return key
    return None


def _body(state: State, loop: Counting, count: str, stepped: Stepped, part: Piece | None = None) -> tuple[Node, ...]:
    """The nodes of the body, or of it in one piece; `stepped` are counters after an iteration, and their steps."""
    lower, upper = state.bounds[count]
    facts = (*(var(count) - f for f in lower), *(f - 1 - var(count) for f in upper))
    names = frozenset(name for name, _ in part.loops) if part else {count}
    facts += part.facts if part else ()
    outer, state.iterators = state.iterators, state.iterators | names
    try:
        with state.block() as nodes, state.knowing(facts):
            _in_range(state, stepped, var(count), upper, loop.loc)
            if loop.first:
                _asked_alternatives(state, loop)
            run(state, loop.node.body)
            for effects in (loop.node.step, () if loop.first else loop.node.test):
                if not _only_counts(state, effects, stepped):
                    run(state, effects)
        return tuple(nodes)
    finally:
        state.iterators = outer


def _only_counts(state: State, effects: tuple[st.Stmt, ...], stepped: Stepped) -> bool:
    """Whether a step or test does nothing but what the closed forms of counters say."""
    return all(isinstance(node, st.Declare) or _counts(state, node, stepped) for node in effects)


def _counts(state: State, node: st.Stmt, stepped: Stepped) -> bool:
    name = node.target.name if isinstance(node, st.Assign) and isinstance(node.target, ex.Name) else None
    entity = None if name is None else state.frame.entities.get(name)
    return isinstance(entity, Variable) and entity.cell is None and entity.key in stepped


def _after(
    state: State, loop: Counting, starts: dict[str, Any], deltas: dict[str, Poly], limits: list[Limit], more: int
) -> None:
    """What the counters hold after the loop."""
    last = _changed(state, loop.node.test)  # by the condition itself: once more when it fails
    for key in {**loop.stepped, **loop.changed}:
        start = starts.get(key, Unknown(0))
        if key in deltas and deltas[key].constant == 0 and key not in last:
            state.values[key] = start
        elif len(limits) == 1 and key in deltas and isinstance(start, Sym | Ptr):
            trips = limits[0].trips + more
            end = advanced(start, trips * deltas[key])
            state.values[key] = Unknown(0) if key in last else After(end, trips)
        else:
            state.values[key] = Unknown(0)


def _name_of(counters: Counters) -> str:
    names = [v.key.rpartition("/")[2] for v in counters.values() if isinstance(v.type, Number)]
    return names[0] if names else "i"


# ---- what a loop assumes where it starts and ends ------------------------------------------------------


def _ask_outside(
    state: State, loop: Counting, starts: dict[str, Any], deltas: dict[str, Poly], limits: list[Limit]
) -> None:
    """What the condition assumes where it is asked outside of the iterations; a `do` counts none below once."""
    if not loop.first:
        if not all(state.holds(m.trips, "'do' runs as often as its condition says", loop.loc) for m in limits):
            raise Refused(loop.loc, "how often the body of 'do' runs has no closed form")
        return
    before, known = dict(state.values), state.facts
    held = [before]
    if len(limits) == 1 and all(isinstance(starts[k], Sym | Ptr) for k in deltas):
        trips = limits[0].trips
        held.append({**before, **{k: advanced(starts[k], trips * d) for k, d in deltas.items()}})
    entities, trips_known = dict(state.frame.entities), (limits[0].trips,) if len(held) > 1 else ()
    state.asking = True
    try:
        for values in held:
            state.values = dict(values)
            with state.block():
                run(state, loop.node.test)
                alternatives(state, loop.node.condition)
            state.facts = known.with_forms(trips_known)
    finally:
        state.values, state.facts, state.asking, state.frame.entities = before, known, False, entities


def _in_range(state: State, counters: Stepped, count: Poly, upper: tuple[Poly, ...], loc: Loc) -> None:
    """Counters, given with their steps, do not wrap around; `int` and wider must not, or C gives no meaning.

    One that does, beside others, is data.
    """
    moving = {key: at for key, (at, delta) in counters.items() if isinstance(at, Sym) and delta.constant != 0}
    (name,) = count.names()
    for key, counter in moving.items():
        t = counter.type
        if (t.signed and t.width >= INT.width) or state.trial:
            continue
        last = counter.form.substitute({name: upper[0] - 1}).constant if len(upper) == 1 else None
        if last is not None and not t.range[0] <= last <= t.range[1]:
            if len(moving) > 1:
                raise Demote(key)
            raise Refused(loc, "the loop ends only when its counter wraps around")
        state.fits(counter.form, t, loc)


STATEMENTS[st.Loop] = loop
