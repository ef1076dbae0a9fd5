"""Integer operations of `arith` and `math` on exact integers modulo 2^w.

A number of an element type i1 … i64 or index is the integer between -2^(w-1)
and 2^(w-1) - 1 that its bits say; of i1 it is 0 or 1. What MLIR leaves
undefined (division by zero, a shift by w or more) is `Undefined` here, by two names.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from raising.affine.ir.spans import DIVISIONS, SHIFTS
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


def _divided(a: int, b: int) -> int:
    """The quotient rounded toward zero."""
    if b == 0:
        raise Violated("a division by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _floored(a: int, b: int) -> int:
    if b == 0:
        raise Violated("a division by zero")
    return a // b


def _amount(b: int, bits: int) -> int:
    if not 0 <= b < bits:
        raise Poisoned(f"a shift by {b}")
    return b


_SIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
    "arith.divsi": _divided,
    "arith.floordivsi": _floored,
    "arith.ceildivsi": lambda a, b: -_floored(-a, b),
    "arith.remsi": lambda a, b: a - b * _divided(a, b),
    "arith.maxsi": max,
    "arith.minsi": min,
}

_UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.divui": _floored,
    "arith.ceildivui": lambda a, b: -_floored(-a, b),
    "arith.remui": lambda a, b: a - b * _floored(a, b),
    "arith.maxui": max,
    "arith.minui": min,
}

_COUNTS: dict[str, Callable[[int, int], int]] = {
    "math.ctlz": lambda a, bits: bits - a.bit_length(),
    "math.cttz": lambda a, bits: (a & -a).bit_length() - 1 if a else bits,
    "math.ctpop": lambda a, bits: a.bit_count(),
}


def compare(attrs: Attrs, a: int, b: int, element: str) -> int:
    """`arith.cmpi`: 1 or 0."""
    number = number_of(attrs)
    read = unsigned if number >= FIRST_UNSIGNED else signed
    return int(ORDER[predicate("arith.cmpi", attrs)](read(a, element), read(b, element)))


def apply(op: str, args: Sequence[int], element: str) -> int:
    """An operation between integers of one type."""
    if op in _SIGNED:
        a, b = (signed(x, element) for x in args)
        if b == -1 and DIVISIONS.get(op) and a == -(1 << (width(element) - 1)):
            raise Violated("a quotient that is too large")
        return wrapped(_SIGNED[op](a, b), element)
    if op in _UNSIGNED:
        a, b = (unsigned(x, element) for x in args)
        return wrapped(_UNSIGNED[op](a, b), element)
    if op in SHIFTS:
        return _shifted(op, args[0], _amount(unsigned(args[1], element), width(element)), element)
    if op in _COUNTS:
        return wrapped(_COUNTS[op](unsigned(args[0], element), width(element)), element)
    if op == "math.absi":
        return wrapped(abs(signed(args[0], element)), element)
    raise Unsupported(f"operation '{op}' has no meaning on integers")


def _shifted(op: str, value: int, amount: int, element: str) -> int:
    if op == "arith.shli":
        return wrapped(value << amount, element)
    read = signed if op == "arith.shrsi" else unsigned
    return wrapped(read(value, element) >> amount, element)


_CASTS = {
    "arith.extsi": signed,
    "arith.trunci": signed,
    "arith.index_cast": signed,
    "arith.extui": unsigned,
    "arith.index_castui": unsigned,
}
CASTS = frozenset(_CASTS)
"""The operations from integers to integers of another type."""


def cast(op: str, value: int, source: str, target: str) -> int:
    """An integer as one of another type."""
    return wrapped(_CASTS[op](value, source), target)
