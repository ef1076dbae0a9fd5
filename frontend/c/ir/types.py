"""C's types as far as the subset has them, C's rules of conversion (LP64), and the text of floating constants.

A constant is rounded once, from its digits to its own type, and MLIR is given exactly that value.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from fractions import Fraction

from raising.frontend.c.ir.polynomial import Poly
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
    """`void`."""


CType = Number | Pointer | ArrayOf | RecordOf | Void

UNTYPED = Number("untyped", 8)
"""The elements of memory behind `void *`, until a conversion says what they are."""
BOOL = Number("bool", 8, signed=False)
INT = Number("int", 32)
UNSIGNED = Number("int", 32, signed=False)
LONG = Number("int", 64)
SIZE = Number("int", 64, signed=False)
FLOAT = Number("float", 32)
DOUBLE = Number("float", 64)


def promoted(t: Number) -> Number:
    """C's integer promotion: what is narrower than `int` becomes `int`."""
    return INT if not t.is_float and (t.kind == "bool" or t.width < INT.width) else t


def common(a: Number, b: Number) -> Number:
    """C's usual arithmetic conversions of two operands."""
    if a.is_float or b.is_float:
        return max((t for t in (a, b) if t.is_float), key=lambda t: t.width)
    a, b = promoted(a), promoted(b)
    if a.width != b.width:
        return max(a, b, key=lambda t: t.width)
    return a if not a.signed else b


def from_names(names: list[str]) -> CType | None:
    """The type that a list of specifiers such as `unsigned long` names; None for one we do not know."""
    words = [n for n in names if n not in ("signed", "unsigned")]
    signed = "unsigned" not in names
    if words == ["void"]:
        return Void()
    if words in (["float"], ["double"]):
        return FLOAT if words == ["float"] else DOUBLE
    if words == ["_Bool"]:
        return BOOL
    if words == ["char"]:
        return Number("int", 8, signed)
    longs = words.count("long")
    rest = [w for w in words if w not in ("long", "int")]
    if rest == ["short"] and not longs:
        return Number("int", 16, signed)
    if rest or words.count("int") > 1 or longs > 2:
        return None
    return Number("int", 64 if longs else 32, signed)


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


def rounded(text: str, t: Number) -> float:
    """A decimal or hexadecimal literal, rounded once to its type."""
    try:
        value = float.fromhex(text) if text.lower().startswith("0x") else float(text)
    except OverflowError:
        return float("inf")
    if t.width == 64 or value in (float("inf"), 0.0):
        return value
    near = single(value)
    if "x" in text.lower() or near == float("inf"):
        return near
    # `value` may sit on a midpoint that the text itself does not: take the neighbour nearest to the text.
    exact = Fraction(Decimal(text))
    bits = struct.unpack("<I", struct.pack("<f", near))[0]
    options = [struct.unpack("<f", struct.pack("<I", b))[0] for b in (bits - 1, bits, bits + 1) if 0 <= b < 0x7F800000]
    return float(min(options, key=lambda f: (abs(Fraction(f) - exact), abs(f - near))))


def single(value: float) -> float:
    """A number rounded to 32 bits."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf")
