"""Integer operations of `arith` and `math` on exact integers modulo 2^w.

A number of an element type i1 … i64 or index is the integer between -2^(w-1)
and 2^(w-1) - 1 that its bits say; of i1 it is 0 or 1. What MLIR leaves
undefined (division by zero, a shift by w or more) is `Undefined` here, by two names.
"""

from __future__ import annotations

from collections.abc import Sequence

from raising.affine.ir.integer_functions import INTEGERS
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.terms.scalar_ops import predicate
from raising.support.mlir.predicates import FIRST_UNSIGNED, ORDER, number_of

Attrs = tuple[tuple[str, str], ...]
INDEX_WIDTH = 64


class Undefined(Exception):
    """A run broke an assumption: a division by zero, the root of a negative number, an ambiguous order."""


class Violated(Undefined):
    """An operation that must not run on these numbers: a division by zero, or of which the quotient is too large."""


class Poisoned(Undefined):
    """An operation without a result on these numbers, which must not be used: a shift by too much, a cast too far."""


def is_integer(element: str) -> bool:
    """Whether an element type is one of integers."""
    return element == "index" or element.startswith("i")


def width(element: str) -> int:
    """The number of bits of an integer type."""
    return INDEX_WIDTH if element == "index" else int(element[1:])


def wrapped(value: int, element: str) -> int:
    """The number of that type with the bits of `value`."""
    bits = width(element)
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def unsigned(value: int, element: str) -> int:
    """The bits as a number that is not negative."""
    return value & ((1 << width(element)) - 1)


def signed(value: int, element: str) -> int:
    """The bits in two's complement: the truth value 1 is -1."""
    return -value if width(element) == 1 else value


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
        _check_division(numbers[0], numbers[1], row.least, bits)
    if row.shift:
        numbers[1] = unsigned(args[1], element)
        if numbers[1] >= bits:
            raise Poisoned(f"a shift by {numbers[1]}")
    return wrapped(row.exact(*numbers, bits) if row.of_width else row.exact(*numbers), element)


def _check_division(a: int, b: int, least: bool, bits: int) -> None:
    if b == 0:
        raise Violated("a division by zero")
    if least and b == -1 and a == -(1 << (bits - 1)):
        raise Violated("a quotient that is too large")


CASTS = frozenset(op for op, row in INTEGERS.items() if row.cast)
"""The operations from integers to integers of another type."""


def cast(op: str, value: int, source: str, target: str) -> int:
    """An integer as one of another type."""
    read = unsigned if INTEGERS[op].unsigned else signed
    return wrapped(read(value, source), target)
