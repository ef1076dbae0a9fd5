"""Run a function of an MLIR text on NumPy arguments, through LLVM, and make arguments for one."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import mlir.ir as ir
import numpy as np
from mlir.execution_engine import ExecutionEngine
from mlir.passmanager import PassManager
from mlir.runtime import (
    get_ranked_memref_descriptor,
    make_nd_memref_descriptor,
    ranked_memref_to_numpy,
)

Array = np.ndarray[tuple[int, ...], np.dtype[np.generic]]
Value = Array | np.generic
"""An argument: an array for a memref, a NumPy scalar for anything else."""

PIPELINE = (
    "builtin.module(lower-affine,convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,"
    "convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"
)
_CTYPES: dict[str, Any] = {
    "f64": ctypes.c_double,
    "f32": ctypes.c_float,
    "i64": ctypes.c_int64,
    "i32": ctypes.c_int32,
    "index": ctypes.c_int64,
    "i1": ctypes.c_bool,
}
_DTYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32", "index": "int64", "i1": "bool"}


def run(text: str, name: str, arguments: Sequence[Value]) -> list[Value]:
    """Call `name` on copies of `arguments`; return their final values, then what it returned."""
    after = [value.copy() for value in arguments]
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        function = _function(module, name)
        function.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
        results = [_cell(type_) for type_ in function.type.results]
        PassManager.parse(PIPELINE).run(module.operation)
        engine = ExecutionEngine(module, opt_level=1)
        _invoke(engine, name, [_pointer(value) for value in after], results)
        return [*after, *map(_value, results)]


def _invoke(engine: ExecutionEngine, name: str, pointers: list[Any], results: list[Any]) -> None:
    """Scalars are returned behind the arguments, a memref in a descriptor before them."""
    returned = [ctypes.pointer(cell) for cell in results]
    if any(isinstance(cell, ctypes.Structure) for cell in results):
        pointers = [ctypes.pointer(cell) for cell in returned] + pointers
    else:
        pointers = pointers + returned
    engine.invoke(name, *(ctypes.cast(pointer, ctypes.c_void_p) for pointer in pointers))


def _cell(type_: ir.Type) -> Any:
    """Room for a returned value."""
    if isinstance(type_, ir.MemRefType):
        return make_nd_memref_descriptor(type_.rank, _CTYPES[str(type_.element_type)])()
    return _CTYPES[str(type_)]()


def _value(cell: Any) -> Value:
    if isinstance(cell, ctypes.Structure):
        return np.array(ranked_memref_to_numpy([cell]))
    return np.asarray(cell.value)[()]


def inputs(text: str, name: str, seed: int = 0, dynamic: int = 7) -> list[Value]:
    """Make arguments that fit the signature; `?` becomes `dynamic`, an index something less."""
    random = np.random.default_rng(seed)
    with ir.Context(), ir.Location.unknown():
        types = _function(ir.Module.parse(text), name).type.inputs
        return [_input(random, type_, dynamic) for type_ in types]


def random_values(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Floats in 0.5 .. 1.5 with random sign, small integers, or booleans."""
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.startswith("int"):
        return random.integers(-9, 10, shape).astype(dtype)
    values = random.uniform(0.5, 1.5, shape) * random.choice([-1.0, 1.0], shape)
    return np.asarray(values, dtype)


def _input(random: np.random.Generator, type_: ir.Type, dynamic: int) -> Value:
    if str(type_) == "index":
        return np.int64(dynamic - 2)
    if not isinstance(type_, ir.MemRefType):
        return random_values(random, (), _DTYPES[str(type_)])[()]
    extents = [dynamic if type_.is_dynamic_dim(i) else type_.get_dim_size(i) for i in range(type_.rank)]
    return random_values(random, tuple(extents), _DTYPES[str(type_.element_type)])


def _function(module: ir.Module, name: str) -> ir.OpView:
    for operation in module.body.operations:
        if operation.operation.name == "func.func" and operation.name.value == name:
            return operation
    raise LookupError(name)


def _pointer(value: Value) -> Any:
    if isinstance(value, np.ndarray):
        descriptor: Any = get_ranked_memref_descriptor(value)
        return ctypes.pointer(ctypes.pointer(descriptor))
    kind = "index" if value.dtype == np.int64 else str(value.dtype).replace("float", "f").replace("int", "i")
    return ctypes.pointer(_CTYPES[kind.replace("bool", "i1")](value.item()))
