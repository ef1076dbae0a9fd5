"""Where the largest or smallest value is: a loop that keeps the value and its place becomes two minima.

    before  for (i = e; i < n; i++) if (v(i) > m) { m = v(i); k = i; }
    after   start = m;  for (i = e; i < n; i++) if (v(i) > m) m = v(i);
            place = n - e;  for (at = 0; at < n - e; at++) place = min(v(e + at) == m ? at : n - e, place);
            k = place < n - e && m > start ? e + place : k;

The least index at which `v(i) == m` is where `m` was set last, because `m` only grows; with `>=` it is the largest one.
A loop that asks `a[i] > a[k]` gets a variable for `a[k]`. A NaN is neither larger nor equal.

The values are computed twice. Where they are sums or products of floats, that they are rounded alike is assumed; else
the place stays what it was.
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, inside, map_bodies, operands, own_expressions, statements
from raising.frontend.core.types import Float, Int
from raising.frontend.core.variable_uses import names_in, written_by, written_names
from raising.frontend.lower.ir.nodes import Assumption
from raising.frontend.lower.jumps.copies import NewVariables, renamed, statement_with
from raising.frontend.lower.jumps.counted_exits import Counted, counted_whole, is_load_of, opposite, turned
from raising.frontend.lower.jumps.exit_conditions import independent, is_plain, is_pure, needed, reads_memory, spelled
from raising.support.record import dataclass


def with_places_apart(
    unit: st.Unit, function: st.Function, assuming: bool
) -> tuple[st.Function, tuple[Assumption, ...]]:
    """The function with two loops for each that keeps a largest or smallest value and its place, and what that
    assumes; without `assuming`, nothing may be."""
    if not any(isinstance(s, st.Loop) for s in statements(function.body or ())):
        return function, ()
    worker = _Places(unit, function, assuming)
    body = worker.block(function.body or ())
    if not worker.new.made:
        return function, ()
    return worker.new.function(function, body), tuple(worker.assumed)


@dataclass(frozen=True)
class _Update:
    """What a `branch` does of a best value: `best = value` where `value op best`, and `places` get values that the
    counter decides.

    Where there is no variable `best`, the best value is that `at` a place. `needs` is what an iteration does for it.
    """

    branch: st.If
    value: ex.Expr
    op: ex.CompareOp
    best: ex.Name | None
    at: ex.Expr | None
    places: tuple[st.Assign, ...]
    needs: Body = ()

    @property
    def strict(self) -> bool:
        """Whether an equal value changes nothing."""
        return self.op in ("lt", "gt")

    @property
    def is_exact(self) -> bool:
        """Whether the value is the same number however it is computed: at most one operation rounds it."""
        if not isinstance(self.value.type, Float):
            return True
        return not self.needs and sum(map(_roundings, inside(self.value))) <= 1


@dataclass(frozen=True)
class _Sought:
    """The variable of the place, the counter's first value, how many there are, no place, and the best value."""

    place: st.Variable
    first: ex.Expr
    trips: ex.Expr
    none: ex.Expr
    top: ex.Load


class _Places:
    def __init__(self, unit: st.Unit, function: st.Function, assuming: bool) -> None:
        self.unit, self.function, self.assuming = unit, function, assuming
        self.new = NewVariables(function.variables)
        self.assumed: list[Assumption] = []

    def block(self, body: Body) -> Body:
        """A block with two loops in place of one."""
        out: list[st.Stmt] = []
        for stmt in body:
            changed = map_bodies(stmt, self.block)
            made = self._apart(changed, out[-1] if out else None) if isinstance(changed, st.Loop) else None
            out += [changed] if made is None else made
        return tuple(out)

    def _apart(self, source: st.Loop, before: st.Stmt | None) -> list[st.Stmt] | None:
        source = replace(source, body=_onwards(source.body))
        loop = counted_whole(source, before)
        if loop is None or not self._steady(loop):
            return None
        for branch in loop.body:
            update = self._update(branch, loop) if isinstance(branch, st.If) else None
            needs = None if update is None else needed(self.unit, loop.body, (update.value,), update.branch)
            if update is None or needs is None:
                continue
            update = replace(update, needs=needs)
            if self._fits(loop, update):
                if isinstance(update.branch.condition, ex.Not) and isinstance(update.value.type, Float):
                    self.assumed.append(Assumption(branch.loc, "no NaN is compared to find a place"))
                return self._two(source, loop, update)
        return None

    def _update(self, branch: st.If, loop: Counted) -> _Update | None:
        """The update of a best value that a branch does; a negated comparison assumes that no NaN is compared."""
        condition = branch.condition
        if isinstance(condition, ex.Not) and isinstance(condition.operand, ex.Compare):
            if isinstance(condition.operand.left.type, Float) and not self.assuming:
                return None
            condition = turned(condition.operand)
        return _update(branch, loop, condition)

    def _steady(self, loop: Counted) -> bool:
        """Whether the bounds stay as they are, and how often it runs can be computed where it does not run."""
        fixed = names_in(loop.first) | names_in(loop.end)
        counter = loop.counter.type
        if loop.counter.name in written_names(loop.body) | names_in(loop.end) or fixed & written_names(loop.body):
            return False
        zero = isinstance(loop.first, ex.Literal) and not loop.first.value
        return isinstance(counter, Int) and (counter.signed or (loop.up and zero))

    def _fits(self, loop: Counted, update: _Update) -> bool:
        """Whether a second loop finds the place that the first one keeps."""
        unsigned = isinstance(loop.counter.type, Int) and not loop.counter.type.signed
        if (unsigned and not update.strict) or (update.at is not None and update.needs):
            return False
        return (self.assuming or update.is_exact) and self._may_ask_again(loop, update) and self._is_alone(loop, update)

    def _may_ask_again(self, loop: Counted, update: _Update) -> bool:
        """Whether the value can be computed again behind the loop."""
        asked = [update.value, *(e for s in statements(update.needs) for e in own_expressions(s))]
        if not all(map(is_plain, asked)) or not any(map(reads_memory, asked)):
            return False
        return independent(self.unit, self.function, loop, update.branch, asked)

    def _is_alone(self, loop: Counted, update: _Update) -> bool:
        """Whether no other statement writes memory, the value or its places, or asks for these."""
        inner = {id(s) for s in statements((update.branch,))}
        others = [s for s in statements(loop.body) if id(s) not in inner]
        places = {s.target.name for s in update.places if isinstance(s.target, ex.Name)}
        results = places | ({update.best.name} if update.best is not None else set())
        if any(self._changes_memory(s) or written_by(s) & results for s in others):
            return False
        return not any(names_in(e) & places for s in others for e in own_expressions(s))

    def _changes_memory(self, s: st.Stmt) -> bool:
        return (isinstance(s, st.Assign) and not isinstance(s.target, ex.Name)) or (
            isinstance(s, st.Call) and not is_pure(self.unit, s.callee)
        )

    def _two(self, source: st.Loop, loop: Counted, update: _Update) -> list[st.Stmt]:
        """The loop for the value, the one for its place, and what follows of that."""
        loc, t, name = update.branch.loc, loop.counter.type, loop.counter.name
        out: list[st.Stmt] = []
        first, end = (self._held(e, f"{name}_{n}", out) for e, n in ((loop.first, "first"), (loop.end, "end")))
        trips = self._held(_difference(first, end, loop.up), f"{name}_trips", out)
        top = self._top(loop, update, out)
        start = self._held(top, "best_start", out) if update.strict else top
        alone = _alone(loop, update, top)
        out.append(replace(source, test=(), condition=loop.condition, body=alone, step=(loop.step,)))
        none = trips if update.strict else build.integer(-1, t, loc)
        place = self.new.variable(f"{name}_place", t, loc)
        sought = _Sought(place, first, trips, none, top)
        out += [st.Declare(place, none, loc), *self._second(loop, update, sought, source)]
        met = build.compare("lt" if update.strict else "gt", build.read(place, loc), none, loc)
        both = build.both(met, build.compare(update.op, top, start, loc), loc) if update.strict else met
        where = build.binary("add" if loop.up else "sub", first, build.read(place, loc), loc)
        return [*out, *(_placed(s, {name: where}, both) for s in update.places)]

    def _held(self, value: ex.Expr, name: str, front: list[st.Stmt]) -> ex.Expr:
        """A value as it is in front of the loop."""
        if isinstance(value, ex.Literal):
            return value
        variable = self.new.variable(name, value.type, value.loc)
        front.append(st.Declare(variable, value, value.loc))
        return build.read(variable, value.loc)

    def _top(self, loop: Counted, update: _Update, front: list[st.Stmt]) -> ex.Load:
        """The best value; where it has no variable, it gets one, if there is an iteration."""
        loc, t = update.branch.loc, update.value.type
        if update.best is not None:
            return build.load(update.best, loc)
        assert update.at is not None
        made = self.new.variable("best", t, loc)
        runs = build.compare("lt" if loop.up else "gt", loop.first, loop.end, loc)
        front.append(st.Declare(made, ex.Literal(0.0 if isinstance(t, Float) else 0, t, loc), loc))
        front.append(st.If(runs, (st.Assign(build.name(made, loc), update.at, loc),), (), loc))
        return build.read(made, loc)

    def _second(self, loop: Counted, update: _Update, sought: _Sought, source: st.Loop) -> list[st.Stmt]:
        """The loop that finds the place, counted from the first one."""
        loc, t, name = update.branch.loc, loop.counter.type, loop.counter.name
        counter, index, here = (self.new.variable(f"{name}_{what}", t, loc) for what in ("at", "index", "here"))
        at, place = build.read(counter, loc), build.read(sought.place, loc)
        copied, names = self.new.copied(update.needs)
        there = build.binary("add" if loop.up else "sub", sought.first, at, loc)
        is_it = build.compare("eq", renamed(update.value, {**names, name: index}), sought.top, loc)
        if not update.is_exact:
            why = "what is compared to find a place is rounded alike when it is computed again"
            self.assumed.append(Assumption(loc, why))
        nearer = build.compare("lt" if update.strict else "gt", build.read(here, loc), place, loc)
        body = (
            st.Declare(index, there, loc),
            *(statement_with(s, {name: build.read(index, loc)}) for s in copied),
            st.Declare(here, ex.Select(is_it, at, sought.none, t, loc), loc),
            st.Assign(build.name(sought.place, loc), ex.Select(nearer, build.read(here, loc), place, t, loc), loc),
        )
        return [*build.count_to(counter, sought.trips, body, loc, source.span)]


def _alone(loop: Counted, update: _Update, top: ex.Load) -> Body:
    """The body without the places."""
    loc = update.branch.loc
    condition = build.compare(update.op, update.value, top, loc)
    branch = replace(update.branch, condition=condition, then=(st.Assign(top.source, update.value, loc),))
    return tuple(branch if s is update.branch else s for s in loop.body)


def _difference(first: ex.Expr, end: ex.Expr, up: bool) -> ex.Expr:
    """How often a loop runs, if it does."""
    if up and isinstance(first, ex.Literal) and not first.value:
        return end
    return build.binary("sub", end, first, end.loc) if up else build.binary("sub", first, end, end.loc)


def _onwards(body: Body) -> Body:
    """A loop's body with what follows `if (c) continue;` in a branch that is taken where `c` does not hold."""
    for k, s in enumerate(body):
        if isinstance(s, st.If) and not s.otherwise and len(s.then) == 1 and isinstance(s.then[0], st.Continue):
            return (*body[:k], replace(s, condition=opposite(s.condition), then=_onwards(body[k + 1 :])))
    return body


def _update(branch: st.If, loop: Counted, condition: ex.Expr) -> _Update | None:
    """The update of a best value and its places that a branch does on a condition; None for any other branch."""
    if branch.otherwise or not isinstance(condition, ex.Compare) or condition.op in ("eq", "ne"):
        return None
    if not isinstance(condition.left.type, Int | Float):
        return None
    assigns = [s for s in branch.then if isinstance(s, st.Assign)]
    if len(assigns) != len(branch.then) or len({spelled(s.target) for s in assigns}) != len(assigns):
        return None
    left, op, right = condition.left, condition.op, condition.right
    for value, by, other in ((left, op, right), (right, ex.MIRRORED[op], left)):
        asked = _Update(branch, value, by, None, None, tuple(assigns))
        update = _by_value(asked, other) or _by_place(asked, other, loop)
        if update is not None and all(_is_place(s, loop) for s in update.places):
            return update
    return None


def _by_value(update: _Update, other: ex.Expr) -> _Update | None:
    """`m = value`, where `other` is `m`."""
    best = other.source if isinstance(other, ex.Load) else None
    if not isinstance(best, ex.Name) or best.name in names_in(update.value):
        return None
    kept = [s for s in update.places if isinstance(s.target, ex.Name) and s.target.name == best.name]
    if len(kept) != 1 or len(update.places) == 1 or spelled(kept[0].value) != spelled(update.value):
        return None
    return replace(update, best=best, places=tuple(s for s in update.places if s is not kept[0]))


def _by_place(update: _Update, other: ex.Expr, loop: Counted) -> _Update | None:
    """`k = i`, where `other` is the value at `k`."""
    counter, value = loop.counter.name, update.value
    for s in update.places:
        if not isinstance(s.target, ex.Name) or not is_load_of(s.value, counter) or s.target.name in names_in(value):
            continue
        there = statement_with(st.Return(value, s.loc), {counter: build.load(s.target, s.loc)})
        if isinstance(there, st.Return) and there.value is not None and spelled(there.value) == spelled(other):
            return replace(update, at=other)
    return None


def _is_place(s: st.Assign, loop: Counted) -> bool:
    """True for a value that the counter and what does not change decide, in a variable or at a place that stays."""
    changed = written_names(loop.body)
    if not is_plain(s.value) or reads_memory(s.value) or names_in(s.value) & changed:
        return False
    if isinstance(s.target, ex.Name):
        return s.target.name != loop.counter.name
    inner = [e for part in operands(s.target) for e in inside(part)]
    steady = not names_in(s.target) & (changed | {loop.counter.name})
    return steady and is_plain(s.target) and not any(isinstance(e, ex.Deref | ex.Member) for e in inner)


def _roundings(node: object) -> int:
    """How often an operation may round; functions are computed in more than one way."""
    if isinstance(node, ex.Intrinsic):
        return 0 if node.name == "fabs" else 2
    if isinstance(node, ex.Convert):
        old, new = node.operand.type, node.type
        return int(isinstance(new, Float) and not (isinstance(old, Float) and old.width <= new.width))
    return int(isinstance(node, ex.Binary) and isinstance(node.type, Float))


def _placed(place: st.Assign, values: dict[str, ex.Expr], met: ex.Expr) -> st.Stmt:
    """The place where the condition is met."""
    made = statement_with(place, values)
    assert isinstance(made, st.Assign)
    if isinstance(made.target, ex.Name):
        old = build.load(made.target, place.loc)
        return replace(made, value=ex.Select(met, made.value, old, made.value.type, place.loc))
    return st.If(met, (made,), (), place.loc)
