"""Operations on integers as z3 has them on bit vectors, and when each has a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from raising.affine.ir.integer_functions import DIVISIONS, INTEGERS, SHIFTS


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


BITS = {op: row.on_bits for op, row in INTEGERS.items() if row.z3}
"""Where an operation has no result, that of z3 means nothing (`defined`)."""
