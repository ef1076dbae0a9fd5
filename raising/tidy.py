"""Local memory that nobody uses after raising."""

from __future__ import annotations

from typing import Any

from mlir import ir

ALLOCATIONS = ("memref.alloc", "memref.alloca")


def erase_unused_memory(function: Any) -> None:
    """Erase allocations of `function` that are only freed, and those frees."""
    for op in _operations(function, ALLOCATIONS):
        _fold_extents(op)
        users = [use.owner.operation for use in op.results[0].uses]
        if all(user.name == "memref.dealloc" for user in users):
            for user in users:
                user.erase()
            op.erase()


def _operations(function: Any, names: tuple[str, ...]) -> list[Any]:
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name in names:
            found.append(op)
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return found


def _fold_extents(allocation: Any) -> None:
    """Take `?` extents from the allocation's operands instead of from its result."""
    kind = ir.MemRefType(allocation.results[0].type)
    sizes = iter(allocation.operands)
    extent = {d: next(sizes) for d in range(kind.rank) if kind.is_dynamic_dim(d)}
    for use in list(allocation.results[0].uses):
        user = use.owner.operation
        dim = _constant(user.operands[1]) if user.name == "memref.dim" else None
        if dim in extent:
            user.results[0].replace_all_uses_with(extent[dim])
            user.erase()


def _constant(value: Any) -> int | None:
    owner = value.owner
    if isinstance(value, ir.BlockArgument) or owner.operation.name != "arith.constant":
        return None
    return int(ir.IntegerAttr(owner.operation.attributes["value"]).value)
