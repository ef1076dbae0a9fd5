"""Induction variables: the closed forms of a loop's counters, and its condition as a bound on the iteration number.

`Ends` collects what has to be assumed of the first and the last time that a loop asks its condition: that the counters
are in range outside of the iterations, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pycparser import c_ast

from raising.frontend.c.ir.module import Refused
from raising.frontend.c.ir.nodes import Alternatives
from raising.frontend.c.ir.polynomial import Poly
from raising.frontend.c.ir.types import INT
from raising.frontend.c.known.counters import Limit, advanced
from raising.frontend.c.known.typed_values import Demote, Ptr, Sym, Variable
from raising.frontend.c.lower.branches import Conditions
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class Loop:
    """A loop of C: what happens in an iteration; `first` if the condition comes first."""

    cond: Any
    body: Callable[[], None]
    step: Any
    loc: Loc
    stepped: dict[str, Variable]
    changed: dict[str, Variable]
    first: bool = True


def only_bounds(alternatives: Alternatives, loop: Loop) -> list[Poly]:
    """The forms that are >= 0 while the loop runs."""
    if len(alternatives) != 1 or any(c.equality for c in alternatives[0]):
        raise Refused(loop.loc, "the loop's condition is not a conjunction of bounds")
    return [c.form for c in alternatives[0]]


def leaving_first(cond: Any, body: Any, first: bool) -> tuple[Any, Any, bool]:
    """`while (1) { if (c) break; … }` as `while (!c) { … }`: the condition, the body, and which comes first."""
    endless = cond is None or (isinstance(cond, c_ast.Constant) and cond.value == "1")
    items = body.block_items or [] if isinstance(body, c_ast.Compound) else []
    if not endless or not items or not isinstance(items[0], c_ast.If) or items[0].iffalse is not None:
        return cond, body, first
    then = items[0].iftrue
    only = then.block_items or [] if isinstance(then, c_ast.Compound) else [then]
    if len(only) != 1 or not isinstance(only[0], c_ast.Break):
        return cond, body, first
    return c_ast.UnaryOp("!", items[0].cond, items[0].coord), c_ast.Compound(items[1:], body.coord), True


def assigned_once(node: Any, known: dict[Any, frozenset[str]]) -> frozenset[str]:
    """The same as `assigned_names`, found once and then remembered in `known`."""
    if node not in known:
        known[node] = frozenset(assigned_names(node))
    return known[node]


def assigned_names(node: Any) -> set[str]:
    """The names that a piece of syntax assigns to, increments, or takes the address of."""
    found: set[str] = set()
    pending = [node]
    while pending:
        part = pending.pop()
        if part is None:
            continue
        if isinstance(part, c_ast.Assignment):
            target = part.lvalue
        elif isinstance(part, c_ast.UnaryOp) and part.op in ("++", "--", "p++", "p--", "&"):
            target = part.expr
        else:
            target = None
        if isinstance(target, c_ast.ID):
            found.add(target.name)
        pending += part
    return found


class Ends(Conditions):
    """The first and the last time that a loop asks its condition."""

    def asked(self, loop: Loop, starts: dict[str, Any], deltas: dict[str, Poly], limits: list[Limit]) -> None:
        """What the condition assumes where C asks it outside of the iterations: at first, and after the last."""
        if not loop.first:
            return
        held = [dict(self.values)]
        if len(limits) == 1 and all(isinstance(starts[k], Sym | Ptr) for k in deltas):
            trips = limits[0].trips
            held.append({**self.values, **{k: advanced(starts[k], trips * d) for k, d in deltas.items()}})
        before, known = self.values, self.facts
        self.asking = True
        for values in held:
            self.values = values
            with self.block():
                self._formula(loop.cond, False)
            self.facts = known.with_forms((trips,)) if len(held) > 1 else known
        self.values, self.facts, self.asking = before, known, False

    def in_range(self, counters: dict[str, tuple[Sym, Poly]], count: Poly, upper: tuple[Poly, ...], loc: Loc) -> None:
        """Counters, given with their steps, do not wrap around; `int` and wider must not, or C gives no meaning.

        One that does, beside others, is data.
        """
        moving = {key: counter for key, (counter, delta) in counters.items() if delta.constant != 0}
        (name,) = count.names()
        for key, counter in moving.items():
            t = counter.type
            if (t.signed and t.width >= INT.width) or self.trial:
                continue
            last = counter.form.substitute({name: upper[0] - 1}).constant if len(upper) == 1 else None
            if last is not None and not t.range[0] <= last <= t.range[1]:
                if len(moving) > 1:
                    raise Demote(key)
                raise Refused(loc, "the loop ends only when its counter wraps around")
            self.fits(counter.form, t, loc)
