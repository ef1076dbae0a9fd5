"""Conditions on indices as disjoint alternatives, without what loops and other conditions already say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from raising.affine.ir.affine_expr import Cond, Lin

Conds = tuple[Cond, ...]
Alternatives = tuple[Conds, ...]


def negation(alternatives: Alternatives, known: Conds = ()) -> Alternatives:
    """Disjoint alternatives of which one holds exactly when `known` holds and none of `alternatives` does."""
    result: Alternatives = ((),)
    for conds in alternatives:
        branches: list[Conds] = []
        for k, cond in enumerate(conds):
            branches += [(*conds[:k], n) for n in cond.negated()]
        result = possible((x + y for x in result for y in branches), known)
    return result


def either(left: Alternatives, right: Alternatives, known: Conds = ()) -> Alternatives:
    """Disjoint alternatives of which one holds exactly when one of `left` or of `right` does."""
    return left + possible((x + y for x in negation(left, known) for y in right), known)


def possible(alternatives: Iterable[Conds], known: Conds = ()) -> Alternatives:
    """The alternatives that `known` does not exclude, without conditions that it implies."""
    found = (_reduced(conds, known) for conds in alternatives)
    return tuple(conds for conds in found if conds is not None)


def _reduced(conds: Conds, known: Conds) -> Conds | None:
    """The conditions that others do not imply; None if two of them exclude each other."""
    distinct = tuple(dict.fromkeys(conds))
    forms = list(_forms((*known, *distinct)))
    if any((a + b).is_const and (a + b).const < 0 for a, b in combinations(forms, 2)):
        return None
    kept: list[Cond] = []
    for k, cond in enumerate(distinct):
        others = _forms((*known, *kept, *distinct[k + 1 :]))
        if cond.equality or not any((cond.form - f).is_const and cond.form.const >= f.const for f in others):
            kept.append(cond)
    return tuple(kept)


def _forms(conds: Conds) -> Iterator[Lin]:
    """The forms that are at least zero where conditions hold."""
    for cond in conds:
        yield cond.form
        if cond.equality:
            yield -cond.form
