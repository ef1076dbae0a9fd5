"""Destination passing: every function becomes one on memory, whose tensors are arrays of the caller.

Results are written to such arrays. Unsigned integer types become signless ones on the way: MLIR's arithmetic has the
sign in its operations, StableHLO in its types, and StableHLO's lowering leaves casts between the two.

    before  func.func @both(%a: tensor<8xf32>, %x: f32) -> (tensor<8xf32>, f32) {
              return %r, %x
    after   func.func @both.body(%a: memref<8xf32>, %x: f32, %out: memref<8xf32>) -> f32 {
              bufferization.materialize_in_destination %r in restrict writable %out
              return %x
"""

from __future__ import annotations

import re
from typing import Any

from mlir import ir

from raising.frontend.mlir.variables import VARIABLE
from raising.native.base.read_signature import signature_of
from raising.native.base.signature import Parameter, Signature
from raising.native.base.unsupported import CompileError
from raising.native.input.read_module import run
from raising.support.mlir.walk import blocks_of, operations

_UNSIGNED = re.compile(r"(?:(?<=x)|(?<![\w.]))ui(?=\d+\b)")


def drop_signs(module: Any) -> None:
    """Give every value a type without unsigned integers; casts between types that are the same then are gone."""
    if not _UNSIGNED.search(str(module)):
        return
    with module.context:
        for op in operations(module):
            _retype(op)
    run(module, "reconcile-unrealized-casts,canonicalize", "types cannot be simplified")


def _retype(op: Any) -> None:
    for value in (*op.results, *(a for block in blocks_of(op) for a in block.arguments)):
        value.set_type(_plain(value.type))
    if op.name == "func.func":
        kind = ir.TypeAttr(op.attributes["function_type"]).value
        op.attributes["function_type"] = ir.TypeAttr.get(_plain(kind))


def _plain(kind: Any) -> Any:
    """A type without unsigned integers; most have none."""
    text = str(kind)
    plain = _UNSIGNED.sub("i", text)
    return kind if plain == text else ir.Type.parse(plain)


SUFFIX = ".body"
"""What the name of a function gets inside of the module; its own name is that of the entry for C."""

TENSORS = ".tensors"
"""What a function on tensors has instead, until its body is in the one on memory."""

_NOALIAS = "llvm.noalias"


def to_destinations(module: Any) -> tuple[Signature, ...]:
    """Rewrite the module in place; the signatures of its functions in their order.

    Afterwards the module has one private function `NAME.body` per public function
    of the source, on memory and without calls of other functions that have a body.
    Arrays of parameters are taken not to overlap.
    """
    functions = [f for f in _functions(module) if f.regions[0].blocks]
    public = [f for f in functions if not _is_private(f)]
    if not public:
        raise CompileError("there is no function to compile")
    signatures = tuple(signature_of(f) for f in public)
    drop_signs(module)
    for function, signature in zip(public, signatures, strict=True):
        tensors = any(isinstance(t, ir.RankedTensorType) for t in _types(function))
        _rename(module, function, signature.name + (TENSORS if tensors else SUFFIX))
        if tensors:
            _append(module, _on_memory(signature, function))
    for function in functions:
        function.attributes["sym_visibility"] = ir.StringAttr.get("private")
    bodies = [f for f in _functions(module) if f.name.value.endswith(SUFFIX)]
    for body in bodies:
        body.attributes["sym_visibility"] = ir.StringAttr.get("public")
    run(module, "inline,symbol-dce", "calls cannot be resolved")
    for function in _functions(module):
        if any(isinstance(t, ir.RankedTensorType | ir.UnrankedTensorType) for t in _types(function)):
            raise CompileError(f"function '{_source_name(function)}' on tensors calls itself, or is not defined here")
    for body in bodies:
        _no_overlap(body)
    return signatures


def _functions(module: Any) -> list[Any]:
    return [op for op in module.body.operations if op.operation.name == "func.func"]


def _source_name(function: Any) -> str:
    return str(function.name.value).removesuffix(SUFFIX).removesuffix(TENSORS)


def _is_private(function: Any) -> bool:
    attributes = function.attributes
    return "sym_visibility" in attributes and ir.StringAttr(attributes["sym_visibility"]).value == "private"


def _types(function: Any) -> list[Any]:
    return [*function.type.inputs, *function.type.results]


def _rename(module: Any, function: Any, name: str) -> None:
    old = function.name.value
    ir.SymbolTable.replace_all_symbol_uses(old, name, module.operation)
    ir.SymbolTable.set_symbol_name(function, name)


def _append(module: Any, text: str) -> None:
    """Add the last function of a module in text to this one."""
    extra = ir.Module.parse(text, module.context)
    *_, function = extra.body.operations
    function.operation.clone(ir.InsertionPoint(module.body))


def _on_memory(signature: Signature, function: Any) -> str:
    """A function on memory that calls the one on tensors, behind the declaration of that one."""
    kind, name = function.type, function.name.value
    places = {p: f"%{k}" for k, p in enumerate(signature.memory)}
    given = [p for p in signature.memory if not p.result]
    tensors = [p for p, t in zip(given, kind.inputs, strict=True) if isinstance(t, ir.RankedTensorType)]
    passed = {p: f"%t{places[p][1:]}" if p in tensors else places[p] for p in given}
    values = [(f"%r{k}", t) for k, t in enumerate(kind.results)]
    arrays = [(v, t) for v, t in values if isinstance(t, ir.ShapedType)]
    scalars = [(v, t) for v, t in values if not isinstance(t, ir.ShapedType)]
    lines = [f"{passed[p]} = {_read(p, places[p])}" for p in tensors]
    left = f"{', '.join(v for v, _ in values)} = " if values else ""
    lines += [f"{left}call @{name}({', '.join(passed[p] for p in given)}) : {kind}"]
    written = zip(arrays, (p for p in signature.parameters if p.result), strict=True)
    lines += [_write(v, t, p.memref, places[p]) for (v, t), p in written]
    types = ", ".join(str(t) for _, t in scalars)
    lines += [f"return {', '.join(v for v, _ in scalars)} : {types}" if scalars else "return"]
    head = ", ".join(f"{place}: {p.memref}{_marked(p, signature)}" for p, place in places.items())
    body = "\n".join(lines)
    return f"func.func private @{name}{kind}\nfunc.func @{signature.name}{SUFFIX}({head}) -> ({types}) {{\n{body}\n}}"


def _marked(parameter: Parameter, signature: Signature) -> str:
    """The attribute of an argument that stands for a variable."""
    return f' {{{VARIABLE} = "{parameter.name}"}}' if parameter in signature.variables else ""


def _read(parameter: Parameter, place: str) -> str:
    tensor = parameter.memref.replace("memref", "tensor")
    return f"bufferization.to_tensor {place} restrict : {parameter.memref} to {tensor}"


def _write(value: str, kind: Any, memref: str, place: str) -> str:
    types = f"({kind}, {memref}) -> ()"
    return f"bufferization.materialize_in_destination {value} in restrict writable {place} : {types}"


def _no_overlap(function: Any) -> None:
    """Say to LLVM that the arrays of the parameters do not overlap."""
    kinds = function.type.inputs
    given = function.arg_attrs if "arg_attrs" in function.attributes else [{}] * len(kinds)
    known = [{named.name: named.attr for named in attributes} for attributes in given]
    for kind, attributes in zip(kinds, known, strict=True):
        if isinstance(kind, ir.MemRefType):
            attributes[_NOALIAS] = ir.UnitAttr.get()
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(attributes) for attributes in known])
