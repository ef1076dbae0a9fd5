"""The updates at the end of a loop over tensors, in an order in which each may happen in place.

Such a loop ends with `materialize_in_destination` of each new value into the tensor that it carries. All of these
happen at once in the tensor program, but one after the other in memory: an update that still reads the old value of a
tensor comes before the update that overwrites that tensor.

    before  %u = materialize_in_destination %new in %p; %v = materialize_in_destination %p in %q
    after   %v = materialize_in_destination %p in %q; %u = materialize_in_destination %new in %p
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.operand_segments import copied
from raising.support.mlir.walk import operations

INTO = "bufferization.materialize_in_destination"
_PARTS = ("tensor.extract_slice", "tensor.cast", "tensor.collapse_shape", "tensor.expand_shape")


def order_updates(module: Any) -> None:
    """Order the updates at the end of each loop's body, with a copy where they form a circle."""
    for loop in operations(module, lambda op: op.name == "scf.for"):
        _order(loop.regions[0].blocks[0])


def _order(block: Any) -> None:
    carried = set(block.arguments)
    *operations, end = block.operations
    updates = [op.operation for op in operations if _is_update(op.operation, carried)]
    waiting = [op for op in updates if op.results[0] in list(end.operands)]
    while waiting:
        free = next((op for op in waiting if not _needed(op, waiting)), None)
        if free is None:
            free = waiting[0]
            _keep_old(free, waiting)
        free.move_before(end.operation)
        waiting.remove(free)


def _is_update(op: Any, carried: set[Any]) -> bool:
    return op.name == INTO and len(op.results) == 1 and op.operands[1] in carried and _ends_in_yield(op)


def _ends_in_yield(op: Any) -> bool:
    return all(use.owner.operation.name == "scf.yield" for use in op.results[0].uses)


def _needed(op: Any, waiting: list[Any]) -> bool:
    """Whether another update still has to read what this one overwrites."""
    return any(other != op and _memory_of(other.operands[0]) == op.operands[1] for other in waiting)


def _memory_of(value: Any) -> Any:
    while not isinstance(value, ir.BlockArgument) and value.owner.operation.name in _PARTS:
        value = value.owner.operation.operands[0]
    return value


def _keep_old(op: Any, waiting: list[Any]) -> None:
    """Copy what an update overwrites, for the others that read it."""
    for other in waiting:
        source = other.operands[0]
        if other != op and _memory_of(source) == op.operands[1]:
            other.operands[0] = copied(ir, source, ir.InsertionPoint(op))
