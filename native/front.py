"""From the text of a module to linalg on tensors or memory, in upstream's MLIR.

What is read: the loops and tensor programs that `raise` and `raise-opt` print,
any linalg or StableHLO module, and targets whose configuration says how they
are lowered. StableHLO is brought to linalg by its own passes, in the MLIR of
jaxlib; the two exchange text.
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from affine.mlir_reader import parse_module
from grammar.load import known
from grammar.target import read_target
from native.dialects import prefer
from native.errors import CompileError

BYTECODE = b"ML\xefR"


def new_context() -> Any:
    """A context without threads of its own, whose diagnostics nobody prints."""
    prefer()
    context = ir.Context()
    context.enable_multithreading(False)
    return context


def read(raw: bytes, file: str, context: Any) -> Any:
    """The module as operations of upstream's dialects, named operations and calls included.

    `affine.errors.InputError`, with the place, for what does not parse or verify.
    """
    if is_stablehlo(raw):
        from native.hlo import to_linalg  # takes long to import

        raw = to_linalg(raw, file)
    with context:
        module = parse_module(raw, file)
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
    """Run passes on a module in place; what they refuse is a CompileError that begins with `complaint`."""
    with module.context:
        manager = PassManager.parse(f"builtin.module({pipeline})")
        try:
            manager.run(module.operation)
        except ir.MLIRError as error:
            raise CompileError(f"{complaint}: {_first(error)}") from None


def _first(error: Any) -> str:
    """What the first diagnostic says, in one line."""
    said = error.error_diagnostics[0].message if error.error_diagnostics else str(error)
    return " ".join(said.split())
