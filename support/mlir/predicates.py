"""The comparisons of `arith.cmpf` and `arith.cmpi` by MLIR's numbers, as what they make of ordered values."""

from __future__ import annotations

CMPF = ("false", *("eq", "gt", "ge", "lt", "le", "ne"), "ord", *("eq", "gt", "ge", "lt", "le", "ne"), "uno", "true")
"""From number 8 on they hold where an operand is NaN."""
CMPI = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
"""From number 6 on they read integers without sign."""
