"""Reads of a temporary after it was copied elsewhere become reads of the copy, so that nobody else needs it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlir import ir

from native.dataflow import elementwise, fragment_of, reads, whole, writes
from native.nest import Array, Effects, Nest
from native.read import Item, read_block
from native.read_views import Reader

_VIEWS = ("memref.subview", "memref.cast")


def forward_copies(block: Any, reader: Reader) -> None:
    """Rewrite the operations of a block in place."""
    items = read_items(block, reader)
    for at, item in enumerate(items):
        arrays = _copied(item.what, reader)
        if arrays is not None:
            _forward(items, at, arrays, reader)


def read_items(block: Any, reader: Reader) -> list[Item]:
    """The items of a block; its end touches memory only if it hands it on."""
    *items, end = read_block(block, reader)
    hands_on = any(isinstance(operand.type, ir.MemRefType) for operand in end.operation.operands)
    return [*items, end if hands_on else replace(end, what=Effects(frozenset(), frozenset()))]


def local_buffers(block: Any, reader: Reader) -> frozenset[str]:
    """The buffers that are allocated in a block; what is read or written outlives no run of it."""
    operations = [view.operation for view in block.operations]
    return frozenset(reader.name(op.results[0]) for op in operations if op.name == "memref.alloc")


def _copied(what: Any, reader: Reader) -> tuple[Array, Array] | None:
    """A temporary and the array of the same type that a nest copies it to, both of them whole."""
    if not isinstance(what, Nest) or not elementwise(what):
        return None
    source, write = fragment_of(what).plain, what.writes[0]
    if source is None or source.map != write.map or source.array.type != write.array.type:
        return None
    if not whole(source, what.extents) or not whole(write, what.extents):
        return None
    one, two = source.array, write.array
    if one.root != one.name or two.root != two.name or one == two:
        return None
    owner = reader.values[one.name].owner
    made_here = not isinstance(owner, ir.Block) and owner.name == "memref.alloc"
    return (one, two) if made_here and isinstance(reader.values[two.name].owner, ir.Block) else None


def _forward(items: list[Item], at: int, arrays: tuple[Array, Array], reader: Reader) -> None:
    source, target = arrays
    after = range(at + 1, len(items))
    later = [other for other in after if reads(items[other].what, source) and items[other].operation.regions]
    if not later or any(writes(items[other].what, source) for other in after):
        return
    if any(writes(items[other].what, target) for other in range(at + 1, max(later))):
        return
    users = {items[other].operation for other in later}
    uses = [(use.owner, use.operand_number) for use in reader.values[source.name].uses]
    views = [(op, number) for op, number in uses if op.operation.name in _VIEWS and _only(op, users)]
    for op, number in [*views, *((op, number) for op, number in uses if op.operation in users)]:
        op.operands[number] = reader.values[target.name]


def _only(view: Any, users: set[Any]) -> bool:
    """Whether nothing else uses a view."""
    return all(use.owner.operation in users for use in view.operation.results[0].uses)
