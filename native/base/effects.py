"""The arrays of a function that a call may change."""

from __future__ import annotations

from typing import Any

VIEWS = (
    "memref.subview",
    "memref.cast",
    "memref.reinterpret_cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.transpose",
)
"""Operations whose result is the memory of their first operand."""

_READS = ("memref.load", "affine.load", "vector.load", "vector.maskedload", "memref.dim")
_SOURCE_FIRST = ("memref.copy", "linalg.copy")


def may_write(value: Any) -> bool:
    """Whether an operation may store to the memory of a value; yes for every use that is not understood."""
    return any(_writes(use.owner.operation, use.operand_number) for use in value.uses)


def _writes(op: Any, operand: int) -> bool:
    if op.name in VIEWS:
        return operand > 0 or may_write(op.results[0])
    if op.name in _READS:
        return False
    if op.name in _SOURCE_FIRST:
        return operand > 0
    if op.name == "linalg.generic":
        return operand >= len(op.opview.inputs)
    return True
