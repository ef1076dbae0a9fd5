"""Neighbouring loops over single elements, which stay as they are, as one loop where they have something to share.

A recurrence that several arrays take part in is taken apart to one loop for each of them, and each computes again what
they have in common: eliminating an unknown of a tridiagonal system divides once in C, and then twice. One loop over
both reads and computes that once, and the processor has two chains of operations to work on instead of one. Loops that
carry scalars (a filter for each of two channels) are joined for the latter alone.

    before  scf.for %i { x[i] = x[i - 1] * a[i] }
            scf.for %i { y[i] = y[i - 1] * a[i] }
    after   scf.for %i { x[i] = x[i - 1] * a[i]; y[i] = y[i - 1] * a[i] }
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, dim
from raising.native.nest.nest import Access
from raising.native.nest.read_nests import PURE
from raising.native.nest.read_views import Reader
from raising.native.transforms.left_looking import single
from raising.support.mlir.walk import blocks_of
from raising.support.record import dataclass


def join_loops(module: Any, carrying: bool = False) -> None:
    """Join such loops of all public functions in place, or those that are `carrying` scalars.

    Every element has the value that it had. The parameters of a private function may be parts of one array.
    """
    with module.context, ir.Location.unknown():
        for function in [view.operation for view in module.body.operations]:
            reader, visibility = Reader(), function.attributes.get("sym_visibility")
            if function.name == "func.func" and (visibility is None or ir.StringAttr(visibility).value == "public"):
                for block in _blocks(function):
                    _join_in(block, reader, carrying)


def _blocks(operation: Any) -> list[Any]:
    """All blocks of an operation, inner ones first: to join the loops of a block erases blocks inside of it."""
    inside = list(blocks_of(operation))
    return [found for block in inside for each in block.operations for found in _blocks(each.operation)] + inside


def _join_in(block: Any, reader: Reader, carrying: bool) -> None:
    last: _Plain | None = None
    for operation in [view.operation for view in block.operations]:
        found = operation.name == "scf.for" and bool(operation.results) == carrying
        loop = _plain(operation, reader) if found else None
        if loop is not None and last is not None and _may_follow(last, loop, carrying):
            last = _joined(last, loop, reader)
        elif loop is not None or (last is not None and not _may_go_before(operation, last, reader)):
            last = loop


def _may_go_before(operation: Any, loop: _Plain, reader: Reader) -> bool:
    """Whether an operation behind a loop may as well come before it."""
    if any(value in list(loop.operation.results) for value in operation.operands):
        return False
    read, _ = single(operation, reader) if operation.name == "memref.load" else ((), ())
    changed = any(access.array.may_overlap(store.array) for access in read for store in loop.stores)
    return bool(PURE.fullmatch(operation.name)) or (bool(read) and not changed)


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
    loads, stores = list[Access](), list[Access]()
    for operation in [view.operation for view in block.operations][:-1]:
        reads, writes = single(operation, reader)
        if not (reads or writes or PURE.fullmatch(operation.name)) or operation.name.startswith("memref.alloc"):
            return None
        loads += reads
        stores += writes
    bounds = tuple(map(reader.index, list(loop.operands)[:3]))
    time = reader.name(block.arguments[0])
    return _Plain(loop, bounds, time, tuple(loads), tuple(stores))


def _at(loop: _Plain, time: str) -> tuple[tuple[Access, ...], tuple[Access, ...]]:
    """The loads and stores of a loop, with another counter in place of its own."""
    loads, stores = (tuple(e.moved({loop.time: dim(time)}) for e in every) for every in (loop.loads, loop.stores))
    return loads, stores


def _may_follow(first: _Plain, second: _Plain, carrying: bool) -> bool:
    """Whether each iteration of a loop may come right behind the same one of the loop before it.

    It shares something with it, unless both are `carrying` scalars.
    """
    step = first.bounds[2]
    if first.bounds != second.bounds or not step.is_constant or step.constant <= 0 or _ends_in(first, second):
        return False
    loads, stores = _at(second, first.time)
    if not carrying and not {*first.loads, *first.stores} & {*loads, *stores}:
        return False
    pairs = [(a, b) for a in first.stores for b in (*loads, *stores)] + [(a, b) for a in first.loads for b in stores]
    return all(_in_order(a, b, first.time) for a, b in pairs)


def _ends_in(first: _Plain, second: _Plain) -> bool:
    """Whether a loop begins with, or reads, what the loop before it has carried to its end."""
    users = (use.owner.operation for result in first.operation.results for use in result.uses)
    return any(second.operation in (user, user.parent) for user in users)


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


def _joined(first: _Plain, second: _Plain, reader: Reader) -> _Plain:
    """One loop in place of the second one, that does what both do; what was between them goes before it."""
    bounds, olds = list(first.operation.operands)[:3], [first.operation, second.operation]
    begins = [value for old in olds for value in list(old.operands)[3:]]
    kinds, loc, ip = [value.type for value in begins], olds[0].location, ir.InsertionPoint(olds[1])
    made = ir.Operation.create("scf.for", kinds, [*bounds, *begins], regions=1, ip=ip, loc=loc)
    block = made.regions[0].blocks.append(bounds[0].type, *kinds, arg_locs=[loc] * (1 + len(kinds)))
    place, ends = 1, list[Any]()
    for old in olds:
        inner, count = old.regions[0].blocks[0], len(old.results)
        own = [block.arguments[0], *list(block.arguments)[place : place + count]]
        for argument, value in zip(inner.arguments, own, strict=True):
            argument.replace_all_uses_with(value)
        *operations, end = [view.operation for view in inner.operations]
        ends += list(end.operands)
        for operation in operations:
            block.append(operation)
        place += count
    with olds[0].location:
        ir.Operation.create("scf.yield", [], ends, ip=ir.InsertionPoint(block))
    for value, result in zip([r for old in olds for r in old.results], made.results, strict=True):
        value.replace_all_uses_with(result)
    time = reader.name(block.arguments[0])
    accesses = [_at(each, time) for each in (first, second)]
    for old in olds:
        old.erase()
    loads, stores = (tuple(access for each in accesses for access in each[k]) for k in (0, 1))
    return _Plain(made, first.bounds, time, loads, stores)
