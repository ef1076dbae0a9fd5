"""Copy elimination: a read of a copy becomes a read of the original, or the other way round, and the copy goes.

Where a value is needed after its memory was written again, bufferization makes a copy. Seen as accesses, many such
copies are not needed: the two parts of the array do not overlap, or the copied elements go to their final array anyway.
Reads of a temporary after it was copied elsewhere become reads of the copy, so that the temporary is not needed longer.

    before  for i: t[i] = a[i]; for i: out[i] *= t[i]
    after   for i: out[i] *= a[i]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.loops.loop_plan import expressible
from raising.native.nest.dataflow import covers_array, elementwise, fragment_of, reads, writes
from raising.native.nest.dependence import bounds, distance
from raising.native.nest.nest import Access, Array, Effects, Nest
from raising.native.nest.read_nests import Item, read_block
from raising.native.nest.read_views import Reader
from raising.support.mlir.walk import maker
from raising.support.record import dataclass


@dataclass(frozen=True)
class _Copy:
    """The elements of `one` and `other` are the same at every point of the nest."""

    nest: Nest
    one: Access
    other: Access


def without_copies(items: list[Item], local: Callable[[str], bool]) -> list[Item]:
    """The items with such reads, and without nests whose results nobody reads; `local` tells temporaries by root."""
    facts: list[_Copy] = []
    result = []
    for item in items:
        if isinstance(item.what, Nest):
            nest = _redirected(item.what, facts, local)
            facts = [fact for fact in facts if not _spoiled(fact, nest)] + _facts(nest, local)
            result.append(replace(item, what=nest))
        else:
            facts = [fact for fact in facts if not _touched(fact, item.what)]
            result.append(item)
    return _needed(result, local)


def _facts(nest: Nest, local: Callable[[str], bool]) -> list[_Copy]:
    """The two sides of a nest that only copies: the temporary on one side, any array on the other."""
    if nest.yields != ("in0",) or len(nest.reads) != 1 or nest.writes[0].array == nest.reads[0].array:
        return []
    (source,), (target,) = nest.reads, nest.writes
    pairs = [_Copy(nest, one, other) for one, other in ((source, target), (target, source))]
    return [fact for fact in pairs if _is_local(fact.one, local) and _plain(fact.one)]


def _is_local(access: Access, local: Callable[[str], bool]) -> bool:
    return access.array.root is not None and local(access.array.root)


def _plain(access: Access) -> bool:
    """Whether each subscript is one dimension of the nest, in order, and something constant."""
    dims = [index.dims for index in access.map]
    return dims == [{number} for number in range(len(dims))] and all(
        index.coefficient(number) == 1 for number, index in enumerate(access.map)
    )


def _redirected(nest: Nest, facts: list[_Copy], local: Callable[[str], bool]) -> Nest:
    if not expressible(nest):
        return nest
    reads = list(nest.reads)
    for place, read in enumerate(reads):
        accumulated = not all(nest.parallel) and any(write.array.may_overlap(read.array) for write in nest.writes)
        for fact in facts:
            found = _translated(fact, read, nest) if _is_local(read, local) and not accumulated else None
            if found is not None and found not in reads and undisturbed(found, nest):
                reads[place] = found
                break
    return replace(nest, reads=tuple(reads))


def _translated(fact: _Copy, read: Access, nest: Nest) -> Access | None:
    """The other side's element for a read of this side, if all points of the nest read what was copied."""
    if fact.one.array != read.array or len(fact.nest.extents) != len(read.map):
        return None
    values: dict[Term, Affine] = {}
    for number, (index, start, extent) in enumerate(zip(read.map, fact.one.map, fact.nest.extents, strict=True)):
        low, high = bounds(index, nest.extents)
        first = start - Affine(0, ((number, 1),))
        whole = first == Affine(0) and extent.is_constant and extent.constant == read.array.shape[number]
        if not whole and not (_at_least_zero(low - first) and _at_least_zero(first + extent - 1 - high)):
            return None
        values[number] = index - first
    return fact.other.moved(values)


def _at_least_zero(value: Affine) -> bool:
    return value.is_constant and value.constant >= 0


def undisturbed(read: Access, nest: Nest) -> bool:
    """Whether no point of the nest writes what another one reads there."""
    overlapping = [write for write in nest.writes if write.array.may_overlap(read.array)]
    return all(write == read or distance(nest, write, nest, read, 0) is None for write in overlapping)


def _spoiled(fact: _Copy, nest: Nest) -> bool:
    """Whether the nest may write an element of either side."""
    return any(
        write.array.may_overlap(side.array) and distance(fact.nest, side, nest, write, 0) is not None
        for write in nest.writes
        for side in (fact.one, fact.other)
    )


def _touched(fact: _Copy, what: Effects) -> bool:
    roots = {fact.one.array.root, fact.other.array.root}
    return what.writes is None or bool(what.writes & roots) or (None in roots and bool(what.writes))


def _needed(items: list[Item], local: Callable[[str], bool]) -> list[Item]:
    """The items without nests that only write temporaries that nothing reads."""
    while True:
        nests = [item.what for item in items if isinstance(item.what, Nest)]
        read = {access.array.root for nest in nests for access in nest.reads}
        kept = [item for item in items if not isinstance(item.what, Nest) or _counts(item.what, read, local)]
        if len(kept) == len(items):
            return items
        items = kept


def _counts(nest: Nest, read: set[str | None], local: Callable[[str], bool]) -> bool:
    return any(write.array.root in read or not _is_local(write, local) for write in nest.writes)


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
    if not covers_array(source, what.extents) or not covers_array(write, what.extents):
        return None
    one, two = source.array, write.array
    if one.root != one.name or two.root != two.name or one == two:
        return None
    made_here = maker(reader.values[one.name], "memref.alloc") is not None
    return (one, two) if made_here and maker(reader.values[two.name]) is None else None


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
