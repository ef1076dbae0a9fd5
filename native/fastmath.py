"""Which freedom LLVM has with floating-point arithmetic."""

from __future__ import annotations

from typing import Any

from mlir import ir

FLAGS = {"strict": "", "reassoc": "reassoc,contract", "fast": "fast"}
"""Flags of MLIR's arithmetic for each choice of `CompileOptions.fp`."""

_NOT_ARITHMETIC = ("arith.constant", "arith.extf", "arith.truncf", "arith.bitcast", "arith.sitofp", "arith.uitofp")
_DIALECTS = ("arith.", "math.")


def set_fastmath(module: Any, fp: str) -> None:
    """Mark the floating-point operations of a module with the flags of a choice.

    This is done before loops are scheduled, so that code which schedules add
    keeps the order of its own operations.
    """
    if not FLAGS[fp]:
        return
    flags = ir.Attribute.parse(f"#arith.fastmath<{FLAGS[fp]}>", module.context)

    def visit(op: Any) -> Any:
        if op.name.startswith(_DIALECTS) and op.name not in _NOT_ARITHMETIC and _on_floats(op):
            op.attributes["fastmath"] = flags
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)


def _on_floats(op: Any) -> bool:
    return any(isinstance(v.type, ir.FloatType) for v in op.operands)
