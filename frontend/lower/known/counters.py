"""Counters of a loop: their closed forms, and the loop's condition as a bound on the number of the iteration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from raising.frontend.lower.ir.nodes import Alternatives
from raising.frontend.lower.ir.polynomial import Poly, const, var
from raising.frontend.lower.known.typed_values import After, Extremum, Ptr, Sym
from raising.support.record import dataclass


@dataclass(frozen=True)
class Bound:
    """The condition in iteration t: `start + slope * t >= 0` (or != 0)."""

    start: Poly
    slope: int
    unequal: bool


@dataclass(frozen=True)
class Limit:
    """Iteration t runs while `slope * t <= start`."""

    start: Poly
    slope: int

    @property
    def trips(self) -> Poly:
        """The number of iterations, where it is not negative."""
        return self.start.floordiv(self.slope) + 1

    def scaled_end(self, step: int) -> Poly:
        """The exclusive end of a variable that starts at 0 and goes up by `step`."""
        return self.start + 1 if step == self.slope else self.trips


def origin(start: Any) -> Any:
    """Where the closed form of a counter starts; of one that starts at an extremum it is the counter itself."""
    return Sym(const(0), start.type) if isinstance(start, Extremum) else start


def advanced(start: Any, by: Poly) -> Any:
    """A counter moved on."""
    if isinstance(start, Sym):
        return Sym(start.form + by, start.type)
    return replace(start, subscripts=(*start.subscripts[:-1], start.subscripts[-1] + by))


def at_name(start: Any, name: str) -> Any:
    """A counter of unknown value, called by a name."""
    if isinstance(start, Ptr):
        return replace(start, subscripts=(*start.subscripts[:-1], var(name)))
    return Sym(var(name), start.type)


def placed(held: Any, values: Mapping[str, Poly]) -> Any:
    """The value of a variable, with values in place of loop variables."""
    if isinstance(held, Sym):
        return Sym(held.form.substitute(values), held.type)
    if isinstance(held, Ptr):
        return replace(held, subscripts=tuple(form.substitute(values) for form in held.subscripts))
    return held


def difference_of(end: Any, start: Any) -> Poly | None:
    """By how much a counter moved; None if that is not known."""
    if isinstance(end, After):
        end = end.value
    if isinstance(end, Sym) and isinstance(start, Sym):
        return end.form - start.form
    if isinstance(end, Ptr) and isinstance(start, Ptr) and end.array == start.array:
        same = end.subscripts[:-1] == start.subscripts[:-1] and end.trail == start.trail
        return end.subscripts[-1] - start.subscripts[-1] if same else None
    return None


def asked_unequal(alternatives: Alternatives) -> Poly | None:
    """The form that a condition asks to be other than zero, if that is all it asks."""
    if len(alternatives) == 2 and all(len(a) == 1 and not a[0].equality for a in alternatives):
        a, b = alternatives[0][0].form + 1, alternatives[1][0].form + 1
        return a if (a + b).constant == 0 else None
    return None


Start = Sym | Ptr | Extremum


@dataclass(frozen=True)
class Header:
    """A loop in closed form: from the largest of `lower` to below the smallest of `upper`, by `step`.

    `iteration` is the number of an iteration, in its variable; that is the counter `key`, if any, and holds `counter`.
    """

    lower: tuple[Poly, ...]
    upper: tuple[Poly, ...]
    step: int
    iteration: Poly
    key: str | None
    counter: Sym | None


@dataclass(frozen=True)
class Closed:
    """The counters of a loop: in iteration t, each is its start + t * its delta; `limits` say how far t goes.

    The variable of the new loop is `count`. The condition may be `unequal` (`!=`); it is asked after `more` iterations.
    """

    count: str
    starts: dict[str, Start]
    deltas: dict[str, Poly]
    limits: list[Limit]
    unequal: bool
    more: int

    @property
    def trips(self) -> Poly | None:
        """The number of iterations, where it is not negative; None if several limits decide it."""
        return self.limits[0].trips + self.more if len(self.limits) == 1 else None

    def at(self, iteration: Poly) -> dict[str, Sym | Ptr]:
        """The counters in an iteration; one that starts at a minimum or maximum has no such form."""
        followed = {key: start for key, start in self.starts.items() if isinstance(start, Sym | Ptr)}
        return {key: advanced(followed[key], iteration * d) for key, d in self.deltas.items() if key in followed}

    def header(self) -> Header | None:
        """The new loop; None for one that starts at a minimum or maximum and is not over that counter alone."""
        primary = self._primary()
        start = None if primary is None else self.starts[primary]
        extrema = [k for k, d in self.deltas.items() if isinstance(self.starts[k], Extremum) and d.constant != 0]
        if extrema and (not isinstance(start, Extremum) or len(extrema) > 1 or start.kind != "max" or self.unequal):
            return None
        step = 1 if primary is None else self.deltas[primary].constant or 1
        base = start.form if isinstance(start, Sym) else const(0)
        lower = start.forms if isinstance(start, Extremum) else (base,)
        upper = tuple(base + limit.scaled_end(step) + self.more * step for limit in self.limits)
        counter = Sym(var(self.count), start.type) if isinstance(start, Sym | Extremum) else None
        return Header(lower, upper, step, (var(self.count) - base).floordiv(step), primary, counter)

    def _primary(self) -> str | None:
        """The counter that the loop's variable can be: an integer that goes up by the slope of the limits."""
        moving = [key for key, delta in self.deltas.items() if delta.constant != 0]
        for key, delta in self.deltas.items():
            start, step = self.starts[key], delta.constant
            if isinstance(start, Ptr) or step is None or step <= 0 or any(m.slope != step for m in self.limits):
                continue
            linear = isinstance(start, Sym) and start.form.is_linear
            if (linear or step == 1) if moving == [key] else (linear and step == 1):
                return key
        return None
