"""The types of the typed program: numbers, pointers and arrays; and the text of floating constants."""

from __future__ import annotations

import struct

from raising.frontend.lower.ir.polynomial import Poly
from raising.support.record import dataclass


@dataclass(frozen=True)
class Number:
    """An arithmetic type: `kind` is `int`, `float` or `bool`, `width` its bits."""

    kind: str
    width: int
    signed: bool = True

    @property
    def mlir(self) -> str:
        """The scalar type of MLIR that holds it."""
        return f"{'f' if self.kind == 'float' else 'i'}{self.width}"

    @property
    def c(self) -> str:
        """The type of C, on a machine with LP64, of which it is the only or the usual spelling."""
        if self.kind == "float":
            return {32: "float", 64: "double"}[self.width]
        if self.kind == "bool":
            return "_Bool"
        name = {8: "char", 16: "short", 32: "int", 64: "long"}[self.width]
        return name if self.signed and self.width > 8 else f"{'' if self.signed else 'un'}signed {name}"

    @property
    def is_float(self) -> bool:
        """True for `float` and `double`."""
        return self.kind == "float"

    @property
    def range(self) -> tuple[int, int]:
        """Least and greatest value of an integer type."""
        if self.kind == "bool":
            return 0, 1
        return (-(1 << self.width - 1), (1 << self.width - 1) - 1) if self.signed else (0, (1 << self.width) - 1)


@dataclass(frozen=True)
class Pointer:
    """A pointer; `restrict` and `constant` (its target cannot be written) are C's qualifiers."""

    to: CType
    restrict: bool = False
    constant: bool = False


@dataclass(frozen=True)
class ArrayOf:
    """An array; its extent is None where C leaves it open."""

    element: CType
    extent: Poly | None


@dataclass(frozen=True)
class RecordOf:
    """A struct; its fields are those of the core's record of that name."""

    name: str


@dataclass(frozen=True)
class Void:
    """The type `void`."""


CType = Number | Pointer | ArrayOf | RecordOf | Void

UNTYPED = Number("untyped", 8)
"""The elements of memory behind `void *`, until a conversion says what they are."""
BOOL = Number("bool", 8, signed=False)
BYTE = Number("int", 8)
INT = Number("int", 32)
LONG = Number("int", 64)
SIZE = Number("int", 64, signed=False)


def scalar_of(t: CType) -> Number | None:
    """The number type at the bottom of arrays of arrays."""
    while isinstance(t, ArrayOf):
        t = t.element
    return t if isinstance(t, Number) else None


def extents(t: CType) -> tuple[Poly | None, ...]:
    """The extents of an array type, outermost first."""
    found: list[Poly | None] = []
    while isinstance(t, ArrayOf):
        found.append(t.extent)
        t = t.element
    return tuple(found)


def float_text(value: float, t: Number) -> str:
    """A constant of MLIR with exactly this value."""
    text = repr(value)
    if text in ("inf", "-inf", "nan"):
        code = ("<f", "<I") if t.width == 32 else ("<d", "<Q")
        return f"0x{struct.unpack(code[1], struct.pack(code[0], value))[0]:0{t.width // 4}X}"
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return text
