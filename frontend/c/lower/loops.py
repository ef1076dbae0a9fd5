"""Loops that count: their variables in closed form, their condition as a bound.

All variables that a loop changes by a constant in each iteration are functions
of the number of the iteration; so is the loop's condition, and where it stops
holding is the bound. This covers `for` in either direction, `while`, several
counters and pointers that walk.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused, place
from raising.frontend.c.ir.nodes import Alternatives, For, Node
from raising.frontend.c.ir.polynomial import Poly, const, var
from raising.frontend.c.ir.types import Number
from raising.frontend.c.known.counters import Bound, Limit, advanced, asked_unequal, at_name, difference_of, origin
from raising.frontend.c.known.typed_values import (
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
from raising.frontend.c.lower.induction_variables import Ends, Loop, assigned_once, leaving_first, only_bounds

MAX_DEPTH = 24


class Loops(Ends):
    """Lowers loops."""

    depth = 0
    iterators: frozenset[str] = frozenset()

    def for_loop(self, node: Any) -> None:
        """`for (init; cond; step) body`."""
        with self.scope():
            if isinstance(node.init, c_ast.DeclList):
                for declaration in node.init.decls:
                    self.declaration(declaration)
            elif node.init is not None:
                self.value(node.init)
            self._counted(node, node.cond, node.next, node.stmt, True)

    def while_loop(self, node: Any) -> None:
        """`while (cond) body`, or `do body while (cond)`."""
        self._counted(node, node.cond, None, node.stmt, isinstance(node, c_ast.While))

    def _counted(self, node: Any, cond: Any, step: Any, body: Any, first: bool) -> None:
        loc = place(node)
        cond, body, first = leaving_first(cond, body, first)
        if cond is None:
            raise Refused(loc, "a loop without a condition")
        stepped = self._changed((cond, step))
        changed = self._changed((body,))
        loop = Loop(cond, lambda: self.statement(body), step, loc, stepped, changed, first)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Refused(loc, f"loops are nested deeper than {MAX_DEPTH}")
        try:
            self._tried(loop)
        finally:
            self.depth -= 1

    def _changed(self, parts: tuple[Any, ...]) -> dict[str, Variable]:
        """The symbolic variables of enclosing blocks that syntax may change, by their key."""
        names: set[str] = set()
        for part in parts:
            names |= assigned_once(part, self.unit.assigned)
        found = {}
        for name in sorted(names):
            entity = self.find(name)
            if isinstance(entity, Variable) and entity.cell is None:
                found[entity.key] = entity
        return found

    def _tried(self, loop: Loop) -> None:
        """First as if no iteration read what the one before changed in its body; else with those in closed form."""
        number = self.number()
        plain = not (loop.stepped.keys() & loop.changed.keys()) and loop.stepped and loop.first
        mark, facts = self.mark(), self.facts
        if plain:
            try:
                return self._lowered(loop, loop.stepped, number)
            except NeedsInduction as need:
                if need.loop != number:
                    raise
                self.restore(mark)
                self.facts = facts
        try:
            return self._lowered(loop, {**loop.stepped, **loop.changed}, number)
        except NeedsInduction as need:
            if need.loop == number:
                raise Demote(need.key) from None
            raise

    # ---- closed forms ------------------------------------------------------------------------------

    def _lowered(self, loop: Loop, counters: dict[str, Variable], number: int) -> None:
        whole = bool(counters.keys() & loop.changed.keys()) or not loop.first
        starts = {key: self._start(key, v, loop) for key, v in counters.items() if self._is_set(key)}
        deltas = self._deltas(loop, starts, whole)
        for key in (loop.changed.keys() | loop.stepped.keys()) - deltas.keys():
            if not isinstance(self.values.get(key), Unknown):
                self.values[key] = Unknown(number)
        count = self.unique(self._name_of(loop, counters))
        at = {key: advanced(origin(starts[key]), var(count) * delta) for key, delta in deltas.items()}
        before = dict(self.values)
        bounds = self._bounds(loop, {**before, **at}, count, starts)
        self.values = before
        self._emitted(loop, counters, starts, deltas, bounds, count)

    def _is_set(self, key: str) -> bool:
        held = self.values.get(key)
        return held is not None and not isinstance(held, Unknown)

    def _start(self, key: str, variable: Variable, loop: Loop) -> Sym | Ptr | Extremum:
        held = self.held(variable, loop.loc)
        if isinstance(held, Sym | Ptr | Extremum):
            return held
        raise Demote(key)

    def _deltas(self, loop: Loop, starts: dict[str, Any], whole: bool) -> dict[str, Poly]:
        """By how much an iteration changes each counter; found by going through one with unknown starts.

        A counter without such a constant is left out.
        """
        mark, trial, facts = self.mark(), self.trial, self.facts
        known = self.facts.free | self.iterators
        self.trial = True
        names = {key: f"{key}@{self.number()}" for key in starts}
        for key, start in starts.items():
            self.values[key] = at_name(start, names[key])
        symbolic = {key: self.values[key] for key in starts}
        with self.block():
            if whole and not loop.first:
                loop.body()
            self._condition(loop.cond)
            if whole and loop.first:
                loop.body()
            if loop.step is not None:
                self.value(loop.step)
        ends = dict(self.values)
        self.restore(mark)
        self.trial, self.facts = trial, facts
        found = {key: difference_of(ends.get(key), symbolic[key]) for key in starts}
        inside = set(names.values())
        return {key: d for key, d in found.items() if d is not None and d.names() <= known - inside}

    def _condition(self, cond: Any) -> None:
        """The side effects of a condition."""
        self.formula_or_refuse(cond)

    def formula_or_refuse(self, cond: Any) -> Alternatives:
        """The condition of a loop."""
        found = self._formula(cond, False)
        if found is None:
            raise Refused(place(cond), "the loop's condition depends on data")
        return found

    def _bounds(self, loop: Loop, values: dict[str, Held], count: str, starts: dict[str, Any]) -> list[Bound]:
        """The condition as bounds on the number of the iteration."""
        self.values = dict(values)
        mark, trial = self.mark(), self.trial
        self.trial = True
        with self.block():
            if not loop.first:
                loop.body()
            alternatives = self.formula_or_refuse(loop.cond)
        self.restore(mark)
        self.trial = trial
        pair = asked_unequal(alternatives)
        conds = [(pair, True)] if pair is not None else [(c, False) for c in only_bounds(alternatives, loop)]
        bounds = []
        for form, unequal in conds:
            slope = Poly(tuple((m, c) for m, c in form.terms if count in m))
            if any(m != (count,) for m, _ in slope.terms):
                raise Refused(loop.loc, "the loop's condition is not affine")
            bounds.append(Bound(form - slope, slope.coefficient(count), unequal))
        if not any(b.slope < 0 or (b.unequal and b.slope) for b in bounds):
            raise Refused(loop.loc, "the loop does not count towards its bound")
        return bounds

    # ---- output ------------------------------------------------------------------------------------

    def _emitted(
        self,
        loop: Loop,
        counters: dict[str, Variable],
        starts: dict[str, Any],
        deltas: dict[str, Poly],
        bounds: list[Bound],
        count: str,
    ) -> None:
        limits = [self._limit(b, loop) for b in bounds]
        self.asked(loop, starts, deltas, limits)
        primary = self._primary(counters, starts, deltas, limits)
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
        outer = dict(self.values)
        for key, delta in deltas.items():
            if key == primary:
                held = starts[key]
                self.values[key] = Sym(var(count), held.type)
            elif isinstance(starts[key], Sym | Ptr):
                self.values[key] = advanced(starts[key], iteration * delta)
        self.bounds[count] = lower, upper
        stepped = {k: (advanced(starts[k], (iteration + 1) * d), d) for k, d in deltas.items() if k not in extrema}
        body = self._body(loop, count, {k: v for k, v in stepped.items() if isinstance(v[0], Sym)})
        self.values = outer
        self._after(loop, starts, deltas, limits, more)
        if body:
            self.add(For(count, lower, upper, step, body, loop.loc))

    def _limit(self, bound: Bound, loop: Loop) -> Limit:
        slope = -abs(bound.slope)
        start = bound.start if bound.slope < 0 else -bound.start
        if not bound.unequal:
            if bound.slope >= 0:
                raise Refused(loop.loc, "the loop's condition does not bound it")
            return Limit(start, -bound.slope)
        if slope != -1:
            raise Refused(loop.loc, "a loop with '!=' whose step is not 1 or -1")
        if not self.holds(start, "the loop with '!=' ends", loop.loc):
            raise Refused(loop.loc, "a loop with '!=' that may not end")
        return Limit(start - 1, 1)

    def _primary(
        self, counters: dict[str, Variable], starts: dict[str, Any], deltas: dict[str, Poly], limits: list[Limit]
    ) -> str | None:
        """The counter that the loop's variable can be: an integer that goes up by the slope of the bounds."""
        numbers = [k for k, s in starts.items() if isinstance(s, Sym | Extremum)]
        moving = [k for k, d in deltas.items() if d.constant != 0]
        for key in numbers:
            step = deltas[key].constant
            if step is None or step <= 0 or any(limit.slope != step for limit in limits):
                continue
            plain = isinstance(starts[key], Sym) and starts[key].form.is_linear
            if (plain and (step == 1 or moving == [key])) or (step == 1 and moving == [key]):
                return key
        return None

    def _body(self, loop: Loop, count: str, stepped: dict[str, tuple[Sym, Poly]]) -> tuple[Node, ...]:
        """The nodes of the body; `stepped` are counters after an iteration, and by how much it moved them."""
        lower, upper = self.bounds[count]
        facts = (*(var(count) - f for f in lower), *(f - 1 - var(count) for f in upper))
        outer, self.iterators = self.iterators, self.iterators | {count}
        try:
            with self.block() as nodes, self.knowing(facts):
                self.in_range(stepped, var(count), upper, loop.loc)
                if loop.first:
                    self.formula_or_refuse(loop.cond)
                loop.body()
            return tuple(nodes)
        finally:
            self.iterators = outer

    def _after(
        self, loop: Loop, starts: dict[str, Any], deltas: dict[str, Poly], limits: list[Limit], more: int
    ) -> None:
        """What the counters hold after the loop."""
        last = self._changed((loop.cond,))  # by the condition itself: once more when it fails
        for key in {**loop.stepped, **loop.changed}:
            start = starts.get(key, Unknown(0))
            if key in deltas and deltas[key].constant == 0 and key not in last:
                self.values[key] = start
            elif len(limits) == 1 and key in deltas and isinstance(start, Sym | Ptr):
                trips = limits[0].trips + more
                end = advanced(start, trips * deltas[key])
                self.values[key] = Unknown(0) if key in last else After(end, trips)
            else:
                self.values[key] = Unknown(0)

    def _name_of(self, loop: Loop, counters: dict[str, Variable]) -> str:
        names = [v.key.split(":")[0].rpartition("/")[2] for v in counters.values() if isinstance(v.type, Number)]
        return names[0] if names else "i"
