"""Exact arithmetic: rationals for floats, integers modulo 2^w.

Floats are taken as real numbers: what is compared is the algebra, not the
rounding. Irrational numbers are intervals, so that two results differ only if
their intervals are disjoint.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from affine.execute import Arithmetic
from affine.program import Compute
from validate import concrete
from validate.concrete import Reals
from validate.enclosure import ANYTHING, Real, bounds, ordered, plain, real
from validate.integers import Undefined, is_integer


def _constant(value: Fraction | float, element: str) -> Real:
    return value if isinstance(value, float) else plain(value)


def _truncated(value: Real) -> int:
    low, high = bounds(value)
    if isinstance(low, float) or math.trunc(low) != math.trunc(high):
        raise Undefined("a conversion that is not exact")
    return int(low)


EXACT: Reals[Real] = Reals(
    apply=lambda op, args, _: real(op, args),
    compare=lambda name, a, b: int(ordered(name, a, b)),
    literal=_constant,
    truncated=_truncated,
)


def arithmetic(elements: Mapping[str, str]) -> Arithmetic[Any]:
    """Exact arithmetic for a program whose values have these element types.

    A real number that is not defined may be anything, and the run goes on; an integer ends it (`Undefined`).
    """
    strict = concrete.arithmetic(elements, EXACT)

    def compute(node: Compute, args: Sequence[Any]) -> Any:
        try:
            return strict.compute(node, args)
        except Undefined:
            if is_integer(node.element):
                raise
            return ANYTHING

    return Arithmetic(compute, strict.literal)


def literal(value: Any, element: str) -> Any:
    """A constant, given as a number or as text, of an element type."""
    return concrete.literal(value, element, EXACT)
