"""Lists of MLIR's passes that several stages share."""

from __future__ import annotations

TO_LLVM = (
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "finalize-memref-to-llvm",
    "convert-index-to-llvm",
    "convert-arith-to-llvm",
    "convert-func-to-llvm",
    "convert-cf-to-llvm",
    "convert-ub-to-llvm",
    "reconcile-unrealized-casts",
)
"""Branches, memory and arithmetic to LLVM's dialect."""
