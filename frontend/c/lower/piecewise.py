"""Piecewise integers: `i < 0 ? 0 : i >= n ? n - 1 : i`, as a subscript has it, is one integer known in three cases.

A computation on such integers is done in each case, and a memory access under one becomes a branch. An integer that is
used as data gets a memory instead. The cases are told apart by domains: alternatives of conditions over loop variables
and sizes, with their conjunction, negation and simplification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeVar

from raising.frontend.c.ir.inequalities import Facts
from raising.frontend.c.ir.nodes import Alternatives, Cond
from raising.frontend.c.ir.polynomial import Poly
from raising.frontend.c.ir.types import Number
from raising.frontend.c.lower.arithmetic import Arithmetic, Numeric
from raising.frontend.c.lower.typed_values import Cases, Data, Demote, Extremum, Sym, Value
from raising.support.source import Loc


def conjunction(a: Alternatives, b: Alternatives) -> Alternatives:
    """Both hold."""
    return tuple(x + y for x in a for y in b)


def negation(alternatives: Alternatives) -> Alternatives:
    """Alternatives of which one holds exactly when none of these does."""
    result: Alternatives = ((),)
    for conds in alternatives:
        result = conjunction(result, tuple((n,) for c in conds for n in c.negated()))
    return result


def relation(op: str, a: Poly, b: Poly) -> Alternatives:
    """`a op b` as alternatives."""
    match op:
        case "<":
            return ((Cond(b - a - 1),),)
        case "<=":
            return ((Cond(b - a),),)
        case ">":
            return ((Cond(a - b - 1),),)
        case ">=":
            return ((Cond(a - b),),)
        case "==":
            return ((Cond(a - b, True),),)
    return tuple((c,) for c in Cond(a - b, True).negated())


def simplified(alternatives: Alternatives, facts: Facts) -> Alternatives:
    """Without conditions that always hold here, and without alternatives that never do."""
    kept: list[tuple[Cond, ...]] = []
    for conds in alternatives:
        if not any(never(c, facts) for c in conds):
            kept.append(tuple(dict.fromkeys(c for c in conds if not always(c, facts))))
    return tuple(dict.fromkeys(kept))


def always(cond: Cond, facts: Facts) -> bool:
    """Whether a condition is known to hold."""
    return facts.proves(cond.form) and (not cond.equality or facts.proves(-cond.form))


def never(cond: Cond, facts: Facts) -> bool:
    """Whether a condition is known not to hold."""
    return facts.proves(-cond.form - 1) or (cond.equality and facts.proves(cond.form - 1))


def known_in(alternatives: Alternatives) -> tuple[Poly, ...]:
    """Forms that are >= 0 where the alternatives hold."""
    if len(alternatives) != 1:
        return ()
    return tuple(f for c in alternatives[0] for f in ((c.form, -c.form) if c.equality else (c.form,)))


MAX_CASES = 12
_RING = ("+", "-", "*")
T = TypeVar("T")
Case = tuple[tuple[Cond, ...], T]


def cases_of(value: object) -> tuple[Case[Poly], ...]:
    """A symbolic integer by cases; none if it is data."""
    if isinstance(value, Cases):
        return value.cases
    if isinstance(value, Sym):
        return (((), value.form),)
    if not isinstance(value, Extremum):
        return ()
    sign = 1 if value.kind == "max" else -1
    found: list[Case[Poly]] = []
    for k, form in enumerate(value.forms):
        wins = tuple(Cond((form - other) * sign) for other in value.forms[k + 1 :])
        loses = tuple(Cond((form - other) * sign - 1) for other in value.forms[:k])
        found.append(((*wins, *loses), form))
    return tuple(found)


def combined(sides: Sequence[tuple[Case[T], ...]]) -> list[tuple[tuple[Cond, ...], tuple[T, ...]]]:
    """Every combination of cases: the conditions of all, and the values."""
    return [
        (tuple(dict.fromkeys(c for conds, _ in combination for c in conds)), tuple(value for _, value in combination))
        for combination in product(*sides)
    ]


def of_branches(
    key: str, conds: tuple[Cond, ...], then: Sym | Extremum | Cases, orelse: Sym | Extremum | Cases, facts: Facts
) -> Cases:
    """The value that branches leave in a variable: of one where all conditions hold, of the other elsewhere."""
    found = [((*conds, *inner), form) for inner, form in cases_of(then)]
    elsewhere = [(*conds[:k], no) for k, cond in enumerate(conds) for no in cond.negated()]
    found += [((*outer, *inner), form) for outer in elsewhere for inner, form in cases_of(orelse)]
    possible = tuple(case for case in found if not any(never(c, facts) for c in case[0]))
    if then.type != orelse.type or not 0 < len(possible) <= MAX_CASES:
        raise Demote(key)
    return Cases(possible, then.type, key)


class Piecewise(Arithmetic):
    """Conversions and operators on integers that are known in cases; products and differences of extrema are.

    One without a key is data in a memory of its own.
    """

    def data(self, value: Numeric, loc: Loc) -> Data:
        """The number as a numbered value of its own type."""
        if not isinstance(value, Cases):
            return super().data(value, loc)
        if value.key:
            raise Demote(value.key)
        cell, t, number = self.cell("case", value.type, loc), value.type, super().data
        self.split(value.cases, lambda form: self.write(cell, (), number(Sym(form, t), loc).id, loc), loc)
        return Data(self.read(cell, (), loc), t)

    def converted(self, value: Value, t: Number, loc: Loc) -> Numeric:
        """A number converted to a type."""
        convert = super().converted
        loses_sign = isinstance(value, Extremum) and t.kind == "int" and not t.signed
        if not isinstance(value, Cases) and not loses_sign:
            return convert(value, t, loc)
        number = self.numeric(value, loc)
        key = number.key if isinstance(number, Cases) else ""
        found = self._each(key, lambda parts: convert(parts[0], t, loc), (number,))
        if found is None:
            return convert(self.data(number, loc), t, loc)
        if isinstance(number, Extremum) and tuple(form for _, form in found.cases) == number.forms:
            return Extremum(number.kind, number.forms, t)
        return found

    def binary(self, op: str, a: Numeric, b: Numeric, loc: Loc) -> Numeric:
        """`a op b` for an arithmetic operator."""
        if op == "+" and isinstance(a, Sym) and isinstance(b, Extremum):
            a, b = b, a
        pair, compute = (a, b), super().binary
        apart = isinstance(b, Extremum) or (op == "*" and isinstance(a, Extremum))
        named = (x.key for x in pair if isinstance(x, Cases))
        key = next(named, "" if apart and op in _RING and all(map(cases_of, pair)) else None)
        if key is None:
            return compute(op, a, b, loc)
        found = self._each(key, lambda parts: compute(op, parts[0], parts[1], loc), pair)
        if found is None:
            a, b = (self.data(x, loc) if isinstance(x, Cases) else x for x in pair)
        return found or compute(op, a, b, loc)

    def _each(self, key: str, compute: Callable[[list[Sym]], Numeric], values: tuple[Numeric, ...]) -> Cases | None:
        """What comes out in each combination of cases; None if it is data in one of them."""
        found: list[Case[Poly]] = []
        result: Number | None = None
        for conds, forms in combined([cases_of(value) for value in values]):
            if any(never(c, self.facts) for c in conds):
                continue
            with self.knowing(known_in((conds,))):
                out = compute([Sym(form, self.type_in(v)) for form, v in zip(forms, values, strict=True)])
            if not isinstance(out, Sym):
                return None
            found.append((conds, out.form))
            result = out.type
        return None if result is None or len(found) > MAX_CASES else Cases(tuple(found), result, key)
