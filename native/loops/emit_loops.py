"""The code of a tree of loops: innermost loops on vectors, the loop around them several rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.aligned_stores import LIGHT, light
from raising.native.loops.body import Memory, Point, run_at
from raising.native.loops.interleave import Form, Shape, place_of
from raising.native.loops.loop_plan import (
    abreast,
    accesses_of,
    bits_of,
    cuttable,
    independent,
    length_of,
    loaded,
    no_longer,
    open_length,
    rows_of,
    share_vectors,
    sums_across,
    vectorisable,
)
from raising.native.loops.loop_tree import Loop, Node, is_innermost, nests_of, permuted, unit_stride
from raising.native.loops.prefetch import NEAR, STREAM, Ahead, open_pieces, shares
from raising.native.loops.private_rows import Rows, is_private, mapped
from raising.native.loops.sums import Grouped, summed_bytes, summed_pairs
from raising.native.loops.transpose_tiles import transposing, write_tiles
from raising.native.loops.vector_ops import MASKED, MASKS_ALL, active_within, element_bits, may_be_masked, reduction
from raising.native.loops.vectorise import BlockWriter, RegisterBlocks, VectorLoop, register_blocks
from raising.native.nest.kernel_call import Kernel
from raising.native.nest.loop_blocks import Blocks
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest
from raising.support.record import dataclass

ACCUMULATORS = 8
"""Sums that a core can work on at once: latency times throughput of a multiply-add."""
OTHERS = 4
"""Registers, at least, for what is no sum."""
LONG = 2048
"""Bytes of a row that is better read by itself: memory is ahead of one row, and not of eight that are gone at once."""
FEW = 4
"""What part of a vector is worth joining its lanes for a sum, a fourth; else LLVM may vectorise the loop around."""
SINGLE = 4
"""Elements of a sum, at most, that are not worth that in any case: a vector of eight takes three steps to be joined."""
COPIES = 2
"""Bodies side by side, so that a core has something to do while one waits."""
LIGHT_COPIES = 4
"""Those of bodies that are a few instructions: counting the iterations takes three."""
STREAMS = 4
"""Accesses that move along the vector, at most, of bodies that are a few instructions."""
NARROW = 2
"""How many registers a vector of what is computed may fill, so that a vector of what is in memory fills one."""
CHUNK = 128
"""Bits that shuffles stay within, where a vector has twice as many."""
PAIR = 2
NOTHING_AHEAD = Ahead()
POINTS = Blocks(4096, 256, parallel=True)
"""Of loops whose iterations have nothing to do with each other: work for a microsecond, for many threads."""
MOVED = 1 << 16
"""Bytes, at least, that a block loads and stores where it does little else: half a microsecond from a cache."""
LIGHT_SUMS = Blocks(1 << 16, 16, parallel=True)
HEAVY_SUMS = Blocks(4096, 16, parallel=True)
"""Of loops that sum: so many that joining the parts is little beside them, and few parts."""


@dataclass(frozen=True)
class Machine:
    """Bits of a vector; bytes of the second cache; threads; bytes of the last cache, 0 where there is none.

    `joins_lanes`, `permutes`: one instruction adds neighbours to a wider lane, or takes any bytes of two vectors.
    `registers` for vectors. `streams`: the bytes from which on stores go past the caches, 0 where none can.
    """

    vector_bits: int
    second_cache: int
    threads: int = 1
    last_cache: int = 0
    joins_lanes: bool = False
    permutes: bool = False
    registers: int = 16
    streams: int = 0


@dataclass(frozen=True)
class Writer:
    """Writes trees for a machine; `strict` keeps the order of sums.

    `rows` are temporaries of single iterations; `read` what the trees read, besides.
    """

    code: Lines
    machine: Machine
    strict: bool
    temporary: frozenset[str]
    rows: tuple[Rows, ...] = ()
    read: frozenset[Array] = frozenset()

    def node(
        self, node: Node, depth: int, names: Mapping[Term, str], rows: int = 1, ahead: Ahead = NOTHING_AHEAD
    ) -> None:
        """A loop or a nest inside of `depth` loops, for several neighbouring iterations of the last of them."""
        if isinstance(node, Nest):
            memory, across = Memory(self.code, {}, self.temporary), depth - 1
            if rows > 2 and abreast(node, across):
                run_at(self.code, node, Point(names, (), across, rows), memory)
            else:
                for row in range(rows):
                    run_at(self.code, node, Point(names, ((across, row),) if row else (), -1, 1), memory)
            memory.flush()
        elif is_innermost(node):
            nests = tuple(node.nests())
            shape = self._shape(nests, depth, rows)
            blocks = self._blocks(node, depth, shape)
            loop = VectorLoop(self.code, nests, depth, names, shape, self.temporary, ahead)
            loop.read, loop.blocks, loop.streams = self.read, blocks, 0 if depth else self.machine.streams
            loop.apart = depth == 0 and shape.lanes > 1 and cuttable(node) and _may_stream(nests)
            loop.write(node.extent)
        else:
            self._loop(node, depth, names)

    def _blocks(self, node: Loop, depth: int, shape: Shape) -> Blocks | None:
        """How an outermost loop without others in it is cut; None where its iterations have an order, or are few.

        Sums are cut alike on one thread and on several.
        """
        nests, threads = tuple(node.nests()), self.machine.threads > 1
        sums = any(0 not in write.dims for nest in nests for write in nest.writes)
        if depth or shape.rows > 1 or not (threads or sums) or shape.ordered or not cuttable(node):
            return None
        blocks = LIGHT_SUMS if sums and light(nests, 0) else HEAVY_SUMS if sums else _points(nests)
        length = length_of(nests[0], 0)
        return None if length is not None and length < 2 * blocks.least else replace(blocks, parallel=threads)

    def _loop(self, node: Loop, depth: int, names: Mapping[Term, str]) -> None:
        blocks = self.windows(node, depth)
        if blocks is not None:
            self._windows(blocks, node, depth, names)
            return
        lanes = self.machine.vector_bits // max(map(bits_of, node.nests()))
        plan = transposing(node, depth, lanes, lambda nest: vectorisable(nest, depth + 1))
        if plan is not None:
            parallel = depth == 0 and self.machine.threads > 1
            write_tiles(self.code, plan, node, names, (parallel, self.temporary))
            return
        self.span(node, depth, names, (self.code.index(0), self.code.affine(node.extent, names)))

    def windows(self, node: Node, depth: int) -> RegisterBlocks | None:
        """Sums over windows that move by neighbours, as those of a filter: what is summed stays in registers."""
        nests = tuple(nests_of(node))
        if not isinstance(node, Loop) or len(node.body) != 1 or any(len(nest.extents) != depth + 2 for nest in nests):
            return None
        numbers = self.machine.vector_bits, self.machine.registers
        found = register_blocks(nests, (depth + 1, depth), numbers, self.temporary)
        return found if found is not None and found.windows else None

    def _windows(self, blocks: RegisterBlocks, node: Loop, depth: int, names: Mapping[Term, str]) -> None:
        """Sums over windows: on vectors of sums, or where there are few of them, on vectors of what is summed."""
        code = self.code
        times = code.index(0), code.affine(node.extent, names), code.index(1)
        written = BlockWriter(code, blocks, times, self.machine.permutes)
        parallel = depth == 0 and self.machine.threads > 1
        if blocks.extent.is_constant or self.strict:
            written.write(names, parallel)
            return
        least = code.index(blocks.vectors * blocks.lanes)
        many = code.formula(f"{code.affine(blocks.extent, names)} >= {least}")
        order = (*range(depth), depth + 1, depth)
        inner = Loop(node.extent, tuple(permuted(nest, order) for nest in blocks.nests))
        code.line(f"scf.if {many} {{")
        written.write(names, parallel)
        code.line("} else {")
        self.span(Loop(blocks.extent, (inner,)), depth, names, (code.index(0), code.affine(blocks.extent, names)))
        code.line("}")

    def span(self, node: Loop, depth: int, names: Mapping[Term, str], bounds: tuple[str, str]) -> None:
        """The iterations of a loop with loops in it from one number to another: multiples of `ROWS`, or its end."""
        node, names, bounds = self._where_active(node, depth, names, bounds)
        rows = 1 if self.strict and sums_across(node, depth) else rows_of(node, depth)
        pieces = open_pieces(node, depth) if rows > 1 else None
        if rows > 1 and open_length(node) and not share_vectors(node, depth):
            self._by_length(node, depth, names, bounds, rows)
        elif pieces is not None:
            far = self._in_far_pieces(*pieces, names)
            self._one_by_one_if(far, node, depth, names, bounds, rows)
        else:
            self._rows_at_once(node, depth, names, bounds, rows)

    def _where_active(
        self, node: Loop, depth: int, names: Mapping[Term, str], bounds: tuple[str, str]
    ) -> tuple[Loop, dict[Term, str], tuple[str, str]]:
        """Those of the iterations in which the nests inside do something, and the loop as it is there."""
        code, where = self.code, active_within(tuple(node.nests()), depth, names, self.strict)
        if where.low is None and where.high is None:
            return node, dict(names), bounds
        begin, _, end = where.ends(code, code.affine(node.extent, names), names, 1)
        low = bounds[0] if begin is None else code.formula(f"max({bounds[0]}, {begin})")
        high = code.formula(f"max({low}, min({bounds[1]}, {end}))")
        nests, last = iter(where.nests), f"end {depth}"
        body = tuple(mapped(child, lambda _: next(nests)) for child in node.body)
        return Loop(dim(last), body), {**names, last: high}, (low, high)

    def _by_length(self, node: Loop, depth: int, names: Mapping[Term, str], bounds: tuple[str, str], rows: int) -> None:
        """Rows that share the last steps of their sums only: long ones one by one, as they lie in memory.

        Where the length is known, rows that come from memory are prefetched instead.
        """
        inner = next(child for child in node.body if isinstance(child, Loop))
        least = self.code.index(LONG * 8 // max(map(bits_of, inner.nests())))
        long = self.code.formula(f"{self.code.affine(inner.extent, names)} >= {least}")
        self._one_by_one_if(long, node, depth, names, bounds, rows)

    def _in_far_pieces(self, read: Access, length: Affine, names: Mapping[Term, str]) -> str:
        """Whether rows of this length are short pieces of a large array."""
        code, array = self.code, read.array
        size, name = element_bits(array.element) // 8, names[array.name]
        total = code.index(size)
        for axis in range(len(array.extents)):
            total = code.formula(f"{total} * {code.dim(name, axis, array.type)}")
        return code.formula(f"{code.affine(length, names)} < {STREAM // size} and {total} > {NEAR}")

    def _one_by_one_if(
        self, condition: str, node: Loop, depth: int, names: Mapping[Term, str], bounds: tuple[str, str], rows: int
    ) -> None:
        """One row at a time where a condition holds, and else so many."""
        self.code.line(f"scf.if {condition} {{")
        self._rows_at_once(node, depth, names, bounds, 1)
        self.code.line("} else {")
        self._rows_at_once(node, depth, names, bounds, rows)
        self.code.line("}")

    def _rows_at_once(
        self, node: Loop, depth: int, names: Mapping[Term, str], bounds: tuple[str, str], rows: int
    ) -> None:
        low, high = bounds
        if rows == 1:
            self._iterations(node, depth, names, (low, high, self.code.index(1)), 1)
            return
        whole = high
        if not node.extent.is_constant or node.extent.constant % rows:
            whole = self.code.formula(f"{high} - remsi({high} - {low}, {rows})")
        self._iterations(node, depth, names, (low, whole, self.code.index(rows)), rows)
        if whole != high:
            self._iterations(node, depth, names, (whole, high, self.code.index(1)), 1)

    def _iterations(
        self, node: Loop, depth: int, names: Mapping[Term, str], bounds: tuple[str, str, str], rows: int
    ) -> None:
        parallel = depth == 0 and self.machine.threads > 1 and independent(node)
        with self.code.loop(bounds, parallel=parallel) as state:
            inner = {**names, depth: state.induction, **self._own_rows(node, depth, names, state.induction)}
            later = self._ahead(node, depth, inner, rows)
            near = {access.array for access in loaded(node)}
            soon = replace(self, read=self.read & near)  # what only other loops read, they read after all of this one
            for child, ahead in zip(node.body, later, strict=True):
                soon.node(child, depth + 1, inner, rows, ahead)

    def _own_rows(self, node: Loop, depth: int, names: Mapping[Term, str], induction: str) -> dict[Term, str]:
        """Memory for the temporaries of an iteration, and what their rows are counted from."""
        used = {access.array for access in accesses_of((node,))}
        mine = [each for each in self.rows if each.depth == depth and each.array in used]
        rows: dict[Term, str] = {each.array.name: each.allocate(self.code, names) for each in mine}
        return rows | {each.base: induction for each in mine}

    def _ahead(self, node: Loop, depth: int, names: Mapping[Term, str], rows: int) -> list[Ahead]:
        """The rows that each child prefetches: its share of the rows after these, or the last ones again."""
        loops = tuple(child for child in node.body if isinstance(child, Loop))
        near = frozenset(each.array.name for each in self.rows)
        found = shares(loops, depth, rows, (self.machine.second_cache, near)) if rows > 1 else []
        if not any(found):
            return [NOTHING_AHEAD] * len(node.body)
        following, end = self.code.formula(f"{names[depth]} + {rows}"), self.code.affine(node.extent, names)
        later = {**names, depth: self.code.formula(f"min({following}, {end} - {rows})")}
        of_loop = dict(zip(map(id, loops), found, strict=True))
        return [Ahead(of_loop.get(id(child), ()), later) for child in node.body]

    def _shape(self, nests: tuple[Nest, ...], dim: int, rows: int) -> Shape:
        sums = [found for nest in nests for found in _sums(nest, dim)]
        ordered = self.strict and not all(sums)
        writes = tuple(write for nest in nests for write in nest.writes)
        bits, moving = max(bits_of(nest) for nest in nests), _moving(nests, dim)
        most = max(SINGLE, self.machine.vector_bits // bits // FEW)
        few = rows == 1 and all(_adds_few(nest, dim, most) for nest in nests)
        wide = not ordered and not few and all(vectorisable(nest, dim, writes, self.temporary) for nest in nests)
        fits = rows == 1 and not sums and len(moving) <= self.machine.registers // NARROW
        lanes = self.machine.vector_bits // (_lane_bits(nests, dim, bits) if fits else bits) if wide else 1
        grouped = self._grouped(nests, dim) if wide and self.machine.joins_lanes else ()
        lanes = self.machine.vector_bits // grouped[0].instruction.bits if grouped else lanes
        copies = 1 if ordered or rows > 1 else _copies(nests, dim)
        if length_of(nests[0], dim) == 1:
            lanes, copies, grouped = 1, 1, ()
        elif not sums:
            lanes, copies = no_longer(nests[0].extents[dim], lanes, copies)
        elif not ordered:
            copies = self._copies_of_sums(len(sums) * rows * (2 if grouped else 1))
        chunk = self._chunk(nests, dim, bits) if rows == 1 and lanes * bits == self.machine.vector_bits else 0
        form, masks = Form(bits, self.machine.permutes, chunk), self._masks_stores(nests, dim)
        masked = masks and self._maskable(nests, dim)
        return Shape(max(1, lanes), copies, rows, ordered, masked, self.strict, grouped, form, masks)

    def _copies_of_sums(self, count: int) -> int:
        """How many bodies are done side by side, where each has so many sums: enough to be busy, if registers do."""
        copies = max(1, ACCUMULATORS // count)
        busy = copies * count >= ACCUMULATORS
        return copies if busy or (copies + 1) * count > self.machine.registers - OTHERS else copies + 1

    def _grouped(self, nests: tuple[Nest, ...], dim: int) -> tuple[Grouped, ...]:
        """The sums of nests along a dimension, if an instruction joins lanes of each; none if there are few lanes."""
        along = all(unit_stride(read, dim) or dim not in read.dims for nest in nests for read in nest.needed)
        if not along or any(dim in nest.writes[0].dims for nest in nests):
            return ()
        for find in (summed_bytes, summed_pairs):
            found = tuple(each for nest in nests if (each := find(nest)) is not None)
            if len(found) == len(nests):
                lanes = self.machine.vector_bits // found[0].instruction.bits
                few = any(nest.extents[dim].is_constant and nest.extents[dim].constant < lanes for nest in nests)
                return () if few else found
        return ()

    def _maskable(self, nests: tuple[Nest, ...], dim: int) -> bool:
        """Whether masked vectors are cheap: AVX2 has none of small elements, and no interleaved ones."""
        accesses = _moving(nests, dim)
        strided = any(place_of(access, dim) for access in accesses)
        return not strided and may_be_masked((each.array.element for each in accesses), self.machine.vector_bits)

    def _chunk(self, nests: tuple[Nest, ...], dim: int, bits: int) -> int:
        """The lanes that shuffles stay within, if most of what moves along a dimension are pairs, and else vectors."""
        moving = _moving(nests, dim)
        groups = [place for each in moving if (place := place_of(each, dim)) is not None]
        whole = {
            place.group for place in groups if {0, 1} == {each.phase for each in groups if each.group == place.group}
        }
        pairs = all(place.group in whole and place.group.step == PAIR for place in groups)
        rest = [each for each in moving if place_of(each, dim) is None]
        alike = all(element_bits(each.array.element) == bits for each in moving) and all(
            unit_stride(e, dim) for e in rest
        )
        counted = any(s.name == "linalg.index" and s.properties == str(dim) for nest in nests for s in nest.body)
        fits = self.machine.vector_bits == 2 * CHUNK and MASKED <= bits < CHUNK
        return CHUNK // bits if fits and pairs and alike and not counted and len(groups) > len(rest) else 0

    def _masks_stores(self, nests: tuple[Nest, ...], dim: int) -> bool:
        """Whether stores under masks cost little: a dozen cycles each on some machines with AVX2."""
        writes = [write for nest in nests for write in nest.writes if dim in write.dims]
        stored = any(not is_private(write.array) for write in writes)
        return self.machine.vector_bits >= MASKS_ALL or not stored or not light(nests, dim)


def _moving(nests: tuple[Nest, ...], dim: int) -> frozenset[Access]:
    """The accesses that move along a dimension."""
    return frozenset(each for nest in nests for each in (*nest.needed, *nest.writes) if dim in each.dims)


def _lane_bits(nests: tuple[Nest, ...], dim: int, bits: int) -> int:
    """The bits that count as those of a lane, where so many are computed on: those of elements in memory, or half.

    Loads and stores are whole vectors then, and LLVM may know one instruction for all that is computed in between, such
    as a sum that is saturated. Of light bodies the elements that are stored count: one instruction makes a vector of
    them from two vectors with twice the bits, and several from one.
    """
    moving = _moving(nests, dim)
    stored = {each for nest in nests for each in nest.writes if dim in each.dims} if light(nests, dim) else moving
    memory = max((element_bits(each.array.element) for each in stored or moving), default=bits)
    return max(memory, bits // NARROW)


def _may_stream(nests: tuple[Nest, ...]) -> bool:
    """Whether an outermost loop waits for memory, and has so few arrays that each may be read at two places at once."""
    return light(nests, 0) and len({access.array for access in _moving(nests, 0)}) <= STREAMS


def _copies(nests: tuple[Nest, ...], dim: int) -> int:
    """How many bodies are done side by side, where they have nothing to do with each other."""
    short = light(nests, dim, LIGHT // 2) and len(_moving(nests, dim)) <= STREAMS
    return LIGHT_COPIES if short else COPIES


def _points(nests: tuple[Nest, ...]) -> Blocks:
    """How a loop without sums is cut: a block moves so many bytes at least, if that is most of what it does."""
    moved = {access for nest in nests for access in (*nest.needed, *nest.writes)}
    bytes_ = sum(element_bits(access.array.element) // 8 for access in moved)
    least = MOVED // max(1, bytes_) if light(nests, 0) else 0
    return replace(POINTS, least=max(POINTS.least, least))


def _adds_few(nest: Nest, dim: int, most: int) -> bool:
    """Whether a nest does nothing but sum a few elements along a dimension."""
    extent, sums = nest.extents[dim], not any(dim in write.dims for write in nest.writes)
    return sums and extent.is_constant and extent.constant <= most


def _sums(nest: Nest, dim: int) -> list[bool]:
    """The sums along a dimension: for each, whether its order does not matter."""
    found = [reduction(nest, place) for place, write in enumerate(nest.writes) if dim not in write.dims]
    return [each.exact for each in found if each is not None]


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
    arrays = {name: array for name, array in arrays.items() if name not in own}
    captured = {each: kind for nest in nests for each, kind in nest.captured if each not in own}
    sizes = (extent.symbols for each in writer.rows for extent in each.array.extents)
    symbols = sorted(more.union(*(nest.symbols for nest in nests), *sizes) - own)
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
    return code.dim(names[array], int(axis), arrays[array].type)


def _attribute(array: Array | None) -> str:
    return " {llvm.noalias}" if array is not None and array.root is not None else ""
