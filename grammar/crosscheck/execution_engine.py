"""Runs instances compiled to native code, for targets whose dialect has no interpreter of its own.

What is compiled is the lowered function, by MLIR's own way to machine code:
a second opinion on the tracer and the evaluator, in a child process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from raising.grammar.dialects.host import Host
from raising.grammar.measure.verifier import Instance
from raising.support.element_types import described, memref_struct
from raising.support.mlir.lowering import runtime_library
from raising.support.mlir.walk import blocks_of, operations

Values = np.ndarray[Any, np.dtype[np.float64]]

_TO_LOOPS = (
    "builtin.module(func.func(linalg-generalize-named-ops),"
    "one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},"
    "func.func(convert-linalg-to-loops))"
)
_TO_CODE = (
    "builtin.module(expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "math-expand-ops,convert-math-to-llvm,convert-math-to-libm,"
    "arith-expand,convert-arith-to-llvm,convert-index-to-llvm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts)"
)
_NUMBERS: dict[str, Any] = {
    "f64": np.float64,
    "f32": np.float32,
    "i64": np.int64,
    "i32": np.int32,
    "i8": np.int8,
    "i1": np.uint8,  # widened: this MLIR cannot store single bits
}
_CHUNK = 60  # functions compiled at a time


def compiled(
    host: Host, instances: Sequence[Instance], inputs: Sequence[Sequence[Sequence[Values]]]
) -> list[list[Values | None]]:
    """Per instance, its result on each of its lists of inputs; None where it cannot be compiled."""
    found: list[list[Values | None]] = []
    for start in range(0, len(instances), _CHUNK):
        part = slice(start, start + _CHUNK)
        found += _together(host, instances[part], inputs[part])
    return found


def _together(
    host: Host, instances: Sequence[Instance], inputs: Sequence[Sequence[Sequence[Values]]]
) -> list[list[Values | None]]:
    """Compiles instances in one module; one by one if that fails."""
    engine = _engine(host, instances)
    if engine is not None:
        pairs = enumerate(zip(instances, inputs, strict=True))
        return [[_call(engine, k, instance, given) for given in each] for k, (instance, each) in pairs]
    if len(instances) == 1:
        return [[None for _ in inputs[0]]]
    each = zip(instances, inputs, strict=True)
    return [result for instance, given in each for result in _together(host, [instance], [given])]


def _engine(host: Host, instances: Sequence[Instance]) -> Any:
    from mlir.execution_engine import ExecutionEngine

    functions = [i.text().replace("func.func @main", f"func.func @main{k}") for k, i in enumerate(instances)]
    try:
        with host.context:
            module = host.ir.Module.parse("\n".join(functions))
            for function in module.body.operations:
                function.attributes["llvm.emit_c_interface"] = host.ir.UnitAttr.get()
            host.lower(module)
        host.run(_TO_LOOPS, module)
        with host.context, host.ir.Location.unknown():
            _widen(host.ir, module)
        host.run(_TO_CODE, module)
        return ExecutionEngine(module, opt_level=0, shared_libs=[str(runtime_library())])
    except host.errors:
        return None


def _widen(ir: Any, module: Any) -> None:
    """Keeps truth values in memory as bytes."""
    byte = ir.IntegerType.get_signless(8)

    def wide(kind: Any) -> Any:
        if not isinstance(kind, ir.MemRefType) or str(kind.element_type) != "i1":
            return kind
        return ir.MemRefType.get(kind.shape, byte, kind.layout, kind.memory_space)

    for op in operations(module):
        for value in (*op.results, *(a for b in blocks_of(op) for a in b.arguments)):
            value.set_type(wide(value.type))
        loads, stores = (op.name.endswith(end) for end in (".load", ".store"))
        if loads and str(op.results[0].type) == "i1":
            op.results[0].set_type(byte)
            with ir.InsertionPoint.after(op):
                cast = ir.Operation.create("arith.trunci", [ir.IntegerType.get_signless(1)], [op.results[0]])
            op.results[0].replace_all_uses_except(cast.results[0], [cast])
        elif stores and str(op.operands[0].type) == "i1":
            with ir.InsertionPoint(op):
                op.operands[0] = ir.Operation.create("arith.extui", [byte], [op.operands[0]]).results[0]
        elif "function_type" in op.attributes:
            kind = ir.TypeAttr(op.attributes["function_type"]).value
            signature = ir.FunctionType.get([wide(t) for t in kind.inputs], [wide(t) for t in kind.results])
            op.attributes["function_type"] = ir.TypeAttr.get(signature)


def _call(engine: Any, number: int, instance: Instance, inputs: Sequence[Values]) -> Values:
    assert instance.result is not None
    result = memref_struct(len(instance.result.shape))()
    arguments = [ctypes.pointer(ctypes.pointer(result))]
    kept = []
    for value, kind in zip(inputs, instance.operands, strict=True):
        array = np.ascontiguousarray(value.astype(_NUMBERS[kind.element])).reshape(value.shape)
        kept.append(array)
        arguments.append(ctypes.pointer(ctypes.pointer(described(array))))
    engine.invoke(f"main{number}", *arguments)
    shape = [n or 0 for n in instance.result.shape]
    count = int(np.prod(shape, dtype=int))
    width = np.dtype(_NUMBERS[instance.result.element]).itemsize
    raw = ctypes.string_at((result.aligned or 0) + result.offset * width, count * width)
    return np.frombuffer(raw, dtype=_NUMBERS[instance.result.element]).reshape(shape).astype(np.float64)
