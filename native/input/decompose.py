"""Operations of linalg that have no loops of their own (softmax, packing, Winograd's transforms), taken apart.

before  %r = linalg.softmax dimension(1) ins(%a) outs(%out)
after   linalg.generic { arith.maxnumf }, { math.exp (arith.subf) }, { arith.addf }, { arith.divf }
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir._mlir_libs._mlirTransformInterpreter import apply_named_sequence  # mlir.dialects.transform takes longer

from raising.support.mlir.walk import operations

_COMPOSED = ("linalg.softmax", "linalg.pack", "linalg.unpack", "linalg.winograd")
_SEQUENCE = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
    %winograd = transform.structured.match ops{["linalg.winograd_filter_transform", "linalg.winograd_input_transform",
      "linalg.winograd_output_transform"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.foreach %winograd : !transform.any_op {
    ^bb0(%op: !transform.any_op):
      %loops = transform.structured.decompose_winograd_op %op : (!transform.any_op) -> !transform.any_op
    }
    %pack = transform.structured.match ops{["linalg.pack"]} in %root
      : (!transform.any_op) -> !transform.op<"linalg.pack">
    transform.foreach %pack : !transform.op<"linalg.pack"> {
    ^bb0(%op: !transform.op<"linalg.pack">):
      %a:3 = transform.structured.lower_pack %op : (!transform.op<"linalg.pack">)
        -> (!transform.op<"tensor.pad">, !transform.op<"tensor.expand_shape">, !transform.op<"linalg.transpose">)
    }
    %unpack = transform.structured.match ops{["linalg.unpack"]} in %root
      : (!transform.any_op) -> !transform.op<"linalg.unpack">
    transform.foreach %unpack : !transform.op<"linalg.unpack"> {
    ^bb0(%op: !transform.op<"linalg.unpack">):
      %a:4 = transform.structured.lower_unpack %op : (!transform.op<"linalg.unpack">)
        -> (!transform.op<"tensor.empty">, !transform.op<"linalg.transpose">, !transform.op<"tensor.collapse_shape">,
            !transform.op<"tensor.extract_slice">)
    }
    transform.yield
  }
}"""


def decompose(module: Any) -> None:
    """Rewrite a module of tensor operations in place; what cannot be taken apart stays."""
    if not operations(module, lambda op: op.name.startswith(_COMPOSED)):
        return
    with module.context, ir.Location.unknown():
        sequence = ir.Module.parse(_SEQUENCE)
        main = sequence.body.operations[0].operation
        try:
            apply_named_sequence(module.operation, main, sequence.operation)
        except ir.MLIRError:  # bufferization says what is left
            return
