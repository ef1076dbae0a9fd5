"""Loops that are left early: the first indices at which they are become minima.

`for (i = e; i < n; i++) if (c(i)) { …; break; }` becomes the least index that meets it, a minimum over all of them, and
a branch on whether there is one. So does a `return` or a forward `goto` in place of the `break`, and
`while (i < n && !c(i)) i++;`; a loop that counts down has a maximum. What else the loop does is done under a guard:
in front of an exit up to the index at which the loop is left, behind it below that. No iteration may change what
another one asks. The minimum reads what lies behind the element at which the loop ends, which is assumed to be there.

    before  for (i = 0; i < n; i++) { if (x[i] < 0) break; y[i] = 1; }
    after   least = n;  for (at = 0; at < n; at++) { here = x[at] < 0 ? at : n; least = here < least ? here : least; }
            for (i = 0; i < n; i++) if (i < least) y[i] = 1;            i = 0 < n ? least : 0;
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import Body, Node, inside, map_bodies, own_expressions, statements
from raising.frontend.core.variable_uses import declared_names, names_in, written_names
from raising.frontend.lower.ir.nodes import Assumption
from raising.frontend.lower.jumps.copies import NewVariables, renamed, renamed_statement, statement_with
from raising.frontend.lower.jumps.counted_exits import Counted, Exit, counted, first_value, statement_before
from raising.frontend.lower.jumps.exit_conditions import independent, is_plain, needed, reads_memory
from raising.support.record import dataclass
from raising.support.source import Loc


def without_early_exits(unit: st.Unit, function: st.Function) -> tuple[st.Function, tuple[Assumption, ...]]:
    """The function with minima in place of early exits of loops, and what that assumes."""
    if function.body is None or not any(isinstance(s, st.Loop) for s in statements(function.body)):
        return function, ()
    worker = _Exits(unit, function)
    body = worker.block(function.body)
    if not worker.assumed:
        return function, ()
    return worker.new.function(function, body), tuple(worker.assumed)


@dataclass(frozen=True)
class _Least:
    """An exit, what an iteration does for its condition (`needs`), and the variable of the index at which it is taken
    first."""

    exit: Exit
    needs: Body
    first: st.Variable

    @property
    def asked(self) -> list[Node]:
        """Everything that is evaluated for the condition."""
        return [*self.exit.conditions, *(e for s in statements(self.needs) for e in own_expressions(s))]


@dataclass(frozen=True)
class _Search:
    """A loop that is left early: its exits, and the variable of its end, where an index is that no exit has."""

    source: st.Loop
    loop: Counted
    exits: list[_Least]
    end: st.Variable

    @property
    def loc(self) -> Loc:
        """The place of the loop."""
        return self.source.loc

    @property
    def does_more(self) -> bool:
        """Whether an exit does more than leave the loop."""
        return any(e.then or not isinstance(e.leave, st.Break) for e in self.loop.exits)

    def before(self, a: ex.Expr, b: ex.Expr, loc: Loc | None = None, or_at: bool = False) -> ex.Expr:
        """Whether the loop, which counts up or down, comes to index `a` before `b` (or at once)."""
        ops: tuple[ex.CompareOp, ex.CompareOp] = ("lt", "le") if self.loop.up else ("gt", "ge")
        return build.compare(ops[or_at], a, b, loc or self.loc)

    def first(self, one: _Least) -> ex.Expr:
        """The index at which an exit is taken first."""
        return build.read(one.first, self.loc)

    def nearest(self, a: ex.Expr, b: ex.Expr) -> ex.Expr:
        """The one of two indices that the loop reaches first."""
        return ex.Select(self.before(a, b), a, b, b.type, self.loc)


class _Exits:
    def __init__(self, unit: st.Unit, function: st.Function) -> None:
        self.unit = unit
        jumps = any(isinstance(s, st.Goto) for s in statements(function.body or ()))
        self.straight = () if jumps else function.body  # what runs from its start to its end
        self.function = function
        self.new = NewVariables(function.variables)
        self.mentions = _mentions(function.body or ())
        self.assumed: list[Assumption] = []

    def block(self, body: Body) -> Body:
        """A block with minima in place of early exits."""
        out: list[st.Stmt] = []
        for k, stmt in enumerate(body):
            changed = map_bodies(stmt, self.block)
            made = self._without(changed, stmt, out) if isinstance(changed, st.Loop) else None
            if made is None:
                out.append(changed)
                continue
            out += made
            rest = body[k + 1 :]
            if body is self.straight and isinstance(out[-1], st.Assign) and rest:
                return (*out[:-1], *self._under_another_name(out[-1], rest))
            if len(rest) == 1 and isinstance(rest[0], st.Return) and (one := _selected(out[-1], rest[0])) is not None:
                return (*out[:-1], one)
        return tuple(out)

    def _without(self, loop: st.Loop, source: st.Stmt, front: list[st.Stmt]) -> list[st.Stmt] | None:
        before = statement_before(loop, front)
        leaving = counted(loop, before)
        if leaving is None or not (_bounds_stay(leaving) and not _is_limited(leaving) and _may_repeat(leaving)):
            return None
        search = self._search(loop, leaving)
        if search is None or not any(reads_memory(e) for one in search.exits for e in one.asked):
            return None
        if not all(independent(self.unit, self.function, leaving, e.exit.at, e.asked) for e in search.exits):
            return None
        later = self._asked_later(source, search, before)
        made = self._minima(search)
        if not leaving.pure:
            made += self._guarded(search, later)
        return made + _afterwards(search, later)

    def _under_another_name(self, last: st.Assign, rest: Body) -> Body:
        """The statements behind a loop, with a new variable in place of its counter: so the old one stays a size."""
        assert isinstance(last.target, ex.Name)
        left = self.new.variable(f"{last.target.name}_left", last.target.type, last.loc)
        renamed_rest = tuple(renamed_statement(s, {last.target.name: left}) for s in rest)
        self.mentions += [name for name in _mentions(renamed_rest) if name == left.name]
        return (st.Declare(left, last.value, last.loc), *self.block(renamed_rest))

    def _search(self, loop: st.Loop, leaving: Counted) -> _Search | None:
        """The loop with what its exits need; None if an iteration does more for that than compute variables."""
        exits = []
        for one in leaving.exits:
            needs = needed(self.unit, leaving.body, one.conditions, one.at)
            if needs is None:
                return None
            exits.append(_Least(one, needs, self._index(leaving, "least")))
        return _Search(loop, leaving, exits, self._index(leaving, "end"))

    def _index(self, loop: Counted, what: str) -> st.Variable:
        return self.new.variable(f"{loop.counter.name}_{what}", loop.counter.type, loop.counter.loc)

    def _minima(self, search: _Search) -> list[st.Stmt]:
        """The loop that finds the first index of each exit."""
        loop, loc, t, name = search.loop, search.loc, search.loop.counter.type, search.loop.counter.name
        self.assumed.append(Assumption(loc, "what the search reads behind the element at which it ends is there"))
        counter, body = self._index(loop, "at"), list[st.Stmt]()
        at, end = build.read(counter, loc), build.read(search.end, loc)
        for one in search.exits:
            copied, names = self.new.copied(one.needs)
            taken = reduce(lambda a, b: build.both(a, b, loc), one.exit.conditions)
            index = self._index(loop, "here")
            here = ex.Select(renamed(taken, {**names, name: counter}), at, end, t, loc)
            body += (statement_with(s, {name: at}) for s in copied)
            nearest = search.nearest(build.read(index, loc), search.first(one))
            body += [st.Declare(index, here, loc), st.Assign(build.name(one.first, loc), nearest, loc)]
        more = build.binary("add" if loop.up else "sub", at, build.integer(1, t, loc), loc)
        step = (st.Assign(build.name(counter, loc), more, loc),)
        starts = [(search.end, loop.end), *((one.first, loop.end) for one in search.exits), (counter, loop.first)]
        finding = st.Loop((), search.before(at, end), tuple(body), step, True, "for", loc, search.source.span)
        return [*(st.Declare(variable, value, loc) for variable, value in starts), finding]

    def _guarded(self, search: _Search, later: bool) -> list[st.Stmt]:
        """The loop without its exits, under guards. If its counter is read `later`, it gets a new counter."""
        loop, loc, name = search.loop, search.loc, search.loop.counter.name
        free = {id(s) for one in search.exits for s in one.needs}
        body = _Guarded(search, free).block(loop.body)
        whole = replace(search.source, test=(), condition=loop.condition, body=body, step=(loop.step,))
        if not later:
            return [whole]
        again = self._index(loop, "again")
        made = statement_with(whole, {name: build.read(again, loc)})
        assert isinstance(made, st.Loop) and isinstance(made.step[0], st.Assign)
        step = replace(made.step[0], target=build.name(again, loc))
        return [st.Declare(again, loop.first, loc), replace(made, step=(step,))]

    def _asked_later(self, loop: st.Stmt, search: _Search, before: st.Stmt | None) -> bool:
        """Whether the counter has to have its value behind the loop."""
        name = search.loop.counter.name
        own = _mentions((loop,)).count(name)
        own += isinstance(before, st.Assign) and first_value(before, name) is not None
        return self.mentions.count(name) > own or (search.loop.pure and not search.does_more)


def _bounds_stay(loop: Counted) -> bool:
    """Whether nothing in a loop changes its bounds, which read no memory."""
    written, fixed = written_names(loop.body), names_in(loop.end) | names_in(loop.first)
    if loop.counter.name in written | names_in(loop.end) or names_in(loop.end) & written:
        return False
    return not (reads_memory(loop.end) or reads_memory(loop.first) or fixed & declared_names(loop.body))


def _is_limited(loop: Counted) -> bool:
    """Whether the bound is a constant: a limit, as of a string, which may end before."""
    reads = any(isinstance(part, ex.Load) for part in inside(loop.end))
    return not reads and (loop.up or not names_in(loop.first))


def _may_repeat(loop: Counted) -> bool:
    """Whether all that is evaluated more often, or behind the loop, may be."""
    plain = [loop.first, loop.end, *(e for one in loop.exits for e in one.conditions)]
    own = declared_names(loop.body)
    return all(map(is_plain, plain)) and all(_may_move(one, own) for one in loop.exits)


def _mentions(body: Body) -> list[str]:
    """The variables that each expression of statements mentions."""
    return [name for s in statements(body) for e in own_expressions(s) for name in names_in(e)]


def _afterwards(search: _Search, later: bool) -> list[st.Stmt]:
    """The counter behind the loop, and what is done where it is left."""
    loop, loc, out = search.loop, search.loc, list[st.Stmt]()
    if later:
        first, *others = map(search.first, search.exits)
        last = reduce(lambda last, other: search.nearest(other, last), others, first)
        value = ex.Select(search.before(loop.first, loop.end), last, loop.first, last.type, loc)
        out.append(st.Assign(loop.counter, value, loc))
    return [*out, _dispatch(search)] if search.does_more else out


def _may_move(one: Exit, own: set[str]) -> bool:
    """True if what is done at an exit may be done behind the loop."""
    for s in one.then:
        if not isinstance(s, st.Assign) or not is_plain(s.value) or reads_memory(s.value):
            return False
        if (names_in(s.target) | names_in(s.value)) & own:
            return False
    value = one.leave.value if isinstance(one.leave, st.Return) else None
    return value is None or (is_plain(value) and not reads_memory(value) and not names_in(value) & own)


def _dispatch(search: _Search) -> st.Stmt:
    """Branches on which exit was taken, if any; one in front of it in the text was asked before."""
    loc, chain = search.loc, Body()
    for k, one in reversed(list(enumerate(search.exits))):
        first = search.first(one)
        taken = search.before(first, build.read(search.end, loc))
        for other in search.exits[k + 1 :]:
            taken = build.both(taken, search.before(first, search.first(other), or_at=True), loc)
        at_first = {search.loop.counter.name: first}
        leave = () if isinstance(one.exit.leave, st.Break) else (one.exit.leave,)
        then = tuple(statement_with(s, at_first) for s in (*one.exit.then, *leave))
        chain = (st.If(taken, then, chain, loc),) if then or chain else ()
    (branch,) = chain
    return branch


def _selected(branch: st.Stmt, last: st.Return) -> st.Stmt | None:
    """`if (c) return x; return y;` as one `return`."""
    if not isinstance(branch, st.If) or len(branch.then) != 1 or len(branch.otherwise) > 1:
        return None
    (first,) = branch.then
    second = _selected(branch.otherwise[0], last) if branch.otherwise else last
    if not isinstance(first, st.Return) or not isinstance(second, st.Return):
        return None
    if first.value is None or second.value is None:
        return replace(branch, otherwise=(second,))
    return st.Return(ex.Select(branch.condition, first.value, second.value, second.value.type, second.loc), second.loc)


@dataclass(frozen=True)
class _Guarded:
    """Puts guards on the counter around the statements of a loop, in place of its exits."""

    search: _Search
    free: set[int]
    """Statements that need no guard, by their identity: the conditions ask for them in every iteration."""

    def block(self, body: Body) -> Body:
        """Statements, those between two exits in one branch."""
        out: list[st.Stmt] = []
        run: list[st.Stmt] = []
        for item in body:
            inner = {id(s) for s in statements((item,))}
            if not any(id(e.exit.at) in inner for e in self.search.exits):
                run.append(item)
                continue
            out += self._under_guard(run)
            run = []
            if not any(e.exit.at is item for e in self.search.exits):
                out.append(map_bodies(item, self.block))
        return (*out, *self._under_guard(run))

    def _under_guard(self, run: list[st.Stmt]) -> list[st.Stmt]:
        free = [s for s in run if id(s) in self.free]
        run = [s for s in run if id(s) not in self.free]
        if not run:
            return free
        search, loop, loc = self.search, self.search.loop, run[0].loc
        order = {id(s): k for k, s in enumerate(statements(loop.body))}
        counter = build.load(loop.counter, loc)
        guards = []
        for one in search.exits:
            in_front = order[id(one.exit.at)] > order[id(run[0])]
            guards.append(search.before(counter, build.read(one.first, loc), loc, in_front))
        guard = reduce(lambda a, b: build.both(a, b, loc), guards)
        return [*free, st.If(guard, tuple(run), (), loc)]
