"""The element types of arrays and scalars that native code takes, as NumPy and C have them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

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
