"""Branches of a target as selections: operations without effects may compute the results of all regions.

A truth value takes the first of two regions where it holds. A number takes the region with that number, counted from 0,
and any other number takes the last (`if` and `case` of the StableHLO specification).
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.branches import move_body, replace_op
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
            values = [_select(condition, one, other) for one, other in zip(found[k], values, strict=True)]
    replace_op(op, values)


def _is(number: Any, wanted: int) -> Any:
    """Whether a scalar is this number; a truth value is its own answer."""
    kind = ir.IntegerType(number.type)
    if kind.width == 1:
        return number
    return _HERE.compare("eq", number, _HERE.constant(kind, wanted))


def _select(condition: Any, one: Any, other: Any) -> Any:
    """One of two tensors, element by element."""
    kind = ir.RankedTensorType(one.type)
    same = ir.AffineMapAttr.get(ir.AffineMap.get_identity(kind.rank))
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([same] * 3),
        "iterator_types": ir.ArrayAttr.get([parallel] * kind.rank),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([2, 1]),
    }
    made = ir.Operation.create("linalg.generic", [kind], [one, other, one], attributes, regions=1)
    block = made.regions[0].blocks.append(*[kind.element_type] * 3)
    with ir.InsertionPoint(block):
        value = _HERE.one("arith.select", kind.element_type, condition, *list(block.arguments)[:2])
        ir.Operation.create("linalg.yield", operands=[value])
    return made.results[0]
