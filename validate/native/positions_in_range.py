"""Integers of arguments that are positions in other arrays: a run needs ones that are inside of these."""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.graphs import reachable
from raising.support.mlir.walk import maker, operations
from raising.validate.native.argument_types import Unsupported

MOST = 8
"""Positions that are data are below it; open extents are chosen so that they are inside."""

LOADS = ("affine.load", "memref.load")
_CASTS = ("arith.index_cast", "arith.index_castui")
_WIDER = ("arith.extsi", "arith.extui")


def position_limits(function: Any) -> dict[int, int]:
    """By the number of an argument, below what its integers stay; `Unsupported` if other ones are positions."""
    found: dict[int, int] = {}
    entry = function.regions[0].blocks[0]
    for value, load in _positions(function):
        memory = load.operands[0]
        if not isinstance(memory, ir.BlockArgument) or memory.owner != entry:
            raise Unsupported("positions that are data are computed")
        if any(_stores(use) for use in memory.uses):
            raise Unsupported("positions that are data change")
        found[memory.arg_number] = min(found.get(memory.arg_number, MOST), _limit(value))
    return found


def _stores(use: Any) -> bool:
    op = use.owner.operation
    return op.name not in (*LOADS, "memref.dim")


def _positions(function: Any) -> list[tuple[Any, Any]]:
    """Index values that are integers of arrays, each with the load."""
    found = [(op.results[0], op) for op in operations(function, _gives_index)]
    for cast in operations(function, lambda op: op.name in _CASTS and str(op.results[0].type) == "index"):
        value = cast.operands[0]
        while (wider := maker(value, *_WIDER)) is not None:
            value = wider.operands[0]
        if (load := maker(value, *LOADS)) is not None:
            found.append((cast.results[0], load))
    return found


def _gives_index(op: Any) -> bool:
    return op.name in LOADS and str(op.results[0].type) == "index"


def _limit(position: Any) -> int:
    """The least extent that is told of what is read at a position."""
    limit = MOST
    for use in position.uses:
        op, number = use.owner.operation, use.operand_number
        if op.name == "memref.load" and number:
            memory = ir.MemRefType(op.operands[0].type)
            limit = limit if memory.is_dynamic_dim(number - 1) else min(limit, int(memory.shape[number - 1]))
        elif any(not ir.MemRefType(t).is_dynamic_dim(d) for t in _read_types(op) for d in range(ir.MemRefType(t).rank)):
            raise Unsupported("positions are computed from data")
    return limit


def _read_types(op: Any) -> list[Any]:
    """The memories that are read at what an operation computes."""

    def users(one: Any) -> list[Any]:
        owners = [use.owner.operation for result in one.results for use in result.uses]
        return [] if one != op and one.name == "memref.load" else owners

    return [user.operands[0].type for user in reachable([op], users) if user != op and user.name == "memref.load"]
