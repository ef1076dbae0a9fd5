"""Loops whose counter is divided by a size are two: `h / mul` and `h % mul` are loop variables of their own.

Which loops these are is found by lowering: a division asks for its loop to be split, and lowering starts again.

    before  for h = 0 to heads        k[(h / mul) * hs + i]
    after   for o = 0 to heads / mul
              for r = 0 to mul        k[o * hs + i], where h is o * mul + r
            for r = 0 to heads % mul  k[(heads / mul) * hs + i]
"""

from __future__ import annotations

from raising.frontend.lower.ir.polynomial import Poly, const, divided, of, var
from raising.frontend.lower.ir.types import LONG, Number
from raising.frontend.lower.known.named_quotients import named_quotient
from raising.frontend.lower.known.state import State
from raising.frontend.lower.known.typed_values import Split
from raising.support.record import dataclass
from raising.support.source import Loc

MAX_SPLITS = 4  # of one loop
_DECLARED = "rows"


@dataclass(frozen=True)
class Piece:
    """Loops from 0 by 1 to the least of their ends (exclusive), outermost first, and the counter's value inside.

    `known` is >= 0 inside.
    """

    loops: tuple[tuple[str, tuple[Poly, ...]], ...]
    value: Poly
    known: tuple[Poly, ...] = ()

    @property
    def facts(self) -> tuple[Poly, ...]:
        """Forms that are >= 0 inside."""
        below = [end - 1 - var(name) for name, ends in self.loops for end in ends]
        return (*self.known, *(var(name) for name, _ in self.loops), *below)


def digits(state: State, x: Poly, y: Poly) -> tuple[Poly, Poly] | None:
    """`x / y` and `x % y`, if `x` is known to be at least 0 and taken apart by `y` as it is written."""
    if y.constant is not None and y.constant <= 0:
        return None
    quotient, rest = divided(x, y)
    proves = state.facts.proves
    return (quotient, rest) if proves(rest) and proves(y - 1 - rest) and _proves(state, quotient) else None


def _proves(state: State, form: Poly) -> bool:
    """Whether a form is known to be at least 0: as such, or since no factor of any term is negative."""
    proves = state.facts.proves
    return proves(form) or all(c > 0 and all(proves(var(a)) for a in mono) for mono, c in form.terms)


def ask(state: State, x: Poly, y: Poly) -> None:
    """Start again with a loop split of which `x` is the counter, but for multiples of `y`; nothing if there is none."""
    if state.splits is None or not y.names() <= state.facts.free or y.constant in (0, 1):
        return
    _, rest = divided(x, y)
    moving = rest.names() & state.iterators
    for name in moving & state.whole_loops.keys():
        key = state.whole_loops[name]
        if len(moving) == 1 and rest.coefficient(name) == 1 and len(state.splits.get(key, ())) < MAX_SPLITS:
            raise Split(key, y)


def in_steps(state: State, form: Poly, unequal: bool, count: str, loc: Loc) -> Poly:
    """A bound on the number of an iteration whose steps are sizes: `n * n - 1 - (n + 1) * t >= 0` is n - 1 - t >= 0.

    The steps are assumed to go up. A form that they do not divide stays as it is, also where it is to be `unequal` to 0
    and a rest is left.
    """
    moving = Poly(tuple((m, c) for m, c in form.terms if count in m))
    step = of({tuple(a for a in m if a != count): -c for m, c in moving.terms})
    if step.constant is not None or not step.names() <= state.facts.free or moving + step * var(count) != const(0):
        return form
    quotient, rest = divided(form - moving, step)
    while rest.constant is None and (more := divided(rest, step))[0] != const(0):
        quotient, rest = quotient + more[0], more[1]
    if unequal and rest != const(0):
        return form
    if (rest.constant or 0) < 0:
        quotient, rest = quotient - 1, rest + step
    up = state.facts.with_forms((step - 1,))
    inside = up.proves(rest) and up.proves(step - 1 - rest)
    return quotient - var(count) if inside and state.holds(step - 1, "the loop counts up", loc) else form


def pieces(state: State, name: str, loc: Loc) -> list[Piece]:
    """The loops that one from 0 by 1 over `name` is split into; none if no division asked for that."""
    _, ends = state.bounds[name]
    if state.splits is None or len(ends) != 1 or not ends[0].names() <= state.facts.free:
        return []
    key = f"{state.frame.path}{loc.line}:{loc.col}"
    state.whole_loops[name] = key
    return _split(state, key, name, ends[0], loc)


def _split(state: State, key: str, name: str, end: Poly, loc: Loc) -> list[Piece]:
    found, rest = Piece(((name, (end,)),), var(name)), list[Piece]()
    for divisor in (state.splits or {}).get(key, ()):
        if not divisor.names() <= state.facts.free or not state.holds(divisor - 1, "it divides", loc):
            return []
        (outer, (last,)), inner = found.loops[0], found.loops[1:]
        whole = _quotient(state, last, divisor, loc)
        if whole is None:
            return []
        around, within = state.unique(name), state.unique(name)
        left = last - whole * divisor
        if left.constant != 0:
            over = state.unique(name)  # a name of its own: bounds are kept by name
            ends = (left, divisor)  # the second says what the first is below
            value = {outer: whole * divisor + var(over)}
            rest.append(Piece(((over, ends), *inner), found.value.substitute(value), (*found.known, whole)))
        value = {outer: var(around) * divisor + var(within)}
        loops = ((around, (whole,)), (within, (divisor,)), *inner)
        found = Piece(loops, found.value.substitute(value), found.known)
    if len(found.loops) == 1:
        return []
    state.whole_loops[found.loops[0][0]] = key
    return [found, *rest]


def _quotient(state: State, end: Poly, divisor: Poly, loc: Loc) -> Poly | None:
    """How often `divisor` fits into `end`, rounded towards 0: exact, or a size of its own."""
    exact, rest = divided(end, divisor)
    if rest.constant == 0 or (end.constant or 0) > 0 < (divisor.constant or 0):
        return exact
    outer, state.declaring = state.declaring, _DECLARED
    try:
        return named_quotient(state, "div", end, divisor, _INDEX, loc)
    finally:
        state.declaring = outer


_INDEX: Number = LONG
