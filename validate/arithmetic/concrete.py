"""Concrete arithmetic: integers are numbers modulo 2^w, and real numbers are whatever a domain makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Generic, TypeVar

from raising.affine.ir.integer_functions import DIVISIONS
from raising.affine.ir.integer_types import is_integer, limits, signed, unsigned, wrapped
from raising.affine.ir.interpreter import Arithmetic
from raising.affine.ir.program import Compute
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import predicate
from raising.support.record import dataclass
from raising.validate.arithmetic import integers
from raising.validate.arithmetic.integers import Poisoned, Undefined, Violated

V = TypeVar("V")


@dataclass(frozen=True)
class Indicator(Generic[V]):
    """A truth value that is not decided: an element of the domain that stands for 0 or 1."""

    value: V


@dataclass(frozen=True)
class Reals(Generic[V]):
    """A domain of real numbers.

    `apply(op, args, element)` computes; `compare(name, a, b)` is a truth value, 0 or 1 or an `Indicator`, between
    which `choose` selects and `logic` computes; `literal(number, element)` is a rational or an infinity; `truncated`
    is the integer toward zero.
    """

    apply: Callable[[str, Sequence[V], str], V]
    compare: Callable[[str, V, V], Any]
    literal: Callable[[Fraction | float, str], V]
    truncated: Callable[[V], int]
    choose: Callable[[Indicator[V], V, V], V] | None = None
    logic: Callable[[str, Sequence[Any]], Any] | None = None


ALWAYS = {"true": 1, "ord": 1, "false": 0, "uno": 0}
"""What comparisons say of all real numbers that say the same of all: none of these is not a number."""

POISON = object()
"""What an operation gives that has no result (a shift by too much), and what memory holds that nothing has written: not
to be used, but it may be left unchosen.
"""


def arithmetic(elements: Mapping[str, str], reals: Reals[Any], poison: bool = False) -> Arithmetic[Any]:
    """The arithmetic for a program whose values have these element types; with `poison` an operation without a
    result gives `POISON`, else it ends the run as `Undefined`.
    """

    def compute(node: Compute, args: Sequence[Any]) -> Any:
        if poison:
            return _poisoned(node, args, [elements[a] for a in node.args], reals)
        if any(isinstance(a, Indicator) for a in args):
            return _undecided(node, args, reals)
        return _apply(node, args, [elements[a] for a in node.args], reals)

    return Arithmetic(compute, lambda value, element: literal(value, element, reals))


def _poisoned(node: Compute, args: Sequence[Any], elements: Sequence[str], reals: Reals[Any]) -> Any:
    """An operation of which the operands, or the result, may be without a value."""
    missing = [a is POISON for a in args]
    if not any(missing):
        try:
            return _apply(node, args, elements, reals)
        except Poisoned:
            return POISON
    if node.op == "arith.select" and not missing[0]:
        return args[1] if args[0] else args[2]
    if node.op in DIVISIONS and missing[1]:
        raise Violated("a division by what has no value")
    return POISON


def literal(value: Any, element: str, reals: Reals[Any]) -> Any:
    """A constant, given as a number or as text, of an element type."""
    if is_integer(element):
        return wrapped(int(value), element)
    number = float(value) if isinstance(value, str) else value
    if isinstance(number, float):
        if math.isnan(number):
            raise Undefined("a constant that is not a number")
        if math.isinf(number):
            return reals.literal(number, element)
    return reals.literal(Fraction(number), element)


def _apply(node: Compute, args: Sequence[Any], elements: Sequence[str], reals: Reals[Any]) -> Any:
    op = node.op
    if op == "arith.select":
        return args[1] if args[0] else args[2]
    if op == "arith.cmpi":
        return integers.compare(node.attrs, args[0], args[1], elements[0])
    if op == "math.isfinite":
        return 1  # numbers are finite here, as they are ordered
    if op == "arith.cmpf":
        name = predicate(op, node.attrs)
        return ALWAYS[name] if name in ALWAYS else reals.compare(name, args[0], args[1])
    if op in integers.CASTS:
        return integers.cast(op, args[0], elements[0], node.element)
    if op in ("arith.sitofp", "arith.uitofp"):
        read = signed if op == "arith.sitofp" else unsigned
        return reals.literal(Fraction(read(args[0], elements[0])), node.element)
    if op in ("arith.fptosi", "arith.fptoui"):
        return _in_range(reals.truncated(args[0]), node.element, op == "arith.fptosi")
    if is_integer(node.element):
        return integers.apply(op, args, node.element)
    return reals.apply(op, args, node.element)


def _undecided(node: Compute, args: Sequence[Any], reals: Reals[Any]) -> Any:
    """An operation on truth values that are not decided."""
    choice = node.op == "arith.select" and isinstance(args[0], Indicator)
    if choice and reals.choose is not None and not is_integer(node.element):
        return reals.choose(args[0], args[1], args[2])
    if node.element == "i1" and reals.logic is not None and not choice:
        return reals.logic(node.op, args)
    raise Unsupported(f"operation '{node.op}' on a comparison that is not decided")


def _in_range(number: int, element: str, with_sign: bool) -> int:
    least, most = limits(element, with_sign)
    if not least <= number <= most:
        raise Poisoned("a conversion out of range")
    return wrapped(number, element)
