"""Domains: alternatives of conditions over loop variables and sizes."""

from __future__ import annotations

from affine.c.facts import Facts
from affine.c.ir import Alternatives, Cond
from affine.c.poly import Poly


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
