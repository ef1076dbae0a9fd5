"""The integer types `i1` to `i64` and `index`: how many bits they have, and which numbers these bits stand for.

The number of a type is the integer between -2^(w-1) and 2^(w-1) - 1 that the bits say in two's complement; of i1 it is
0 or 1.
"""

from __future__ import annotations

from raising.affine.ir.spans import Span


def is_integer(element: str) -> bool:
    """Whether an element type is one of integers."""
    return element.startswith("i")


def width(element: str) -> int:
    """The number of bits of an integer type."""
    return 64 if element == "index" else int(element[1:])


def limits(element: str, with_sign: bool = True) -> Span:
    """The least and the largest integer that the bits of a type say in two's complement, or without a sign."""
    bits = width(element)
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if with_sign else (0, (1 << bits) - 1)


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
