"""Updates of slices of a tensor, one after the other, rewritten so that each may happen in place.

Take a slice that is computed element by element from the same slice, and from rows or columns of the tensor. Nobody
else reads the elements that it replaces, provided that the rows and columns are copied first, which costs little, and
that every later read is a read of the newest version of the tensor that has its elements.

    before  %new = linalg.generic ins(%row_of_t) outs(%rows_of_t) { ... }
            %all = tensor.insert_slice %new into %t[1, 0] [7, 8] [1, 1]
    after   %kept = bufferization.alloc_tensor() copy(%row_of_t)
            %new = linalg.generic ins(%kept) outs(%rows_of_t) { ... }
            %all = tensor.insert_slice %new into %t[1, 0] [7, 8] [1, 1]
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import tensor

from raising.native.bufferize.element_versions import Region, Versions, named
from raising.native.bufferize.slices import offsets_in_whole, sizes_and_strides
from raising.support.mlir.operand_segments import BOX, copied, static
from raising.support.mlir.walk import iterator_kinds, maker

_GENERIC, _SLICE, _PUT = "linalg.generic", "tensor.extract_slice", "tensor.insert_slice"


def update_in_place(module: Any) -> bool:
    """Rewrite a module of tensor operations in place; whether there was anything to do."""
    found = [op for op in named(module, _GENERIC) if _updates(op)]
    if not found:
        return False
    versions = Versions()
    for put in named(module, _PUT):
        _update_contents(put)
    for put in named(module, _PUT):
        _move_up(put)
    for op in named(module, _SLICE):
        _read_updated_tensor(op)
    for op in named(module, _SLICE):
        _read_newest_version(op, versions)
    for op in found:
        _copy_rows_and_columns(op)
    return True


def _part(op: Any) -> tuple[Any, ...]:
    """The identity of the part that a slice or an update names."""
    first = 1 if op.name == _SLICE else 2
    return (*(str(static(op, name)) for name in BOX), *list(op.operands)[first:])


def _updates(op: Any) -> bool:
    """Whether an operation computes a part element by element, from itself, and there are other parts of the tensor.

    They are rows or columns that it reads, too, or are updated as well.
    """
    if len(op.results) != 1 or "reduction" in iterator_kinds(op):
        return False
    users = [use.owner.operation for use in op.results[0].uses]
    puts = [user for user in users if user.name == _PUT and user.operands[0] == op.results[0]]
    slices = [maker(value, _SLICE) for value in op.operands]
    whole = any(each and _part(each) == _part(put) for put in puts for each in slices)
    return whole and (any(each and _smaller(each, op) for each in slices) or any(map(_is_one_of_several, puts)))


def _is_one_of_several(put: Any) -> bool:
    """Whether an update is made of another update's result, or the other way round."""
    users = [use for use in put.results[0].uses if use.owner.operation.name == _PUT and use.operand_number == 1]
    return bool(users) or maker(put.operands[1], _PUT) is not None


def _smaller(piece: Any, op: Any) -> bool:
    return bool(piece.results[0].type.rank < op.results[0].type.rank)


def _update_contents(put: Any) -> None:
    """An update of a tensor with no contents becomes the same update of one that has them."""
    if maker(put.operands[1], "tensor.empty") is None:
        return
    others = [use.owner.operation for use in put.operands[0].uses]
    for other in others:
        same = other != put and other.name == _PUT and other.block == put.block and _part(other) == _part(put)
        users = [use.owner.operation for use in put.results[0].uses]
        if same and all(user.block == put.block and other.is_before_in_block(user) for user in users):
            put.results[0].replace_all_uses_with(other.results[0])
            return
    replaced = _tensor_read_for(put)
    if replaced is not None:
        put.operands[1] = replaced


def _tensor_read_for(put: Any) -> Any:
    """The tensor whose part an operation read to compute what is put, or None."""
    made = maker(put.operands[0], _GENERIC)
    by_element = made is not None and "reduction" not in iterator_kinds(made)
    slices = [maker(value, _SLICE) for value in made.operands] if by_element else []
    return next((each.operands[0] for each in slices if each and _part(each) == _part(put)
                 and each.operands[0].type == put.operands[1].type), None)  # fmt: skip


def _move_up(put: Any) -> None:
    """Move an update up to where its last operand is made."""
    owners = [value.owner.operation for value in put.operands if not isinstance(value.owner, ir.Block)]
    here = [owner for owner in owners if owner.block == put.block]
    if here:
        last = here[0]
        for owner in here[1:]:
            last = owner if last.is_before_in_block(owner) else last
        put.move_after(last)


def _read_updated_tensor(op: Any) -> None:
    """Read a slice of a part that is put into a tensor from that tensor instead, where it is there in time."""
    puts = [use.owner.operation for use in op.operands[0].uses if use.owner.operation.name == _PUT]
    puts = [put for put in puts if put.operands[0] == op.operands[0] and put.block == op.block]
    users = [use.owner.operation for use in op.results[0].uses]
    in_time = [put for put in puts if all(u.block == op.block and put.is_before_in_block(u) for u in users)]
    if not in_time or not users or any(set(static(each, "strides")) != {1} for each in (op, in_time[0])):
        return
    put = in_time[0]
    if put.operands[0].type.rank != put.results[0].type.rank:
        return
    if op.is_before_in_block(put):
        op.move_after(put)
    with ir.InsertionPoint(op), op.location:
        numbers, values = offsets_in_whole(put, op)
        rest = sizes_and_strides(op)
        sizes, strides = (static(op, name) for name in BOX[1:])
        found = tensor.ExtractSliceOp(op.results[0].type, put.results[0], values, rest, [], numbers, sizes, strides)
    op.results[0].replace_all_uses_with(found.result)
    op.erase()


def _read_newest_version(op: Any, versions: Versions) -> None:
    """Read a slice from the newest version of its tensor that is the same there."""
    region = versions.region(op)
    users = [use.owner.operation for use in op.results[0].uses]
    if region is None or not users or any(user.block != op.block for user in users):
        return
    source, newest = op.operands[0], None
    while (put := _only_next_update(source, op, users)) is not None:
        other = versions.region(put)
        if other is None or not apart(region, other, versions):
            break
        source, newest = put.results[0], put
    if newest is not None:
        op.operands[0] = source
        if op.is_before_in_block(newest):
            op.move_after(newest)


def _only_next_update(source: Any, op: Any, users: list[Any]) -> Any:
    """The only update that makes another version of a tensor before any of the users."""
    puts = [use.owner.operation for use in source.uses]
    puts = [put for put in puts if put.name == _PUT and put.operands[1] == source and put.block == op.block]
    early = len(puts) == 1 and all(puts[0].is_before_in_block(user) for user in users)
    return puts[0] if early else None


def apart(one: Region, two: Region, versions: Versions) -> bool:
    """Whether two parts have no element in common."""
    for (first, sizes), (second, others) in zip(one, two, strict=True):
        if all(versions.never_negative(second - first - size) for size in sizes):
            return True
        if all(versions.never_negative(first - second - size) for size in others):
            return True
    return False


def _copy_rows_and_columns(op: Any) -> None:
    """Copy the rows and columns that an update reads before anything is overwritten."""
    for number, value in enumerate(list(op.operands)[:-1]):
        piece = maker(value, _SLICE)
        if piece is not None and _smaller(piece, op):
            op.operands[number] = copied(ir, value, ir.InsertionPoint(op))
