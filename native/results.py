"""Results on their way to memory, as tensors as long as anything else is read.

Bufferization does not relate a tensor to the memory it was made from, nor a write to memory to the tensors that live
there: it would take the array of a result for free while another result is still in it. As a destination among
tensors, an array is written in place only where its contents are not needed any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from mlir import ir

from affine.mlir_walk import operations
from native.updates import INTO

TO_TENSOR = "bufferization.to_tensor"
_VIEWS = frozenset(
    {TO_TENSOR, "memref.dim", "memref.subview", "memref.cast", "memref.reinterpret_cast"}
    | {"memref.collapse_shape", "memref.expand_shape", "memref.extract_strided_metadata"}
)
_CALLS = frozenset({"func.call", "func.call_indirect", "llvm.call"})


def tie_results(module: Any) -> None:
    """Let results go to memory through the tensor that stands for it; neighbours get there after the last is found."""
    blocks = {op.block: None for op in operations(module, _is_to_memory)}
    for block in blocks:
        own = [op.operation for op in block.operations]
        numbered = groupby(range(len(own)), key=lambda k: _is_to_memory(own[k]))
        for run in [list(group) for wanted, group in numbered if wanted]:
            _tie(own, run)


def _is_to_memory(op: Any) -> bool:
    return op.name == INTO and not op.results


def _tie(own: Sequence[Any], run: Sequence[int]) -> None:
    """Tie the results at the places `run`, which are neighbours, of a block's operations."""
    first = own[run[0]]
    for op in [own[k] for k in run]:
        destination = _tensor_of(op.operands[1], own, run[0])
        value = op.operands[0]
        with ir.InsertionPoint(first):
            if value.type != destination.type:
                value = ir.Operation.create("tensor.cast", [destination.type], [value]).results[0]
            op.operands[0] = ir.Operation.create(INTO, [destination.type], [value, destination]).results[0]


def _tensor_of(memory: Any, own: Sequence[Any], end: int) -> Any:
    """The tensor that stands for some memory from the last change of any memory before the place `end` on."""
    start, owner = end, None if isinstance(memory, ir.BlockArgument) else memory.owner.operation
    while start and not _touches_memory(own[start - 1]) and (owner is None or own[start - 1] != owner):
        start -= 1
        if own[start].name == TO_TENSOR and own[start].operands[0] == memory:
            return own[start].results[0]
    shape = [memory.type.shape[d] for d in range(memory.type.rank)]
    kind = ir.RankedTensorType.get(shape, memory.type.element_type)
    unit = {"restrict": ir.UnitAttr.get(), "writable": ir.UnitAttr.get()}
    return ir.Operation.create(TO_TENSOR, [kind], [memory], unit, ip=ir.InsertionPoint(own[start])).results[0]


def _touches_memory(op: Any) -> bool:
    """Whether an operation may read or write memory: what tensors live in is not meant."""
    found: list[Any] = []

    def visit(inner: Any) -> Any:
        on_memory = any(isinstance(o.type, ir.MemRefType | ir.UnrankedMemRefType) for o in inner.operands)
        if inner.name in _CALLS or (on_memory and inner.name not in _VIEWS):
            found.append(inner)
            return ir.WalkResult.INTERRUPT
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return bool(found)
