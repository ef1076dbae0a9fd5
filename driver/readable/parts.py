"""The offsets, sizes and strides of `tensor.extract_slice` and `tensor.insert_slice`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.support.record import dataclass


@dataclass(frozen=True)
class Part:
    """For each dimension a number or an index value; `dropped` dimensions are not in the part's own type."""

    offsets: tuple[Any, ...]
    sizes: tuple[Any, ...]
    strides: tuple[Any, ...]
    dropped: tuple[bool, ...]


def slice_of(op: Any, rank: int, part_type: Any) -> Part:
    """The part that an operation reads or writes."""
    segments = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    start = sum(segments[: len(segments) - 3])
    lists = []
    for count, word in zip(segments[-3:], ("offsets", "sizes", "strides"), strict=True):
        dynamic = iter([op.operands[k] for k in range(start, start + count)])
        start += count
        static = list(ir.DenseI64ArrayAttr(op.attributes[f"static_{word}"]))
        lists.append(tuple(next(dynamic) if s == ir.ShapedType.get_dynamic_size() else s for s in static))
    offsets, sizes, strides = lists
    return Part(offsets, sizes, strides, _dropped(sizes, part_type, rank))


def _dropped(sizes: Sequence[Any], kind: Any, rank: int) -> tuple[bool, ...]:
    """Which dimensions of extent 1 the type has not: the first ones that it can do without."""
    wanted = [None if kind.is_dynamic_dim(d) else kind.get_dim_size(d) for d in range(kind.rank)]
    found, at = [], 0
    for k, size in enumerate(sizes):
        left = rank - k
        fits = at < len(wanted) and (wanted[at] == size if isinstance(size, int) else wanted[at] is None)
        keep = fits and (size != 1 or left <= len(wanted) - at or wanted[at:].count(1) >= list(sizes[k:]).count(1))
        found.append(not keep)
        at += keep
    return tuple(found)
