"""The comparisons of `arith.cmpf` and `arith.cmpi` by MLIR's numbers, as what they make of ordered values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

CMPF = ("false", *("eq", "gt", "ge", "lt", "le", "ne"), "ord", *("eq", "gt", "ge", "lt", "le", "ne"), "uno", "true")
"""From number 8 on they hold where an operand is NaN."""
CMPI = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
FIRST_UNSIGNED = 6
"""From this number on comparisons of integers read bits without sign."""

GREATER = {"arith.cmpf": (2, 3), "arith.cmpi": (4, 5)}
"""By comparison, its predicates `ogt` and `oge`, or `sgt` and `sge`, of ordered floats and signed integers."""
LESS = {"arith.cmpf": (4, 5), "arith.cmpi": (2, 3)}
"""The same of `olt` and `ole`, `slt` and `sle`."""

ORDER: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
"""Of numbers, and of arrays of numbers element by element."""


def number_of(attrs: tuple[tuple[str, str], ...]) -> int:
    """MLIR's number of the comparison that an operation with these attributes makes; -1 if it makes none."""
    return int(dict(attrs).get("predicate", "-1").split(":")[0])
