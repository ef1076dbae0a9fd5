"""A module's text brought to linalg on tensors or memory, in upstream's MLIR.

What is read: the loops and tensor programs that `raise` and `raise-opt` print, any linalg or StableHLO module, and
targets whose configuration says how they are lowered. StableHLO is brought to linalg by its own passes, in the MLIR of
jaxlib; the two exchange text.

`set_fastmath` marks the freedom that LLVM has with floating-point arithmetic. `check_names` refuses a function with the
name of a C library function that compiled code calls, because the code would call itself.

    before  %a = arith.mulf %x, %x : f32
    after   %a = arith.mulf %x, %x fastmath<reassoc,contract> : f32      # set_fastmath, `fp` is reassoc
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from raising.frontend.mlir.parse_module import make_context, parse_module
from raising.grammar.dialects.committed import known
from raising.grammar.dialects.target_dialect import read_target
from raising.native.base.unsupported import CompileError
from raising.support.mlir.dialects import prefer
from raising.support.mlir.permission import EXTREMA, NUMBERS
from raising.support.mlir.walk import named, operations

BYTECODE = b"ML\xefR"
_MADE = ("bufferization", "cf", "linalg", "llvm", "math", "tensor", "ub", "vector")
"""Dialects of which operations are made here; all others are loaded when a text or a pass names them."""


def new_context() -> Any:
    """A context without threads of its own, whose diagnostics nobody prints."""
    prefer()
    context = make_context()
    for dialect in _MADE:
        context.get_dialect_descriptor(dialect)
    return context


def read(raw: bytes, file: str, context: Any) -> Any:
    """The module as operations of upstream's dialects, named operations and calls included.

    `raising.support.errors.InputError`, with the place, for what does not parse or verify.
    """
    if is_stablehlo(raw):
        from raising.native.input.stablehlo.to_linalg import to_linalg  # takes long to import

        raw = to_linalg(raw, file)
    with context:
        module = parse_module(raw, file)
        for op in reversed([op for op in module.body.operations if "sym_name" not in op.attributes]):
            op.operation.erase()  # such as patterns, or modules of transformations: nothing can name them
    for name in known():
        if f"{name}.".encode() in raw:
            _lower_target(module, name, file)
    return module


def _lower_target(module: Any, name: str, file: str) -> None:
    """Operations of a target that upstream's MLIR knows, as that target's configuration says."""
    target = read_target(name)
    if target.bindings == "mlir" and not target.general:
        pipeline = target.pipeline.removeprefix("builtin.module(").removesuffix(")")
        run(module, pipeline, f"{file}: error: {name} cannot be brought to linalg")


def is_stablehlo(raw: bytes) -> bool:
    """Whether a text or bytecode has operations of StableHLO or CHLO."""
    return b"hlo." in raw or (raw.startswith(BYTECODE) and b"hlo" in raw)


def run(module: Any, pipeline: str, complaint: str) -> None:
    """Run passes on a module in place; what they refuse is a CompileError that begins with `complaint`.

    It is verified behind the last one: behind each, that takes a quarter of the time.
    """
    with module.context:
        manager = PassManager.parse(f"builtin.module({pipeline})")
        manager.enable_verifier(False)
        try:
            manager.run(module.operation)
            module.operation.verify()
        except ir.MLIRError as error:
            raise CompileError(f"{complaint}: {_first(error)}") from None


def _first(error: Any) -> str:
    """The first diagnostic, in one line."""
    said = error.error_diagnostics[0].message if error.error_diagnostics else str(error)
    return " ".join(said.split())


FLAGS = {"strict": "", "reassoc": "reassoc,contract", "fast": "reassoc,nnan,nsz,arcp,contract,afn"}
"""Flags of MLIR's arithmetic for each choice of `CompileOptions.fp`; maxima begin at an infinity in each of them."""

_NOT_ARITHMETIC = ("arith.constant", "arith.extf", "arith.truncf", "arith.bitcast", "arith.sitofp", "arith.uitofp")
_DIALECTS = ("arith.", "math.")


def set_fastmath(module: Any, fp: str) -> None:
    """Mark the floating-point operations of a module with the flags of a choice, besides those that they have.

    This is done before loops are scheduled, so that code which schedules add
    keeps the order of its own operations.
    """
    if not FLAGS[fp]:
        return
    functions = [op.operation for op in module.body.operations if NUMBERS in op.operation.attributes]
    chosen = {op for function in functions for op in named(function, *EXTREMA)}
    for op in operations(
        module, lambda op: op.name.startswith(_DIALECTS) and op.name not in _NOT_ARITHMETIC and _on_floats(op)
    ):
        own = re.search(r"<(.*)>", str(op.attributes["fastmath"]) if "fastmath" in op.attributes else "")
        given = own[1].split(",") if own and own[1] != "none" else ()
        flags = [FLAGS[fp], *(["nnan,nsz"] if op in chosen else ()), *given]
        op.attributes["fastmath"] = ir.Attribute.parse(f"#arith.fastmath<{','.join(flags)}>", module.context)


def _on_floats(op: Any) -> bool:
    return any(isinstance(v.type, ir.FloatType) for v in op.operands)


ALWAYS = frozenset(("malloc", "free", "aligned_alloc", "memcpy", "memmove", "memset", "abort", "perror"))
"""Functions of C that compiled code may call whatever its module says."""
_NAME = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)
_OTHER_NAMES = {"absf": "fabs", "powf": "pow", "remf": "fmod"}
_LLVM_CALLS = {
    "math.sin": ("sincos",),
    "math.cos": ("sincos",),
    "math.exp2": ("ldexp",),
    "math.powf": ("exp2", "exp10", "ldexp", "sqrt"),
}
"""Functions that LLVM may call for an operation instead of the one of its name, or for two operations at once."""


def check_names(modules: Iterable[Any], names: Iterable[str], taken: Iterable[str] = ()) -> None:
    """CompileError for a name that is no symbol of C, or is that of a library function that the code may call.

    Such a function would call itself. The operations of the `modules` tell what their code calls; `taken` are names
    that other code calls, besides.
    """
    called = {*ALWAYS, *taken}
    for op in (op for module in modules for op in operations(module, _may_call)):
        base = op.name.partition(".")[2]
        for name in (_OTHER_NAMES.get(base, base), *_LLVM_CALLS.get(op.name, ())):
            called |= {name, f"{name}f"}
    for name in names:
        if not _NAME.fullmatch(name):
            raise CompileError(f"'{name}' is no name for a symbol: letters, digits, '_', '$' and '.' only")
        if name in called:
            raise CompileError(f"function '{name}' has the name of a function of the C library that its code may call")


def _may_call(op: Any) -> bool:
    """Whether an operation may become a call of the C library."""
    return bool(op.name.startswith("math.") or op.name == "arith.remf")
