"""Real numbers as polynomials: quotients, roots, functions and order become atoms of the ring.

A comparison is an atom that is 0 or 1, of the difference of its operands up
to a factor, so that a choice is `c·(x - y) + y`; a maximum is
`b + positive(a - b)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from raising.affine.ir.sparse_polynomials import ONE, ZERO, Poly, add, constant, scale, sub, value_of
from raising.grammar.terms.scalar_ops import SCALARS
from raising.validate.arithmetic import intervals as enclosure
from raising.validate.arithmetic.concrete import ALWAYS
from raising.validate.arithmetic.integers import Undefined
from raising.validate.bounded.ring_polynomial import Ring, primitive

_MAX_POWER = 16


class Reals:
    """Real arithmetic in a ring.

    `divides` and `roots` become true when an operation needed that a divisor is not zero, an argument not negative.
    """

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.divides = False
        self.roots = False

    @property
    def infinity(self) -> Poly:
        """Positive infinity: no number is greater."""
        return {(self._infinity,): 1}

    @property
    def _infinity(self) -> int:
        return self.ring.atom("infinity", (), "real")

    def apply(self, op: str, args: Sequence[Poly]) -> Poly:
        """One operation on reals."""
        kind = SCALARS[op].residue if op in SCALARS else ""
        ring: dict[str, Callable[..., Poly]] = {
            "add": add,
            "sub": sub,
            "mul": self.ring.mul,
            "neg": lambda a: scale(a, -1),
            "fma": lambda a, b, c: add(self.ring.mul(a, b), c),
            "same": lambda a: a,
            "div": self._divide,
            "greater": self.maximum,
            "less": lambda a, b: scale(self.maximum(scale(a, -1), scale(b, -1)), -1),
            "magnitude": lambda a: sub(scale(self.positive(a), 2), a),
        }
        if kind in ring:
            return ring[kind](*args)
        if op in ("math.sqrt", "math.rsqrt"):
            root = self._root(args[0])
            return root if op == "math.sqrt" else self._divide(ONE, root)
        return self._function(op, args)

    def _divide(self, a: Poly, b: Poly) -> Poly:
        value = value_of(b)
        if value == 0:
            raise Undefined("a division by zero")
        if value is not None:
            return scale(a, Fraction(1) / value)
        self.divides = True
        return self.ring.mul(a, self.ring.reciprocal(b))

    def _root(self, a: Poly) -> Poly:
        value = value_of(a)
        if value is None:
            self.roots = True
            return self.ring.root(a)
        found = enclosure.real("math.sqrt", [value])
        return self.ring.root(a) if isinstance(found, enclosure.Interval) else constant(found)

    def _function(self, op: str, args: Sequence[Poly]) -> Poly:
        values = [value_of(a) for a in args]
        if op == "math.powf" and isinstance(values[1], int) and 0 <= values[1] <= _MAX_POWER:
            return self.ring.power(args[0], values[1])
        if all(v is not None for v in values):
            found = enclosure.real(op, values)
            if not isinstance(found, enclosure.Interval):
                return constant(found)
        return {(self.ring.atom(op, tuple(args), "real"),): 1}

    # ---- order -----------------------------------------------------------------------------------

    def _infinite(self, a: Poly) -> float | None:
        """The infinity that a polynomial is."""
        sign = a.get((self._infinity,)) if len(a) == 1 else None
        return None if sign is None else math.copysign(math.inf, sign)

    def maximum(self, a: Poly, b: Poly) -> Poly:
        """The greater of two."""
        for one, other in ((a, b), (b, a)):
            infinite = self._infinite(one)
            if infinite is not None:
                return one if infinite > 0 else other
        return add(b, self.positive(sub(a, b)))

    def positive(self, d: Poly) -> Poly:
        """max(d, 0), by positive(c·d) = c·positive(d) for c > 0 and positive(-d) = positive(d) - d."""
        value = value_of(d)
        if value is not None:
            return constant(max(value, 0))
        factor, body = primitive(d)
        part: Poly = {(self.ring.atom("positive", (body,), "real"),): 1}
        return scale(part, factor) if factor > 0 else scale(sub(part, body), -factor)

    def _signs(self, body: Poly) -> tuple[int, int]:
        """The truth values of body > 0 and of body = 0."""
        above, zero = self.ring.truth("above", (body,)), self.ring.truth("zero", (body,))
        self.ring.exclude(above, zero)
        return above, zero

    def compare(self, name: str, a: Poly, b: Poly) -> Poly:
        """A comparison of reals as a polynomial that is 0 or 1."""
        infinite = [self._infinite(x) for x in (a, b)]
        if name in ALWAYS:
            return constant(ALWAYS[name])
        if any(x is not None for x in infinite):
            left, right = (0.0 if x is None else x for x in infinite)
            return constant(int(enclosure.ordered(name, left, right)))
        d = sub(a, b)
        value = value_of(d)
        if value is not None:
            return constant(int(enclosure.ordered(name, value, 0)))
        factor, body = primitive(d)
        above, zero = self._signs(body)
        return outcome(name if factor > 0 else _FLIPPED.get(name, name), {(above,): 1}, {(zero,): 1})

    def select(self, condition: Poly, yes: Poly, no: Poly) -> Poly:
        """`yes` where the condition is 1: c·(yes - no) + no, where d > 0 times d is positive(d)."""
        value = value_of(condition)
        if value is not None:
            return yes if value else no
        difference = sub(yes, no)
        out = no
        if not difference:
            return out
        factor, body = primitive(difference)
        for m, c in condition.items():
            atom = self.ring.atoms[m[0]] if len(m) == 1 else None
            about = atom is not None and atom.op in ("above", "zero") and self.ring.polys[atom.args[0]] == body
            if about and atom is not None:
                part = scale(self.positive(body), c * factor) if atom.op == "above" else ZERO
            else:
                part = self.ring.mul({m: c}, difference)
            out = add(out, part)
        return out


_FLIPPED = {"gt": "lt", "lt": "gt", "ge": "le", "le": "ge"}


def outcome(name: str, above: Poly, equal: Poly) -> Poly:
    """A comparison from whether the first number is above the second, and whether they are equal."""
    parts = {"gt": above, "eq": equal, "ge": add(above, equal)}
    if name in parts:
        return parts[name]
    return sub(ONE, parts[{"le": "gt", "ne": "eq", "lt": "ge"}[name]])
