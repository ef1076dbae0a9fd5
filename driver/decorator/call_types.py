"""The arguments of a call: what each one is, and arrays of what is none but can be read as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from raising.frontend.python.inner_functions.known_arguments import Parts
from raising.support.errors import InputError
from raising.support.source import Loc, unused_name

_WEAK = {float: "float", int: "int", bool: "bool"}
COMPLEX = {"complex64": "float32", "complex128": "float64"}  # arrays, as their parts
NAMES = frozenset(["float32", "float64", "bool", *(f"{s}int{width}" for s in ("", "u") for width in (8, 16, 32, 64))])


_OPERATORS = ("__array_ufunc__", "__array_function__", "__add__", "__mul__", "__matmul__", "__lt__")
"""What an array may do in its own way, such as one with a unit or a mask: code does what arrays of NumPy's do."""


class ComplexNumber(np.ndarray[Any, Any]):
    """A complex number as an array of one element, which code takes in its place."""

    is_pythons: bool = False


class Kind(NamedTuple):
    """An argument's type by name, `weak` for Python's own numbers, and its number of dimensions."""

    dtype: str
    weak: bool
    rank: int


class DataDecide(InputError):
    """A function has a loop that runs as often as data say, which only code that is as it was written has."""


Pattern = tuple[int | str, ...]
"""For each extent of the arguments, in order: its number, or the name of the first extent that is the same."""


def read(value: Any, name: str, place: Loc) -> Any:
    """An array or a number of an argument; `InputError` for what is neither."""
    kind = type(value)
    if kind in _WEAK:
        return value
    if isinstance(value, complex | np.complex64):
        made = np.array([value]).view(ComplexNumber)
        made.is_pythons = kind is complex
        return made
    if isinstance(value, np.generic):
        _check(value.dtype, name, place)
        return value
    if not isinstance(value, np.ndarray):
        value = _foreign(value, name, place)
        kind = type(value)
    if kind is not np.ndarray and any(getattr(kind, n) is not getattr(np.ndarray, n) for n in _OPERATORS):
        raise InputError(place, f"argument '{name}' is a {kind.__name__}, whose operators are not those of arrays")
    if value.dtype.name not in COMPLEX or value.ndim == 0:
        _check(value.dtype, name, place)
    return value if value.ndim else read(value[()], name, place)


def _foreign(value: Any, name: str, place: Loc) -> Any:
    """The array behind an object of another package."""
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, AttributeError) as error:
            raise InputError(place, f"argument '{name}' cannot be read as an array: {error}") from None
    told = f"argument '{name}' is a {type(value).__name__}; a number or an array is needed"
    raise InputError(place, told)


def _check(dtype: np.dtype[Any], name: str, place: Loc) -> None:
    if dtype.name not in NAMES:
        raise InputError(place, f"argument '{name}' has elements of type {dtype}, which is not supported")


def parts_of(name: str, value: tuple[Any, ...], taken: set[str]) -> Parts:
    """The parameters that the parts of a tuple are; the function has names that are `taken`."""
    fields = getattr(value, "_fields", ())
    return Parts(tuple(unused_name(f"{name}_{k}", taken) for k in range(len(value))), fields)


def kind_of(value: Any) -> Kind:
    """The kind of a value that `read` gave."""
    if type(value) in _WEAK:
        return Kind(_WEAK[type(value)], True, 0)
    if isinstance(value, ComplexNumber):
        return Kind(value.dtype.name, value.is_pythons, 0)
    return Kind(value.dtype.name, False, value.ndim)


def shapes_of(values: Sequence[Any]) -> tuple[tuple[int, ...], ...]:
    """The shape of each value."""
    return tuple(() if isinstance(v, ComplexNumber) else getattr(v, "shape", ()) for v in values)


_FEW = 8
"""Components of a point or a pixel, at most."""


def pattern_of(names: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> Pattern:
    """Which extents are the same, and which are one, or the few components of many points or pixels."""
    seen: dict[int, int | str] = {1: 1, **{shape[-1]: shape[-1] for shape in shapes if _has_components(shape)}}
    named = ((f"{name}_{dim}", e) for name, shape in zip(names, shapes, strict=True) for dim, e in enumerate(shape))
    return tuple(seen.setdefault(extent, name) for name, extent in named)


def _has_components(shape: tuple[int, ...]) -> bool:
    """Whether an array has rows of a few elements, and more of them: code that knows how few reads whole vectors."""
    return len(shape) > 1 and 1 < shape[-1] <= _FEW and shape[-1] < max(shape)


def exact(shapes: Sequence[tuple[int, ...]]) -> Pattern:
    """The pattern in which each extent is a number."""
    return tuple(extent for shape in shapes for extent in shape)


def fits(pattern: Pattern, shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether extents are as a pattern says."""
    known: dict[str, int] = {}
    flat = [extent for shape in shapes for extent in shape]
    if len(flat) != len(pattern):
        return False
    return all(
        w == e if isinstance(w, int) else known.setdefault(w, e) == e for w, e in zip(pattern, flat, strict=True)
    )
