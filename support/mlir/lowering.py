"""MLIR's stock passes from loops and tensors to LLVM, in the lists that several stages share.

Between bufferization and loops the order of iterations is improved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlir
from mlir import ir, passmanager

from raising.support.mlir.loop_order import allow_reassociation, interchange_for_locality
from raising.support.mlir.walk import symbol_name

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

BOUNDARIES = "bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map"
"""What bufferization does with arguments and results of functions."""

_YIELDS = "allow-return-allocs-from-loops=1"  # a loop may yield another tensor than the one that it was given

LOOPS = ("convert-linalg-to-loops", "lower-affine", "convert-scf-to-cf")
"""Structured operations on memory to loops, and these to branches."""

LLVM = ("expand-strided-metadata", "lower-affine", *TO_LLVM)
"""Views, branches, memory and arithmetic to LLVM's dialect."""


def mlir_opt() -> Path:
    """The `mlir-opt` that is installed beside the bindings."""
    return next(path for root in mlir.__path__ if (path := Path(root) / "bin" / "mlir-opt").exists())


def runtime_library() -> Path:
    """The runtime library with `memrefCopy`, which strided copies call."""
    return next(path for root in mlir.__path__ if (path := Path(root) / "lib" / "libmlir_c_runner_utils.so").exists())


def keep_only(module: Any, name: str) -> bool:
    """Leave in a module one function, public, and what it needs; False where MLIR does not see what is needed."""
    for op in module.operation.regions[0].blocks[0].operations:
        if symbol_name(op):
            op.attributes["sym_visibility"] = ir.StringAttr.get("public" if symbol_name(op) == name else "private")
    try:
        _run(module, "symbol-dce")
    except ir.MLIRError:  # a symbol may be used where MLIR cannot see it
        return False
    return True


def lower_in_place(module: Any) -> None:
    """Lower a parsed module to the LLVM dialect, tensors and loops alike, for a fast run.

    Only what is written in linalg has a free iteration order; loops keep theirs.
    """
    text = str(module)
    if "tensor" in text or "linalg." in text:
        _run(module, f"one-shot-bufferize{{{BOUNDARIES} {_YIELDS}}}", "canonicalize", "cse")
        if "memref.dealloc" not in text:
            _run(module, "buffer-deallocation-pipeline", "convert-bufferization-to-memref")
        _run(module, "func.func(linalg-generalize-named-ops)")
        interchange_for_locality(module)
        allow_reassociation(module)
    _run(module, LOOPS[0], "canonicalize", "cse", *LOOPS[1:], *LLVM, "canonicalize", "cse")


def _run(module: Any, *passes: str) -> None:
    with module.context:
        pipeline = f"builtin.module({','.join(passes)})"
        manager = passmanager.PassManager.parse(pipeline)
        manager.enable_verifier(False)  # behind each pass, it takes a quarter of the time
        manager.run(module.operation)
        module.operation.verify()
