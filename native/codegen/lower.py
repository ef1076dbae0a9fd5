"""From loops, vectors and memory to LLVM's dialect, and from that to LLVM's text.

before  linalg.generic outs(%m : memref<8xf32>) { %s = arith.mulf %old, %x }
after   scf.for %i = 0 to 8 { memref.store (arith.mulf (memref.load %m[%i]), %x), %m[%i] }    # to_loops
        ^bb1(%i: i64): llvm.cond_br ..., ^bb2, ^bb3;  ^bb2: llvm.fmul; llvm.store; llvm.br ^bb1  # to_llvm
"""

from __future__ import annotations

import re
from typing import Any

from mlir import ir

from raising.native.base.unsupported import CompileError
from raising.native.codegen.lookups import look_up_one_by_one
from raising.native.codegen.narrow_floats import without_library
from raising.native.input.read_module import run
from raising.support.mlir.lowering import TO_LLVM
from raising.support.mlir.walk import operations

_LOOPS = ("convert-linalg-to-loops", "canonicalize", "cse", "loop-invariant-code-motion")

_LLVM = (
    "expand-strided-metadata",
    "lower-affine",
    "canonicalize",
    "cse",
    "convert-scf-to-cf",
    "convert-vector-to-llvm{reassociate-fp-reductions=@reassociate@}",
    *TO_LLVM,
    "convert-vector-to-llvm",  # of calls of the C library, lane by lane
    "reconcile-unrealized-casts",
    "canonicalize",
    "cse",
)

_BF16 = (
    "math-extend-to-supported-types{extra-types=f16 target-type=f32}",
    "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32}",
    "arith-expand{include-bf16=true}",
)
"""Arithmetic of bf16 in f32. Where a processor has no instruction that rounds to it, LLVM calls a function that gcc's
library has from gcc 13 on.
"""


def to_loops(module: Any, *, slow_lookups: bool = False) -> None:
    """Lower the remaining linalg operations to plain loops; with `slow_lookups`, lanes are not looked up together."""
    run(module, ",".join(_LOOPS), "an operation has no loops")
    if slow_lookups:
        with module.context, ir.Location.unknown():
            look_up_one_by_one(module)


def to_llvm(module: Any, *, reassociate: bool, text: str = "") -> None:
    """The module in LLVM's dialect; `reassociate` lets sums over a vector be added in any order.

    `text` is the module's, if it is there already: to write it takes as long as a pass.
    """
    text = text or str(module)
    if "f16" in text:
        without_library(module)
    if "bf16" in text:
        run(module, ",".join(_BF16), "an operation on bf16 has no form in f32")
    pipeline = ",".join(_LLVM).replace("@reassociate@", str(int(reassociate)))
    run(module, pipeline, "an operation has no form in LLVM")


def llvm_text(module: Any) -> str:
    """A module in LLVM's dialect as LLVM's own text; CompileError if there is another operation in it."""
    from mlir._mlir_libs._mlirDialectsLLVM import translate_module_to_llvmir  # mlir.dialects.llvm takes longer

    _check_all_is_lowered(module)
    text = str(translate_module_to_llvmir(module.operation))
    return _bf16_as_bits(text) if "bf16" in text or "bfloat" in text else text


def _bf16_as_bits(text: str) -> str:
    """LLVM's text with i16 in place of bf16, with which nothing is computed any more.

    LLVM would write masked loads and stores of bf16 as conversions of each lane by a function of the compiler's.
    """
    text = re.sub(r'(?<![\w.@%"$])bfloat\b', "i16", text)
    text = re.sub(r"(?<=\.)(v\d+|nxv\d+|)bf16\b", r"\1i16", text)
    return re.sub(r"\b0xR([0-9A-F]{4})\b", r"u0x\1", text)


def _check_all_is_lowered(module: Any) -> None:
    """CompileError for what the passes left: to translate it would end the process."""
    left = operations(module, lambda op: not op.name.startswith("llvm.") and op.name != "builtin.module")
    if left:
        raise CompileError(f"'{left[0].name}' has no form in LLVM, on the types that it has here")
