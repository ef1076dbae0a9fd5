"""The types of the core; widths and layouts are those of the machine that the source is compiled for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from raising.support.record import dataclass

if TYPE_CHECKING:
    from raising.frontend.core.expression_nodes import Expr

    Extent: TypeAlias = "int | Expr | None"


@dataclass(frozen=True)
class Void:
    """No value, or what an untyped pointer points to."""


@dataclass(frozen=True)
class Bool:
    """A truth value: what comparisons give. In memory it takes 8 bits and is 0 or 1, as C's `_Bool`."""


@dataclass(frozen=True)
class Int:
    """An integer in two's complement: `width` in bits (8, 16, 32, 64 or 128)."""

    width: int
    signed: bool = True

    @property
    def range(self) -> tuple[int, int]:
        """The least and the greatest value."""
        return (-(1 << self.width - 1), (1 << self.width - 1) - 1) if self.signed else (0, (1 << self.width) - 1)


@dataclass(frozen=True)
class Float:
    """A floating-point number: `width` 16, 32, 64, 80 (x86's `long double`) or 128 bits."""

    width: int


@dataclass(frozen=True)
class Complex:
    """A real and an imaginary part, in this order in memory."""

    part: Float


@dataclass(frozen=True)
class Pointer:
    """An address of a `to`. `constant`: nothing is written through it; `restrict` as C has it."""

    to: Type
    constant: bool = False
    restrict: bool = False


@dataclass(frozen=True)
class Array:
    """`extent` elements one behind the other: a number, an expression, or None where the source leaves it open.

    An expression is one of an integer type over literals and variables that never change after their declaration, so
    an array type means the same wherever its variables are in scope.
    """

    element: Type
    extent: Extent


@dataclass(frozen=True)
class Record:
    """A struct or union: its fields are `Unit.records[name]`."""

    name: str


@dataclass(frozen=True)
class Routine:
    """A function, as what a pointer points to."""

    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False


@dataclass(frozen=True)
class Opaque:
    """A type that can be named and nothing else (`va_list`, vectors): `text` is its spelling in the source."""

    text: str


Type = Void | Bool | Int | Float | Complex | Pointer | Array | Record | Routine | Opaque

VOID = Void()
BOOL = Bool()
I32, I64, U64 = Int(32), Int(64), Int(64, signed=False)
F32, F64 = Float(32), Float(64)


def is_number(t: Type) -> bool:
    """True for what arithmetic works on: integers, floats, complex numbers (not truth values)."""
    return isinstance(t, Int | Float | Complex)


def is_scalar(t: Type) -> bool:
    """True for what a register holds: numbers, truth values and pointers."""
    return isinstance(t, Bool | Int | Float | Complex | Pointer)


def innermost(t: Type) -> Type:
    """The type at the bottom of arrays of arrays."""
    while isinstance(t, Array):
        t = t.element
    return t


def behind_pointers(t: Type) -> Type:
    """The type at the bottom of pointers and arrays."""
    while isinstance(t, Pointer | Array):
        t = t.to if isinstance(t, Pointer) else t.element
    return t
