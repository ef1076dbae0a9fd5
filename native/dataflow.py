"""Which item of a block reads what which other one has written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from affine.record import dataclass
from native.affine_index import Affine, dim
from native.algebra import inline, moved
from native.fragment import Fragment
from native.nest import Access, Array, Effects, Nest

Item = Nest | Effects | None
"""None: an item that was taken away."""


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
    """What a nest with one write computes, over its own dimensions."""
    return Fragment(nest.reads, nest.body, nest.yields[0], nest.writes[0].array.element, nest.captured)


def covers(nest: Nest) -> bool:
    """Whether a nest has one write and gives every element of that array its value, once or as a reduction."""
    if len(nest.writes) != 1:
        return False
    (write,) = nest.writes
    plain = [next(iter(index.dims)) if len(index.terms) == 1 and index.dims else None for index in write.map]
    if len(set(plain)) != len(plain) or any(
        d is None or index != dim(d) for d, index in zip(plain, write.map, strict=True)
    ):
        return False
    return all(
        nest.extents[d] == (dim(f"{write.array.name}.{axis}") if size is None else Affine(size))
        for axis, (d, size) in enumerate(zip(plain, write.array.shape, strict=True))
        if d is not None
    )


def elementwise(nest: Item) -> bool:
    """Whether a nest computes each element of the one array that it writes, from one element of each that it reads."""
    return (
        isinstance(nest, Nest) and all(nest.parallel) and covers(nest) and len(nest.extents) == len(nest.writes[0].map)
    )


@dataclass(frozen=True)
class Leaf:
    """An element that fused code reads, and the item at which it was read."""

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
            if isinstance(item, Nest) and covers(item) and item.writes[0].array == array:
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

    def producer(self, access: Access, at: int) -> tuple[int, Fragment] | None:
        """The elementwise nest that made an element, with its code over the dimensions of the access."""
        source = self.writer(access.array, at)
        if source is None:
            return None
        nest = self.items[source]
        if not elementwise(nest) or not isinstance(nest, Nest) or nest.writes[0].array != access.array:
            return None
        dims = {next(iter(index.dims)): there for index, there in zip(nest.writes[0].map, access.map, strict=True)}
        found = moved(fragment_of(nest), dims)
        return None if found is None else (source, found)

    def expand(
        self, fragment: Fragment, at: int, sink: Callable[[int], bool], kept: frozenset[int] = frozenset()
    ) -> tuple[Fragment, list[Leaf]]:
        """Compute again what is written only to be read by sinks, but for what items in `kept` write.

        Second: what is read then, and where.
        """
        leaves: list[Leaf] = []
        for access in fragment.reads:
            made = self.producer(access, at)
            local = access.array.root in self.local
            if made is None or made[0] in kept or not local or not self.feeds(made[0], sink):
                leaves.append(Leaf(access, at))
                continue
            inner, more = self.expand(made[1], made[0], sink, kept)
            fragment = inline(fragment, access, inner)
            leaves += more
        return fragment, leaves
