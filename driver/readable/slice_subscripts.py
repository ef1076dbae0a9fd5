"""Slices of arrays: what `tensor.extract_slice` and `tensor.insert_slice` say, and `A[i + 1:, :n]`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from raising.affine.ir.affine_expr import Affine
from raising.readable.index_forms import Forms
from raising.readable.python_nodes import Node, constant, everything
from raising.readable.python_values import Unsaid
from raising.support.mlir.operand_segments import BOX, mixed
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
    offsets, sizes, strides = (tuple(mixed(op, name)) for name in BOX)
    return Part(offsets, sizes, strides, _dropped(sizes, part_type, rank))


def _dropped(sizes: Sequence[Any], kind: Any, rank: int) -> tuple[bool, ...]:
    """The dimensions of extent 1 that the type lacks: the first ones that can be dropped."""
    wanted = [None if kind.is_dynamic_dim(d) else kind.get_dim_size(d) for d in range(kind.rank)]
    found, at = [], 0
    for k, size in enumerate(sizes):
        left = rank - k
        fits = at < len(wanted) and (wanted[at] == size if isinstance(size, int) else wanted[at] is None)
        keep = fits and (size != 1 or left <= len(wanted) - at or wanted[at:].count(1) >= list(sizes[k:]).count(1))
        found.append(not keep)
        at += keep
    return tuple(found)


def sliced(forms: Forms, first: Affine, size: Affine, step: int, extent: Affine, dropped: bool) -> Node:
    """One dimension: `size` elements from `first` on; where `dropped`, its only element.

    A bound that is `c` before the end is written `-c`: Python then takes no element where there are less than `c`, as
    the clamped size does.
    """
    if dropped:
        return forms.node(first)
    if step == 1 and first.known == 0 and forms.unclamped(size) == forms.unclamped(extent):
        return everything()
    inner = forms.unclamped(size)
    if step < 0:
        return _backwards(forms, first, size, step)
    last = first + inner * step + (1 - step)  # one beyond the last
    left = last - forms.unclamped(extent)
    lower = None if first.known == 0 else forms.node(first)
    by = None if step == 1 else constant(step)
    if left.known == 0:
        return ast.Slice(lower, None, by)
    if left.known is not None and left.known < 0 and extent.known is None:
        return ast.Slice(lower, constant(left.known), by)
    return ast.Slice(lower, forms.node(forms.at_least_zero(last)), by)


def _backwards(forms: Forms, first: Affine, size: Affine, step: int) -> Node:
    """From `first` down; the slice must not end at -1, which would count from the end."""
    end = first + size * step
    if (end - step - 1).known is not None and (end - step).known in range(-step):
        return ast.Slice(forms.node(first), None, constant(step))
    if forms.is_natural(end):
        return ast.Slice(forms.node(first), forms.node(end), constant(step))
    raise Unsaid("a slice runs backwards to where it may begin before its array")


def whole(parts: Sequence[Node]) -> bool:
    """True if nothing is left out."""
    return all(isinstance(p, ast.Slice) and not (p.lower or p.upper or p.step) for p in parts)
