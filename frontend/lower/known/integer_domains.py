"""Domains as alternatives of conditions over loop variables and sizes, and integers that are known in cases."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeVar

from raising.frontend.lower.ir.inequalities import Facts
from raising.frontend.lower.ir.nodes import Alternatives, Cond
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.lower.known.typed_values import Cases, Demote, Extremum, Sym

MAX_CASES = 12
T = TypeVar("T")
Case = tuple[tuple[Cond, ...], T]


def conjunction(a: Alternatives, b: Alternatives) -> Alternatives:
    """The domain in which both conditions hold."""
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
    """Without conditions that always hold here, and without alternatives that never do.

    Equality with the least or greatest number that a form can be is an inequality: its negation is one domain, too.
    """
    kept: list[tuple[Cond, ...]] = []
    for conds in alternatives:
        if not any(never(c, facts) for c in conds):
            kept.append(tuple(dict.fromkeys(_at_end(c, facts) for c in conds if not always(c, facts))))
    return tuple(dict.fromkeys(kept))


def _at_end(cond: Cond, facts: Facts) -> Cond:
    """An equality of which one half is known, as the other half."""
    if cond.equality:
        halves = (cond.form, -cond.form)
        return next((Cond(half) for half in halves if facts.proves(-half)), cond)
    return cond


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
    return tuple(form for c in alternatives[0] for form in c.forms)


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
