"""The whole way from a module's text to machine code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mlir import ir

from native.destination import SUFFIX, to_destinations
from native.effects import may_write
from native.entry import entry_text
from native.errors import CompileError
from native.fastmath import set_fastmath
from native.front import new_context, read
from native.lower import llvm_text, to_llvm, to_loops
from native.objects import Code, optimised
from native.options import CompileOptions
from native.place import place
from native.schedule import schedule
from native.signature import Signature
from native.target import Target, target_for


@dataclass(frozen=True)
class Built:
    """A compiled module: its functions, the MLIR behind the code, and the code."""

    signatures: tuple[Signature, ...]
    target: Target
    mlir: str
    code: Code


def build(data: bytes | str, file: str, options: CompileOptions) -> Built:
    """Compile every public function of a module.

    `affine.errors.InputError` for a text that is no valid module, CompileError
    for one that cannot be compiled.
    """
    target = target_for(options.cpu, options.threads)
    context = new_context()
    with context, ir.Location.unknown():
        try:
            module = read(data, file, context)
            signatures = to_destinations(module)
            place(module)
            signatures = tuple(_with_effects(module, s) for s in signatures)
            set_fastmath(module, options.fp)
            schedule(module, target, options.fp)
            to_loops(module)
            text = str(module)
            to_llvm(module, reassociate=options.fp != "strict")
            _add_entries(module, signatures, target)
            return Built(signatures, target, text, optimised(llvm_text(module), target))
        except CompileError as error:
            raise CompileError(_in_file(str(error), file)) from None


def _in_file(message: str, file: str) -> str:
    return message if message.startswith(f"{file}:") else f"{file}: error: {message}"


def _with_effects(module: Any, signature: Signature) -> Signature:
    """Mark the arrays that a call may change."""
    (body,) = (f for f in module.body.operations if f.operation.name == "func.func" and _is_body_of(signature, f))
    pairs = zip(signature.parameters, body.arguments, strict=True)
    marked = (p if p.shape is None else replace(p, written=may_write(value)) for p, value in pairs)
    return replace(signature, parameters=tuple(marked))


def _is_body_of(signature: Signature, function: Any) -> bool:
    return bool(function.name.value == f"{signature.name}{SUFFIX}")


def _add_entries(module: Any, signatures: tuple[Signature, ...], target: Target) -> None:
    """Add the functions that C sees, and keep the others from being seen."""
    internal = ir.Attribute.parse("#llvm.linkage<internal>")
    for function in _defined(module):
        function.attributes["linkage"] = internal
    for signature in signatures:
        text = ir.Module.parse(entry_text(signature))
        *_, entry = text.body.operations
        entry.operation.clone(ir.InsertionPoint(module.body))
    bits = target.vector_bits
    width = ir.Attribute.parse(f'[["min-legal-vector-width", "{bits}"], ["prefer-vector-width", "{bits}"]]')
    for function in _defined(module):
        function.attributes["passthrough"] = width


def _defined(module: Any) -> list[Any]:
    functions = (op for op in module.body.operations if op.operation.name == "llvm.func")
    return [function for function in functions if function.regions[0].blocks]
