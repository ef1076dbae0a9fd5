"""Where the largest or smallest value is: a loop that keeps the value and its place becomes two minima.

    for (i = e; i < n; i++) if (v(i) > m) { m = v(i); k = i; }

first finds `m` alone, then the least index at which `v(i) == m`: that is where `m` was set last, because it only grows.
The place is what it was before if `m` is (with `>=` it is the largest index, if there is one). So does a loop that asks
`a[i] > a[k]`, with a variable for `a[k]`. A NaN is neither larger nor equal.

The values are computed twice. Where they are sums or products of floats, that they are rounded alike is assumed; else
the place stays what it was.

    before  for (i = 1; i < n; i++) if (x[i] > best) { best = x[i]; place = i; }
    after   for (i = 1; i < n; i++) if (x[i] > best) best = x[i];
            for (i = 1; i < n; i++) first = min(first, x[i] == best ? i : n);
            place = first < n && best > the one at the start ? first : place;
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import bodies, inside, operands, own_expressions, statements, with_bodies
from raising.frontend.core.types import Float, Int
from raising.frontend.lower.ir.nodes import Assumption
from raising.frontend.lower.jumps.copies import NewVariables, renamed, statement_with
from raising.frontend.lower.jumps.counted_exits import (
    Body,
    Counted,
    counted_whole,
    is_load_of,
    names_in,
    opposite,
    turned,
)
from raising.frontend.lower.jumps.exit_conditions import (
    independent,
    is_plain,
    is_pure,
    needed,
    reads_memory,
    spelled,
    written_names,
)
from raising.support.record import dataclass

_MIRRORED: dict[str, ex.CompareOp] = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


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
    variables = {**function.variables, **{v.name: v for v in worker.new.made}}
    return replace(function, body=body, variables=variables), tuple(worker.assumed)


@dataclass(frozen=True)
class _Best:
    """`branch` does `best = value` where `value op best`, and gives `places` values that the counter decides.

    `part` is what an iteration does to have the value. `at` is the place whose value is the best one, where there is
    no variable for that.
    """

    branch: st.If
    value: ex.Expr
    op: ex.CompareOp
    best: ex.Name | None
    at: ex.Expr | None
    places: tuple[st.Assign, ...]
    part: Body = ()

    @property
    def strict(self) -> bool:
        """Whether an equal value changes nothing."""
        return self.op in ("lt", "gt")


class _Places:
    def __init__(self, unit: st.Unit, function: st.Function, assuming: bool) -> None:
        self.unit, self.function, self.assuming = unit, function, assuming
        self.new = NewVariables(function.variables)
        self.assumed: list[Assumption] = []

    def block(self, body: Body) -> Body:
        """A block with two loops in place of one."""
        out: list[st.Stmt] = []
        for stmt in body:
            inner = tuple(self.block(part) for part in bodies(stmt))
            changed = with_bodies(stmt, inner) if inner != bodies(stmt) else stmt
            made = self._apart(changed, out[-1] if out else None) if isinstance(changed, st.Loop) else None
            out += [changed] if made is None else made
        return tuple(out)

    def _apart(self, loop: st.Loop, before: st.Stmt | None) -> list[st.Stmt] | None:
        loop = replace(loop, body=_onwards(loop.body))
        found = counted_whole(loop, before)
        if found is None or not self._steady(found):
            return None
        for branch in found.body:
            best = self._best(branch, found) if isinstance(branch, st.If) else None
            part = needed(self.unit, found.body, (best.value,), best.branch) if best is not None else None
            if best is None or part is None:
                continue
            best = replace(best, part=part)
            if self._fits(found, best):
                if isinstance(best.branch.condition, ex.Not) and isinstance(best.value.type, Float):
                    self.assumed.append(Assumption(branch.loc, "no NaN is compared to find a place"))
                return self._two(loop, found, best)
        return None

    def _best(self, branch: st.If, found: Counted) -> _Best | None:
        """The update of a best value that a branch does; a negated comparison assumes that no NaN is compared."""
        condition = branch.condition
        if isinstance(condition, ex.Not) and isinstance(condition.operand, ex.Compare):
            if isinstance(condition.operand.left.type, Float) and not self.assuming:
                return None
            condition = turned(condition.operand)
        return _best(branch, found, condition)

    def _steady(self, loop: Counted) -> bool:
        """Whether the bounds stay as they are, and how often it runs can be computed where it does not run."""
        fixed = names_in(loop.first) | names_in(loop.end)
        counter = loop.counter.type
        if loop.counter.name in written_names(loop.body) | names_in(loop.end) or fixed & written_names(loop.body):
            return False
        zero = isinstance(loop.first, ex.Literal) and not loop.first.value
        return isinstance(counter, Int) and (counter.signed or (loop.up and zero))

    def _fits(self, loop: Counted, best: _Best) -> bool:
        """Whether the value can be asked again behind the loop, and nothing else asks for the places."""
        asked = [best.value, *(e for s in statements(best.part) for e in own_expressions(s))]
        if not all(map(is_plain, asked)) or not any(map(reads_memory, asked)):
            return False
        if not independent(self.unit, self.function, loop, best.branch, asked):
            return False
        unsigned = isinstance(loop.counter.type, Int) and not loop.counter.type.signed
        if (unsigned and not best.strict) or (best.at is not None and best.part):
            return False
        if not self.assuming and not _is_exact(best):
            return False
        held = {id(s) for s in statements((best.branch,))}
        others = [s for s in statements(loop.body) if id(s) not in held]
        written = {n for s in best.places for n in (names_in(s.target) if isinstance(s.target, ex.Name) else ())}
        kept = written | ({best.best.name} if best.best is not None else set())
        if any(self._changes_memory(s) for s in others) or written_names(tuple(_flat(others))) & kept:
            return False
        return not any(names_in(e) & written for s in others for e in own_expressions(s))

    def _changes_memory(self, s: st.Stmt) -> bool:
        return (isinstance(s, st.Assign) and not isinstance(s.target, ex.Name)) or (
            isinstance(s, st.Call) and not is_pure(self.unit, s.callee)
        )

    def _two(self, loop: st.Loop, found: Counted, best: _Best) -> list[st.Stmt]:
        """The loop for the value, the one for its place, and what follows of that."""
        loc, t, name = best.branch.loc, found.counter.type, found.counter.name
        out: list[st.Stmt] = []
        first, end = (self._held(e, f"{name}_{n}", out) for e, n in ((found.first, "first"), (found.end, "end")))
        trips = self._held(_difference(first, end, found.up), f"{name}_trips", out)
        top = self._top(found, best, out)
        start = self._held(top, "best_start", out) if best.strict else top
        body = self._alone(found, best, top)
        out.append(replace(loop, test=(), condition=found.condition, body=body, step=(found.step,)))
        none = trips if best.strict else build.integer(-1, t, loc)
        place = self.new.variable(f"{name}_place", t, loc)
        out += [st.Declare(place, none, loc), *self._second(found, best, _Sought(place, first, trips, none, top), loop)]
        met = build.compare("lt" if best.strict else "gt", build.read(place, loc), none, loc)
        both = build.both(met, build.compare(best.op, top, start, loc), loc) if best.strict else met
        where = build.binary("add" if found.up else "sub", first, build.read(place, loc), loc)
        return [*out, *(_placed(s, {name: where}, both) for s in best.places)]

    def _held(self, value: ex.Expr, name: str, front: list[st.Stmt]) -> ex.Expr:
        """A value as it is in front of the loop."""
        if isinstance(value, ex.Literal):
            return value
        held = self.new.variable(name, value.type, value.loc)
        front.append(st.Declare(held, value, value.loc))
        return build.read(held, value.loc)

    def _top(self, found: Counted, best: _Best, front: list[st.Stmt]) -> ex.Load:
        """The best value; where it has no variable, it gets one, if there is an iteration."""
        if best.best is not None:
            return build.load(best.best, best.branch.loc)
        loc, t = best.branch.loc, best.value.type
        made = self.new.variable("best", t, loc)
        assert best.at is not None
        runs = build.compare("lt" if found.up else "gt", found.first, found.end, loc)
        front.append(st.Declare(made, ex.Literal(0.0 if isinstance(t, Float) else 0, t, loc), loc))
        front.append(st.If(runs, (st.Assign(build.name(made, loc), best.at, loc),), (), loc))
        return build.read(made, loc)

    def _alone(self, found: Counted, best: _Best, top: ex.Load) -> Body:
        """The body without the places."""
        keep = st.Assign(top.source, best.value, best.branch.loc)
        condition = build.compare(best.op, best.value, top, best.branch.loc)
        branch = replace(best.branch, condition=condition, then=(keep,))
        return tuple(branch if s is best.branch else s for s in found.body)

    def _second(self, found: Counted, best: _Best, sought: _Sought, loop: st.Loop) -> list[st.Stmt]:
        """The loop that finds the place, counted from the first one."""
        loc, t, name = best.branch.loc, found.counter.type, found.counter.name
        at, index, here = (self.new.variable(f"{name}_{what}", t, loc) for what in ("at", "index", "here"))
        copied, names = self.new.copied(best.part)
        names[name] = index
        there = build.binary("add" if found.up else "sub", sought.first, build.read(at, loc), loc)
        is_it = build.compare("eq", renamed(best.value, names), sought.top, loc)
        if not _is_exact(best):
            why = "what is compared to find a place is rounded alike when it is computed again"
            self.assumed.append(Assumption(loc, why))
        nearer = build.compare("lt" if best.strict else "gt", build.read(here, loc), build.read(sought.place, loc), loc)
        chosen = ex.Select(nearer, build.read(here, loc), build.read(sought.place, loc), t, loc)
        body = (
            st.Declare(index, there, loc),
            *(statement_with(s, {name: build.read(index, loc)}) for s in copied),
            st.Declare(here, ex.Select(is_it, build.read(at, loc), sought.none, t, loc), loc),
            st.Assign(build.name(sought.place, loc), chosen, loc),
        )
        more = build.binary("add", build.read(at, loc), build.integer(1, t, loc), loc)
        step = (st.Assign(build.name(at, loc), more, loc),)
        runs = build.compare("lt", build.read(at, loc), sought.trips, loc)
        zero = st.Declare(at, build.integer(0, t, loc), loc)
        return [zero, st.Loop((), runs, body, step, True, "for", loc, loop.span)]


@dataclass(frozen=True)
class _Sought:
    """The variable of the place, the counter's first value, how many there are, no place, and the best value."""

    place: st.Variable
    first: ex.Expr
    trips: ex.Expr
    none: ex.Expr
    top: ex.Load


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


def _best(branch: st.If, loop: Counted, condition: ex.Expr) -> _Best | None:
    """What a branch of a loop says of a best value and its places, by a condition."""
    if branch.otherwise or not isinstance(condition, ex.Compare) or condition.op not in _MIRRORED:
        return None
    if not isinstance(condition.left.type, Int | Float):
        return None
    assigns = [s for s in branch.then if isinstance(s, st.Assign)]
    if len(assigns) != len(branch.then) or len({spelled(s.target) for s in assigns}) != len(assigns):
        return None
    sides = (condition.left, condition.op, condition.right), (condition.right, _MIRRORED[condition.op], condition.left)
    for value, op, other in sides:
        found = _kept(assigns, value, other) or _pointed(assigns, value, other, loop)
        if found is not None and all(_is_place(s, loop) for s in found[2]):
            return _Best(branch, value, op, *found)
    return None


_Found = tuple[ex.Name | None, ex.Expr | None, tuple[st.Assign, ...]]


def _kept(assigns: list[st.Assign], value: ex.Expr, other: ex.Expr) -> _Found | None:
    """`m = value`, where `other` is `m`."""
    name = other.source if isinstance(other, ex.Load) else None
    if not isinstance(name, ex.Name) or name.name in names_in(value):
        return None
    kept = [s for s in assigns if isinstance(s.target, ex.Name) and s.target.name == name.name]
    if len(kept) != 1 or len(assigns) == 1 or spelled(kept[0].value) != spelled(value):
        return None
    return name, None, tuple(s for s in assigns if s is not kept[0])


def _pointed(assigns: list[st.Assign], value: ex.Expr, other: ex.Expr, loop: Counted) -> _Found | None:
    """`k = i`, where `other` is the value at `k`."""
    counter = loop.counter.name
    for s in assigns:
        if not isinstance(s.target, ex.Name) or not is_load_of(s.value, counter) or s.target.name in names_in(value):
            continue
        there = statement_with(st.Return(value, s.loc), {counter: build.load(s.target, s.loc)})
        if isinstance(there, st.Return) and there.value is not None and spelled(there.value) == spelled(other):
            return None, other, tuple(assigns)
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


def _is_exact(best: _Best) -> bool:
    """Whether the value is the same number however it is computed: at most one operation rounds it."""
    if not isinstance(best.value.type, Float):
        return True
    return not best.part and sum(map(_roundings, inside(best.value))) <= 1


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


def _flat(found: list[st.Stmt]) -> Iterator[st.Stmt]:
    """Statements without those in them."""
    return (with_bodies(s, tuple(() for _ in bodies(s))) for s in found)
