"""Structured operations on single numbers, as operations on scalars.

What a front end writes for counters, conditions and comparisons are `linalg.generic` on tensors of rank 0. As
scalars they need no memory, and bounds and subscripts that they lead to can be seen.
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from affine.mlir_walk import operations


def to_scalars(module: Any) -> bool:
    """Rewrite a module in place; whether there was anything to do."""
    found = operations(
        module, lambda op: op.name == "linalg.generic" and bool(op.results) and all(map(_is_cell, op.operands))
    )
    for op in found:
        _replace(op)
    return bool(found)


def _is_cell(value: Any) -> bool:
    return not isinstance(value.type, ir.ShapedType) or (
        isinstance(value.type, ir.RankedTensorType) and value.type.rank == 0
    )


def _replace(op: Any) -> None:
    place = ir.InsertionPoint(op)
    block = op.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, op.operands, strict=True):
        value = operand
        if isinstance(operand.type, ir.RankedTensorType):
            value = ir.Operation.create("tensor.extract", [argument.type], [operand], ip=place).results[0]
        argument.replace_all_uses_with(value)
    *operations, end = list(block.operations)
    for inner in operations:
        inner.operation.move_before(op)
    for result, value in zip(op.results, end.operation.operands, strict=True):
        cell = ir.Operation.create("tensor.from_elements", [result.type], [value], ip=place).results[0]
        result.replace_all_uses_with(cell)
    op.erase()
