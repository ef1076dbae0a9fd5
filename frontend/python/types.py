"""The types of numbers in Python and NumPy, and what an operator makes of two of them (NEP 50)."""

from __future__ import annotations

import numpy as np

from raising.support.record import dataclass

NAMES = {
    "bool": ("_Bool",),
    "int8": ("signed", "char"),
    "int16": ("short",),
    "int32": ("int",),
    "int64": ("long",),
    "uint8": ("unsigned", "char"),
    "uint16": ("unsigned", "short"),
    "uint32": ("unsigned", "int"),
    "uint64": ("unsigned", "long"),
    "float32": ("float",),
    "float64": ("double",),
}
"""NumPy's types that the front end has, and how C names them."""

_SHORT = {"i": "int", "u": "uint", "f": "float"}
_PYTHON = {"bool": True, "int64": 1, "float64": 1.0}


@dataclass(frozen=True)
class Kind:
    """A number of a NumPy type; a `weak` one is Python's own, and takes the type of what it meets."""

    dtype: str
    weak: bool = False

    @property
    def is_float(self) -> bool:
        """True for floating types."""
        return self.dtype.startswith("float")

    @property
    def is_bool(self) -> bool:
        """True for truth values."""
        return self.dtype == "bool"


BOOL = Kind("bool", True)
INT = Kind("int64", True)
FLOAT = Kind("float64", True)


def named(name: str) -> Kind | None:
    """The kind that a name in an annotation means, such as `float32`, `Float32`, `f32` or `double`; None if none."""
    lower = name.lower().rstrip("_")
    python = {"int": INT, "float": FLOAT, "bool": BOOL, "double": Kind("float64"), "single": Kind("float32")}
    if lower in python:
        return python[lower]
    if lower[:1] in _SHORT and lower[1:].isdigit():
        lower = _SHORT[lower[0]] + lower[1:]
    return Kind(lower) if lower in NAMES else None


def of_both(a: Kind, b: Kind) -> Kind:
    """The kind in which `a op b` is computed, for `+`, `-`, `*` and comparisons."""
    if a.weak and b.weak:
        return max(a, b, key=lambda kind: list(_PYTHON).index(kind.dtype))
    left, right = (_PYTHON[k.dtype] if k.weak else np.dtype(k.dtype) for k in (a, b))
    return Kind(np.result_type(left, right).name)


def of_quotient(a: Kind, b: Kind) -> Kind:
    """The kind of `a / b`."""
    kind = of_both(a, b)
    if kind.is_float:
        return kind
    return FLOAT if kind.weak else Kind(np.true_divide.resolve_dtypes((np.dtype(kind.dtype),) * 2 + (None,))[2].name)


def joined(a: Kind, b: Kind) -> Kind | None:
    """The kind of a variable that holds both, one after the other; None if no type of C does."""
    if a == b:
        return a
    if a.weak and b.weak:
        return of_both(a, b)
    if a.weak != b.weak:
        strong, weak = (b, a) if a.weak else (a, b)
        return strong if of_both(strong, weak) == strong else None
    return None
