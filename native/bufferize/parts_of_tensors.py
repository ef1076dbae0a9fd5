"""Slices of tensors that have no contents of their own, taken to where their elements end up.

What is put together in a tensor of its own first, and then put into another one, is put into that one directly: the
tensor between them would need memory, and its elements a copy. Elements of an empty tensor may be anything, so nothing
has to be put for them. A slice that is put back to where it is from, with parts changed, is those parts: a copy of the
rest would read and write elements that no loop touches. A slice of a filled tensor is a tensor of that size, filled.

    before  %one = tensor.insert_slice %a into %new[0] [4] [1]
            %all = tensor.insert_slice %one into %into[6] [8] [1]
    after   %all = tensor.insert_slice %a into %into[6] [4] [1]          of each part that %one has
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir._mlir_libs._mlirDialectsLinalg import fill_builtin_region
from mlir.dialects import tensor
from mlir.dialects._linalg_ops_gen import FillOp  # mlir.dialects.linalg takes longer to import than all else

from raising.native.bufferize.slices import offsets_in_whole, sizes_and_strides
from raising.support.mlir.operand_segments import BOX, mixed, static
from raising.support.mlir.walk import maker, operations

_PUT, _SLICE, _EMPTY, _FILL = "tensor.insert_slice", "tensor.extract_slice", "tensor.empty", "linalg.fill"


def put_directly(module: Any) -> bool:
    """Rewrite a module of tensor operations in place; whether there was anything to do."""
    changed = False
    for op in operations(module, lambda op: op.name == _SLICE):
        changed |= _filled(op) or _of_whole(op)
    for op in operations(module, lambda op: op.name == _PUT):
        changed |= _through(op)
    return changed


def _filled(op: Any) -> bool:
    """A slice of a filled tensor that is used in slices only becomes a filled tensor."""
    fill = maker(op.operands[0], _FILL)
    if fill is None or any(use.owner.operation.name != _SLICE for use in fill.results[0].uses):
        return False
    kind = op.results[0].type
    sizes = _sizes(op)
    if sizes is None:
        return False
    with ir.InsertionPoint(op), op.location:
        empty = tensor.EmptyOp(sizes, kind.element_type).result
        filled = FillOp([empty.type], [fill.operands[0]], [empty])
    fill_builtin_region(filled.operation)
    op.results[0].replace_all_uses_with(filled.results[0])
    op.erase()
    return True


def _of_whole(op: Any) -> bool:
    """A slice of a slice becomes one of the tensor."""
    outer = maker(op.operands[0], _SLICE)
    if outer is None or outer.results[0].type.rank != outer.operands[0].type.rank or not (_dense(outer) and _dense(op)):
        return False
    with ir.InsertionPoint(op), op.location:
        offsets, values = offsets_in_whole(outer, op)
        rest = sizes_and_strides(op)
        sizes, strides = static(op, "sizes"), static(op, "strides")
        kind = op.results[0].type
        new = tensor.ExtractSliceOp(kind, outer.operands[0], values, rest, [], offsets, sizes, strides).result
    op.results[0].replace_all_uses_with(new)
    op.erase()
    return True


def _sizes(op: Any) -> list[Any] | None:
    """The extents of a slice, numbers or values; None if it has fewer dimensions and it is not seen which."""
    sizes = mixed(op, "sizes")
    kept = [size for size in sizes if size != 1] if op.results[0].type.rank < len(sizes) else sizes
    return kept if len(kept) == op.results[0].type.rank else None


def _through(put: Any) -> bool:
    """Put the parts of a tensor without other contents, or with those that are there, into what it is put into."""
    parts = _parts(put)
    whole = put.operands[0].type.rank == put.results[0].type.rank
    if parts is None or (parts and not (whole and all(_dense(each) for each in (put, *parts)))):
        return False
    target = put.operands[1]
    for part in reversed(parts):
        with ir.InsertionPoint(put), put.location:
            numbers, values = offsets_in_whole(put, part)
            sizes, strides = static(part, "sizes"), static(part, "strides")
            rest = sizes_and_strides(part)
            new = tensor.InsertSliceOp(part.operands[0], target, values, rest, [], numbers, sizes, strides)
            target = new.result
    put.results[0].replace_all_uses_with(target)
    put.erase()
    for part in parts:
        if not list(part.results[0].uses):
            part.erase()
    return True


def _parts(whole: Any) -> list[Any] | None:
    """The insertions, last one first, that make all that an insertion changes, and that nobody else uses; or None."""
    parts, value = [], whole.operands[0]
    while (put := maker(value, _PUT)) is not None and len(list(put.results[0].uses)) == 1:
        parts.append(put)
        value = put.operands[1]
    return parts if maker(value, _EMPTY) is not None or _is_there(value, whole) else None


def _is_there(value: Any, put: Any) -> bool:
    """Whether a tensor is a slice of the very elements that its insertion overwrites."""
    taken = maker(value, _SLICE)
    if taken is None or taken.operands[0] != put.operands[1] or value.type != put.operands[0].type:
        return False
    boxes = (list(taken.operands)[1:], list(put.operands)[2:])
    return boxes[0] == boxes[1] and all(static(taken, name) == static(put, name) for name in BOX)


def _dense(op: Any) -> bool:
    return set(static(op, "strides")) == {1}
