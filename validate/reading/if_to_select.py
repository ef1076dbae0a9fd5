"""Branches of a target as selections: operations without effects may compute the results of all regions.

A truth value takes the first of two regions where it holds. A number takes the region with that number, counted from 0,
and any other number takes the last (`if` and `case` of the StableHLO specification).
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.branches import move_body, replace_op
from raising.support.mlir.create import chosen_elements
from raising.support.mlir.op_writer import OpWriter

_HERE = OpWriter(ir)


def chosen(op: Any) -> None:
    """Replace an operation with regions by what these compute and a selection for each result."""
    found = [move_body(region.blocks[0], op) for region in op.regions]
    with ir.InsertionPoint(op), op.location:
        number = _HERE.one("tensor.extract", ir.RankedTensorType(op.operands[0].type).element_type, op.operands[0])
        values = found.pop()
        for k in reversed(range(len(found))):
            condition = _is(number, k)
            pairs = zip(found[k], values, strict=True)
            values = [chosen_elements(ir, condition, one, other, one) for one, other in pairs]
    replace_op(op, values)


def _is(number: Any, wanted: int) -> Any:
    """Whether a scalar is this number; a truth value is its own answer."""
    kind = ir.IntegerType(number.type)
    if kind.width == 1:
        return number
    return _HERE.compare("eq", number, _HERE.constant(kind, wanted))
