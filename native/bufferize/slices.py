"""Where a slice of a slice, or an update of one, begins in the whole tensor."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith

from raising.support.mlir.operand_segments import DYNAMIC, mixed, segments


def offsets_in_whole(outer: Any, inner: Any) -> tuple[list[int], list[Any]]:
    """The offsets of a part of a part, as numbers and as values; written here where they are sums."""
    found = [_total(one, two) for one, two in zip(mixed(outer, "offsets"), mixed(inner, "offsets"), strict=True)]
    values = [offset for offset in found if not isinstance(offset, int)]
    return [offset if isinstance(offset, int) else DYNAMIC for offset in found], values


def sizes_and_strides(op: Any) -> list[Any]:
    """The values among the sizes and strides of a part."""
    return [value for segment in segments(op)[-2:] for value in segment]


def _total(one: Any, two: Any) -> Any:
    """The sum of two places, numbers or values."""
    if isinstance(one, int) and isinstance(two, int):
        return one + two
    if 0 in [each for each in (one, two) if isinstance(each, int)]:
        return two if isinstance(one, int) else one
    index = ir.IndexType.get()
    values = [arith.ConstantOp(index, each).result if isinstance(each, int) else each for each in (one, two)]
    return arith.AddIOp(*values).result
