"""Searches: loops that do nothing but leave at the first index that meets a condition.

`for (i = e; i < n; i++) if (c(i)) { …; break; }` becomes the least index that meets it, a minimum over all of them, and
a branch on whether there is one. So does a `return` in place of the `break`, and `while (i < n && !c(i)) i++;`. The
minimum reads what lies behind the element at which the search ends, which is assumed to be there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import bodies, inside, own_expressions, statements, with_bodies, with_operands
from raising.frontend.core.types import Int
from raising.frontend.lower.ir.nodes import Assumption
from raising.support.record import dataclass
from raising.support.source import Loc

_TRAPS = ("div", "rem", "floordiv", "floormod")


def without_searches(function: st.Function) -> tuple[st.Function, tuple[Assumption, ...]]:
    """The function with minima in place of searches, and what that assumes."""
    if function.body is None or not any(isinstance(s, st.Loop) for s in statements(function.body)):
        return function, ()
    worker = _Searches(function)
    body = worker.block(function.body)
    if not worker.assumed:
        return function, ()
    variables = {**function.variables, **{v.name: v for v in worker.made}}
    return replace(function, body=body, variables=variables), tuple(worker.assumed)


@dataclass(frozen=True)
class _Search:
    """`counter` from `first` below `end`; leaves where `found` holds, and does `then`."""

    counter: ex.Name
    first: ex.Expr
    end: ex.Expr
    found: ex.Expr
    then: tuple[st.Stmt, ...]


class _Searches:
    def __init__(self, function: st.Function) -> None:
        self.names = set(function.variables)
        self.mentions = [p.name for s in statements(function.body or ()) for e in own_expressions(s)
                         for p in inside(e) if isinstance(p, ex.Name)]  # fmt: skip
        self.made: list[st.Variable] = []
        self.assumed: list[Assumption] = []

    def block(self, body: tuple[st.Stmt, ...]) -> tuple[st.Stmt, ...]:
        """A block with minima in place of its searches."""
        out: list[st.Stmt] = []
        for k, stmt in enumerate(body):
            search = _search(stmt, out[-1]) if isinstance(stmt, st.Loop) and out else None
            if search is None:
                inner = tuple(self.block(part) for part in bodies(stmt))
                out.append(with_bodies(stmt, inner) if inner != bodies(stmt) else stmt)
                continue
            out += self._minimum(stmt, search, out[-1])  # type: ignore[arg-type]
            rest = body[k + 1 :]
            if len(rest) == 1 and _returns(search.then) and isinstance(rest[0], st.Return):
                return (*out[:-1], self._returned(out[-1], rest[0]))  # type: ignore[arg-type]
        return tuple(out)

    def _minimum(self, loop: st.Loop, search: _Search, before: st.Stmt) -> list[st.Stmt]:
        loc, t = loop.loc, search.counter.type
        least, end, at, here = (self._variable(name, search.counter, loc) for name in ("least", "end", "at", "here"))
        self.assumed.append(Assumption(loc, "what the search reads behind the element at which it ends is there"))

        def read(variable: st.Variable) -> ex.Expr:
            return build.read(variable, loc)

        def select(condition: ex.Expr, yes: ex.Expr, no: ex.Expr) -> ex.Expr:
            return ex.Select(condition, yes, no, t, loc)

        found = _with(search.found, search.counter.name, read(at))
        body: tuple[st.Stmt, ...] = (
            st.Declare(here, select(found, read(at), read(end)), loc),
            st.Assign(
                build.name(least, loc),
                select(build.compare("lt", read(here), read(least), loc), read(here), read(least)),
                loc,
            ),
        )
        step = st.Assign(build.name(at, loc), build.binary("add", read(at), build.integer(1, t, loc), loc), loc)
        condition = build.compare("lt", read(at), search.end, loc)
        out: list[st.Stmt] = [
            st.Declare(end, search.end, loc),
            st.Declare(least, search.end, loc),
            st.Declare(at, search.first, loc),
            st.Loop((), condition, body, (step,), True, "for", loc, loop.span),
        ]
        own = sum(p.name == search.counter.name for p in _names(loop)) + isinstance(before, st.Assign)
        if self.mentions.count(search.counter.name) > own or not search.then:
            runs = build.compare("lt", search.first, search.end, loc)
            out.append(st.Assign(search.counter, select(runs, read(least), search.first), loc))
        if search.then:
            kept = [s for s in search.then if not isinstance(s, st.Break)]
            then = tuple(_replaced(s, search.counter.name, read(least)) for s in kept)
            out.append(st.If(build.compare("lt", read(least), read(end), loc), then, (), loc))
        return out

    def _returned(self, branch: st.If, last: st.Return) -> st.Stmt:
        (first,) = branch.then
        assert isinstance(first, st.Return)
        if first.value is None or last.value is None:
            return replace(branch, otherwise=(last,))
        return st.Return(ex.Select(branch.condition, first.value, last.value, last.value.type, last.loc), last.loc)

    def _variable(self, name: str, like: ex.Name, loc: Loc) -> st.Variable:
        fresh = f"{like.name}_{name}"
        while fresh in self.names:
            fresh += "_"
        self.names.add(fresh)
        made = st.Variable(fresh, like.type, "hidden", loc, fresh)
        self.made.append(made)
        return made


def _names(loop: st.Loop) -> list[ex.Name]:
    return [p for s in statements((loop,)) for e in own_expressions(s) for p in inside(e) if isinstance(p, ex.Name)]


def _returns(then: tuple[st.Stmt, ...]) -> bool:
    return len(then) == 1 and isinstance(then[0], st.Return)


# ---- what is a search ------------------------------------------------------------------------------


def _search(loop: st.Loop, before: st.Stmt) -> _Search | None:
    """The search that a loop is, behind the statement that gives its counter the first value; None if it is none."""
    first = _first(before)
    if first is None or loop.test or not loop.tests_first:
        return None
    counter, start = first
    bounds: ex.Expr = loop.condition
    found: ex.Expr | None = None
    then: tuple[st.Stmt, ...] = ()
    steps = (*loop.body, *loop.step)
    both = loop.condition
    if isinstance(both, ex.Logical) and both.op == "and" and len(steps) == 1:
        bounds, found = both.left, build.negated(both.right, loop.loc)
    elif len(steps) == 2 and isinstance(steps[0], st.If) and not steps[0].otherwise and _leaves(steps[0].then):
        found, then = steps[0].condition, steps[0].then
    end = _end(bounds, counter)
    if found is None or end is None or not _steps(steps[-1], counter):
        return None
    if not any(isinstance(part, ex.Load) for part in inside(end)):
        return None  # a limit, as of a string, which may end before
    if not all(map(_is_plain, (start, end, found))):
        return None
    written = {s.target.name for s in then if isinstance(s, st.Assign) and isinstance(s.target, ex.Name)}
    fixed = {p.name for p in inside(end) if isinstance(p, ex.Name)}
    if counter.name in fixed | written or _reads_memory(end) or _reads_memory(start) or not _reads_memory(found):
        return None
    return _Search(counter, start, end, found, then)


def _first(before: st.Stmt) -> tuple[ex.Name, ex.Expr] | None:
    if isinstance(before, st.Declare) and isinstance(before.initial, ex.Expr):
        counter, value = build.name(before.variable, before.loc), before.initial
    elif isinstance(before, st.Assign) and isinstance(before.target, ex.Name):
        counter, value = before.target, before.value
    else:
        return None
    return (counter, value) if isinstance(counter.type, Int) and counter.type.signed else None


def _end(condition: ex.Expr, counter: ex.Name) -> ex.Expr | None:
    """The bound of `counter < bound`."""
    if not isinstance(condition, ex.Compare) or condition.op != "lt" or condition.right.type != counter.type:
        return None
    return condition.right if _is_load_of(condition.left, counter) else None


def _is_load_of(node: ex.Expr, counter: ex.Name) -> bool:
    return isinstance(node, ex.Load) and isinstance(node.source, ex.Name) and node.source.name == counter.name


def _steps(step: st.Stmt, counter: ex.Name) -> bool:
    """True for `counter = counter + 1`."""
    if not isinstance(step, st.Assign) or not isinstance(step.target, ex.Name) or step.target.name != counter.name:
        return False
    value = step.value
    if not isinstance(value, ex.Binary) or value.op != "add" or not _is_load_of(value.left, counter):
        return False
    one = value.right
    return isinstance(one, ex.Literal) and one.value == 1


def _leaves(then: tuple[st.Stmt, ...]) -> bool:
    """True for assignments to variables and a `break` behind them, or a `return`."""
    if not then:
        return False
    first, last = then[:-1], then[-1]
    if isinstance(last, st.Return):
        return not first and last.value is not None and _is_plain(last.value) and not _reads_memory(last.value)
    plain = all(isinstance(s, st.Assign) and isinstance(s.target, ex.Name) and _is_plain(s.value) for s in first)
    return plain and isinstance(last, st.Break)


def _is_plain(node: ex.Expr) -> bool:
    """True for what may be evaluated where the source does not."""
    part: object
    for part in inside(node):
        if isinstance(part, ex.Binary) and part.op in _TRAPS and isinstance(part.type, Int):
            return False
        if isinstance(part, ex.AddressOf | ex.RoutineName):
            return False
    return True


def _reads_memory(node: ex.Expr) -> bool:
    return any(isinstance(part, ex.Deref | ex.Member) for part in inside(node))


# ---- other values for variables -----------------------------------------------------------------------


def _with(node: ex.Expr, name: str, value: ex.Expr) -> ex.Expr:
    """An expression with a value in place of a variable's."""

    def change(part: Any) -> Any:
        if isinstance(part, ex.Load) and isinstance(part.source, ex.Name) and part.source.name == name:
            return value
        return with_operands(part, change)

    return cast(ex.Expr, change(node))


def _replaced(stmt: st.Stmt, name: str, value: ex.Expr) -> st.Stmt:
    if isinstance(stmt, st.Assign | st.Return) and stmt.value is not None:
        return replace(stmt, value=_with(stmt.value, name, value))
    return stmt
