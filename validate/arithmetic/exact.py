"""Exact arithmetic: rationals for floats, integers modulo 2^w.

Floats are taken as real numbers: what is compared is the algebra, not the
rounding. Irrational numbers are intervals, so that two results differ only if
their intervals are disjoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from raising.affine.ir.integer_types import is_integer
from raising.affine.ir.interpreter import Arithmetic
from raising.grammar.evaluate.number import Unsupported
from raising.validate.arithmetic import concrete
from raising.validate.arithmetic.concrete import Reals
from raising.validate.arithmetic.integers import Undefined, Violated
from raising.validate.arithmetic.intervals import ANYTHING, Real, bounds, ordered, plain, real


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

    A real number that is not defined, or that nothing is known of, may be anything, and the run goes on; an integer
    ends it (`Undefined`, `Unsupported`). What has no value is `POISON`.
    """
    strict = concrete.arithmetic(elements, EXACT, poison=True)

    def defined(element: str, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except Violated:
            raise
        except (Undefined, Unsupported):
            if is_integer(element):
                raise
            return ANYTHING

    return Arithmetic(
        lambda node, args: defined(node.element, lambda: strict.compute(node, args)),
        lambda value, element: defined(element, lambda: strict.literal(value, element)),
    )


def literal(value: Any, element: str) -> Any:
    """A constant, given as a number or as text, of an element type."""
    return concrete.literal(value, element, EXACT)
