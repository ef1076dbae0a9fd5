"""Code for a tree of loops: innermost loops on vectors, the loop around them several rows at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from native.affine_index import Affine, Term
from native.body import Memory, Point, run_at
from native.dependence import distances
from native.lanes import element_bits, reduction
from native.lines import Lines
from native.loop_tree import Loop, Node, nests_of, unit_stride
from native.nest import Access, Array, Nest
from native.vector_loop import Shape, VectorLoop

ACCUMULATORS = 8
"""Sums that a core can work on at once: latency times throughput of a multiply-add."""
ROWS = 8
TRAPS = re.compile(r"arith\.(div|rem|ceildiv|floordiv)[su]i")


@dataclass(frozen=True)
class Machine:
    """Bits of a vector; bytes of the nearest cache, and of the next one; threads."""

    vector_bits: int
    cache: int
    second_cache: int
    threads: int = 1


@dataclass(frozen=True)
class Kernel:
    """A function in MLIR text and the names around it, in the order of its parameters."""

    text: str
    parameters: tuple[str, ...]


def expressible(nest: Nest) -> bool:
    """Whether loops can be written for a nest: dimensions that a write leaves out are sums along it."""
    rank = range(len(nest.extents))
    return all(
        reduction(nest, number) is not None or all(d in write.dims for d in rank)
        for number, write in enumerate(nest.writes)
    )


@dataclass(frozen=True)
class Writer:
    """Writes trees for a machine; `strict` keeps the order of sums."""

    code: Lines
    machine: Machine
    strict: bool
    temporary: frozenset[str]

    def node(self, node: Node, depth: int, names: Mapping[Term, str], rows: int = 1) -> None:
        """A loop or a nest inside of `depth` loops, for several neighbouring iterations of the last of them."""
        if isinstance(node, Nest):
            memory = Memory(self.code, {}, self.temporary)
            for row in range(rows):
                run_at(self.code, node, Point(names, ((depth - 1, row),) if row else (), -1, 1), memory)
            memory.flush()
        elif is_innermost(node):
            nests = tuple(node.nests())
            shape = self._shape(nests, depth, rows)
            VectorLoop(self.code, nests, depth, names, shape, self.temporary).write(node.extent)
        else:
            self._loop(node, depth, names)

    def _loop(self, node: Loop, depth: int, names: Mapping[Term, str]) -> None:
        extent, rows = (
            node.extent,
            1 if self.strict and _sums_across(node, depth) else rows_of(node, depth, self.machine.cache),
        )
        total, one = self.code.affine(extent, names), self.code.index(1)
        if rows == 1:
            self._iterations(node, depth, names, (self.code.index(0), total, one), 1)
            return
        whole = self._whole(extent, total, rows)
        self._iterations(node, depth, names, (self.code.index(0), whole, self.code.index(rows)), rows)
        if not extent.is_constant or extent.constant % rows:
            self._iterations(node, depth, names, (whole, total, one), 1)

    def _whole(self, extent: Affine, total: str, rows: int) -> str:
        if extent.is_constant:
            return self.code.index(extent.constant // rows * rows)
        rest = self.code.op(f"arith.remsi {total}, {self.code.index(rows)} : index")
        return self.code.op(f"arith.subi {total}, {rest} : index")

    def _iterations(
        self, node: Loop, depth: int, names: Mapping[Term, str], bounds: tuple[str, str, str], rows: int
    ) -> None:
        parallel = depth == 0 and self.machine.threads > 1 and independent(node)
        with self.code.loop(bounds, parallel=parallel) as state:
            inner = {**names, depth: state.induction}
            for child in node.body:
                self.node(child, depth + 1, inner, rows)

    def _shape(self, nests: tuple[Nest, ...], dim: int, rows: int) -> Shape:
        sums = [found for nest in nests for found in _sums(nest, dim)]
        ordered = self.strict and not all(sums)
        wide = not ordered and all(_vectorisable(nest, dim) for nest in nests)
        lanes = self.machine.vector_bits // max(bits_of(nest) for nest in nests) if wide else 1
        copies = 1 if ordered else 2
        if sums and not ordered:
            copies = max(1, ACCUMULATORS // (len(sums) * rows))
        return Shape(max(1, lanes), copies, rows, ordered)


def independent(node: Loop) -> bool:
    """Whether no iteration of an outermost loop touches what another one writes."""
    nests = list(node.nests())
    if not all(nest.parallel[0] and all(0 in write.dims for write in nest.writes) for nest in nests):
        return False
    pairs = ((one, two) for one in nests for two in nests if one is not two)
    return all(found == (0,) for one, two in pairs for found in distances(one, two, 1))


def is_innermost(node: Loop) -> bool:
    """Whether there is no loop in it."""
    return not any(isinstance(child, Loop) for child in node.body)


def _sums(nest: Nest, dim: int) -> list[bool]:
    """The sums along a dimension: for each, whether its order does not matter."""
    found = [reduction(nest, place) for place, write in enumerate(nest.writes) if dim not in write.dims]
    return [each.exact for each in found if each is not None]


def bits_of(nest: Nest) -> int:
    """The widest element that a nest stores, loads or computes."""
    elements = [access.array.element for access in (*nest.reads, *nest.writes)]
    computed = [scalar.result for scalar in nest.body if scalar.result not in ("index", "i1")]
    return max(element_bits(element) for element in (*elements, *computed))


def _vectorisable(nest: Nest, dim: int) -> bool:
    """Whether vectors along a dimension can be stored whole, loaded somehow, and computed on without a trap."""
    stores = all(unit_stride(write, dim) or dim not in write.dims for write in nest.writes)
    loads = all(dim not in read.dims or read.stride(dim) is not None for read in nest.reads)
    plain = all(access.array.element != "i1" for access in (*nest.reads, *nest.writes))
    return stores and loads and plain and not any(TRAPS.match(scalar.name) for scalar in nest.body)


def rows_of(node: Loop, depth: int, cache: int) -> int:
    """How many iterations of a loop to take at once: more than one if the vectors inside have something to share.

    Sums keep a core busy without that, and one row after the other is what memory is read in
    fastest: they join rows only if what rows share does not stay in the nearest cache (bytes).
    """
    children = [child for child in node.body if isinstance(child, Loop)]
    if not all(is_innermost(child) for child in children) or not _may_join(node, depth):
        return 1
    inner = depth + 1
    nests = [nest for child in children for nest in child.nests()]
    sums = any(_sums(nest, inner) for nest in nests)
    shared = any(
        depth not in access.dims and inner in access.dims for nest in nests for access in (*nest.reads, *nest.writes)
    )
    if not shared or (sums and _vector_bytes(nests, depth) <= cache // 2):
        return 1
    return ROWS if not node.extent.is_constant or node.extent.constant >= ROWS else 1


def _vector_bytes(nests: list[Nest], depth: int) -> int:
    """The memory that every iteration of a loop uses again along the vectors inside, as far as extents are known."""
    accesses = {access for nest in nests for access in (*nest.reads, *nest.writes)}
    again = [access for access in accesses if depth not in access.dims and depth + 1 in access.dims]
    sizes = {access.array: access.array.shape[-1] for access in again}
    return sum((size or 1 << 20) * element_bits(array.element) // 8 for array, size in sizes.items())


def _sums_across(node: Loop, depth: int) -> bool:
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


def write_loops(
    nodes: tuple[Node, ...], name: str, machine: Machine, strict: bool, temporary: frozenset[str]
) -> Kernel:
    """A private function that runs these loops, one after the other."""

    def emit(writer: Writer, names: Mapping[Term, str]) -> None:
        for node in nodes:
            writer.node(node, 0, names)

    return write_kernel(nodes, name, Writer(Lines(), machine, strict, temporary), (frozenset(), frozenset()), emit)


def write_kernel(
    nodes: tuple[Node, ...],
    name: str,
    writer: Writer,
    indices: tuple[frozenset[str], frozenset[str]],
    emit: Callable[[Writer, Mapping[Term, str]], None],
) -> Kernel:
    """A private function with what `emit` writes; its parameters are what the nests use.

    `indices` are index values that `emit` uses besides, and those that it makes itself.
    """
    more, own = indices
    code = writer.code
    nests = [nest for node in nodes for nest in nests_of(node)]
    arrays = {access.array.name: access.array for access in accesses_of(nodes)}
    captured = {each: kind for nest in nests for each, kind in nest.captured}
    symbols = sorted(more.union(*(nest.symbols for nest in nests)) - own)
    kinds = {
        **{each: array.type for each, array in arrays.items()},
        **captured,
        **{each: "index" for each in symbols if "." not in each},
    }
    names: dict[Term, str] = {each: f"%arg{each[1:]}" for each in kinds}
    for symbol in symbols:
        if "." in symbol:
            names[symbol] = _extent(code, symbol, arrays, names)
    emit(writer, names)
    arguments = [(names[each], kind + _attribute(arrays.get(each))) for each, kind in kinds.items()]
    attributes = 'attributes {passthrough = ["alwaysinline"]}'
    return Kernel(code.function(name, arguments, attributes), tuple(kinds))


def _extent(code: Lines, symbol: str, arrays: Mapping[str, Array], names: Mapping[Term, str]) -> str:
    """The extent of a buffer that is not known when compiling; `%3.1` is that of dimension 1 of `%3`."""
    array, axis = symbol.split(".")
    return code.op(f"memref.dim {names[array]}, {code.index(int(axis))} : {arrays[array].type}")


def _attribute(array: Array | None) -> str:
    return " {llvm.noalias}" if array is not None and array.root is not None else ""


def accesses_of(nodes: tuple[Node, ...]) -> list[Access]:
    """All accesses of the nests in these loops."""
    return [access for node in nodes for nest in nests_of(node) for access in (*nest.reads, *nest.writes)]
