"""The dataflow of a block: which item reads elements that another one has written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.nest.dependence import bounds
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import inline, moved
from raising.native.nest.nest import Access, Array, Effects, Nest
from raising.support.record import dataclass

Item = Nest | Effects | None
"""What an operation of a block does; None for one that was taken away."""


def writes(item: Item, array: Array) -> bool:
    """Whether an item may write an element of an array."""
    if isinstance(item, Nest):
        return any(access.array.may_overlap(array) for access in item.writes)
    return isinstance(item, Effects) and _touches(item.writes, array)


def reads(item: Item, array: Array) -> bool:
    """Whether an item may read an element of an array."""
    if isinstance(item, Nest):
        return any(access.array.may_overlap(array) for access in item.reads)
    return isinstance(item, Effects) and _touches(item.reads, array)


def _touches(roots: frozenset[str] | None, array: Array) -> bool:
    return roots is None or (bool(roots) if array.root is None else array.root in roots)


def fragment_of(nest: Nest) -> Fragment:
    """The expression that a nest with one write computes, over its own dimensions."""
    return Fragment(nest.reads, nest.body, nest.yields[0], nest.writes[0].array.element, nest.captured)


Box = tuple[tuple[Affine, Affine], ...]
"""A part of an array: for each dimension, where it begins, and how many elements it has."""


def box(access: Access, extents: Sequence[Affine]) -> Box | None:
    """The part of an array that an access goes through; None if that is no box, or a dimension is in two subscripts."""
    found, used = [], set[int]()
    for index in access.map:
        d = min(index.dims, default=None)
        start = index if d is None else index - dim(d)
        if start.dims or d in used:
            return None
        used |= set() if d is None else {d}
        found.append((start, Affine(1) if d is None else extents[d]))
    return tuple(found)


def written_box(nest: Nest) -> Box | None:
    """The part of an array to which a nest with one write gives values, once or as sums; None if it is no box."""
    return box(nest.writes[0], nest.extents) if len(nest.writes) == 1 else None


def covers_array(access: Access, extents: Sequence[Affine]) -> bool:
    """Whether an access goes through every element of its array."""
    return box(access, extents) == tuple((Affine(0), extent) for extent in access.array.extents)


def elementwise(nest: Item) -> bool:
    """Whether a nest computes each element of the box that it writes, from one element of each that it reads."""
    if not isinstance(nest, Nest) or not all(nest.parallel) or written_box(nest) is None:
        return False
    return nest.writes[0].dims == set(range(len(nest.extents)))


def aligned(
    access: Access, extents: Sequence[Affine], other: Access, others: Sequence[Affine]
) -> dict[int, Affine] | None:
    """Each dimension of an access as the one of `other` that goes through the same elements; None for another box.

    `extents` and `others` are those of the nests around the two accesses.
    """
    if box(access, extents) is None or box(access, extents) != box(other, others):
        return None
    pairs = zip(access.map, other.map, strict=True)
    return {min(one.dims): dim(min(two.dims)) for one, two in pairs if one.dims and two.dims}


def _replaces(later: Nest, nest: Nest) -> bool:
    """Whether a nest writes every element that the one before it, `nest`, has written."""
    if written_box(later) is None or later.writes[0].array != nest.writes[0].array:
        return False
    return written_box(later) == written_box(nest) or covers_array(later.writes[0], later.extents)


@dataclass(frozen=True)
class Leaf:
    """An element that fused code reads; `at` is the number of the item that read it."""

    access: Access
    at: int


@dataclass(frozen=True)
class Flow:
    """The items of a block, in order; `local` are the buffers that nothing outside of the block can see."""

    items: Sequence[Item]
    local: frozenset[str]

    def writer(self, array: Array, at: int) -> int | None:
        """The last item before `at` that may have written an array."""
        return next((other for other in reversed(range(at)) if writes(self.items[other], array)), None)

    def readers(self, at: int) -> list[int] | None:
        """The items that may read what a nest writes; None if something outside of the block may, too."""
        nest = self.items[at]
        assert isinstance(nest, Nest)
        array, found = nest.writes[0].array, []
        for other in range(at + 1, len(self.items)):
            item = self.items[other]
            if reads(item, array):
                found.append(other)
            if isinstance(item, Nest) and _replaces(item, nest):
                return found
        return found if array.root in self.local else None

    def stable(self, leaf: Leaf, until: int, ignored: Iterable[int] = ()) -> bool:
        """Whether an element still has its value at a later item, if those ignored do not happen."""
        between = set(range(leaf.at, until)) - set(ignored)
        return not any(writes(self.items[other], leaf.access.array) for other in between)

    def feeds(self, at: int, sink: Callable[[int], bool]) -> bool:
        """Whether what a nest writes is for sinks only, maybe by way of other elementwise nests."""
        found = self.readers(at)
        return found is not None and all(
            sink(reader) or (elementwise(self.items[reader]) and reader != at and self.feeds(reader, sink))
            for reader in found
        )

    def producer(self, access: Access, at: int, extents: Sequence[Affine]) -> tuple[int, Fragment] | None:
        """The elementwise nest that made an element, with its code over the dimensions of the access."""
        source = self.writer(access.array, at)
        if source is None:
            return None
        nest = self.items[source]
        if not elementwise(nest) or not isinstance(nest, Nest) or nest.writes[0].array != access.array:
            return None
        dims = made_there(nest, access, extents)
        found = None if dims is None else moved(fragment_of(nest), dims)
        return None if found is None else (source, found)

    def expand(
        self,
        fragment: Fragment,
        at: int,
        extents: Sequence[Affine],
        sink: Callable[[int], bool],
        kept: frozenset[int] = frozenset(),
    ) -> tuple[Fragment, list[Leaf]]:
        """The fragment with values that only sinks read computed in place; what items in `kept` write is still read.

        `extents` are those of the fragment's dimensions. Second: what is read then, and where.
        """
        leaves: list[Leaf] = []
        for access in fragment.reads:
            made = self.producer(access, at, extents)
            local = access.array.root in self.local
            if made is None or made[0] in kept or not local or not self.feeds(made[0], sink):
                leaves.append(Leaf(access, at))
                continue
            inner, more = self.expand(made[1], made[0], extents, sink, kept)
            fragment = inline(fragment, access, inner)
            leaves += more
        return fragment, leaves


def made_there(nest: Nest, access: Access, extents: Sequence[Affine]) -> dict[int, Affine] | None:
    """The dimensions of an elementwise nest at which it makes the elements of an access; None if not all of them."""
    (write,), dims = nest.writes, dict[int, Affine]()
    everything = covers_array(write, nest.extents)
    for index, there in zip(write.map, access.map, strict=True):
        d = min(index.dims, default=None)
        point = there - (index if d is None else index - dim(d))
        low, high = bounds(point, tuple(extents))
        last = (Affine(1) if d is None else nest.extents[d]) - 1 - high
        if not everything and not all(each.is_constant and each.constant >= 0 for each in (low, last)):
            return None
        if d is not None:
            dims[d] = point
    return dims
