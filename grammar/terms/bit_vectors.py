"""Operations on integers as z3 has them on bit vectors, and when each has a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from raising.affine.ir.spans import DIVISIONS, SHIFTS


def defined(op: str, args: Sequence[Any]) -> list[Any]:
    """What has to hold for an operation to have a result: a divisor that is not zero, a quotient that fits, a short
    shift."""
    if op in SHIFTS:
        return [z3.ULT(args[1], args[1].size())]
    if op not in DIVISIONS:
        return []
    least = z3.BitVecVal(1 << (args[0].size() - 1), args[0].size())
    fits = [z3.Not(z3.And(args[0] == least, args[1] == -1))] if DIVISIONS[op] else []
    return [args[1] != 0, *fits]


def _floored(a: Any, b: Any) -> Any:
    """The quotient rounded down."""
    quotient = a / b
    return z3.If(z3.And(z3.SRem(a, b) != 0, (a < 0) != (b < 0)), quotient - 1, quotient)


BITS: dict[str, Callable[..., Any]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divsi": lambda a, b: a / b,
    "arith.divui": z3.UDiv,
    "arith.floordivsi": _floored,
    "arith.remsi": z3.SRem,
    "arith.remui": z3.URem,
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
    "arith.shli": lambda a, b: a << b,
    "arith.shrsi": lambda a, b: a >> b,
    "arith.shrui": z3.LShR,
    "arith.maxsi": lambda a, b: z3.If(a >= b, a, b),
    "arith.minsi": lambda a, b: z3.If(a <= b, a, b),
    "arith.maxui": lambda a, b: z3.If(z3.UGE(a, b), a, b),
    "arith.minui": lambda a, b: z3.If(z3.ULE(a, b), a, b),
    "arith.select": lambda c, a, b: z3.If(c != 0, a, b),
    "math.absi": lambda a: z3.If(a >= 0, a, -a),
}
"""Where an operation has no result, that of z3 means nothing (`defined`)."""
