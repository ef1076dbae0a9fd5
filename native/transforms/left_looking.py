"""Left-looking loops, whose iterations sum over all earlier ones: the sum over everything before a block is final.

A left-looking factorisation subtracts from each column the contributions of the columns before it: iteration t sums
over k from 0 to below t. Where the elements read with k are not written after iteration k, the part of the sum with k
below t0 is known when iteration t0 begins, for this iteration and all that follow: one contraction for a block of them.
See Golub and Van Loan, Matrix Computations, section 4.2.

    before  for t in 0 .. n: x[t] -= sum of a[t, k] * x[k] over k < t
    after   a block from t0 on: the sum over k < t0 is final when its first iteration begins
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term, dim
from raising.native.loops.vector_ops import Combine, reduction
from raising.native.nest.fragment_algebra import moved_access
from raising.native.nest.nest import Access, Effects, Nest
from raising.native.nest.read_nests import Item, read_block
from raising.native.nest.read_views import Reader, unguarded
from raising.native.transforms.copy_elimination import local_buffers
from raising.support.mlir.operand_segments import input_count
from raising.support.mlir.walk import is_outside
from raising.support.record import dataclass

_OTHER = ("memref.load", "linalg.index")


@dataclass(frozen=True)
class Prefix:
    """A sum in the body of a loop of which the part below the block's first iteration can be computed before.

    `operation` is the sum over dimension `k` of `nest`. `reads` are its operands for iteration `first` + r of a block,
    r being dimension number `rank` and those in `moving` counted from their place in iteration `first`.
    `sizes` has the extents of the others in iteration `first`, None for `k`.
    """

    operation: Any
    nest: Nest
    k: int
    moving: frozenset[int]
    reads: tuple[Access, ...]
    sizes: tuple[Affine | None, ...]
    combine: Combine

    @property
    def row(self) -> int:
        """The number of the dimension that stands for the iteration in its block."""
        return len(self.nest.extents)


@dataclass(frozen=True)
class Body:
    """The body of a loop: its operations, the name of the loop's index, and where that begins."""

    items: Sequence[Item]
    reader: Reader
    time: str
    low: Affine
    local: frozenset[str]


def body_of(loop: Any, reader: Reader, low: Affine) -> Body:
    """The body of a loop that begins there."""
    block = loop.regions[0].blocks[0]
    return Body(read_block(block, reader), reader, reader.name(block.arguments[0]), low, local_buffers(block, reader))


def known_before(names: Iterable[str], loop: Any, reader: Reader) -> bool:
    """Whether values, whose extents have names, too, are there before a loop."""
    values = [reader.values.get(name.split(".")[0]) for name in names]
    return all(value is not None and is_outside(value, loop) for value in values)


def prefixes(body: Body, first: str) -> list[Prefix]:
    """Sums from a loop's first iteration on whose rows share reads; `first` names the first iteration of a block."""
    found = [_prefix(body, item, first) for item in body.items if isinstance(item.what, Nest)]
    sums = [each for each in found if each is not None]
    return [each for each in sums if any(each.row not in read.dims for read in each.reads)]


def _prefix(body: Body, item: Item, first: str) -> Prefix | None:
    nest = item.what
    assert isinstance(nest, Nest)
    depth = [d for d, parallel in enumerate(nest.parallel) if not parallel]
    operands = operands_of(item.operation, body.reader)
    combine = reduction(nest, 0) if len(depth) == 1 and len(nest.writes) == 1 else None
    if combine is None or operands is None or nest.captured or not _own_sum(nest, depth[0], body.local):
        return None
    k = depth[0]
    extents = [unguarded(extent, body.reader) for extent in nest.extents]
    operands = [_original(read, body) for read in operands]
    if extents[k] != dim(body.time) - body.low or not all(_is_final(read, k, body) for read in operands):
        return None
    steps = {d: _step(operands, d, body.time) for d in range(len(extents)) if d != k}
    if any(step is None or extents[d].coefficient(body.time) != -step for d, step in steps.items()):
        return None
    moving = frozenset(d for d, step in steps.items() if step)
    reads = [_in_block(read, moving, len(extents), body.time, first) for read in operands]
    kept = tuple(read for read in reads if read is not None)
    start: dict[Term, Affine] = {body.time: dim(first)}
    sizes = tuple(None if d == k else extent.substitute(start) for d, extent in enumerate(extents))
    return Prefix(item.operation, nest, k, moving, kept, sizes, combine) if len(kept) == len(reads) else None


def operands_of(operation: Any, reader: Reader, outputs: bool = False) -> list[Access] | None:
    """The inputs of a `linalg.generic` as accesses with one dimension in each subscript; None if it has others.

    With `outputs`, its results come behind them.
    """
    if operation.name != "linalg.generic" or any(op.name in _OTHER for op in operation.regions[0].blocks[0].operations):
        return None
    found = []
    for operand, attribute in list(zip(operation.operands, operation.attributes["indexing_maps"], strict=True))[
        : None if outputs else input_count(operation)
    ]:
        results = list(ir.AffineMapAttr(attribute).value.results)
        if not isinstance(operand.type, ir.MemRefType) or not all(isinstance(r, ir.AffineDimExpr) for r in results):
            return None
        view = reader.view(operand)
        found.append(Access(view.array, view.subscripts(tuple(dim(ir.AffineDimExpr(r).position) for r in results))))
    return found


def _own_sum(nest: Nest, k: int, local: frozenset[str]) -> bool:
    """Whether a sum goes to an array of the iteration's own, a dimension for each of the nest's but `k`."""
    (write,) = nest.writes
    plain = tuple(dim(d) for d in range(len(nest.extents)) if d != k)
    return write.array.root in local and write.array.root == write.array.name and write.map == plain


def _original(read: Access, body: Body) -> Access:
    """The read of the original in place of a read of the iteration's own copy."""
    writers = [item.what for item in body.items if isinstance(item.what, Nest) and _writes(item.what, read)]
    stored = any(isinstance(item.what, Effects) and _touches(item.what, read) for item in body.items)
    if read.array.root not in body.local or len(writers) != 1 or stored:
        return read
    (nest,) = writers
    plain = nest.writes[0].map == tuple(dim(d) for d in range(len(nest.extents)))
    if nest.body or nest.yields != ("in0",) or not plain or nest.writes[0].array != read.array:
        return read
    return moved_access(nest.reads[0], dict(enumerate(read.map)))


def _writes(nest: Nest, read: Access) -> bool:
    return any(write.array.may_overlap(read.array) for write in nest.writes)


def _is_final(read: Access, k: int, body: Body) -> bool:
    """Whether what is read with k is not written in iteration k + 1 or later."""
    if read.array.root is None or read.array.root in body.local:
        return False
    for item in body.items:
        written = _written(item, body.reader)
        if not all(_is_later(write, read, k, body) for write in written):
            return False
        if isinstance(item.what, Effects) and item.operation.name != "memref.store" and _touches(item.what, read):
            return False
    return True


def _written(item: Item, reader: Reader) -> Iterable[Access]:
    return item.what.writes if isinstance(item.what, Nest) else single(item.operation, reader)[1]


def single(operation: Any, reader: Reader) -> tuple[tuple[Access, ...], tuple[Access, ...]]:
    """The element that a load reads, and the one that a store writes."""
    stores = operation.name == "memref.store"
    if not stores and operation.name != "memref.load":
        return (), ()
    memory, *indices = list(operation.operands)[stores:]
    view = reader.view(memory)
    found = (Access(view.array, view.subscripts(tuple(reader.index(index) for index in indices))),)
    return ((), found) if stores else (found, ())


def _touches(what: Effects, read: Access) -> bool:
    return what.writes is None or read.array.root in what.writes


def _is_later(write: Access, read: Access, k: int, body: Body) -> bool:
    """Whether a write of iteration t is beyond everything that is read with low + k below t, in some dimension."""
    if not write.array.may_overlap(read.array):
        return True
    if write.array != read.array:
        return False
    for one, other in zip(read.map, write.map, strict=True):
        beyond = other - dim(body.time) - (one - dim(k) - body.low)
        if one.dims == {k} and beyond.constant >= 0 and not beyond.symbols and _all_positive(beyond):
            return True
    return False


def _all_positive(index: Affine) -> bool:
    return all(factor >= 0 for _, factor in index.terms)


def _step(reads: Sequence[Access], d: int, time: str) -> int | None:
    """The number of elements by which one iteration moves all reads along a dimension: 0 or 1, alike in all."""
    found = {index.coefficient(time) for read in reads for index in read.map if d in index.dims}
    return found.pop() if len(found) == 1 and found <= {0, 1} else None


def _in_block(read: Access, moving: frozenset[int], row: int, time: str, first: str) -> Access | None:
    """The element for iteration first + row; None if a subscript has more than one dimension then."""
    values: dict[Term, Affine] = {time: dim(first) + dim(row)}
    values |= {d: dim(d) - dim(row) for d in moving}
    found = read.moved(values)
    single = all(len(index.dims) < 2 and index.coefficient(d) == 1 for index in found.map for d in index.dims)
    return found if single else None
