"""Powers by a constant that is a small multiple of a half: products, a square root, a quotient.

C's results for infinities, zeros and below the normal range stay; others may be rounded twice, so strict arithmetic
keeps its powers.

    before  %r = math.powf %x, 1.5
    after   %y = %x + 0.0;  %p = %y * sqrt %y;  %r = %x == -inf ? inf : %p
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.walk import maker, named

_HALVES = (-3, -2, -1, 1, 2, 3, 4, 5, 6, 8)
"""Twice the exponents: those of which no product leaves the range where the power does not."""


def write_constant_powers(module: Any, fp: str) -> None:
    """Rewrite the powers of a module in place, unless `fp` is strict."""
    if fp == "strict":
        return
    for op in named(module, "math.powf"):
        base, exponent = op.operands
        made = maker(exponent, "arith.constant")
        if made is None or not isinstance(made.attributes["value"], ir.FloatAttr):
            continue
        twice = 2 * ir.FloatAttr(made.attributes["value"]).value
        if twice in _HALVES:
            with op.location, ir.InsertionPoint(op):
                result = _Writer(op, fp).power(base, int(twice))
            op.results[0].replace_all_uses_with(result)
            op.erase()


class _Writer:
    """Writes operations on floats of the type and with the flags of one that is there."""

    def __init__(self, op: Any, fp: str) -> None:
        self.kind, self.finite = op.results[0].type, fp == "fast"
        self.flags = op.attributes["fastmath"]

    def power(self, base: Any, twice: int) -> Any:
        """The power of a value by half a number."""
        if twice % 2 == 0:
            power = self._product(base, abs(twice) // 2)
            return power if twice > 0 else self._op("arith.divf", self._constant(1.0), power)
        own = base if self.finite else self._op("arith.addf", base, self._constant(0.0))  # -0.0 has a root of its own
        root = self._op("math.sqrt", own)
        if twice < 0:
            power = self._op("arith.divf", self._constant(1.0), root)
            power = self._op("arith.divf", power, own) if twice < -1 else power
        else:
            power = self._op("arith.mulf", self._product(own, twice // 2), root) if twice > 1 else root
        return power if self.finite else self._at_infinity(base, power, twice)

    def _at_infinity(self, base: Any, power: Any, twice: int) -> Any:
        """A power that is right below infinity, too: there, the root is no number."""
        below = ir.Operation.create(
            "arith.cmpf",
            [ir.IntegerType.get_signless(1)],
            [base, self._constant(float("-inf"))],
            {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1)},
        ).results[0]
        sides = [below, self._constant(float("inf") if twice > 0 else 0.0), power]
        return ir.Operation.create("arith.select", [self.kind], sides).results[0]

    def _product(self, base: Any, count: int) -> Any:
        """A small power: 4 is the square of a square."""
        if count == 1:
            return base
        half = self._product(base, count // 2)
        square = self._op("arith.mulf", half, half)
        return self._op("arith.mulf", square, base) if count % 2 else square

    def _op(self, name: str, *operands: Any) -> Any:
        return ir.Operation.create(name, [self.kind], list(operands), {"fastmath": self.flags}).results[0]

    def _constant(self, number: float) -> Any:
        value = ir.FloatAttr.get(self.kind, number)
        return ir.Operation.create("arith.constant", [self.kind], [], {"value": value}).results[0]
