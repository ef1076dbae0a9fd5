"""Kernels in place of operations: each becomes a private function of the module and a call of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mlir import ir

from raising.native.nest.read_views import Reader
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.operand_segments import segmented
from raising.support.record import dataclass


def call(module: Any, kernel: Kernel, name: str, reader: Reader, before: Any, places: Sequence[Any] = ()) -> Any:
    """Add the kernel's function to the module and call it before an operation; the call.

    The call comes from `places`, the locations of what it stands for; of one that is not given, from that operation.
    What the call passes is moved up to it where it stands later in the block.
    """
    known = {op.operation.attributes["sym_name"] for op in module.body.operations}
    for function in ir.Module.parse(kernel.text).body.operations:
        if function.operation.attributes["sym_name"] not in known:
            function.operation.clone(ir.InsertionPoint.at_block_begin(module.body))
    values = [reader.values[each] for each in kernel.parameters]
    move_up(values, before)
    place, ip = ir.Location.fused(places) if places else before.location, ir.InsertionPoint(before)
    write, kinds = OpWriter(ir, ip), map(ir.Type.parse, kernel.buffers)
    buffers = [write.op("memref.alloc", [kind], **segmented(ir, 0, 0))[0] for kind in kinds]
    attributes = {"callee": ir.FlatSymbolRefAttr.get(name), **({"no_inline": ir.UnitAttr.get()} if buffers else {})}
    made = ir.Operation.create("func.call", operands=[*values, *buffers], attributes=attributes, ip=ip, loc=place)
    for buffer in buffers:
        write.op("memref.dealloc", [], [buffer])
    reader.kernels.add(name)
    return made


def move_up(values: Iterable[ir.Value], before: Any) -> None:
    """Move the operations that make these values, and theirs, before another of the same block, where they are not."""
    for value in values:
        owner = value.owner
        if isinstance(owner, ir.Block):
            continue
        operation = owner.operation
        if operation.block == before.block and not _precedes(operation, before):
            move_up(operation.operands, before)
            operation.move_before(before)


def _precedes(one: Any, other: Any) -> bool:
    return bool(one.is_before_in_block(other))


@dataclass(frozen=True)
class Kernel:
    """A function in MLIR text and the names around it, in the order of its parameters.

    `buffers` are the types of memory that each call gives it behind these. It is not put in place of its calls then.
    """

    text: str
    parameters: tuple[str, ...]
    buffers: tuple[str, ...] = ()
