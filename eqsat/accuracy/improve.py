"""The most accurate form of one expression that was found, with the errors of both as measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from raising.eqsat.accuracy.enclose import steps_of, true_and_bits
from raising.eqsat.accuracy.floats import Floats, Range, edges, error_bits, sampled
from raising.eqsat.accuracy.members import Member, cost_of, members_of
from raising.eqsat.accuracy.piecewise import best_regions
from raising.eqsat.accuracy.rational import NotRational, one_fraction
from raising.eqsat.accuracy.real_ops import OPS
from raising.eqsat.accuracy.series import taylor_forms
from raising.eqsat.ruleset.expression import Expr, Number, Var, variables
from raising.support.record import dataclass

SEARCHED, MEASURED = 96, 512  # points
_TRIES = 12  # times as many, where the expression may have no value
_GAIN = 0.1  # bits: less is no gain
_EDGE = 2.0  # bits that a form may lose at one of the few floats that are no samples: some are exact by chance
_SEEDS = 6


@dataclass(frozen=True)
class Form:
    """`exprs[k]` up to `bounds[k]` of a variable, the last one beyond and for NaN; its error and cost."""

    variable: str
    bounds: tuple[float, ...]
    exprs: tuple[Expr, ...]
    error: float
    cost: float

    def __str__(self) -> str:
        parts = [f"{e} if {self.variable} <= {b:g}" for e, b in zip(self.exprs, self.bounds, strict=False)]
        return " else ".join([*parts, str(self.exprs[-1])])


@dataclass(frozen=True)
class Improved:
    """The form, the mean errors in bits before and after, the points they were measured at, and forms to choose from.

    The `front` has cheap and accurate forms, none of which is worse than another in both.
    """

    form: Form
    before: float
    points: int
    front: tuple[Form, ...]


@dataclass(frozen=True)
class _Points:
    values: dict[str, Floats]
    true: Floats
    bits: list[int]


def improve(expr: Expr, range_: Range | Mapping[str, Range], kind: np.dtype[Any]) -> Improved | None:
    """The best form of an expression on floats of a range, for all variables or each; None where it has no values."""
    ranges = {n: range_ if isinstance(range_, Range) else range_[n] for n in variables(expr)}
    rng = np.random.default_rng(0)
    points = _sampled(expr, ranges, SEARCHED, kind, rng)
    if points is None:
        return None
    pool = _pool(expr, points, kind)
    fresh = _sampled(expr, ranges, MEASURED, kind, rng) or points
    before = _measured(Form("", (), (expr,), 0.0, cost_of(expr)), fresh, kind)
    special = _special(expr, ranges, kind)
    forms = [_measured(form, fresh, kind) for form in _forms(pool, _with_special(points, special))]
    safe = [f for f in forms if f.error < before.error - _GAIN and _as_good(f, before, special, kind)]
    front = _front([before, *safe])
    return Improved(front[-1], before.error, len(fresh.true), front)


def _sampled(
    expr: Expr, ranges: Mapping[str, Range], count: int, kind: np.dtype[Any], rng: np.random.Generator
) -> _Points | None:
    """Points at which the expression has a value that is a float; None if there are hardly any."""
    values: dict[str, list[float]] = {n: [] for n in ranges}
    true: list[float] = []
    bits: list[int] = []
    steps, _ = steps_of([expr])
    for _ in range(_TRIES):
        drawn = {n: sampled(rng, r, count, kind) for n, r in ranges.items()}
        for k in range(count):
            value, needed = true_and_bits(expr, {n: float(v[k]) for n, v in drawn.items()}, kind, steps)
            if np.isfinite(value) and len(true) < count:
                true.append(value)
                bits.append(needed)
                for n, v in drawn.items():
                    values[n].append(v[k])
        if len(true) == count:
            break
    if len(true) < count // 4:
        return None
    return _Points({n: np.array(v, dtype=kind) for n, v in values.items()}, np.array(true, dtype=kind), bits)


def _pool(expr: Expr, points: _Points, kind: np.dtype[Any]) -> list[Expr]:
    """Forms to choose from: members of the class of the expression, of the fractions that these are, and series."""
    seeds = _with_fractions([expr])
    members: list[Member] = []
    for _ in range(2):
        members = members_of(seeds, points.values, [2 * b for b in points.bits], kind)
        more = _with_fractions([*seeds, *(m.expr for m in members)])[: len(seeds) + _SEEDS]
        if more == seeds:
            break
        seeds = more
    return list(dict.fromkeys([expr, *seeds, *(m.expr for m in members), *taylor_forms(expr)]))


def _with_fractions(exprs: Sequence[Expr]) -> list[Expr]:
    found = list(exprs)
    for expr in exprs:
        try:
            found.append(one_fraction(expr))
        except NotRational:
            continue
    return list(dict.fromkeys(found))


def _forms(pool: Sequence[Expr], points: _Points) -> list[Form]:
    """Each expression alone, and the best branches."""
    kind = points.true.dtype
    errors = np.array([error_bits(floats_of(e, points.values, kind), points.true) for e in pool])
    costs = [cost_of(e) for e in pool]
    regions = best_regions(errors, points.values, costs)
    forms = [Form("", (), (e,), 0.0, c) for e, c in zip(pool, costs, strict=True)]
    if regions.variable:
        parts = tuple(pool[n] for n in regions.forms)
        cost = sum(costs[n] for n in set(regions.forms)) + 2.0 * len(regions.bounds)
        forms.append(Form(regions.variable, regions.bounds, parts, 0.0, cost))
    return forms


def floats_of(expr: Expr, values: Mapping[str, Floats], kind: np.dtype[Any]) -> Floats:
    """An expression computed in floats, at many points."""
    known: dict[Expr, Any] = {}

    def computed(e: Expr) -> Any:
        if e not in known:
            if isinstance(e, Var):
                known[e] = values[e.name]
            elif isinstance(e, Number):
                known[e] = kind.type(e.value)
            else:
                known[e] = OPS[e.op].floats(*map(computed, e.args))
        return known[e]

    count = len(next(iter(values.values())))
    with np.errstate(all="ignore"):
        return np.broadcast_to(np.asarray(computed(expr), dtype=kind), (count,)).copy()


def form_floats(form: Form, values: Mapping[str, Floats], kind: np.dtype[Any]) -> Floats:
    """A form with its branches computed in floats."""
    found = floats_of(form.exprs[-1], values, kind)
    for bound, expr in reversed(list(zip(form.bounds, form.exprs, strict=False))):
        found = np.where(values[form.variable] <= bound, floats_of(expr, values, kind), found)
    return found


def _measured(form: Form, points: _Points, kind: np.dtype[Any]) -> Form:
    errors = error_bits(form_floats(form, points.values, kind), points.true)
    return Form(form.variable, form.bounds, form.exprs, float(errors.mean()), form.cost)


def _special(expr: Expr, ranges: Mapping[str, Range], kind: np.dtype[Any]) -> _Points:
    """Points that samples hardly meet: zeros, ones and ends, for each variable with ordinary values of the others."""
    values: dict[str, list[float]] = {n: [] for n in ranges}
    for name in ranges:
        for edge in edges(ranges[name], kind):
            for other, range_ in ranges.items():
                ordinary = min(max(1.5, range_.low), range_.high)
                values[other].append(edge if other == name else ordinary)
    arrays = {n: np.array(v, dtype=kind) for n, v in values.items()}
    count = len(next(iter(arrays.values())))
    true = [true_and_bits(expr, {n: float(v[k]) for n, v in arrays.items()}, kind)[0] for k in range(count)]
    return _Points(arrays, np.array(true, dtype=kind), [])


def _with_special(points: _Points, special: _Points) -> _Points:
    """Samples, and special points at which there is a value."""
    there = np.isfinite(special.true)
    values = {n: np.concatenate([v, special.values[n][there]]) for n, v in points.values.items()}
    return _Points(values, np.concatenate([points.true, special.true[there]]), [])


def _as_good(form: Form, before: Form, special: _Points, kind: np.dtype[Any]) -> bool:
    """Whether a form loses nothing at special points: where there is a true value, and to NaN where there is none."""
    was, now = (form_floats(f, special.values, kind) for f in (before, form))
    there = np.isfinite(special.true)
    worse = error_bits(now, special.true) > error_bits(was, special.true) + _EDGE
    return not (worse & there).any() and not (np.isnan(now) & ~np.isnan(was)).any()


def _front(forms: Sequence[Form]) -> tuple[Form, ...]:
    """The forms that no other is both cheaper and more accurate than, the most accurate last."""
    found: list[Form] = []
    for form in sorted(forms, key=lambda f: (f.cost, f.error)):
        if not found or form.error < found[-1].error - _GAIN / 2:
            found.append(form)
    return tuple(found)
