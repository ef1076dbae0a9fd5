"""One function compiled, and called on NumPy values through its C interface; values to call it on."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from mlir import execution_engine, ir
from numpy.typing import NDArray

from raising.support.element_types import CTYPES, NUMPY, described, memref_struct
from raising.support.mlir.lowering import keep_only, lower_in_place, runtime_library
from raising.support.record import dataclass
from raising.validate.native.argument_types import (
    Signature,
    Slot,
    Unsupported,
    find_function,
    quiet_context,
    signature_of,
)
from raising.validate.native.sizes import Sizes

Value = NDArray[Any] | float | int | bool


@dataclass(frozen=True)
class Called:
    """What a call returned, and how long it took."""

    results: list[Value]
    seconds: float


@dataclass(frozen=True)
class Run:
    """The arguments as a call left them, what it returned, and its time."""

    arguments: list[Value]
    results: list[Value]
    seconds: float = 0.0


class Compiled:
    """A function of a module as native code, optimised by LLVM at a `level` (0 to 3); arrays go by reference."""

    def __init__(self, text: str, function: str, level: int = 0) -> None:
        with quiet_context(), ir.Location.unknown():
            module = ir.Module.parse(text)
            operation = find_function(module, function)
            self.signature = signature_of(operation)
            keep_only(module, function)
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

    def run(self, inputs: Sequence[Value]) -> Run:
        """Call on copies of these arguments."""
        copies = [value.copy() if isinstance(value, np.ndarray) else value for value in inputs]
        called = self.call(copies)
        return Run(copies, called.results, called.seconds)

    def _timed(self, pointers: list[Any]) -> float:
        start = time.perf_counter()
        self._engine.invoke(self._name, *pointers)
        return time.perf_counter() - start


def _argument(slot: Slot, value: Value) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.pointer(ctypes.pointer(described(value)))
    return ctypes.pointer(CTYPES[slot.element](value))


def _record(results: tuple[Slot, ...]) -> Any:
    """The C struct in which a function returns a memref or several values."""
    kinds = [CTYPES[s.element] if s.shape is None else memref_struct(len(s.shape)) for s in results]
    return type("Results", (ctypes.Structure,), {"_fields_": [(f"r{k}", kind) for k, kind in enumerate(kinds)]})


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


_SPANS, _SPAN = {"i8": (-128, 128), "i16": (-(1 << 15), 1 << 15)}, (-1000, 1000)
"""All integers of a narrow type; of others those whose sums and products are far from wrapping around."""

_PARTIAL = (*("arith.div", "arith.floordiv", "arith.ceildiv", "arith.rem", "arith.sh"), "math.")
"""Operations that are undefined, or a NaN, for some integers."""


def random_inputs(source: str, signature: Signature, sizes: Sizes, random: np.random.Generator) -> Iterator[Value]:
    """An argument for each slot, at these sizes.

    Integers have both signs where no operation of the source is undefined for some of them: an operation that reads
    bits with a sign and one that reads them without differ there only.
    """
    signed = not any(operation in source for operation in _PARTIAL)
    for number, slot in enumerate(signature.arguments):
        if slot.shape is not None and number in sizes.limits:
            kind = np.int64 if slot.element == "index" else NUMPY[slot.element]
            yield random.integers(0, sizes.limits[number], sizes.shape(number, slot.shape)).astype(kind)
        elif slot.shape is not None:
            yield _array(slot, sizes.shape(number, slot.shape), random, signed)
        elif slot.is_float:
            yield float(random.uniform(0.5, 1.5))
        else:
            yield sizes.values[number, None]


def _array(slot: Slot, shape: tuple[int, ...], random: np.random.Generator, signed: bool) -> NDArray[Any]:
    """Positive numbers away from zero, so that quotients, roots and logarithms are defined; others if `signed`."""
    if slot.is_float:
        return random.uniform(0.5, 1.5, shape).astype(NUMPY[slot.element])
    low, high = (0, 2) if slot.element == "i1" else _SPANS.get(slot.element, _SPAN) if signed else (1, 10)
    return random.integers(low, high, shape).astype(NUMPY[slot.element])


def with_dominant_diagonal(value: Value) -> Value:
    """A square matrix of floats that has a factorisation; any other value as it is."""
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.shape[0] != value.shape[1]:
        return value
    size = len(value)
    return value + np.diag(np.full(size, 2 * size, value.dtype)) if value.dtype.kind == "f" else value


def sizes_text(signature: Signature, inputs: Sequence[Value]) -> str:
    """The shapes of the arrays and the integers that were passed, in order."""
    parts = [
        "x".join(map(str, value.shape)) or "scalar" if isinstance(value, np.ndarray) else str(value)
        for slot, value in zip(signature.arguments, inputs, strict=True)
        if isinstance(value, np.ndarray) or not slot.is_float
    ]
    return " ".join(parts) or "no arrays"
