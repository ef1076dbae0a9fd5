"""The loop tree: nests fused wherever the dependences allow it and shared data make it worth while."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.nest.dependence import depends, fusable
from raising.native.nest.nest import Access, Nest, Scalar
from raising.support.record import dataclass


@dataclass(frozen=True)
class Loop:
    """A loop from 0 to its extent; a nest in it has as many dimensions as there are loops around it, in their order."""

    extent: Affine
    body: tuple[Loop | Nest, ...]

    def nests(self) -> Iterator[Nest]:
        """All nests inside, in order."""
        for node in self.body:
            yield from nests_of(node)


Node = Loop | Nest


def is_innermost(node: Loop) -> bool:
    """Whether there is no loop in it."""
    return not any(isinstance(child, Loop) for child in node.body)


def nests_of(node: Node) -> Iterator[Nest]:
    """The nests of a loop, or the nest itself."""
    if isinstance(node, Loop):
        yield from node.nests()
    else:
        yield node


def tree(nest: Nest, strict: bool) -> Node:
    """A nest as perfectly nested loops, in the order that suits its accesses."""
    ordered = permuted(nest, loop_order(nest, strict))
    node: Node = ordered
    for extent in reversed(ordered.extents):
        node = Loop(extent, (node,))
    return node


def loop_order(nest: Nest, strict: bool) -> tuple[int, ...]:
    """The dimensions from the outermost loop to the innermost.

    Innermost is the one that most accesses have at distance 1 in memory; the others by falling
    distance, but beside the innermost one along which something lies across it. Reductions stay
    in their own order where that matters (`strict`).
    """
    rank = len(nest.extents)
    inner = min(range(rank), key=lambda d: (*_cost(nest, d), -d), default=0)
    outer = [d for d in range(rank) if d != inner]
    outer.sort(key=lambda d: -_span(nest, d))
    if all(nest.parallel):
        outer.sort(key=lambda d: any(crosses(read, d, inner) for read in nest.reads))
    order = (*outer, *([inner] if rank else []))
    reductions = [d for d in order if not nest.parallel[d]]
    return tuple(range(rank)) if strict and reductions != sorted(reductions) else order


def _accesses(nest: Nest) -> tuple[Access, ...]:
    return (*nest.reads, *nest.writes)


def unit_stride(access: Access, d: int) -> bool:
    """Whether a vector along this dimension is one load or store."""
    moving = [axis for axis, index in enumerate(access.map) if index.coefficient(d)]
    if len(moving) != 1 or access.map[moving[0]].coefficient(d) != 1:
        return False
    behind = access.array.extents[moving[0] + 1 :]  # all of one element, if any
    return access.array.strides[moving[0]] == 1 and all(extent == Affine(1) for extent in behind)


def backwards(access: Access, number: int) -> bool:
    """Whether an access moves by one element towards the first one, in memory, along a dimension."""
    return unit_stride(Access(access.array, tuple(index * -1 for index in access.map)), number)


def crosses(access: Access, outer: int, inner: int) -> bool:
    """Whether an access moves along two loops, and a vector along the outer one is one load or store."""
    return inner in access.dims and access.map[-1].coefficient(inner) == 0 and unit_stride(access, outer)


def _cost(nest: Nest, d: int) -> tuple[int, int]:
    """Accesses that are neither one vector nor one element along a dimension, writes twice; then minus the vectors."""
    moving = [access for access in (*_accesses(nest), *nest.writes) if d in access.dims]
    vectors = sum(unit_stride(access, d) for access in moving)
    return len(moving) - vectors, -vectors


def _span(nest: Nest, d: int) -> int:
    """How far apart in memory neighbours in a dimension are, at most; unknown strides are far."""
    strides = [access.stride(d) for access in _accesses(nest)]
    return max((1 << 40 if stride is None else abs(stride) for stride in strides), default=0)


def permuted(nest: Nest, order: tuple[int, ...]) -> Nest:
    """The nest with its dimensions renumbered: the first of `order` becomes 0."""
    values: dict[Term, Affine] = {old: dim(new) for new, old in enumerate(order)}

    def renumbered(scalar: Scalar) -> Scalar:
        index = scalar.name == "linalg.index"
        return replace(scalar, properties=str(order.index(int(scalar.properties)))) if index else scalar

    return replace(
        nest,
        extents=tuple(nest.extents[old] for old in order),
        parallel=tuple(nest.parallel[old] for old in order),
        reads=tuple(access.moved(values) for access in nest.reads),
        writes=tuple(access.moved(values) for access in nest.writes),
        body=tuple(renumbered(scalar) for scalar in nest.body),
    )


def must_follow(first: Node, second: Node, common: int) -> bool:
    """Whether the second node has to stay behind the first in the body of the common loops."""
    return any(depends(one, other, common) for one in nests_of(first) for other in nests_of(second))


def insert(body: tuple[Node, ...], node: Node, depth: int) -> tuple[Node, ...]:
    """The body with one more node at its end, fused with a loop of the body if that is legal and pays."""
    place = len(body)
    while place and not must_follow(body[place - 1], node, depth):
        if may_fuse(body[place - 1], node, depth):
            break
        place -= 1
    if place and may_fuse(body[place - 1], node, depth):
        return (*insert(body[: place - 1], fused(body[place - 1], node, depth), depth), *body[place:])
    if isinstance(node, Loop):
        return (*body, node)
    return (*body[:place], node, *body[place:])


def may_fuse(first: Node, second: Node, depth: int) -> bool:
    """Whether two loops may and should become one: same extent, shared data, nothing needed before it is there."""
    if not isinstance(first, Loop) or not isinstance(second, Loop) or first.extent != second.extent:
        return False
    if not _share(first, second):
        return False
    innermost = all(isinstance(child, Nest) for child in (*first.body, *second.body))
    return all(fusable(one, other, depth, innermost) for one in first.nests() for other in second.nests())


def _share(first: Loop, second: Loop) -> bool:
    """Whether both use a common array, so that fusing them saves loads."""
    used = {access.array for nest in first.nests() for access in _accesses(nest)}
    return any(access.array in used for nest in second.nests() for access in _accesses(nest))


def fused(first: Node, second: Node, depth: int) -> Loop:
    """Two loops as one; what is in them is fused in turn."""
    assert isinstance(first, Loop) and isinstance(second, Loop)
    body = first.body
    for node in second.body:
        body = insert(body, node, depth + 1)
    return Loop(first.extent, body)
