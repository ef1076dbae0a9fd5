"""The types of numbers in Python and NumPy, and what an operator makes of two of them (NEP 50)."""

from __future__ import annotations

import numpy as np

from raising.frontend.core import types as core
from raising.support.record import dataclass

CORE: dict[str, core.Type] = {
    "bool": core.BOOL,
    **{f"int{width}": core.Int(width) for width in (8, 16, 32, 64)},
    **{f"uint{width}": core.Int(width, signed=False) for width in (8, 16, 32, 64)},
    "float32": core.F32,
    "float64": core.F64,
    "complex64": core.Complex(core.F32),
    "complex128": core.Complex(core.F64),
}
"""NumPy's types that the front end has, as types of the core."""

_SHORT = {"i": "int", "u": "uint", "f": "float"}
_PYTHON = {"bool": True, "int64": 1, "float64": 1.0, "complex128": 1j}


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
    def core(self) -> core.Type:
        """The type of the core; `KeyError` for a type that the front end does not have."""
        return CORE[self.dtype]

    @property
    def wraps(self) -> bool:
        """True for integers that are taken modulo 2^width; of 64 bits with a sign it is assumed that they fit."""
        t = CORE.get(self.dtype)
        return not self.weak and isinstance(t, core.Int) and (t.width < 64 or not t.signed)

    @property
    def is_complex(self) -> bool:
        """True for complex types."""
        return self.dtype.startswith("complex")

    @property
    def part(self) -> Kind:
        """The kind of the parts of a complex number."""
        return Kind("float32" if self.dtype == "complex64" else "float64", self.weak)

    @property
    def is_bool(self) -> bool:
        """True for truth values."""
        return self.dtype == "bool"


BOOL = Kind("bool", True)
INT = Kind("int64", True)
FLOAT = Kind("float64", True)
COMPLEX = Kind("complex128", True)


def named(name: str) -> Kind | None:
    """The kind that a name in an annotation means, such as `float32`, `Float32`, `f32` or `double`; None if none."""
    lower = name.lower().rstrip("_")
    python = {
        "int": INT,
        "float": FLOAT,
        "bool": BOOL,
        "complex": COMPLEX,
        "double": Kind("float64"),
        "single": Kind("float32"),
    }
    if lower in python and name.lower() != "bool_":
        return python[lower]
    if lower[:1] in _SHORT and lower[1:].isdigit():
        lower = _SHORT[lower[0]] + lower[1:]
    return Kind(lower) if lower in CORE else None


def of_both(a: Kind, b: Kind) -> Kind:
    """The kind in which `a op b` is computed, for `+`, `-`, `*` and comparisons."""
    if a.weak and b.weak:
        return max(a, b, key=lambda kind: list(_PYTHON).index(kind.dtype))
    left, right = (_PYTHON[k.dtype] if k.weak else np.dtype(k.dtype) for k in (a, b))
    return Kind(np.result_type(left, right).name)


def of_quotient(a: Kind, b: Kind) -> Kind:
    """The kind of `a / b`."""
    kind = of_both(a, b)
    if kind.is_float or kind.is_complex:
        return kind
    return FLOAT if kind.weak else Kind(np.true_divide.resolve_dtypes((np.dtype(kind.dtype),) * 2 + (None,))[2].name)


def of_function(kind: Kind) -> Kind:
    """The kind in which NumPy computes a function such as `sqrt` of a kind of its own."""
    return Kind(np.sqrt.resolve_dtypes((np.dtype(kind.dtype), None))[1].name)


def joined(a: Kind, b: Kind) -> Kind | None:
    """The kind of a variable that holds both, one after the other; None if no type does."""
    if a == b:
        return a
    if a.weak and b.weak:
        return of_both(a, b)
    if a.weak != b.weak:
        strong, weak = (b, a) if a.weak else (a, b)
        return strong if of_both(strong, weak) == strong else None
    return None
