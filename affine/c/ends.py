"""What a loop assumes where it starts and ends: of the condition outside of its iterations, and of its counters."""

from __future__ import annotations

from typing import Any

from affine.c.conditions import Conditions
from affine.c.counters import Limit, Loop, advanced
from affine.c.errors import Refused
from affine.c.poly import Poly
from affine.c.types import INT
from affine.c.values import Demote, Ptr, Sym
from affine.program import Loc


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
