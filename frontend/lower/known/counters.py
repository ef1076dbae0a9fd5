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
    """What a variable holds, with loop variables replaced by their values."""
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
