"""Integer operations of `arith` and `math` on exact integers modulo 2^w, the numbers of `integer_types`.

What MLIR leaves undefined (division by zero, a shift by w or more) is `Undefined` here, by two names.
"""

from __future__ import annotations

from collections.abc import Sequence

from raising.affine.ir.integer_functions import INTEGERS
from raising.affine.ir.integer_types import limits, signed, unsigned, width, wrapped
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import predicate
from raising.support.mlir.predicates import FIRST_UNSIGNED, ORDER, number_of

Attrs = tuple[tuple[str, str], ...]


class Undefined(Exception):
    """A run broke an assumption: a division by zero, the root of a negative number, an ambiguous order."""


class Violated(Undefined):
    """An operation that must not run on these numbers: a division by zero, or of which the quotient is too large."""


class Poisoned(Undefined):
    """An operation without a result on these numbers, which must not be used: a shift by too much, a cast too far."""


def compare(attrs: Attrs, a: int, b: int, element: str) -> int:
    """`arith.cmpi`: 1 or 0."""
    number = number_of(attrs)
    read = unsigned if number >= FIRST_UNSIGNED else signed
    return int(ORDER[predicate("arith.cmpi", attrs)](read(a, element), read(b, element)))


def apply(op: str, args: Sequence[int], element: str) -> int:
    """An operation between integers of one type."""
    row = INTEGERS.get(op)
    if row is None or row.cast:
        raise Unsupported(f"operation '{op}' has no meaning on integers")
    read, bits = unsigned if row.unsigned else signed, width(element)
    numbers = [read(a, element) for a in args]
    if row.division:
        _check_division(numbers[0], numbers[1], row.least, element)
    if row.shift:
        numbers[1] = unsigned(args[1], element)
        if numbers[1] >= bits:
            raise Poisoned(f"a shift by {numbers[1]}")
    return wrapped(row.exact(*numbers, bits) if row.of_width else row.exact(*numbers), element)


def _check_division(a: int, b: int, least: bool, element: str) -> None:
    if b == 0:
        raise Violated("a division by zero")
    if least and b == -1 and a == limits(element)[0]:
        raise Violated("a quotient that is too large")


CASTS = frozenset(op for op, row in INTEGERS.items() if row.cast)
"""The operations from integers to integers of another type."""


def cast(op: str, value: int, source: str, target: str) -> int:
    """An integer as one of another type."""
    read = unsigned if INTEGERS[op].unsigned else signed
    return wrapped(read(value, source), target)
