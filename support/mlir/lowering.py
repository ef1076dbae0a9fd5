"""MLIR's stock passes from loops and tensors to LLVM, in the lists that several stages share.

`LOWERING` is the command line for users; the pipelines below it are the same passes in process, with a stop between
bufferization and loops where the order of iterations is improved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlir
from mlir import passmanager

from raising.support.mlir.loop_order import allow_reassociation, interchange_for_locality

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

_BOUNDARIES = "bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map"

_YIELDS = "allow-return-allocs-from-loops=1"  # a loop may yield another tensor than the one that it was given

_LOOPS = ("convert-linalg-to-loops", "lower-affine", "convert-scf-to-cf")

_LLVM = ("expand-strided-metadata", "lower-affine", *TO_LLVM)

_DEALLOCATION = "--buffer-deallocation-pipeline"
"""Frees what bufferization allocates; it refuses functions that free memory themselves."""

LOWERING: tuple[str, ...] = (
    f"--one-shot-bufferize={_BOUNDARIES}",
    "--canonicalize",
    _DEALLOCATION,
    "--convert-bufferization-to-memref",
    *(f"--{name}" for name in (*_LOOPS, *_LLVM)),
)
"""Arguments of `mlir-opt` that take the output of `raise` to the LLVM dialect."""


class LoweringFailed(Exception):
    """`mlir-opt` did not accept a module; the message is its diagnostics."""


def mlir_opt() -> Path:
    """The `mlir-opt` that is installed beside the bindings."""
    return next(path for root in mlir.__path__ if (path := Path(root) / "bin" / "mlir-opt").exists())


def runtime_library() -> Path:
    """The runtime library with `memrefCopy`, which strided copies call."""
    return next(path for root in mlir.__path__ if (path := Path(root) / "lib" / "libmlir_c_runner_utils.so").exists())


def lower_to_llvm(text: str) -> str:
    """Lower a module with `mlir-opt` and the flags in `LOWERING`, as a user would.

    A program with its own `memref.dealloc` is lowered without freeing temporaries.
    """
    import subprocess

    flags = [flag for flag in LOWERING if flag != _DEALLOCATION or "memref.dealloc" not in text]
    run = subprocess.run([str(mlir_opt()), *flags], input=text, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise LoweringFailed(run.stderr.strip())
    return run.stdout


def lower_in_place(module: Any) -> None:
    """Lower a parsed module to the LLVM dialect, tensors and loops alike, for a fast run.

    Only what is written in linalg has a free iteration order; loops keep theirs.
    """
    text = str(module)
    if "tensor" in text or "linalg." in text:
        _run(module, f"one-shot-bufferize{{{_BOUNDARIES} {_YIELDS}}}", "canonicalize", "cse")
        if "memref.dealloc" not in text:
            _run(module, "buffer-deallocation-pipeline", "convert-bufferization-to-memref")
        _run(module, "func.func(linalg-generalize-named-ops)")
        interchange_for_locality(module)
        allow_reassociation(module)
    _run(module, _LOOPS[0], "canonicalize", "cse", *_LOOPS[1:], *_LLVM, "canonicalize", "cse")


def _run(module: Any, *passes: str) -> None:
    with module.context:
        pipeline = f"builtin.module({','.join(passes)})"
        passmanager.PassManager.parse(pipeline).run(module.operation)
