"""The operands of an operation by segment, and the offsets, sizes and strides of a part of a tensor or memory.

An operation with several groups of operands says in an attribute how many belong to each of them. One that takes a part
has its offsets, sizes and strides in attributes, and an operand for each that is known at run time only.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

SEGMENTS = "operandSegmentSizes"
DYNAMIC = -(1 << 63)
"""In attributes and shapes, what is an operand, or known at run time only."""
BOX = ("offsets", "sizes", "strides")


def segment_sizes(op: Any) -> list[int]:
    """How many operands belong to each segment."""
    return list(op.attributes[SEGMENTS])


def segments(op: Any) -> list[list[Any]]:
    """The operands of each segment."""
    operands = iter(op.operands)
    return [list(islice(operands, size)) for size in segment_sizes(op)]


def input_count(op: Any) -> int:
    """How many operands a structured operation only reads; those that it writes come behind them."""
    return segment_sizes(op)[0]


def segmented(ir: Any, *sizes: int, context: Any = None) -> dict[str, Any]:
    """The attribute of an operation whose segments have these sizes."""
    return {SEGMENTS: ir.DenseI32ArrayAttr.get(list(sizes), context)}


def segments_text(*sizes: int) -> str:
    """The value of this attribute as text."""
    return f"array<i32: {', '.join(map(str, sizes))}>"


def static(op: Any, name: str) -> list[int]:
    """The `offsets`, `sizes` or `strides` of a part that are known; `DYNAMIC` in place of each other one."""
    return list(op.attributes[f"static_{name}"])


def mixed(op: Any, name: str) -> list[Any]:
    """The `offsets`, `sizes` or `strides` of a part: numbers, or values of an index."""
    values = iter(segments(op)[BOX.index(name) - len(BOX)])
    return [next(values) if number == DYNAMIC else number for number in static(op, name)]


def box(ir: Any, *parts: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
    """The values and attributes by which an operation takes a part, from its offsets, sizes and strides."""
    values = [[each for each in given if not isinstance(each, int)] for given in parts]
    numbers = [[each if isinstance(each, int) else DYNAMIC for each in given] for given in parts]
    attributes = {f"static_{name}": ir.DenseI64ArrayAttr.get(part) for name, part in zip(BOX, numbers, strict=True)}
    return [value for part in values for value in part], attributes | segmented(ir, 1, *map(len, values))


def copied(ir: Any, value: Any, place: Any) -> Any:
    """A copy of a tensor in memory of its own."""
    kind, one = value.type, segmented(ir, 0, 1, 0)
    return ir.Operation.create("bufferization.alloc_tensor", [kind], [value], one, ip=place).results[0]
