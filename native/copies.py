"""Copies between buffers that need not be made: what reads a copy reads the original, or the other way round.

Where a value is needed after its place was written again, bufferization makes a copy. Seen
as accesses, much of that is not needed: the two parts of the array do not overlap, or what
is copied goes to its final place anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from affine.record import dataclass
from native.affine_index import Affine, Term
from native.dependence import bounds, distance
from native.loops import expressible
from native.nest import Access, Effects, Nest
from native.read import Item


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
    """What a nest that only copies says: the temporary on one side, any array on the other."""
    if nest.body or nest.yields != ("in0",) or len(nest.reads) != 1 or nest.writes[0].array == nest.reads[0].array:
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
    """Without the nests that only write temporaries that nothing reads."""
    while True:
        nests = [item.what for item in items if isinstance(item.what, Nest)]
        read = {access.array.root for nest in nests for access in nest.reads}
        kept = [item for item in items if not isinstance(item.what, Nest) or _counts(item.what, read, local)]
        if len(kept) == len(items):
            return items
        items = kept


def _counts(nest: Nest, read: set[str | None], local: Callable[[str], bool]) -> bool:
    return any(write.array.root in read or not _is_local(write, local) for write in nest.writes)
