"""Integers that are known in cases: `i < 0 ? 0 : i >= n ? n - 1 : i`, as a subscript has it.

What is computed from them is computed in each case; what is read or written there is a branch. Where one is used as
data, its variable gets a memory after all.
"""

from __future__ import annotations

from collections.abc import Callable

from raising.frontend.c.ir.polynomial import Poly
from raising.frontend.c.ir.types import Number
from raising.frontend.c.known.integer_domains import MAX_CASES, Case, cases_of, combined, known_in, never
from raising.frontend.c.known.typed_values import Cases, Data, Demote, Extremum, Sym, Value
from raising.frontend.c.lower.arithmetic import Arithmetic, Numeric
from raising.support.source import Loc

_RING = ("+", "-", "*")


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
