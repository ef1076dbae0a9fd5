"""Loops that count: their variables in closed form, their condition as a bound.

All variables that a loop changes by a constant in each iteration are functions of the number of the iteration; so is
the loop's condition, and where it stops holding is the bound. This covers `for` in either direction, `while`, several
counters and pointers that walk.

    before  for (i = a; i < b; i++) *p++ = y[i];        p points to x
    after   for i = a to b: x[i - a] = y[i]             then i is b and p is x + (b - a), if b - a >= 0
"""

from __future__ import annotations

from functools import partial

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.leading_breaks import early_exit, leaving_first
from raising.frontend.core.variable_uses import changed_names
from raising.frontend.lower.from_core.conditions import alternatives, truth_of
from raising.frontend.lower.from_core.statement_order import run
from raising.frontend.lower.from_core.unrolled_loops import counted_or_unrolled
from raising.frontend.lower.ir.module import OnData, Refused
from raising.frontend.lower.ir.nodes import Alternatives, For, Node, While
from raising.frontend.lower.ir.polynomial import Poly, const, var
from raising.frontend.lower.ir.types import INT, Number
from raising.frontend.lower.known.counters import (
    Bound,
    Closed,
    Header,
    Limit,
    Start,
    advanced,
    asked_unequal,
    at_name,
    difference_of,
    origin,
    placed,
)
from raising.frontend.lower.known.split_loops import Piece, in_steps, pieces
from raising.frontend.lower.known.state import STATEMENTS, State
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


@dataclass(frozen=True)
class Counting:
    """A loop, with the variables from outside that its test and step change (`stepped`), and those its body does."""

    node: st.Loop
    stepped: Counters
    changed: Counters
    early: Loc | None = None  # of a `break` that became part of the condition

    @property
    def loc(self) -> Loc:
        """The place of the loop."""
        return self.node.loc

    @property
    def first(self) -> bool:
        """Whether the condition comes first, as it does not in `do`."""
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
    frame, outer = state.frame, state.frame.in_loop
    state.depth, frame.in_loop = state.depth + 1, True
    try:
        if state.choices.literal:
            _as_it_is(state, node)
        else:
            counted_or_unrolled(state, node, partial(_tried, state, counting))
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
        raise Refused(node.loc, "a pointer to structs moves in a loop, which nothing but a loop that counts can follow")
    state.add(While(tuple(test), truth, tuple(inside), node.loc))


def _changed(state: State, *parts: tuple[st.Stmt, ...]) -> Counters:
    """The symbolic variables from outside that statements may change, by their key."""
    names: set[str] = set()
    for part in parts:
        if id(part) not in state.assigned:
            state.assigned[id(part)] = (part, frozenset(changed_names(part)))
        names |= state.assigned[id(part)][1]
    entities = (state.frame.entities.get(name) for name in sorted(names))
    return {e.key: e for e in entities if isinstance(e, Variable) and e.cell is None}


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
    """The loop with these counters in closed form; what else it changes is unknown from its iterations on."""
    whole = bool(counters.keys() & loop.changed.keys()) or not loop.first
    starts = {key: _start(state, variable, loop) for key, variable in counters.items() if _is_set(state, key)}
    deltas = _deltas(state, loop, starts, whole)
    for key in (loop.changed.keys() | loop.stepped.keys()) - deltas.keys():
        if not isinstance(state.values.get(key), Unknown):
            state.values[key] = Unknown(number)
    count = state.unique(_name_of(counters))
    in_iteration = {key: advanced(origin(starts[key]), var(count) * delta) for key, delta in deltas.items()}
    bounds = _bounds(state, loop, {**state.values, **in_iteration}, count)
    limits = [_limit(state, bound, loop) for bound in bounds]
    closed = Closed(count, starts, deltas, limits, any(bound.unequal for bound in bounds), 0 if loop.first else 1)
    _ask_outside(state, loop, closed)
    _emitted(state, loop, closed)


def _is_set(state: State, key: str) -> bool:
    value = state.values.get(key)
    return value is not None and not isinstance(value, Unknown)


def _start(state: State, variable: Variable, loop: Counting) -> Start:
    value = state.held(variable, loop.loc)
    if isinstance(value, Sym | Ptr | Extremum):
        return value
    raise Demote(variable.key)


def _deltas(state: State, loop: Counting, starts: dict[str, Start], whole: bool) -> dict[str, Poly]:
    """By how much an iteration changes each counter; found by going through one with unknown starts.

    A counter without such a constant is left out. If not the `whole` iteration changes counters, its body is left out.
    """
    mark = state.mark()
    constants = state.facts.free | state.iterators
    names = {key: f"{key}@{state.number()}" for key in starts}
    symbolic = {key: at_name(start, names[key]) for key, start in starts.items()}
    state.values.update(symbolic)
    with state.trying(), state.block():
        if whole and not loop.first:
            run(state, loop.node.body)
        _condition(state, loop)
        if whole and loop.first:
            run(state, loop.node.body)
        run(state, loop.node.step)
    moved = {key: difference_of(state.values.get(key), symbolic[key]) for key in starts}
    state.restore(mark)
    allowed = constants - set(names.values())
    return {key: by for key, by in moved.items() if by is not None and by.names() <= allowed}


def _condition(state: State, loop: Counting) -> Alternatives:
    """The condition of a loop, behind the effects that asking it has."""
    run(state, loop.node.test)
    condition = alternatives(state, loop.node.condition)
    if condition is None and loop.early is not None:
        raise Refused(loop.early, "the loop is left early (break)")
    if condition is None:
        raise OnData(loop.node.condition.loc)
    return condition


def _bounds(state: State, loop: Counting, values: dict[str, Held], count: str) -> list[Bound]:
    """The condition as bounds on the number of the iteration, `count`, where variables have these values."""
    mark = state.mark()
    state.values = dict(values)
    with state.trying(), state.block():
        if not loop.first:
            run(state, loop.node.body)
        condition = _condition(state, loop)
    state.restore(mark)
    gap = asked_unequal(condition)
    bounds = []
    for form in [gap] if gap is not None else _only_bounds(condition, loop):
        form = in_steps(state, form, gap is not None, count, loop.loc)
        slope = Poly(tuple((m, c) for m, c in form.terms if count in m))
        if any(m != (count,) for m, _ in slope.terms):
            raise Refused(loop.loc, "the loop's condition is not affine")
        bounds.append(Bound(form - slope, slope.coefficient(count), gap is not None))
    if not any(b.slope < 0 or (b.unequal and b.slope) for b in bounds):
        raise Refused(loop.loc, "the loop does not count towards its bound")
    return bounds


def _only_bounds(condition: Alternatives, loop: Counting) -> list[Poly]:
    """The forms that are >= 0 while the loop runs."""
    if len(condition) != 1 or any(c.equality for c in condition[0]):
        raise Refused(loop.loc, "the loop's condition is not a conjunction of bounds")
    return [c.form for c in condition[0]]


def _limit(state: State, bound: Bound, loop: Counting) -> Limit:
    """How far the number of the iteration goes by a bound; that `!=` is met at all is known or assumed."""
    if not bound.unequal:
        if bound.slope >= 0:
            raise Refused(loop.loc, "the loop's condition does not bound it")
        return Limit(bound.start, -bound.slope)
    if abs(bound.slope) != 1:
        raise Refused(loop.loc, "a loop with '!=' whose step is not 1 or -1")
    start = bound.start if bound.slope < 0 else -bound.start
    if not state.holds(start, "the loop with '!=' ends", loop.loc):
        raise Refused(loop.loc, "a loop with '!=' that may not end")
    return Limit(start - 1, 1)


def _name_of(counters: Counters) -> str:
    names = [v.key.rpartition("/")[2] for v in counters.values() if isinstance(v.type, Number)]
    return names[0] if names else "i"


# ---- the new loop ------------------------------------------------------------------------------------


def _emitted(state: State, loop: Counting, closed: Closed) -> None:
    """Add the new loop, or the loops that it is split into, and what its counters hold behind it."""
    header = closed.header()
    if header is None:
        raise Refused(loop.loc, "a loop starts at a minimum or maximum in a way that is not supported")
    outside = dict(state.values)
    state.values.update(closed.at(header.iteration))
    if header.key is not None and header.counter is not None:
        state.values[header.key] = header.counter
    state.bounds[closed.count] = header.lower, header.upper
    from_zero = (header.lower, header.step) == ((const(0),), 1)
    if parts := pieces(state, closed.count, loop.loc) if from_zero else []:
        nodes = _split(state, loop, closed, header, parts)
    else:
        body = _body(state, loop, closed, header)
        nodes = [For(closed.count, header.lower, header.upper, header.step, body, loop.loc)] if body else []
    state.values = outside
    _after(state, loop, closed)
    for node in nodes:
        state.add(node)
    if loop.first and not _only_counts(state, loop.node.test, closed):
        run(state, tuple(node for node in loop.node.test if not _counts(state, node, closed)))


def _split(state: State, loop: Counting, closed: Closed, header: Header, parts: list[Piece]) -> list[Node]:
    """The loops of each piece of a loop that is split."""
    nodes: list[Node] = []
    values = dict(state.values)
    for part in parts:
        inside = {closed.count: part.value}
        state.values = {key: placed(value, inside) for key, value in values.items()}
        for name, ends in part.loops:
            state.bounds[name] = (const(0),), ends
        body = _body(state, loop, closed, header, part)
        for name, ends in reversed(part.loops):
            body = (For(name, (const(0),), ends, 1, body, loop.loc),) if body else ()
        nodes += body
    return nodes


def _body(state: State, loop: Counting, closed: Closed, header: Header, part: Piece | None = None) -> tuple[Node, ...]:
    """The nodes of the body, or of it in one piece."""
    count, node = closed.count, loop.node
    facts = (*(var(count) - form for form in header.lower), *(form - 1 - var(count) for form in header.upper))
    iterators = frozenset(name for name, _ in part.loops) if part else {count}
    outer, state.iterators = state.iterators, state.iterators | iterators
    try:
        with state.block() as nodes, state.knowing((*facts, *(part.facts if part else ()))):
            _in_range(state, closed, header, loop.loc)
            if node.tests_first:
                _condition(state, loop)
            run(state, node.body)
            for effects in (node.step, () if node.tests_first else node.test):
                if not _only_counts(state, effects, closed):
                    run(state, effects)
        return tuple(nodes)
    finally:
        state.iterators = outer


def _only_counts(state: State, effects: tuple[st.Stmt, ...], closed: Closed) -> bool:
    """Whether a step or test does nothing but what the closed forms of counters say."""
    return all(isinstance(node, st.Declare) or _counts(state, node, closed) for node in effects)


def _counts(state: State, node: st.Stmt, closed: Closed) -> bool:
    name = node.target.name if isinstance(node, st.Assign) and isinstance(node.target, ex.Name) else ""
    variable = state.frame.entities.get(name)
    if not isinstance(variable, Variable) or variable.cell is not None or variable.key not in closed.deltas:
        return False
    return not isinstance(closed.starts[variable.key], Extremum)


def _in_range(state: State, closed: Closed, header: Header, loc: Loc) -> None:
    """Counters do not wrap around behind an iteration; `int` and wider must not, or C gives no meaning.

    One that does, beside others, is data.
    """
    counters = closed.at(header.iteration + 1).items()
    moving = {key: at for key, at in counters if isinstance(at, Sym) and closed.deltas[key].constant != 0}
    for key, counter in moving.items():
        t = counter.type
        if (t.signed and t.width >= INT.width) or state.trial:
            continue
        ends = {closed.count: header.upper[0] - 1}
        last = counter.form.substitute(ends).constant if len(header.upper) == 1 else None
        if last is not None and not t.range[0] <= last <= t.range[1]:
            if len(moving) > 1:
                raise Demote(key)
            raise Refused(loc, "the loop ends only when its counter wraps around")
        state.fits(counter.form, t, loc)


# ---- in front of the loop and behind it ----------------------------------------------------------------


def _ask_outside(state: State, loop: Counting, closed: Closed) -> None:
    """Assume what the condition needs in front of the loop and behind it; a `do` has to run at least once."""
    if not loop.first:
        if not all(state.holds(m.trips, "'do' runs as often as its condition says", loop.loc) for m in closed.limits):
            raise Refused(loop.loc, "how often the body of 'do' runs has no closed form")
        return
    outside, facts, entities = dict(state.values), state.facts, dict(state.frame.entities)
    asked, known = [outside], tuple[Poly, ...]()
    if closed.trips is not None and all(isinstance(closed.starts[key], Sym | Ptr) for key in closed.deltas):
        asked, known = [outside, outside | closed.at(closed.trips)], (closed.trips,)
    state.asking = True
    try:
        for values in asked:
            state.values = dict(values)
            with state.block():
                run(state, loop.node.test)
                alternatives(state, loop.node.condition)
            state.facts = facts.with_forms(known)
    finally:
        state.values, state.facts, state.asking, state.frame.entities = outside, facts, False, entities


def _after(state: State, loop: Counting, closed: Closed) -> None:
    """Give counters their values behind the loop; those that the condition itself changes are unknown."""
    by_condition = _changed(state, loop.node.test)
    ends = {} if closed.trips is None else closed.at(closed.trips)
    for key in {**loop.stepped, **loop.changed}:
        state.values[key] = Unknown(0)
        if key in by_condition or key not in closed.deltas:
            continue
        if closed.deltas[key].constant == 0:
            state.values[key] = closed.starts[key]
        elif closed.trips is not None and key in ends:
            state.values[key] = After(ends[key], closed.trips)


STATEMENTS[st.Loop] = loop
