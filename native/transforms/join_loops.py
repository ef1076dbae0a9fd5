"""Neighbouring loops over single elements, which stay as they are, as one loop where they have something to share.

A recurrence that several arrays take part in is taken apart to one loop for each of them, and each computes again what
they have in common: eliminating an unknown of a tridiagonal system divides once in C, and then twice. One loop over
both reads and computes that once, and the processor has two chains of operations to work on instead of one.

    before  scf.for %i { x[i] = x[i - 1] * a[i] }
            scf.for %i { y[i] = y[i - 1] * a[i] }
    after   scf.for %i { x[i] = x[i - 1] * a[i]; y[i] = y[i - 1] * a[i] }
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.nest.nest import Access
from raising.native.nest.read_nests import PURE
from raising.native.nest.read_views import Reader
from raising.native.transforms.left_looking import single
from raising.support.mlir.walk import blocks_of
from raising.support.record import dataclass


def join_loops(module: Any) -> None:
    """Join such loops of all public functions in place: every element has the value that it had.

    The parameters of a private function may be parts of one array.
    """
    with module.context, ir.Location.unknown():
        for function in [view.operation for view in module.body.operations]:
            reader, visibility = Reader(), function.attributes.get("sym_visibility")
            if function.name == "func.func" and (visibility is None or ir.StringAttr(visibility).value == "public"):
                for block in _blocks(function):
                    _join_in(block, reader)


def _blocks(operation: Any) -> list[Any]:
    """All blocks of an operation, inner ones first: to join the loops of a block erases blocks inside of it."""
    inside = list(blocks_of(operation))
    return [found for block in inside for each in block.operations for found in _blocks(each.operation)] + inside


def _join_in(block: Any, reader: Reader) -> None:
    last: _Plain | None = None
    for operation in [view.operation for view in block.operations]:
        loop = _plain(operation, reader) if operation.name == "scf.for" else None
        if loop is not None and last is not None and _may_follow(last, loop):
            last = _joined(last, loop)
        elif loop is not None or not PURE.fullmatch(operation.name):
            last = loop


@dataclass(frozen=True)
class _Plain:
    """A loop that loads, computes and stores single elements, which are over its counter `time`."""

    operation: Any
    bounds: tuple[Affine, ...]
    time: str
    loads: tuple[Access, ...]
    stores: tuple[Access, ...]


def _plain(loop: Any, reader: Reader) -> _Plain | None:
    """A loop that is nothing else; None for another one."""
    block = loop.regions[0].blocks[0]
    if loop.results or len(block.arguments) != 1:
        return None
    loads, stores = list[Access](), list[Access]()
    for operation in [view.operation for view in block.operations][:-1]:
        reads, writes = single(operation, reader)
        if not (reads or writes or PURE.fullmatch(operation.name)) or operation.name.startswith("memref.alloc"):
            return None
        loads += reads
        stores += writes
    bounds = tuple(map(reader.index, loop.operands))
    time = reader.name(block.arguments[0])
    return _Plain(loop, bounds, time, tuple(loads), tuple(stores))


def _at(loop: _Plain, time: str) -> tuple[tuple[Access, ...], tuple[Access, ...]]:
    """The loads and stores of a loop, with another counter in place of its own."""
    loads, stores = (tuple(e.moved({loop.time: dim(time)}) for e in every) for every in (loop.loads, loop.stores))
    return loads, stores


def _may_follow(first: _Plain, second: _Plain) -> bool:
    """Whether each iteration of a loop may come right behind the same one of the loop before it, and shares with it."""
    step = first.bounds[2]
    if first.bounds != second.bounds or not step.is_constant or step.constant <= 0:
        return False
    loads, stores = _at(second, first.time)
    if not {*first.loads, *first.stores} & {*loads, *stores}:
        return False
    pairs = [(a, b) for a in first.stores for b in (*loads, *stores)] + [(a, b) for a in first.loads for b in stores]
    return all(_in_order(a, b, first.time) for a, b in pairs)


def _in_order(before: Access, after: Access, time: str) -> bool:
    """Whether an element has its access `before` no later than in the iteration in which it has the one `after`."""
    if not before.array.may_overlap(after.array):
        return True
    return before.array == after.array and any(
        _never_later(a, b, time) for a, b in zip(before.map, after.map, strict=True)
    )


def _never_later(before: Affine, after: Affine, time: str) -> bool:
    """Whether a subscript has no value at a time that another one has had at an earlier time."""
    speed, lead = before.coefficient(time), after - before
    if not lead.is_constant:
        return False
    return lead.constant != 0 if speed == 0 else lead.constant * speed <= 0 or lead.constant % speed != 0


def _joined(first: _Plain, second: _Plain) -> _Plain:
    """The first loop with all that the second one does; what was between them goes before it."""
    first.operation.move_before(second.operation)
    ours, theirs = (each.operation.regions[0].blocks[0] for each in (first, second))
    theirs.arguments[0].replace_all_uses_with(ours.arguments[0])
    *operations, _ = [view.operation for view in theirs.operations]
    end = ours.operations[len(ours.operations) - 1]
    for operation in operations:
        operation.move_before(end)
    second.operation.erase()
    loads, stores = _at(second, first.time)
    return replace(first, loads=(*first.loads, *loads), stores=(*first.stores, *stores))
