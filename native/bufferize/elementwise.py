"""Elementwise tensor operations, fused before bufferization so that the tensors between them need no memory.

Contractions keep their names meanwhile: an operand that is computed element by element would otherwise be computed
again for each use of its elements.

Structured operations on tensors of rank 0 become operations on scalars. Front ends write counters, conditions and
comparisons that way; as scalars they need no memory, and the bounds and subscripts made of them can be read.

    before  %s = linalg.add ins(%a, %b) outs(%new)
            %p = linalg.mul ins(%s, %b) outs(%out)
    after   %p = linalg.generic ins(%a, %b) { %x = arith.addf %in, %in_0; %y = arith.mulf %x, %in_0 }
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir._mlir_libs._mlirTransformInterpreter import apply_named_sequence  # mlir.dialects.transform takes longer
from mlir.dialects import arith, tensor

from raising.native.input.read_module import run
from raising.support.mlir.accumulation import read_apart
from raising.support.mlir.branches import move_body, replace_op
from raising.support.mlir.create import chosen_elements
from raising.support.mlir.walk import maker, operations

_UNARY = "exp log abs ceil floor negf reciprocal round sqrt rsqrt square tanh erf copy broadcast transpose map fill"
_BINARY = "elementwise add sub mul div div_unsigned max min powf select"
ELEMENTWISE = tuple(f"linalg.{name}" for name in f"{_UNARY} {_BINARY}".split())
"""Named operations of linalg that compute each element of the result from one of each operand."""

_UPDATES = ("tensor.insert", "tensor.insert_slice", "bufferization.to_tensor")

_SEQUENCE = """
module attributes {{transform.with_named_sequence}} {{
  transform.named_sequence @__transform_main(%root: !transform.any_op {{transform.readonly}}) {{
    %found = transform.structured.match ops{{[{names}]}} in %root : (!transform.any_op) -> !transform.any_op
    %generic = transform.structured.generalize %found : (!transform.any_op) -> !transform.any_op
    transform.yield
  }}
}}"""


def choose_elements(module: Any) -> None:
    """A choice between whole tensors becomes one of each element: it can be fused with what makes and uses them.

    Where one side has no contents, the other one is as good. Versions of one tensor stay whole: they are one memory
    (`raising.native.bufferize.element_versions`). Tensors of rank 0 are numbers: memory that is chosen could not be
    updated in place.
    """
    for op in operations(module, lambda op: op.name == "arith.select" and _is_tensor(op.results[0])):
        condition, *sides = op.operands
        full = [side for side in sides if not maker(side, "tensor.empty")]
        cell = not op.results[0].type.rank
        if isinstance(condition.type, ir.RankedTensorType):
            continue
        if not cell and any(maker(side, *_UPDATES) for side in sides):
            continue
        if len(full) < len(sides):
            op.results[0].replace_all_uses_with((full or sides)[0])
            op.erase()
        elif cell:
            _choose_number(op)
        else:
            _choose(op)


def _is_tensor(value: Any) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _choose_number(op: Any) -> None:
    condition, *sides = op.operands
    kind, place = op.results[0].type, ir.InsertionPoint(op)
    with op.location:
        numbers = [ir.Operation.create("tensor.extract", [kind.element_type], [s], ip=place).results[0] for s in sides]
        chosen = ir.Operation.create("arith.select", [kind.element_type], [condition, *numbers], ip=place).results[0]
        result = ir.Operation.create("tensor.from_elements", [kind], [chosen], ip=place).results[0]
    op.results[0].replace_all_uses_with(result)
    op.erase()


def _choose(op: Any) -> None:
    condition, yes, no = op.operands
    kind, place = op.results[0].type, ir.InsertionPoint(op)
    with place, op.location:
        extents = [
            tensor.dim(yes, arith.constant(ir.IndexType.get(), d)) for d in range(kind.rank) if kind.is_dynamic_dim(d)
        ]
        empty = ir.Operation.create("tensor.empty", [kind], extents).results[0]
        chosen = chosen_elements(ir, condition, yes, no, empty)
    op.results[0].replace_all_uses_with(chosen)
    op.erase()


def fuse_elementwise(module: Any) -> None:
    """Rewrite a module of tensor operations in place."""
    with module.context, ir.Location.unknown():
        sequence = ir.Module.parse(_SEQUENCE.format(names=", ".join(f'"{name}"' for name in ELEMENTWISE)))
        main = sequence.body.operations[0].operation
        apply_named_sequence(module.operation, main, sequence.operation)
        read_apart(module)
    run(module, "linalg-fuse-elementwise-ops,canonicalize,cse", "elementwise operations cannot be fused")


def to_scalars(module: Any) -> bool:
    """Rewrite a module in place; whether there was anything to do."""
    found = operations(
        module, lambda op: op.name == "linalg.generic" and bool(op.results) and all(map(_is_cell, op.operands))
    )
    for op in found:
        _replace(op)
    return bool(found)


def _is_cell(value: Any) -> bool:
    return not isinstance(value.type, ir.ShapedType) or (
        isinstance(value.type, ir.RankedTensorType) and value.type.rank == 0
    )


def _replace(op: Any) -> None:
    place = ir.InsertionPoint(op)
    block, values = op.regions[0].blocks[0], []
    for argument, operand in zip(block.arguments, op.operands, strict=True):
        value = operand
        if isinstance(operand.type, ir.RankedTensorType):
            value = ir.Operation.create("tensor.extract", [argument.type], [operand], ip=place).results[0]
        values.append(value)
    cells = []
    for result, value in zip(op.results, move_body(block, op, values), strict=True):
        cells.append(ir.Operation.create("tensor.from_elements", [result.type], [value], ip=place).results[0])
    replace_op(op, cells)
