"""The oracle's numbers: rationals, Python floats where they are irrational, and integers that wrap."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from raising.affine.ir.program import Compute

FAR = 1e-7
MAX_BITS = 2_000


class Stuck(Exception):
    """A division by zero, the root of a negative number, or an order that rounding decides."""


class Long(Exception):
    """Too many steps."""


def _bits(element: str) -> int:
    return 64 if element == "index" else int(element[1:])


def wrap(value: int, element: str) -> int:
    if element == "i1":
        return value & 1
    half = 1 << (_bits(element) - 1)
    return (value + half) % (2 * half) - half


def is_integer(element: str) -> bool:
    return element == "index" or element[0] == "i"


def number(text: str, element: str) -> Any:
    if is_integer(element):
        return wrap(int(text), element)
    value = float(text)
    return Fraction(value) if math.isfinite(value) else value


def _quotient(a: Any, b: Any) -> Any:
    if b == 0:
        raise Stuck
    return a / b


def _integer_quotient(a: int, b: int) -> int:
    if b == 0:
        raise Stuck
    return int(Fraction(a, b))


def _shift(a: int, b: int) -> int:
    if not 0 <= b < 64:
        raise Stuck
    return a >> b


def _sure(a: int) -> int:
    """Bits that mean the same with and without a sign."""
    if a < 0:
        raise Stuck
    return a


def _unsigned(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """On 64 bits; of narrower numbers only those that are not negative are sure."""

    def apply(a: int, b: int) -> int:
        if a < 0 or b < 0:
            raise Stuck
        return function(a, b)

    return apply


_FLOATS: dict[str, Callable[..., Any]] = {
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": _quotient,
    "arith.negf": operator.neg,
    "arith.maximumf": max,
    "arith.maxnumf": max,
    "arith.minimumf": min,
    "arith.minnumf": min,
    "arith.extf": lambda a: a,
    "arith.truncf": lambda a: a,
    "arith.sitofp": Fraction,
    "arith.uitofp": lambda a: Fraction(_sure(a)),
    "math.absf": abs,
    "math.fma": lambda a, b, c: a * b + c,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"math.powf": pow, "math.rsqrt": lambda a: 1 / math.sqrt(a)}
_INTEGERS: dict[str, Callable[..., Any]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "arith.maxsi": max,
    "arith.minsi": min,
    "arith.divsi": _integer_quotient,
    "arith.remsi": lambda a, b: a - b * _integer_quotient(a, b),
    "arith.divui": _unsigned(_integer_quotient),
    "arith.remui": _unsigned(lambda a, b: a - b * _integer_quotient(a, b)),
    "arith.fptosi": int,
    "math.absi": abs,
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
    "arith.shrsi": _shift,
    "arith.shli": lambda a, b: a << (b if 0 <= b < 64 else 0),
    "arith.index_cast": lambda a: a,
    "arith.extsi": lambda a: a,
    "arith.extui": _sure,
    "arith.trunci": lambda a: a,
}
_CMPF = {1: operator.eq, 2: operator.gt, 3: operator.ge, 4: operator.lt, 5: operator.le, 6: operator.ne}
_CMPF |= {k + 7: f for k, f in list(_CMPF.items())}
_CMPI: dict[int, Callable[..., Any]] = {
    0: operator.eq,
    1: operator.ne,
    2: operator.lt,
    3: operator.le,
    4: operator.gt,
    5: operator.ge,
}


_UNKNOWN = frozenset(("arith.fptoui", "arith.shrui", "arith.maxui", "arith.minui", "math.ctpop", "math.ctlz"))


def compute(node: Compute, args: list[tuple[Any, str]]) -> Any:
    values = [v for v, _ in args]
    if node.op in _UNKNOWN:
        raise Stuck
    if node.op == "arith.select":
        return values[1] if values[0] else values[2]
    if node.op in ("arith.cmpf", "arith.cmpi"):
        table, number = _CMPF if node.op == "arith.cmpf" else _CMPI, int(dict(node.attrs)["predicate"].split(":")[0])
        if number not in table:
            raise Stuck
        return int(table[number](*values))
    if is_integer(node.element):
        return wrap(_INTEGERS[node.op](*values), node.element)
    return _real(node.op, values)


def _real(op: str, values: list[Any]) -> Any:
    if op in _FLOATS:
        value = _FLOATS[op](*values)
    elif op == "math.sqrt" and values[0] < 0:
        raise Stuck
    else:
        try:
            value = _FUNCTIONS.get(op, getattr(math, op.removeprefix("math."), None))(*values)  # type: ignore
        except (ValueError, OverflowError, TypeError) as error:
            raise Stuck from error
    if isinstance(value, float) and math.isnan(value):
        raise Stuck
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise Long
    return value


def differ(a: Any, b: Any) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        return not math.isclose(a, b, rel_tol=FAR, abs_tol=FAR)
    return bool(a != b)
