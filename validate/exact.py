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
from grammar.scalar import predicate
from validate import integers
from validate.enclosure import Real, bounds, ordered, plain, real
from validate.integers import Undefined, is_integer


def arithmetic(elements: Mapping[str, str]) -> Arithmetic[Any]:
    """Exact arithmetic for a program whose values have these element types."""

    def compute(node: Compute, args: Sequence[Any]) -> Any:
        return apply(node, args, [elements[a] for a in node.args])

    return Arithmetic(compute, literal)


def literal(value: Any, element: str) -> Any:
    """A constant, given as a number or as text, of an element type."""
    if is_integer(element):
        return integers.wrapped(int(value), element)
    number = float(value) if isinstance(value, str) else value
    if isinstance(number, float):
        if math.isnan(number):
            raise Undefined("a constant that is not a number")
        if math.isinf(number):
            return number
    return plain(Fraction(number))


def apply(node: Compute, args: Sequence[Any], elements: Sequence[str]) -> Any:
    """One scalar operation on exact numbers of the given element types."""
    op = node.op
    if op == "arith.select":
        return args[1] if args[0] else args[2]
    if op == "arith.cmpi":
        return integers.compare(node.attrs, args[0], args[1], elements[0])
    if op == "arith.cmpf":
        return int(ordered(predicate(op, node.attrs), args[0], args[1]))
    if op in integers.CASTS:
        return integers.cast(op, args[0], elements[0], node.element)
    if op in ("arith.sitofp", "arith.uitofp"):
        return (integers.signed if op == "arith.sitofp" else integers.unsigned)(args[0], elements[0])
    if op in ("arith.fptosi", "arith.fptoui"):
        return _truncated(args[0], node.element, op == "arith.fptosi")
    if is_integer(node.element):
        return integers.apply(op, args, node.element)
    return real(op, args)


def _truncated(value: Real, element: str, with_sign: bool) -> int:
    low, high = bounds(value)
    if isinstance(low, float) or math.trunc(low) != math.trunc(high):
        raise Undefined("a conversion that is not exact")
    number = math.trunc(low)
    bits = integers.width(element)
    smallest, largest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if with_sign else (0, (1 << bits) - 1)
    if not smallest <= number <= largest:
        raise Undefined("a conversion out of range")
    return integers.wrapped(number, element)
