"""Loops that exchange pointers in each iteration are unrolled until every pointer is back where it was.

    before  for (t = 0; t < T; t++) { step(b, a); s = a; a = b; b = s; }
    after   for (t = 0; t + 1 < T; t += 2) { step(b, a); s = a; a = b; b = s; step(b, a); s = a; a = b; b = s; }
            if (0 < T && T % 2 >= 1) { step(b, a); s = a; a = b; b = s; … } else { … }

Two buffers in turn (stencils over time) take two copies, three that rotate take three. Behind the loop it depends on
what is left over which pointer is which: what follows it (`…`) is then done in either branch. Numbers of iterations are
computed in 64 bits, where nothing wraps around.
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.live_variables import Liveness
from raising.frontend.core.traverse import Body, map_bodies, statements
from raising.frontend.core.types import I64, Array, Int, Pointer
from raising.frontend.core.variable_uses import addressed, mentioned, names_in, written_names
from raising.frontend.lower.jumps.copies import NewVariables, statement_with
from raising.frontend.lower.jumps.counted_exits import Counted, counted_whole, statement_before
from raising.frontend.lower.jumps.exit_conditions import is_plain, reads_memory

_MOST = 4  # pointers that rotate
_BEHIND = 40  # statements behind a loop that are done in either branch


def with_pointers_back(function: st.Function) -> st.Function:
    """The function with such loops unrolled; the same one if there are none."""
    body = function.body or ()
    if not any(_order(s) > 1 for s in statements(body) if isinstance(s, st.Loop)):
        return function
    worker = _Unroller(function)
    made = worker.block(body, True)
    return worker.new.function(function, made) if made != body else function


class _Unroller:
    def __init__(self, function: st.Function) -> None:
        self.new = NewVariables(function.variables)
        self.live = Liveness(function)
        self.addressed = addressed(function.body or ())

    def block(self, body: Body, last: bool) -> Body:
        """Statements with such loops unrolled; of the `last` ones the function ends behind."""
        out: list[st.Stmt] = []
        for k, item in enumerate(body):
            unrolled = self._unrolled(item, out, body[k + 1 :], last) if isinstance(item, st.Loop) else None
            if unrolled is not None:
                return (*out, *unrolled)
            out.append(map_bodies(item, lambda part: self.block(part, False)))
        return tuple(out)

    def _unrolled(self, loop: st.Loop, front: list[st.Stmt], rest: Body, last: bool) -> Body | None:
        """The loop unrolled, and what stands behind it."""
        order = _order(loop)
        found = counted_whole(loop, statement_before(loop, front)) if order > 1 else None
        behind = self.live.behind(loop)
        if found is None or found.counter.name in behind or not self._is_plain(found) or not _copies((loop, *rest)):
            return None
        moved = {move[0] for s in found.body if (move := _move(s)) is not None} & behind
        if moved and (not last or len(list(statements(rest))) > _BEHIND or any(map(_is_jump, statements(rest)))):
            return None
        rest = self.block(rest, last)
        whole = self._whole(loop, found, order)
        if moved:
            return (*whole, self._left(loop, found, order, 1, rest))
        return (*whole, self._left(loop, found, order, 1, ()), *rest)

    def _is_plain(self, found: Counted) -> bool:
        """Whether the numbers of iterations stay what they are while it runs, and fit."""
        t, written = found.counter.type, written_names(found.body)
        asked = names_in(found.first) | names_in(found.end)
        fits = isinstance(t, Int) and (t.width < 64 or t.signed)
        plain = all(is_plain(e) and not reads_memory(e) for e in (found.first, found.end))
        own = {found.counter.name}
        apart = not (asked | own) & (written | self.addressed) and found.counter.name not in asked
        return found.up and fits and plain and apart

    def _whole(self, loop: st.Loop, found: Counted, order: int) -> Body:
        """The loop over `order` iterations at once."""
        t, loc, counter = found.counter.type, loop.loc, build.load(found.counter, loop.loc)
        ahead = build.binary("add", _wide(counter), build.integer(order - 1, I64, loc), loc)
        copies = [
            self._copy(found, build.binary("add", counter, build.integer(k, t, loc), loc)) for k in range(1, order)
        ]
        body = (*found.body, *(s for copy in copies for s in copy))
        step = replace(found.step, value=build.binary("add", counter, build.integer(order, t, loc), loc))
        condition = build.compare("lt", ahead, _wide(found.end), loc)
        return (replace(loop, condition=condition, body=body, step=(step,)),)

    def _left(self, loop: st.Loop, found: Counted, order: int, count: int, rest: Body) -> st.If:
        """The iterations that are left over, from one number of them on, with what stands behind in each branch."""
        loc = loop.loc
        first, end = _wide(found.first), _wide(found.end)
        over = build.binary("rem", build.binary("sub", end, first, loc), build.integer(order, I64, loc), loc)
        asked = build.compare("ge", over, build.integer(count, I64, loc), loc)
        condition = build.both(build.compare("lt", first, end, loc), asked, loc) if count == 1 else asked
        at = build.binary("add", build.binary("sub", end, over, loc), build.integer(count - 1, I64, loc), loc)
        copy = self._copy(found, build.convert(at, found.counter.type, loc))
        copy = copy if rest or count < order - 1 else _without_moves(copy)
        more = (self._left(loop, found, order, count + 1, rest),) if count < order - 1 else self.new.copied(rest)[0]
        return st.If(condition, (*copy, *more), self.new.copied(rest)[0], loc)

    def _copy(self, found: Counted, at: ex.Expr) -> Body:
        """The body once more, at another value of the counter."""
        body, _ = self.new.copied(found.body)
        return tuple(statement_with(s, {found.counter.name: at}) for s in body)


def _wide(value: ex.Expr) -> ex.Expr:
    return build.convert(value, I64, value.loc)


def _order(loop: st.Loop) -> int:
    """After how many iterations each pointer that a loop moves to another one's place is back; 0 if that is not so."""
    origins = _origins(loop.body)
    if not origins or len(origins) > _MOST or set(origins.values()) != set(origins):
        return 0
    order, now = 1, dict(origins)
    while any(name != origin for name, origin in now.items()):
        order, now = order + 1, {name: origins[origin] for name, origin in now.items()}
        if order > _MOST:
            return 0
    return order


def _origins(body: Body) -> dict[str, str] | None:
    """Which pointer's place each pointer has behind statements that exchange some; None if others are changed, too.

    One that is given a value before it is asked for is no part of it.
    """
    now: dict[str, str] = {}
    moves = sum(_move(s) is not None for s in body)
    if moves != sum(map(_sets_pointer, statements(body))):
        return None
    asked: set[str] = set()
    helpers: set[str] = set()
    for s in body:
        move = _move(s)
        if move is None:
            asked |= mentioned((s,))
            continue
        target, source = move
        asked.add(source)
        helpers |= {target} - asked
        now[target] = now.get(source, source)
    return {name: origin for name, origin in now.items() if name not in helpers}


def _move(s: st.Stmt) -> tuple[str, str] | None:
    """The two variables of `p = q` of pointers."""
    if isinstance(s, st.Declare):
        target, value = build.name(s.variable, s.loc), s.initial
    elif isinstance(s, st.Assign) and isinstance(s.target, ex.Name):
        target, value = s.target, s.value
    else:
        return None
    plain = isinstance(target.type, Pointer) and isinstance(value, ex.Load) and isinstance(value.source, ex.Name)
    return (target.name, value.source.name) if plain else None  # type: ignore[union-attr]


def _sets_pointer(s: st.Stmt) -> bool:
    """Whether a statement gives a pointer that may be older than an iteration a new place."""
    return _move(s) is not None or (
        isinstance(s, st.Assign) and isinstance(s.target, ex.Name) and isinstance(s.target.type, Pointer)
    )


def _without_moves(body: Body) -> Body:
    """Statements without those at their end that only move pointers."""
    while body and _move(body[-1]) is not None:
        body = body[:-1]
    return body


def _copies(body: Body) -> bool:
    """Whether variables of their own are all that copies of statements need: no array's length depends on others."""
    kinds = [s.variable.type for s in statements(body) if isinstance(s, st.Declare)]
    while any(isinstance(t, Array) for t in kinds):
        if any(isinstance(t, Array) and not isinstance(t.extent, int) for t in kinds):
            return False
        kinds = [t.element for t in kinds if isinstance(t, Array)]
    return True


def _is_jump(s: st.Stmt) -> bool:
    return isinstance(s, st.Goto | st.Label | st.Refused | st.Region)
