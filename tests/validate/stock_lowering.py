"""The command line of `mlir-opt` for users (README): it takes the output of `raise` to the LLVM dialect."""

from __future__ import annotations

import subprocess

from raising.support.mlir.lowering import BOUNDARIES, LLVM, LOOPS, mlir_opt

_DEALLOCATION = "--buffer-deallocation-pipeline"
"""Frees what bufferization allocates; it refuses functions that free memory themselves."""

LOWERING: tuple[str, ...] = (
    f"--one-shot-bufferize={BOUNDARIES}",
    "--canonicalize",
    _DEALLOCATION,
    "--convert-bufferization-to-memref",
    *(f"--{name}" for name in (*LOOPS, *LLVM)),
)
"""Arguments of `mlir-opt` that take the output of `raise` to the LLVM dialect."""


class LoweringFailed(Exception):
    """`mlir-opt` did not accept a module; the message is its diagnostics."""


def lower_to_llvm(text: str) -> str:
    """Lower a module with `mlir-opt` and the flags in `LOWERING`, as a user would.

    A program with its own `memref.dealloc` is lowered without freeing temporaries.
    """
    flags = [flag for flag in LOWERING if flag != _DEALLOCATION or "memref.dealloc" not in text]
    run = subprocess.run([str(mlir_opt()), *flags], input=text, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise LoweringFailed(run.stderr.strip())
    return run.stdout
