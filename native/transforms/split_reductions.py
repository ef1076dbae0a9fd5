"""Split reductions: a sum over the rows of an outermost loop becomes sums over a few blocks of rows.

Any thread may do a block, at any time; the partial sums are added up in the order of the blocks. The blocks follow from
the number of rows alone, so the bits are the same for any number of threads, one included.

    before  for j: for i: out[j] += a[i, j]
    after   scf.parallel over blocks of rows: for i in the block: for j: part[block, j] += a[i, j]
            for j: out[j] += the sum of part[block, j]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.emit_loops import Machine, Writer, write_kernel
from raising.native.loops.loop_plan import ROWS, loaded
from raising.native.loops.loop_tree import Loop, Node, is_innermost, tree, unit_stride
from raising.native.loops.private_rows import PADDING, PREFIX, with_private_rows
from raising.native.loops.vector_ops import Combine, reduction
from raising.native.nest.dependence import distances
from raising.native.nest.kernel_call import Kernel
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Access, Array, Nest, Scalar
from raising.support.record import dataclass

BLOCKS = 16
"""At most; more than processors that share a memory would be of use for."""
LEAST = 64
"""Rows of a block, so that its own sums are little beside them."""
_BLOCK, _COUNT = "block", "blocks"


@dataclass(frozen=True)
class Part:
    """Sums of each block in an array of their own: what they are added to, over dimension 1, and where a block adds."""

    whole: Access
    own: Access
    extent: Affine
    combine: Combine


def blocked(node: Node) -> tuple[Loop, tuple[Part, ...]] | None:
    """The loop with sums of a block's own in place of those that rows share; None if it has none, or needs an order."""
    if not isinstance(node, Loop) or is_innermost(node):
        return None
    if node.extent.is_constant and node.extent.constant < 2 * LEAST:
        return None
    parts: dict[int, Part] = {}
    for number, nest in enumerate(node.nests()):
        if not all(0 in write.dims for write in nest.writes):
            part = _part(nest, len(parts))
            if part is None:
                return None
            parts[number] = part
    if not parts:
        return None
    loop = _with(node, parts, [0])
    return (loop, tuple(parts.values())) if _apart(loop, parts) else None


def _part(nest: Nest, number: int) -> Part | None:
    """The sums of a nest as a block's own: a vector along the loop inside, to which every row adds."""
    (write, *more), combine = nest.writes, reduction(nest, 0)
    if more or combine is None or len(nest.extents) != 2 or write.dims != {1} or not unit_stride(write, 1):
        return None
    extent, element, name = nest.extents[1], write.array.element, f"{PREFIX}part{number}"
    size = extent.constant + PADDING if extent.is_constant else None
    kind = f"memref<{BLOCKS}x{'?' if size is None else size}x{element}>"
    array = Array(name, element, kind, (Affine(BLOCKS), extent), (size, 1), 0, name)
    return Part(write, Access(array, (dim(_BLOCK), dim(1))), extent, combine)


def _with(node: Loop, parts: Mapping[int, Part], count: list[int]) -> Loop:
    """The same loops, with these nests (by their number in them) adding to what is the block's own."""
    body: list[Node] = []
    for child in node.body:
        if isinstance(child, Loop):
            body.append(_with(child, parts, count))
            continue
        part = parts.get(count[0])
        count[0] += 1
        if part is not None:
            reads = tuple(part.own if read == part.whole else read for read in child.reads)
            child = replace(child, reads=reads, writes=(part.own,))
        body.append(child)
    return replace(node, body=tuple(body))


def _apart(node: Loop, parts: Mapping[int, Part]) -> bool:
    """Whether rows have nothing else to do with each other: nobody looks at the sums, and the rest is by rows."""
    nests = list(node.nests())
    used = [access.array for nest in nests for access in (*nest.reads, *nest.writes)]
    if any(array.may_overlap(part.whole.array) for array in used for part in parts.values()):
        return False
    if not all(number in parts or nest.parallel[0] for number, nest in enumerate(nests)):
        return False
    pairs = ((one, two) for one in nests for two in nests if one is not two)
    return all(found == (0,) for one, two in pairs for found in distances(one, two, 1))


def write_loops(
    nodes: tuple[Node, ...],
    name: str,
    machine: Machine,
    strict: bool,
    temporaries: tuple[frozenset[str], frozenset[str]],
) -> Kernel:
    """A private function that runs these loops, one after the other.

    `temporaries` are buffers whose elements are read from registers only, and others that nobody else uses.
    """
    temporary, local = temporaries
    nodes, rows = with_private_rows(nodes, local - temporary, ROWS)
    own = frozenset(name for each in rows for name in (each.array.name, each.base))

    def emit(writer: Writer, names: Mapping[Term, str]) -> None:
        for node in nodes:
            found = None if strict or writer.windows(node, 0) is not None else blocked(node)
            if found is None:
                writer.node(node, 0, names)
            else:
                _write(writer, *found, names)

    read = frozenset(access.array for node in nodes for access in loaded(node))
    writer = Writer(Lines(), machine, strict, temporary, rows, read)
    return write_kernel(nodes, name, writer, (frozenset(), own), emit)


def _write(writer: Writer, loop: Loop, parts: tuple[Part, ...], names: Mapping[Term, str]) -> None:
    """The blocks, in parallel if there are threads, and after them the sums of their sums."""
    code = writer.code
    total = code.affine(loop.extent, names)
    size, count = _cut(code, loop.extent, total)
    inner: dict[Term, str] = {**names, _COUNT: count}
    inner |= {part.own.array.name: _allocated(code, part, names) for part in parts}
    with code.loop((code.index(0), count, code.index(1)), parallel=writer.machine.threads > 1) as state:
        here = {**inner, _BLOCK: state.induction}
        own = replace(writer, machine=replace(writer.machine, threads=1))  # a thread has the block already
        for part in parts:
            own.node(tree(_nothing(part), False), 0, here)
        low = code.formula(f"{state.induction} * {size}")
        writer.span(loop, 0, here, (low, code.formula(f"min({low} + {size}, {total})")))
    for part in parts:
        writer.node(tree(_together(part), False), 0, inner)
        code.line(f"memref.dealloc {inner[part.own.array.name]} : {part.own.array.type}")


def _cut(code: Lines, extent: Affine, total: str) -> tuple[str, str]:
    """Rows of a block, and how many blocks there are."""
    if extent.is_constant:
        known = max(LEAST, -(-extent.constant // (BLOCKS * ROWS)) * ROWS)
        return code.index(known), code.index(-(-extent.constant // known))
    size = code.formula(f"max(ceildivsi({total}, {BLOCKS * ROWS}) * {ROWS}, {LEAST})")
    return size, code.formula(f"ceildivsi({total}, {size})")


def _allocated(code: Lines, part: Part, names: Mapping[Term, str]) -> str:
    size = "" if part.extent.is_constant else code.affine(part.extent + PADDING, names)
    return code.op(f"memref.alloc({size}) {{alignment = 64 : i64}} : {part.own.array.type}")


def _nothing(part: Part) -> Nest:
    """A block's own sums before its first row."""
    element = part.own.array.element
    value = Scalar("arith.constant", (), f"<{{value = {part.combine.neutral} : {element}}}>", (), element)
    write = Access(part.own.array, (dim(_BLOCK), dim(0)))
    return Nest((part.extent,), (True,), (), (write,), (value,), ("v0",), (), "")


def _together(part: Part) -> Nest:
    """The partial sums of all blocks, added in their order."""
    element = part.own.array.element
    add = Scalar(part.combine.name, ("in0", "in1"), "", (element, element), element)
    own = Access(part.own.array, (dim(0), dim(1)))
    extents = (dim(_COUNT), part.extent)
    return Nest(extents, (False, True), (part.whole, own), (part.whole,), (add,), ("v0",), (), "")
