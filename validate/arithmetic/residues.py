"""Real numbers as residues modulo a prime, with order in one of two ways.

Equality of rational functions is decided at random points (Schwartz 1980,
Zippel 1979). Order is not part of a field, so a comparison is either

- an *indicator*: a random residue per comparison, the same for equal
  differences, so that both outcomes are covered at once; or
- *ordered*: decided by a float beside each residue that holds the same
  rational; where that is not sure, the point is drawn again.

A square root is x^((p+1)/4), for p = 3 mod 4, where that is one. It would be
the same for x and -x, of which only one has a root: the other's is opaque.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from raising.affine.ir.integer_types import is_integer, width, wrapped
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.mlir.predicates import ORDER
from raising.validate.arithmetic.concrete import Indicator, Reals
from raising.validate.arithmetic.integers import Undefined

PRIMES = ((1 << 61) - 1, (1 << 64) - 189)
"""Both are 3 mod 4."""

_SURE = 1e-9
"""Floats of this relative distance or less do not tell the order of two different numbers."""

_OFTEN, _UNIFORM = 0.4, 0.93
"""How many points have nearly all numbers the same, and how many numbers of these are."""

Number = tuple[int, float]
"""A residue, and the float that stands for the same number (NaN where no order is kept)."""


class Residues:
    """One random point: its operations, and what it met on the way (`keys` are distinct opaque arguments).

    As long as it is `strict`, a root that is not in the field is `Undefined`; else it is opaque.
    """

    def __init__(self, prime: int, seed: str, ordered: bool, strict: bool) -> None:
        self.prime, self.ordered, self.strict = prime, ordered, strict
        self.roots = 0
        self._dice = random.Random(seed)
        self._opaque: dict[tuple[Any, ...], int] = {}
        self._drawn: tuple[Fraction, ...] = ()
        self._uniform: tuple[Fraction | None] | None = None

    @property
    def keys(self) -> int:
        """The number of random values that were drawn for opaque functions and comparisons."""
        return len(self._opaque)

    def reals(self) -> Reals[Number]:
        """The domain of real numbers."""
        compare = self._compare if self.ordered else self._indicate
        return Reals(self.apply, compare, self.literal, self._truncated, self._choose, self._logic)

    def drawn(self, element: str, choices: Sequence[Fraction] = ()) -> Any:
        """A random number of an element type."""
        if is_integer(element):
            return wrapped(self.integer(width(element), choices), element)
        return self.draw(choices)

    def draw(self, choices: Sequence[Fraction]) -> Number:
        """A random number: any residue, or where order matters a small rational, near one drawn, or of `choices`."""
        if not self.ordered:
            return self._dice.randrange(1, self.prime), math.nan
        chance = self._dice.random()
        if choices and self._most(choices) is not None and self._dice.random() < _UNIFORM:
            value = self._most(choices) or Fraction(0)
        elif choices and chance < 0.3:
            value = self._dice.choice(choices)
        elif self._drawn and chance < 0.6:  # what is compared with it often is a small part or multiple of it
            value = self._dice.choice(self._drawn) * Fraction(self._dice.randint(1, 10), 4)
        else:
            value = Fraction(self._dice.randint(-(1 << 12), 1 << 12) or 1, 1 << 7)
        self._drawn = (*self._drawn[-7:], value)
        return self.literal(value, "")

    def _most(self, choices: Sequence[Fraction]) -> Fraction | None:
        """The number that nearly all are at this point, of which there are some: conditions may be on all elements."""
        if self._uniform is None:
            chosen = self._dice.choice([Fraction(0), *choices]) if self._dice.random() < _OFTEN else None
            self._uniform = (chosen,)
        return self._uniform[0]

    def integer(self, bits: int, choices: Sequence[Fraction] = ()) -> int:
        """A random integer of so many bits, often a small one, or near one of `choices`."""
        most = self._most(choices) if choices else None
        if most is not None and most.denominator == 1 and self._dice.random() < _UNIFORM:
            return int(most)
        if choices and self._dice.random() < 0.4:
            return int(self._dice.choice(choices)) + self._dice.choice((-1, 0, 0, 1))
        wide = self._dice.random() < 0.5
        return self._dice.getrandbits(bits) if wide else self._dice.randint(-9, 9)

    def literal(self, value: Fraction | float, element: str) -> Number:
        """A rational, or an infinity as an opaque element."""
        if isinstance(value, float):
            sign = 1 if value > 0 else -1
            return sign * self._random("infinity") % self.prime, value
        residue = value.numerator * pow(value.denominator, -1, self.prime) % self.prime
        return residue, float(value) if self.ordered else math.nan

    def _random(self, *key: Any) -> int:
        if key not in self._opaque:
            self._opaque[key] = self._dice.randrange(self.prime)
        return self._opaque[key]

    # ---- operations ------------------------------------------------------------------------------

    def apply(self, op: str, args: Sequence[Number], element: str) -> Number:
        """One operation on reals."""
        if op not in SCALARS:
            raise Unsupported(f"operation '{op}' has no meaning in the field")
        kind = SCALARS[op].residue
        if kind in ("greater", "less", "magnitude"):
            return self._extremum(kind, args)
        residue = self._residue(kind, op, [a[0] for a in args])
        return residue, self._shadow(op, [a[1] for a in args]) if self.ordered else math.nan

    def _shadow(self, op: str, args: Sequence[float]) -> float:
        kind = SCALARS[op].residue
        if kind in _RING:
            return float(_RING[kind](*args))
        if kind in ("root", "inverse_root") and args[0] < 0:
            raise Undefined("the root of a negative number")
        try:
            with np.errstate(all="ignore"):
                return float(SCALARS[op].shadow(*args))
        except (OverflowError, ZeroDivisionError, ValueError) as error:
            raise Undefined(str(error)) from error

    def _residue(self, kind: str, op: str, args: list[int]) -> int:
        if kind in _RING:
            return int(_RING[kind](*args)) % self.prime
        match kind:
            case "div":
                return args[0] * self._inverse(args[1]) % self.prime
            case "same":
                return args[0]
            case "root":
                return self._root(args[0])
            case "inverse_root":
                return self._inverse(self._root(args[0]))
            case _:
                return self._random(op, *args)

    def _inverse(self, a: int) -> int:
        if a == 0:
            raise Undefined("a division by zero")
        return pow(a, -1, self.prime)

    def _root(self, a: int) -> int:
        self.roots += 1
        root = pow(a, (self.prime + 1) // 4, self.prime)
        if root * root % self.prime == a:
            return root
        if self.strict:
            raise Undefined("the root of a number that has none in the field")
        return self._random("root", a)

    def _truncated(self, a: Number) -> int:
        if not math.isfinite(a[1]):
            raise Undefined("a conversion that is not sure")
        near = round(a[1])
        if a[0] == near % self.prime:
            return near
        if abs(a[1] - near) < _SURE * max(1.0, abs(a[1])):
            raise Undefined("a conversion that is not sure")
        return math.trunc(a[1])

    # ---- order -----------------------------------------------------------------------------------

    def _compare(self, name: str, a: Number, b: Number) -> int:
        if a[0] == b[0]:
            return int(name in ("eq", "le", "ge"))
        apart = abs(a[1] - b[1])
        if not apart > _SURE * (abs(a[1]) + abs(b[1])) or math.isnan(apart):
            raise Undefined("a comparison that is not sure")
        return int(ORDER[name](a[1], b[1]))

    def _signs(self, d: int) -> tuple[int, int, bool]:
        """The values that stand for d > 0 and d = 0, for the lesser of d and -d, and whether that is -d."""
        turned = self.prime - d < d
        d = self.prime - d if turned else d
        return self._random("above", d), self._random("zero", d), turned

    def _indicate(self, name: str, a: Number, b: Number) -> int | Indicator[Number]:
        d = (a[0] - b[0]) % self.prime
        if d == 0:
            return int(name in ("eq", "le", "ge"))
        above, zero, turned = self._signs(d)
        if turned:
            above = 1 - above - zero
        value = {"gt": above, "eq": zero, "ge": above + zero}
        value |= {"le": 1 - above, "ne": 1 - zero, "lt": 1 - above - zero}
        return Indicator((value[name] % self.prime, math.nan))

    def _extremum(self, kind: str, args: Sequence[Number]) -> Number:
        """The greater or less of two, or of a number and its negative."""
        a = args[0]
        b = (-a[0] % self.prime, -a[1]) if kind == "magnitude" else args[1]
        if kind == "less":
            a, b = ((-x[0] % self.prime, -x[1]) for x in (a, b))
        if self.ordered:
            largest = a if self._compare("gt", a, b) else b
        else:
            largest = (b[0] + self._positive((a[0] - b[0]) % self.prime)) % self.prime, math.nan
        return (-largest[0] % self.prime, -largest[1]) if kind == "less" else largest

    def _positive(self, d: int) -> int:
        """max(d, 0) as the indicator of d > 0 times d; of -d it is that less d."""
        if d == 0:
            return 0
        above, _, turned = self._signs(d)
        if not turned:
            return above * d
        return above * (self.prime - d) + d

    # ---- truth values that are not decided -------------------------------------------------------

    def _choose(self, condition: Indicator[Number], yes: Number, no: Number) -> Number:
        return (condition.value[0] * (yes[0] - no[0]) + no[0]) % self.prime, math.nan

    def _logic(self, op: str, args: Sequence[Any]) -> Indicator[Number]:
        a, b, *rest = [x.value[0] if isinstance(x, Indicator) else x for x in args]
        if op == "arith.select":
            return Indicator(((a * (b - rest[0]) + rest[0]) % self.prime, math.nan))
        if op not in _LOGIC:
            raise Unsupported(f"operation '{op}' on a comparison that is not decided")
        return Indicator((_LOGIC[op](a, b) % self.prime, math.nan))


_RING: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "fma": lambda a, b, c: a * b + c,
}
_LOGIC: dict[str, Callable[[int, int], int]] = {
    "arith.andi": lambda a, b: a * b,
    "arith.ori": lambda a, b: a + b - a * b,
    "arith.xori": lambda a, b: a + b - 2 * a * b,
}
