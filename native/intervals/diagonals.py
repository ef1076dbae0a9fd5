"""Diagonals: where of a matrix only the diagonal is stored, what goes there is computed for the diagonal only.

A loop over the lengths of intervals has a diagonal in each iteration. Written as operations on whole arrays, it
computes a square and stores its diagonal, with n times the work.

before  s[i, j] = t[i, j]; s[i, j] += a[i, k] * b[k, j]; t[i, j] = i == j ? s[i, j] : t[i, j]
after   s[i, i] = t[i, i]; s[i, i] += a[i, k] * b[k, i]; t[i, i] = s[i, i]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import dim
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import bounds, operation
from raising.native.nest.nest import Nest
from raising.native.nest.read_nests import read_operation
from raising.native.nest.read_views import Reader
from raising.native.transforms.memory_writer import MemoryWriter, mapped
from raising.support.mlir.operand_segments import segment_sizes
from raising.support.mlir.walk import iterator_kinds, maker, named


def only_diagonals(module: Any) -> None:
    """Rewrite the operations of a module on memory in place."""
    with module.context, ir.Location.unknown():
        for stored in named(module, "linalg.generic"):
            pair = _diagonal(stored)
            if pair is not None:
                _narrow(stored, pair)


def _diagonal(stored: Any) -> tuple[int, int] | None:
    """Two dimensions that are equal wherever an operation changes what it stores to; None if there are none."""
    nest = read_operation(stored, Reader())
    if not isinstance(nest, Nest) or not all(nest.parallel) or len(nest.writes) != 1:
        return None
    code = Fragment(nest.reads, nest.body, nest.yields[0], nest.writes[0].array.element, nest.captured)
    last = operation(code, code.result)
    old = f"in{nest.reads.index(nest.writes[0])}" if nest.writes[0] in nest.reads else ""
    if last is None or last.name != "arith.select" or last.args[2] != old:
        return None
    known = bounds(code, last.args[0]) or []
    rank = range(len(nest.extents))
    pairs = ((i, j) for i in rank for j in rank if i < j)
    return next((pair for pair in pairs if all(dim(a) - dim(b) in known for a, b in (pair, pair[::-1]))), None)


def _narrow(stored: Any, pair: tuple[int, int]) -> None:
    """Let the operations that make what is stored go over the diagonal, if nothing else needs the rest."""
    places = _dims(stored)
    if places is None:
        return
    makers = list[tuple[Any, tuple[int, int]]]()
    for operand, dims in zip(list(stored.operands)[:-1], places, strict=False):
        if set(pair) <= set(dims) and maker(operand, "memref.alloc") is not None:
            found = _makers(operand, stored, (dims.index(pair[0]), dims.index(pair[1])))
            makers += found or []
    if not makers or not _square(stored, places, pair):
        return
    for made, own in [*makers, (stored, pair)]:
        _rewrite(made, own)


def _makers(buffer: Any, reader: Any, axes: tuple[int, int]) -> list[tuple[Any, tuple[int, int]]] | None:
    """The operations that write a buffer, and their dimensions for two of its axes.

    None if another one than `reader` and its own sums reads it, or if an operation cannot go over a diagonal.
    """
    found = []
    for use in buffer.uses:
        user = use.owner.operation if hasattr(use.owner, "operation") else use.owner
        if user == reader or user.name == "memref.dealloc":
            continue
        dims = _dims(user) if user.name == "linalg.generic" and user.block == reader.block else None
        if dims is None or use.operand_number != len(user.operands) - 1 or segment_sizes(user)[1] != 1:
            return None
        own = dims[-1][axes[0]], dims[-1][axes[1]]
        kinds = iterator_kinds(user)
        plain = len(set(dims[-1])) == len(dims[-1]) and all(kinds[d] == "parallel" for d in own)
        if not plain or not _square(user, dims, own):
            return None
        found.append((user, own))
    return found


def _dims(generic: Any) -> list[list[int]] | None:
    """The dimension in each subscript of each operand; None if one is something else, or an operand no array."""
    found = []
    for operand, attribute in zip(generic.operands, generic.attributes["indexing_maps"], strict=True):
        results = list(ir.AffineMapAttr(attribute).value.results)
        if not isinstance(operand.type, ir.MemRefType) or not all(isinstance(r, ir.AffineDimExpr) for r in results):
            return None
        found.append([ir.AffineDimExpr(result).position for result in results])
    return found


def _square(generic: Any, dims: Sequence[Sequence[int]], pair: tuple[int, int]) -> bool:
    """Whether two dimensions have the same extent."""
    reader = Reader()
    sizes: dict[int, set[Any]] = {d: set() for d in pair}
    for operand, own in zip(generic.operands, dims, strict=True):
        for d, size in zip(own, reader.view(operand).sizes, strict=True):
            if d in sizes:
                sizes[d].add(size)
    return len(sizes[pair[0]] | sizes[pair[1]]) == 1


def _rewrite(generic: Any, pair: tuple[int, int]) -> None:
    """Put an operation in place of one, in which two dimensions are one."""
    kept, gone = pair
    kinds = iterator_kinds(generic)
    order = [d for d in range(len(kinds)) if d != gone]
    places = _dims(generic)
    assert places is not None
    maps = [mapped(order, [kept if d == gone else d for d in dims]) for dims in places]
    writer = MemoryWriter(ir, ir.InsertionPoint(generic))
    source = generic.regions[0].blocks[0]
    with generic.location:
        writer.generic(list(generic.operands), maps, [kinds[d] for d in order], source)
    for index in _indices(_before(generic)):
        old = ir.IntegerAttr(index.attributes["dim"]).value
        place = order.index(kept if old == gone else old)
        index.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), place)
    generic.erase()


def _before(generic: Any) -> Any:
    """The operation in front of one."""
    inside = [view.operation for view in generic.block.operations]
    return inside[inside.index(generic) - 1]


def _indices(generic: Any) -> Iterator[Any]:
    block = generic.regions[0].blocks[0]
    return (view.operation for view in block.operations if view.operation.name == "linalg.index")
