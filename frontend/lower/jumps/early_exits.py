"""Loops that are left early: the first indices at which they are become minima.

`for (i = e; i < n; i++) if (c(i)) { …; break; }` becomes the least index that meets it, a minimum over all of them, and
a branch on whether there is one. So does a `return` or a forward `goto` in place of the `break`, and
`while (i < n && !c(i)) i++;`; a loop that counts down has a maximum. What else the loop does is done under a guard:
in front of an exit up to the index at which the loop is left, behind it below that. No iteration may change what
another one asks. The minimum reads what lies behind the element at which the loop ends, which is assumed to be there.

    before  for (i = 0; i < n; i++) if (x[i] < 0) return i; return n;
    after   least = n; for (i = 0; i < n; i++) least = min(least, x[i] < 0 ? i : n);
            return least < n ? least : n;
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import bodies, inside, own_expressions, statements, with_bodies
from raising.frontend.lower.ir.nodes import Assumption
from raising.frontend.lower.jumps.copies import NewVariables, declared, renamed, renamed_statement, statement_with
from raising.frontend.lower.jumps.counted_exits import (
    Body,
    Counted,
    Exit,
    counted,
    first_value,
    names_in,
    statement_before,
)
from raising.frontend.lower.jumps.exit_conditions import independent, is_plain, needed, reads_memory, written_names
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
    variables = {**function.variables, **{v.name: v for v in worker.new.made}}
    return replace(function, body=body, variables=variables), tuple(worker.assumed)


@dataclass(frozen=True)
class _Found:
    """The `first` index at which an exit is taken, or the `end` of its loop, as variables."""

    exit: Exit
    first: st.Variable
    end: st.Variable


class _Exits:
    def __init__(self, unit: st.Unit, function: st.Function) -> None:
        self.unit = unit
        jumps = any(isinstance(s, st.Goto) for s in statements(function.body or ()))
        self.straight = () if jumps else function.body  # what runs from its start to its end
        self.function = function
        self.new = NewVariables(function.variables)
        self.mentions = [
            name for s in statements(function.body or ()) for e in own_expressions(s) for name in names_in(e)
        ]
        self.assumed: list[Assumption] = []

    def block(self, body: Body) -> Body:
        """A block with minima in place of early exits."""
        out: list[st.Stmt] = []
        for k, stmt in enumerate(body):
            inner = tuple(self.block(part) for part in bodies(stmt))
            changed = with_bodies(stmt, inner) if inner != bodies(stmt) else stmt
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
        found = counted(loop, before)
        if found is None or not self._fits(found):
            return None
        slices = [needed(self.unit, found.body, e.conditions, e.at) for e in found.exits]
        if any(part is None for part in slices):
            return None
        asks = [_asked(one, part or ()) for one, part in zip(found.exits, slices, strict=True)]
        if not any(reads_memory(e) for asked in asks for e in asked):
            return None
        if not all(
            independent(self.unit, self.function, found, e.at, a) for e, a in zip(found.exits, asks, strict=True)
        ):
            return None
        later = self._asked_later(source, found, before)
        exits, made = self._rewritten(loop, found, [part or () for part in slices], later)
        return made + _afterwards(loop, found, exits, later)

    def _under_another_name(self, last: st.Assign, rest: Body) -> Body:
        """What follows a loop, with another name for its counter: what the counter was before stays a size."""
        assert isinstance(last.target, ex.Name)
        left = self.new.variable(f"{last.target.name}_left", last.target.type, last.loc)
        renamed_rest = tuple(renamed_statement(s, {last.target.name: left}) for s in rest)
        self.mentions += [
            left.name for s in statements(renamed_rest) for e in own_expressions(s) if left.name in names_in(e)
        ]
        return (st.Declare(left, last.value, last.loc), *self.block(renamed_rest))

    def _fits(self, loop: Counted) -> bool:
        """Whether bounds stay as they are, and all that is evaluated more often may be."""
        own, written = (
            {v.name for s in statements(loop.body) if (v := declared(s)) is not None},
            written_names(loop.body),
        )
        fixed = names_in(loop.end) | names_in(loop.first)
        if loop.counter.name in written | names_in(loop.end) or names_in(loop.end) & written:
            return False
        if not any(isinstance(part, ex.Load) for part in inside(loop.end)) and (loop.up or not names_in(loop.first)):
            return False  # a limit, as of a string, which may end before
        if reads_memory(loop.end) or reads_memory(loop.first) or fixed & own:
            return False
        plain = [loop.first, loop.end, *(e for one in loop.exits for e in one.conditions)]
        return all(map(is_plain, plain)) and all(_may_move(one, own) for one in loop.exits)

    def _rewritten(
        self, loop: st.Loop, found: Counted, slices: list[Body], later: bool
    ) -> tuple[list[_Found], list[st.Stmt]]:
        loc, t = loop.loc, found.counter.type
        name = found.counter.name
        end, at = (self.new.variable(f"{name}_{what}", t, loc) for what in ("end", "at"))
        self.assumed.append(Assumption(loc, "what the search reads behind the element at which it ends is there"))
        exits, body = [], list[st.Stmt]()
        for one, part in zip(found.exits, slices, strict=True):
            first = self.new.variable(f"{name}_least", t, loc)
            copied, names = self.new.copied(part)
            names[name] = at
            condition = one.conditions[0]
            for other in one.conditions[1:]:
                condition = build.both(condition, other, loc)
            here = self.new.variable(f"{name}_here", t, loc)
            body += (_with_counter(s, name, build.read(at, loc)) for s in copied)
            taken = renamed(condition, names)
            chosen = ex.Select(taken, build.read(at, loc), build.read(end, loc), t, loc)
            body += [st.Declare(here, chosen, loc), self._nearer(first, here, found.up, loc)]
            exits.append(_Found(one, first, end))
        step = st.Assign(build.name(at, loc), build.binary("add" if found.up else "sub", build.read(at, loc),
                         build.integer(1, t, loc), loc), loc)  # fmt: skip
        condition = build.compare("lt" if found.up else "gt", build.read(at, loc), build.read(end, loc), loc)
        out: list[st.Stmt] = [st.Declare(end, found.end, loc)]
        out += [st.Declare(one.first, found.end, loc) for one in exits]
        out += [st.Declare(at, found.first, loc)]
        out += [st.Loop((), condition, tuple(body), (step,), True, "for", loc, loop.span)]
        if not found.pure:
            guarded = _Guarded(found, exits, {id(s) for part in slices for s in part}).block(found.body)
            whole = replace(loop, test=(), condition=found.condition, body=guarded, step=(found.step,))
            out += self._with_own_counter(whole, found) if later else [whole]
        return exits, out

    def _nearer(self, first: st.Variable, here: st.Variable, up: bool, loc: Loc) -> st.Stmt:
        nearer = build.compare("lt" if up else "gt", build.read(here, loc), build.read(first, loc), loc)
        chosen = ex.Select(nearer, build.read(here, loc), build.read(first, loc), first.type, loc)
        return st.Assign(build.name(first, loc), chosen, loc)

    def _asked_later(self, loop: st.Stmt, found: Counted, before: st.Stmt | None) -> bool:
        """Whether the counter has to have its value behind the loop."""
        name = found.counter.name
        own = sum(n == name for s in statements((loop,)) for e in own_expressions(s) for n in _each(e))
        own += isinstance(before, st.Assign) and first_value(before, name) is not None
        return self.mentions.count(name) > own or (found.pure and not _does(found))

    def _with_own_counter(self, loop: st.Loop, found: Counted) -> list[st.Stmt]:
        """A loop over a counter of its own: behind it, the source's one is where the loop is left."""
        old, loc = found.counter.name, loop.loc
        again = self.new.variable(f"{old}_again", found.counter.type, loc)
        made = statement_with(loop, {old: build.read(again, loc)})
        (step,) = cast(st.Loop, made).step
        step = replace(cast(st.Assign, step), target=build.name(again, loc))
        return [st.Declare(again, found.first, loc), replace(cast(st.Loop, made), step=(step,))]


def _does(found: Counted) -> bool:
    """Whether an exit does more than leave its loop."""
    return any(e.then or not isinstance(e.leave, st.Break) for e in found.exits)


def _afterwards(loop: st.Loop, found: Counted, exits: list[_Found], later: bool) -> list[st.Stmt]:
    """The counter behind the loop, and what is done where it is left."""
    loc, out = loop.loc, list[st.Stmt]()
    if later:
        op: ex.CompareOp = "lt" if found.up else "gt"
        last: ex.Expr = build.read(exits[0].first, loc)
        for one in exits[1:]:
            nearer = build.compare(op, build.read(one.first, loc), last, loc)
            last = ex.Select(nearer, build.read(one.first, loc), last, last.type, loc)
        runs = build.compare(op, found.first, found.end, loc)
        out.append(st.Assign(found.counter, ex.Select(runs, last, found.first, last.type, loc), loc))
    return [*out, _dispatch(found, exits, loc)] if _does(found) else out


def _asked(one: Exit, part: Body) -> list[ex.Expr | ex.Lvalue | ex.Initial]:
    """Everything that is evaluated for the condition of an exit."""
    return [*one.conditions, *(e for s in statements(part) for e in own_expressions(s))]


def _each(node: ex.Expr | ex.Lvalue | ex.Initial) -> list[str]:
    return sorted(names_in(node))


def _with_counter(stmt: st.Stmt, name: str, value: ex.Expr) -> st.Stmt:
    return statement_with(stmt, {name: value})


def _may_move(one: Exit, own: set[str]) -> bool:
    """True if what is done at an exit may be done behind the loop."""
    for s in one.then:
        if not isinstance(s, st.Assign) or not is_plain(s.value) or reads_memory(s.value):
            return False
        if (names_in(s.target) | names_in(s.value)) & own:
            return False
    value = one.leave.value if isinstance(one.leave, st.Return) else None
    return value is None or (is_plain(value) and not reads_memory(value) and not names_in(value) & own)


def _dispatch(found: Counted, exits: list[_Found], loc: Loc) -> st.Stmt:
    """Branches on which exit was taken, if any."""
    chain: Body = ()
    for k in reversed(range(len(exits))):
        one = exits[k]
        taken: ex.Expr = build.compare(
            "lt" if found.up else "gt", build.read(one.first, loc), build.read(one.end, loc), loc
        )
        for j, other in enumerate(exits):
            if j > k:  # an exit in front was asked before
                op: ex.CompareOp = "le" if found.up else "ge"
                taken = build.both(
                    taken, build.compare(op, build.read(one.first, loc), build.read(other.first, loc), loc), loc
                )
        values = {found.counter.name: build.read(one.first, loc)}
        leave = () if isinstance(one.exit.leave, st.Break) else (statement_with(one.exit.leave, values),)
        then = (*(statement_with(s, values) for s in one.exit.then), *leave)
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
    """What a loop does beside leaving, under guards on its counter."""

    loop: Counted
    exits: list[_Found]
    free: set[int]
    """Statements that need no guard, by their identity: the conditions ask for them in every iteration."""

    def block(self, body: Body) -> Body:
        """Statements, those between two exits in one branch."""
        out: list[st.Stmt] = []
        run: list[st.Stmt] = []
        for item in body:
            held = {id(s) for s in statements((item,))}
            if not any(id(e.exit.at) in held for e in self.exits):
                run.append(item)
                continue
            out += self._under_guard(run)
            run = []
            if not any(e.exit.at is item for e in self.exits):
                out.append(with_bodies(item, tuple(self.block(part) for part in bodies(item))))
        return (*out, *self._under_guard(run))

    def _under_guard(self, run: list[st.Stmt]) -> list[st.Stmt]:
        free = [s for s in run if id(s) in self.free]
        run = [s for s in run if id(s) not in self.free]
        if not run:
            return free
        order = {id(s): k for k, s in enumerate(statements(self.loop.body))}
        loc, counter = run[0].loc, ex.Load(self.loop.counter, self.loop.counter.type, run[0].loc)
        guard: ex.Expr | None = None
        for one in self.exits:
            behind = order[id(one.exit.at)] < order[id(run[0])]
            ops: tuple[ex.CompareOp, ex.CompareOp] = ("lt", "le") if self.loop.up else ("gt", "ge")
            holds = build.compare(ops[0] if behind else ops[1], counter, build.read(one.first, loc), loc)
            guard = holds if guard is None else build.both(guard, holds, loc)
        assert guard is not None
        return [*free, st.If(guard, tuple(run), (), loc)]
