"""Compiled code as a built-in function of Python: entered without `ctypes`, which takes as long as NumPy's `x + y`.

The code itself looks at its arguments, see `raising.native.abi.python_entry`. What it needs to know is in a table: an
array, which Python passes to it as a built-in function's first argument.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from raising.native.abi.python_entry import ALIGNED, CONTEXT, CONTIGUOUS, OFFSETS, SHARED, WRITEABLE, told
from raising.native.base.signature import Signature
from raising.native.base.target import ALIGNMENT

CLOSER = object()
"""In place of what a call returns, if its arguments have to be looked at closely."""
MOST = 1 << 26
"""Bytes of temporaries, at most, that a function keeps for its calls: where there are more, a close look is short."""
_FAST = 0x80  # METH_FASTCALL: an array of objects, and how many


class _Head(ctypes.Structure):
    """The beginning of an array object, as NumPy's own macros read it."""

    _fields_ = (
        ("count", ctypes.c_ssize_t),
        ("type", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int),
        ("extents", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("base", ctypes.c_void_p),
        ("dtype", ctypes.c_void_p),
        ("flags", ctypes.c_int),
    )


class _Method(ctypes.Structure):
    """How Python describes a built-in function (`PyMethodDef`)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


@cache
def objects_are_known() -> bool:
    """Whether objects are in memory as `raising.native.abi.python_entry` reads them; seen from one of them."""
    if sys.implementation.name != "cpython" or np.ndarray.__basicsize__ < ctypes.sizeof(_Head):
        return False
    offsets = tuple(getattr(_Head, name).offset for name in ("type", "data", "rank", "extents", "dtype", "flags"))
    probe = np.zeros((2, 3), np.float32)
    head = _Head.from_address(id(probe))
    flags = CONTIGUOUS | ALIGNED | WRITEABLE
    seen = (head.type, head.data, head.rank, head.dtype, head.flags & flags)
    same = seen == (id(np.ndarray), probe.ctypes.data, 2, id(probe.dtype), flags) and object.__basicsize__ == 16
    return same and offsets == OFFSETS and tuple((ctypes.c_ssize_t * 2).from_address(head.extents)) == (2, 3)


def python_function(
    address: int, signature: Signature, call: tuple[Sequence[Any], Sequence[Any]], needed: int, engine: Any
) -> Callable[..., Any]:
    """The function at an address, for calls such as this one, which gives CLOSER for others.

    `call` has values and, for those that are arrays, the types of their elements. The function has memory of its own
    for so many bytes of temporaries, and keeps the engine whose code it is.
    """
    values, dtypes = call
    memory = np.empty(needed + ALIGNMENT, np.uint8)
    start = memory.ctypes.data + -memory.ctypes.data % ALIGNMENT
    known = _interface() | {"workspace": start, "busy": 0 if needed else SHARED}
    addresses = [id(np.ndarray), *map(id, dtypes)]
    sizes = [values[k] if dim is None else values[k].shape[dim] for k, dim in told(signature)]
    table = np.array([*addresses, *sizes, *(known[name] for name in CONTEXT)], np.int64)
    method = _Method(signature.name.encode(), address, _FAST, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    kept = memory, method, engine, dtypes  # an address in the table is that of one object as long as it lives
    return make(ctypes.addressof(method), table, kept)  # type: ignore[no-any-return]


@cache
def _interface() -> dict[str, int]:
    """The objects and functions of Python that the code uses, by their names in the table."""
    functions = {
        "share": "Py_IncRef",
        "leave": "PyEval_SaveThread",
        "enter": "PyEval_RestoreThread",
        "as_float": "PyFloat_AsDouble",
        "as_integer": "PyLong_AsLongLongAndOverflow",
        "from_float": "PyFloat_FromDouble",
        "from_integer": "PyLong_FromLongLong",
        "from_unsigned": "PyLong_FromUnsignedLongLong",
    }
    found = {
        key: ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value for key, name in functions.items()
    }
    objects = {"closer": CLOSER, "nothing": None, "float": float, "int": int}
    return {key: value or 0 for key, value in found.items()} | {key: id(value) for key, value in objects.items()}
