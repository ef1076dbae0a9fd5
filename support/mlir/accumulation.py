"""Operations on elements that accumulate into their destination, rewritten so that they may be fused.

Upstream's `linalg-fuse-elementwise-ops` moves such an operation into the iterations of its user. If the user has more
iterations (a sum, a broadcast), the element would be read and written once in each of them. Therefore the operation
reads what it accumulates into as an input, and writes to a fresh destination.
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.branches import replace_op
from raising.support.mlir.operand_segments import input_count, segment_sizes, segmented
from raising.support.mlir.walk import attributes, iterator_kinds, operations

GENERIC = "linalg.generic"


def read_apart(module: Any) -> None:
    """Each operation on elements that others may take in reads as an input what it read as its destination."""
    for op in operations(module, lambda op: op.name == GENERIC and _accumulates(op) and _is_taken(op)):
        _apart(op)


def _accumulates(op: Any) -> bool:
    """Whether an operation on tensors without a reduction reads its destinations."""
    if not op.results or "reduction" in iterator_kinds(op):
        return False
    inputs = input_count(op)
    return any(len(list(a.uses)) for a in list(op.regions[0].blocks[0].arguments)[inputs:])


def _is_taken(op: Any) -> bool:
    return any(use.owner.operation.name == GENERIC for result in op.results for use in result.uses)


def _apart(op: Any) -> None:
    """The operation with its destinations as inputs, too: what its region read of them are these inputs now."""
    inputs, outputs = segment_sizes(op)
    operands, maps = list(op.operands), list(op.attributes["indexing_maps"])
    given = dict(attributes(op)) | segmented(ir, inputs + outputs, outputs)
    given["indexing_maps"] = ir.ArrayAttr.get([*maps, *maps[inputs:]])
    block = op.regions[0].blocks[0]
    with ir.InsertionPoint(op), op.location:
        kinds = [result.type for result in op.results]
        made = ir.Operation.create(GENERIC, kinds, [*operands, *operands[inputs:]], given, regions=1)
    for argument in list(block.arguments)[inputs:]:
        block.add_argument(argument.type, op.location)
    block.append_to(made.regions[0])
    replace_op(op, made.results)
