"""Values of Python as expressions of C: their kinds, and how one becomes another."""

from __future__ import annotations

from typing import Any

import numpy as np

from raising.frontend.c.ir.module import Refused
from raising.frontend.python import c_syntax as build
from raising.frontend.python.module import Number
from raising.frontend.python.types import Kind, of_both
from raising.support.record import dataclass
from raising.support.source import Loc


@dataclass(frozen=True)
class Typed:
    """An expression of C and its kind; `number` is its value if it is a constant."""

    node: Any
    kind: Kind
    number: Number | None = None

    def converted(self, kind: Kind, loc: Loc) -> Any:
        """The expression as one of another kind."""
        if self.number is not None and not kind.is_bool and (kind.is_float or isinstance(self.number, int)):
            if not kind.is_float and not fits(self.number, kind):
                raise Refused(loc, f"{self.number} is no {kind.dtype}")
            return literal(self.number, kind, loc)
        return self.node if self.kind.dtype == kind.dtype else build.cast(self.node, kind, loc)


def compared(left: Typed, right: Typed, loc: Loc) -> Kind:
    """The kind in which two values are compared: NumPy takes integers of Python by value, in no narrow type."""
    kind = of_both(left.kind, right.kind)
    weak = next((v for v in (left, right) if v.kind.weak), None)
    if weak is None or kind.weak or kind.is_float or kind.is_bool:
        return kind
    if fits(weak.number, kind) if weak.number is not None else kind.dtype == "int64":
        return kind
    if kind.dtype == "uint64":
        raise Refused(loc, "a comparison of uint64 with an integer that may be negative")
    return Kind("int64")


def literal(number: Number, kind: Kind, loc: Loc) -> Any:
    """A constant of C."""
    if kind.is_float:
        return build.real(float(number), kind.dtype, loc)
    return build.integer(int(number), kind.dtype, loc)


def fits(number: Number, kind: Kind) -> bool:
    """Whether a kind has a number, up to the rounding of its digits."""
    limits = np.finfo(kind.dtype) if kind.is_float else np.iinfo(kind.dtype)
    return float(limits.min) <= number <= float(limits.max) and (kind.is_float or isinstance(number, int))


def called(name: str, arguments: list[Any], kind: Kind, loc: Loc) -> Any:
    """A function of math.h in the variant of a kind."""
    return build.call(name + ("f" if kind.dtype == "float32" else ""), arguments, loc)
