"""The elements of arrays and scalars that native code takes, as NumPy and C have them, and the memory of arrays."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMPY: dict[str, type[np.generic]] = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "i1": np.bool_,
    "index": np.int64,
}
"""The NumPy type of each element type that arithmetic can be done in."""

CTYPES: dict[str, Any] = {
    "f64": ctypes.c_double,
    "f32": ctypes.c_float,
    "i64": ctypes.c_int64,
    "i32": ctypes.c_int32,
    "i16": ctypes.c_int16,
    "i8": ctypes.c_int8,
    "i1": ctypes.c_bool,
    "index": ctypes.c_int64,
}
"""The C type of each scalar type that can be passed."""


@cache
def memref_struct(rank: int) -> Any:
    """The C struct in which MLIR's code takes and returns memory of so many dimensions."""
    sizes = ctypes.c_int64 * rank
    head = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)]
    fields = head + ([("shape", sizes), ("strides", sizes)] if rank else [])
    return type("Descriptor", (ctypes.Structure,), {"_fields_": fields})


def described(array: NDArray[Any]) -> Any:
    """An array as MLIR's C interface takes it: `mlir.runtime` has the same, and imports what nothing here uses."""
    made = memref_struct(array.ndim)(array.ctypes.data, array.ctypes.data, 0)
    if array.ndim:
        made.shape[:] = array.shape
        made.strides[:] = [step // array.itemsize for step in array.strides]
    return made
