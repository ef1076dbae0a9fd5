"""What may be done with a tree of loops, and what pays: vectors, several rows at once, threads."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.interleave import is_whole
from raising.native.loops.loop_tree import Loop, Node, is_innermost, nests_of, unit_stride
from raising.native.loops.narrow import constant
from raising.native.loops.prefetch import rows_together, streams_along, unroll_and_jam
from raising.native.loops.vector_ops import element_bits, reduction
from raising.native.nest.dependence import distances
from raising.native.nest.nest import Access, Nest, Scalar

ROWS = 8
"""Rows at once, at most: so many sums that a core can work on while each waits for its last addition."""
TRAPS = re.compile(r"arith\.(div|rem|ceildiv|floordiv)[su]i")
"""Operations that end the program for some operands."""


def expressible(nest: Nest) -> bool:
    """Whether loops can be written for a nest: dimensions that a write leaves out are sums along it."""
    rank = range(len(nest.extents))
    return all(
        reduction(nest, number) is not None or all(d in write.dims for d in rank)
        for number, write in enumerate(nest.writes)
    )


def abreast(nest: Nest, d: int) -> bool:
    """Whether iterations of a loop may be the lanes of one vector: none reads what another one writes."""
    apart = all(
        read in nest.writes or not any(read.array.may_overlap(w.array) for w in nest.writes) for read in nest.reads
    )
    return apart and all(unit_stride(write, d) for write in nest.writes) and vectorisable(nest, d)


def independent(node: Loop) -> bool:
    """Whether no iteration of an outermost loop touches what another one writes."""
    nests = list(node.nests())
    if not all(nest.parallel[0] and all(0 in write.dims for write in nest.writes) for nest in nests):
        return False
    return _meet_at_their_own_iterations(nests)


def cuttable(node: Loop) -> bool:
    """Whether the iterations of an outermost loop without loops in it are independent, but for sums of all of them."""
    nests = list(node.nests())
    sums = [nest for nest in nests if not any(0 in write.dims for write in nest.writes)]
    for nest in sums:
        for place, write in enumerate(nest.writes):
            used = [*nest.reads, *nest.writes[:place]]
            alone = not any(each != write and each.array.may_overlap(write.array) for each in used)
            if not alone or reduction(nest, place) is None or write.array.element in ("i1", "index"):
                return False
    if not all(nest in sums or (nest.parallel[0] and all(0 in write.dims for write in nest.writes)) for nest in nests):
        return False
    return _meet_at_their_own_iterations(nests)


def _meet_at_their_own_iterations(nests: Sequence[Nest]) -> bool:
    """Whether different nests touch the same elements only in the same iteration of the outermost loop."""
    pairs = ((one, two) for one in nests for two in nests if one is not two)
    return all(found == (0,) for one, two in pairs for found in distances(one, two, 1))


def bits_of(nest: Nest) -> int:
    """The widest element that a nest stores, loads or computes."""
    elements = [access.array.element for access in (*nest.reads, *nest.writes)]
    computed = [scalar.result for scalar in nest.body if scalar.result not in ("index", "i1")]
    return max(element_bits(element) for element in (*elements, *computed))


def length_of(nest: Nest, d: int) -> int | None:
    """How many iterations a loop has, if it has any, and if that is known."""
    known: dict[Term, Affine] = {name: value for name, value in nest.guarded if nest.extents[d] == dim(name)}
    extent = nest.extents[d].substitute(known)
    return extent.constant if extent.is_constant else None


def no_longer(extent: Affine, lanes: int, copies: int) -> tuple[int, int]:
    """Lanes and copies of a loop without sums: no more than it has iterations, if it is known to have few."""
    while extent.is_constant and lanes > 1 and lanes // 2 >= extent.constant > 0:
        lanes //= 2
    return lanes, 1 if extent.is_constant and extent.constant <= lanes else copies


def vectorisable(
    nest: Nest, dim: int, writes: tuple[Access, ...] = (), temporary: frozenset[str] = frozenset()
) -> bool:
    """Whether vectors along a dimension can be stored whole, loaded somehow, and computed on without a trap.

    `writes` are all accesses of the loop that write: interleaved ones are stored whole together. Those to the roots in
    `temporary` stay in registers.
    """
    stored = [w for w in nest.writes if w.array.root not in temporary]
    stores = all(unit_stride(w, dim) or dim not in w.dims or is_whole(w, writes, dim) for w in stored)
    loads = all(dim not in read.dims or read.stride(dim) is not None for read in nest.reads)
    plain = all(access.array.element != "i1" for access in (*nest.reads, *nest.writes))
    return stores and loads and plain and not any(may_trap(nest, scalar) for scalar in nest.body)


def may_trap(nest: Nest, scalar: Scalar) -> bool:
    """Whether a division of lanes that are not needed could end the program: not by a positive constant."""
    if not TRAPS.match(scalar.name):
        return False
    by = scalar.args[1]
    number = constant(nest.body[int(by[1:])]) if by.startswith("v") else None
    return number is None or number <= 0


def rows_of(node: Loop, depth: int) -> int:
    """How many iterations of a loop to take at once: more than one if the vectors inside have something to share.

    The more arrays there are whose rows come from memory, the fewer rows of each: a core follows some streams only.
    """
    children = [child for child in node.body if isinstance(child, Loop)]
    if not all(is_innermost(child) for child in children) or not _may_join(node, depth):
        return 1
    if unroll_and_jam(node, depth):
        return _at_most(rows_together(node, depth), node)
    writes, shared = _writes_of(node), _same_for_all_rows(node, depth)
    only_sums = all(depth + 1 not in write.dims for write in writes)
    if not (shared or only_sums) or (not shared & writes and any(streams_along(write, depth) for write in writes)):
        return 1  # a load that is saved is not worth as many streams of results; sums of several rows share shuffles
    streams = sum(streams_along(access, depth) for access in _reads_of(node))
    return _at_most(max(2, ROWS // max(1, streams)), node)


def _reads_of(node: Loop) -> set[Access]:
    return {access for child in node.body if isinstance(child, Loop) for nest in child.nests() for access in nest.reads}


def _writes_of(node: Loop) -> set[Access]:
    return {write for child in node.body if isinstance(child, Loop) for nest in child.nests() for write in nest.writes}


def _same_for_all_rows(node: Loop, depth: int) -> set[Access]:
    """The accesses along a row that are the same for all rows."""
    every = _reads_of(node) | _writes_of(node)
    return {access for access in every if depth not in access.dims and depth + 1 in access.dims}


def open_length(node: Loop) -> bool:
    """Whether rows have a length that is not known when compiling."""
    return not any(child.extent.is_constant for child in node.body if isinstance(child, Loop))


def share_vectors(node: Loop, depth: int) -> bool:
    """Whether rows that are done at once share vectors."""
    return unroll_and_jam(node, depth) or bool(_same_for_all_rows(node, depth))


def _at_most(rows: int, node: Loop) -> int:
    return rows if not node.extent.is_constant or node.extent.constant >= rows else 1


def rows_of_neighbours(node: Loop, depth: int) -> int:
    """How many iterations of a loop to take at once because they read vectors of each other; sums keep their order."""
    return rows_of(node, depth) if unroll_and_jam(node, depth) and not sums_across(node, depth) else 1


def sums_across(node: Loop, depth: int) -> bool:
    """Whether several iterations of the loop add to one sum along a vector."""
    nests = [nest for nest in node.nests() if len(nest.extents) == depth + 2]
    return any(not {depth, depth + 1} & write.dims for nest in nests for write in nest.writes)


def _may_join(node: Loop, depth: int) -> bool:
    """Whether neighbouring iterations may be done side by side, statement by statement."""
    nodes = list(enumerate(node.body))
    for place, first in nodes:
        for other, second in nodes[place:]:
            same = place == other
            pairs = ((one, two) for one in nests_of(first) for two in nests_of(second))
            if not all(_joinable(one, two, depth, same) for one, two in pairs):
                return False
    return True


def _joinable(first: Nest, second: Nest, depth: int, same: bool) -> bool:
    if first is second:
        return True
    levels = min(len(first.extents), len(second.extents), depth + 2 if same else depth + 1)
    for found in distances(first, second, levels):
        if any(step not in (0, None) for step in found[:depth]) or found[depth] == 0:
            continue
        if not (same and levels == depth + 2 and found[depth + 1] == 0):
            return False
    return True


def loaded(node: Node) -> set[Access]:
    """The accesses that loops read from memory: not those to what is written just before, at the same point."""
    if isinstance(node, Loop) and not is_innermost(node):
        return set[Access]().union(*map(loaded, node.body))
    return loaded_at_a_point(nests_of(node))


def loaded_at_a_point(nests: Iterable[Nest]) -> set[Access]:
    """The accesses that nests, one after the other at each point, read from memory."""
    writes, found = set[Access](), set[Access]()
    for nest in nests:
        found |= {read for read in nest.needed if not _forwarded(read, writes)}
        writes |= set(nest.writes)
    return found


def _forwarded(read: Access, writes: Collection[Access]) -> bool:
    """Whether an element is what one of these accesses has written, and the others are of other arrays."""
    return read in writes and not any(other != read and other.array.may_overlap(read.array) for other in writes)


def accesses_of(nodes: tuple[Node, ...]) -> list[Access]:
    """All accesses of the nests in these loops."""
    return [access for node in nodes for nest in nests_of(node) for access in (*nest.reads, *nest.writes)]
