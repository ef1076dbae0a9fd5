"""Slices and updates of tensors: where they begin, and who made a tensor."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith

from raising.native.bufferize.element_versions import DYNAMIC


def static(op: Any, name: str) -> list[int]:
    """The numbers of an attribute."""
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def offsets_of(op: Any) -> list[Any]:
    """Where a slice or an update begins: numbers or values."""
    values = iter(list(op.operands)[1 if op.name == "tensor.extract_slice" else 2 :])
    return [next(values) if number == DYNAMIC else number for number in static(op, "static_offsets")]


def total(one: Any, two: Any) -> Any:
    """The sum of two places, numbers or values."""
    if isinstance(one, int) and isinstance(two, int):
        return one + two
    if 0 in [each for each in (one, two) if isinstance(each, int)]:
        return two if isinstance(one, int) else one
    index = ir.IndexType.get()
    values = [arith.ConstantOp(index, each).result if isinstance(each, int) else each for each in (one, two)]
    return arith.AddIOp(*values).result
