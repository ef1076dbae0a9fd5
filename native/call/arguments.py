"""NumPy arrays and Python numbers as arguments of native code, checked before it is entered."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from raising.native.base.signature import INTEGERS, UNBOUNDED, Extent, Parameter, Signature, number_of
from raising.native.base.unsupported import CallError
from raising.support.element_types import CTYPES, NUMPY

_NUMPY = {**NUMPY, "bf16": np.uint16}
BFLOAT = "bfloat16"
"""The name of a type that packages define for NumPy, which itself has none for bf16."""


@cache
def dtype_of(element: str) -> np.dtype[Any]:
    """The NumPy type of an element; bf16 as its bits."""
    dtype: np.dtype[Any] = np.dtype(_NUMPY[element])
    return dtype


def dtype_for(parameter: Parameter) -> np.dtype[Any]:
    """The NumPy type of a parameter's elements, without sign where C has none."""
    dtype = dtype_of(parameter.element)
    return np.dtype(f"uint{8 * dtype.itemsize}") if parameter.unsigned and dtype.kind == "i" else dtype


def scalar_ctype(element: str) -> Any:
    """The C type of a scalar as ctypes has it; CallError if there is none."""
    if element not in CTYPES:
        raise CallError(f"a scalar of type {element} cannot be passed from Python: make it an array of rank 0")
    return CTYPES[element]


def result_ctype(signature: Signature) -> Any:
    """The C type of the number that a function returns, as ctypes has it; None if it returns none."""
    if not signature.returns:
        return None
    found = scalar_ctype(signature.returns[0])
    return getattr(ctypes, f"c_uint{8 * ctypes.sizeof(found)}") if signature.result.startswith("unsigned") else found


def c_types(signature: Signature) -> list[Any]:
    """The C types of the entry's parameters."""
    types: list[Any] = []
    for parameter in signature.parameters:
        array = parameter.shape is not None
        types += [ctypes.c_void_p if array else scalar_ctype(parameter.element)]
        types += [ctypes.c_int64] * len(parameter.open_dims)
    return types


def checked(parameter: Parameter, value: Any) -> Any:
    """A value as it is passed: an array that fits, or a number; CallError with the reason if it does not fit."""
    if parameter.shape is None:
        return _number(parameter, value)
    if not parameter.shape and not parameter.written and not isinstance(value, np.ndarray):
        return np.asarray(_number(parameter, value), dtype_of(parameter.element))  # of the same bits
    if not isinstance(value, np.ndarray):
        raise CallError(f"{parameter.name}: a NumPy array is needed, not {type(value).__name__}")
    value = value.view(np.uint16) if parameter.element == "bf16" and value.dtype.name == BFLOAT else value
    _check_array(parameter, value)
    return value


def _number(parameter: Parameter, value: Any) -> Any:
    dtype = dtype_of(parameter.element)
    if isinstance(value, np.ndarray) and value.ndim:
        raise CallError(f"{parameter.name}: a number is needed, not an array of shape {_shape(value.shape)}")
    if isinstance(value, np.bool_ | np.ndarray) and value.dtype.kind == "b":
        value = bool(value)  # NumPy's is no index
    try:
        number: Any = float(value) if dtype.kind not in "iub" else operator.index(value)
    except (TypeError, ValueError, OverflowError):
        kind = "a number" if dtype.kind not in "iub" else "an integer"
        raise CallError(f"{parameter.name}: {kind} is needed, not {type(value).__name__}") from None
    if isinstance(number, int):
        low, high = _range(parameter, dtype)
        if not low <= number <= high:
            raise CallError(f"{parameter.name}: {number} is not in {low} … {high}")
        return number if number <= high >> parameter.unsigned else number - high - 1
    return number


def _range(parameter: Parameter, dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype.kind == "b":
        return 0, 1
    bits = 8 * dtype.itemsize
    return (0, (1 << bits) - 1) if parameter.unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)


def _check_array(parameter: Parameter, array: NDArray[Any]) -> None:
    dtype = dtype_of(parameter.element)
    without_sign = dtype_for(parameter)
    if array.dtype not in (dtype, without_sign):
        raise CallError(f"{parameter.name}: elements are {array.dtype}, not {without_sign}")
    if not array.flags.c_contiguous:
        raise CallError(f"{parameter.name}: the array is not contiguous in row-major order")
    if not array.flags.aligned:
        raise CallError(f"{parameter.name}: the elements are not aligned in memory")
    if parameter.written and not array.flags.writeable:
        raise CallError(f"{parameter.name}: the array is read-only, but the function writes to it")


def check_shapes(signature: Signature, values: Sequence[Any]) -> None:
    """CallError unless each array has the extents of its parameter."""
    pairs = list(zip(signature.parameters, values, strict=True))
    sizes = {p.name: v for p, v in pairs if p.shape is None and p.element in INTEGERS}
    for parameter, value in pairs:
        if parameter.shape is not None:
            _check_shape(parameter, value.shape, sizes)


def _check_shape(parameter: Parameter, shape: tuple[int, ...], sizes: Mapping[str, int]) -> None:
    if shape == parameter.shape:
        return
    wanted = [_extent(extent, sizes) for extent in parameter.shape or ()]
    fits = len(wanted) == len(shape) and all(w in (None, s) for w, s in zip(wanted, shape, strict=True))
    if not fits:
        needed = _shape(tuple("?" if extent is None else extent for extent in wanted))
        raise CallError(f"{parameter.name}: the shape is {_shape(shape)}, not {needed}")


def _extent(extent: Extent, sizes: Mapping[str, int]) -> int | None:
    if extent is None or extent == UNBOUNDED or isinstance(extent, int):
        return extent if isinstance(extent, int) else None
    return number_of(extent, sizes)


def _shape(shape: Sequence[Any]) -> str:
    return "x".join(str(extent) for extent in shape) or "scalar"


def check_overlap(signature: Signature, values: Sequence[Any], places: Sequence[int]) -> None:
    """CallError if an array that is written shares memory with another one; `places` has the address of each."""
    spans = [
        (place, place + value.nbytes, parameter)
        for parameter, value, place in zip(signature.parameters, values, places, strict=True)
        if parameter.shape is not None and value.nbytes
    ]
    spans.sort(key=lambda span: span[0])
    end, last = 0, None
    written_end, writer = 0, None
    for low, high, parameter in spans:
        if writer is not None and low < written_end:
            raise CallError(f"{writer.name} and {parameter.name} overlap in memory, and {writer.name} is written")
        if parameter.written and last is not None and low < end:
            raise CallError(f"{last.name} and {parameter.name} overlap in memory, and {parameter.name} is written")
        if high > end:
            end, last = high, parameter
        if parameter.written and high > written_end:
            written_end, writer = high, parameter
