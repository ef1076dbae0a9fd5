"""Compile one function and call it on NumPy values through its C interface."""

from __future__ import annotations

import ctypes
import time
from typing import Any

import numpy as np
from mlir import execution_engine, ir
from numpy.typing import NDArray

from affine.element_types import CTYPES, NUMPY
from affine.record import dataclass
from validate.lowering import lower_in_place, runtime_library
from validate.signature import Slot, Unsupported, find_function, quiet_context, signature_of

Value = NDArray[Any] | float | int | bool


@dataclass(frozen=True)
class Called:
    """What a call returned, and how long it took."""

    results: list[Value]
    seconds: float


class Compiled:
    """A function of a module as native code, optimised by LLVM at a `level` (0 to 3); arrays go by reference."""

    def __init__(self, text: str, function: str, level: int = 3) -> None:
        with quiet_context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            operation = find_function(module, function)
            self.signature = signature_of(operation)
            if "sym_visibility" in operation.attributes:
                del operation.attributes["sym_visibility"]
            operation.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
            lower_in_place(module)
            libraries = [str(runtime_library())]
            self._engine = execution_engine.ExecutionEngine(module, opt_level=level, shared_libs=libraries)
            self._engine.initialize()
        self._name = function
        try:
            self._engine.lookup(function)
        except RuntimeError:
            raise Unsupported(f"@{function} needs a function that is only declared in this module") from None

    def call(self, arguments: list[Value]) -> Called:
        """Call on these arguments; results that live in memory are copied out."""
        slots = self.signature.arguments
        passed = [_argument(slot, value) for slot, value in zip(slots, arguments, strict=True)]
        results = self.signature.results
        if len(results) == 1 and results[0].shape is None:
            place = CTYPES[results[0].element]()
            seconds = self._timed([*passed, ctypes.pointer(place)])
            return Called([place.value], seconds)
        if not results:
            return Called([], self._timed(passed))
        record = _record(results)()
        seconds = self._timed([ctypes.pointer(ctypes.pointer(record)), *passed])
        return Called([_result(slot, getattr(record, f"r{k}")) for k, slot in enumerate(results)], seconds)

    def _timed(self, pointers: list[Any]) -> float:
        start = time.perf_counter()
        self._engine.invoke(self._name, *pointers)
        return time.perf_counter() - start


def _argument(slot: Slot, value: Value) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.pointer(ctypes.pointer(_descriptor(value)))
    return ctypes.pointer(CTYPES[slot.element](value))


def _descriptor(array: NDArray[Any]) -> Any:
    """An array as MLIR's C interface takes it: `mlir.runtime` has the same, and imports what nothing here uses."""
    made = _field_of_rank(array.ndim)(array.ctypes.data, array.ctypes.data, 0)
    if array.ndim:
        made.shape[:] = array.shape
        made.strides[:] = [step // array.itemsize for step in array.strides]
    return made


def _record(results: tuple[Slot, ...]) -> Any:
    """The C struct in which a function returns a memref or several values."""
    fields = [(f"r{k}", _field(slot)) for k, slot in enumerate(results)]
    return type("Results", (ctypes.Structure,), {"_fields_": fields})


def _field(slot: Slot) -> Any:
    if slot.shape is None:
        return CTYPES[slot.element]
    return _field_of_rank(len(slot.shape))


def _field_of_rank(rank: int) -> Any:
    """The C struct of a memref."""
    sizes = ctypes.c_int64 * rank
    head = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    fields = head + ([("shape", sizes), ("strides", sizes)] if rank else [])
    return type("Descriptor", (ctypes.Structure,), {"_fields_": fields})


def _result(slot: Slot, value: Any) -> Value:
    if slot.shape is None:
        scalar: Value = value
        return scalar
    if not value.aligned:
        raise Unsupported("a returned memref is null")
    dtype = np.dtype(NUMPY[slot.element])
    shape = tuple(value.shape) if slot.shape else ()
    strides = tuple(value.strides) if slot.shape else ()
    extent = 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
    if 0 in shape:
        return np.zeros(shape, dtype)
    raw = (ctypes.c_char * (extent * dtype.itemsize)).from_address(value.aligned + value.offset * dtype.itemsize)
    flat = np.frombuffer(raw, dtype)
    byte_strides = tuple(step * dtype.itemsize for step in strides)
    return np.lib.stride_tricks.as_strided(flat, shape, byte_strides).copy()
