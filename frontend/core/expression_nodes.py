"""Lvalues and expressions of the core: frozen values, each with the place in the file that the user wrote.

Expressions have no effects: they read variables and memory, and nothing else. Where only one operand is evaluated
(`Logical`, `Select`), the other one may be undefined.
"""

from __future__ import annotations

from typing import Literal as OneOf

from raising.frontend.core.types import Type
from raising.support.record import dataclass
from raising.support.source import Loc

# ---- lvalues: what has an address or a name -------------------------------------------------------


@dataclass(frozen=True)
class Name:
    """A variable of the function, or of the unit."""

    name: str
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Deref:
    """What a pointer points to; `a[i]` is `Deref(Offset(a, i))`."""

    pointer: Expr
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Member:
    """A field of a record."""

    base: Lvalue
    field: str
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Half:
    """The real (0) or imaginary (1) part of a complex variable or element."""

    base: Lvalue
    which: int
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Bytes:
    """The characters of a string literal with the 0 at the end: a constant array of 8-bit integers (or wider)."""

    values: tuple[int, ...]
    type: Type
    loc: Loc


Lvalue = Name | Deref | Member | Half | Bytes

# ---- expressions ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Literal:
    """A constant: an `int` for integers and pointers (0 is null), a `bool` for truth values, a `float` for floats.

    A float is exactly the number of its type that the source denotes.
    """

    value: int | float
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Load:
    """The value of a variable or of memory."""

    source: Lvalue
    type: Type
    loc: Loc


@dataclass(frozen=True)
class AddressOf:
    """The address of an lvalue: a pointer to its type."""

    target: Lvalue
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Decay:
    """An array as the pointer to its first element."""

    array: Lvalue
    type: Type
    loc: Loc


@dataclass(frozen=True)
class RoutineName:
    """The address of a function of the unit."""

    name: str
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Offset:
    """`pointer + index`, in elements of what it points to. The index has any integer type; its value counts."""

    pointer: Expr
    index: Expr
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Distance:
    """`left - right` of two pointers to one type, in elements (a signed integer)."""

    left: Expr
    right: Expr
    type: Type
    loc: Loc


UnaryOp = OneOf["neg", "inv"]
"""Negation of a number; the complement of all bits of an integer."""


@dataclass(frozen=True)
class Unary:
    """`wraps`: what does not fit is taken modulo 2^width; else it is undefined (integers only)."""

    op: UnaryOp
    operand: Expr
    type: Type
    loc: Loc
    wraps: bool = False


BinaryOp = OneOf["add", "sub", "mul", "div", "rem", "floordiv", "floormod", "and", "or", "xor", "shl", "shr"]
"""`div` and `rem` of integers round to zero, `floordiv` and `floormod` down. `shr` of a signed integer copies its sign.
`and`, `or`, `xor` are bitwise and also take truth values; on these both operands are evaluated."""


@dataclass(frozen=True)
class Binary:
    """Both operands and the result have one type; the right one of a shift has any integer type."""

    op: BinaryOp
    left: Expr
    right: Expr
    type: Type
    loc: Loc
    wraps: bool = False


CompareOp = OneOf["eq", "ne", "lt", "le", "gt", "ge"]
SIGNS: dict[CompareOp, str] = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
OPPOSITE: dict[CompareOp, CompareOp] = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
MIRRORED: dict[CompareOp, CompareOp] = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
"""By comparison, the one that says the same of exchanged operands."""


@dataclass(frozen=True)
class Compare:
    """Two numbers, truth values or pointers of one type; false on a NaN, except for `ne`. Its type is `Bool`."""

    op: CompareOp
    left: Expr
    right: Expr
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Not:
    """The other truth value."""

    operand: Expr
    type: Type
    loc: Loc


LogicalOp = OneOf["and", "or"]


@dataclass(frozen=True)
class Logical:
    """`and`, `or` of truth values; the right one is evaluated only if the left one leaves it open."""

    op: LogicalOp
    left: Expr
    right: Expr
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Select:
    """`condition ? then : otherwise`; one of the two is evaluated."""

    condition: Expr
    then: Expr
    otherwise: Expr
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Convert:
    """A value as another type, as C converts it.

    Integers modulo 2^width; floats to integers by rounding to zero (undefined if that does not fit); numbers and
    pointers to truth values by `!= 0`; real numbers to complex ones; pointers keep their address.
    """

    operand: Expr
    type: Type
    loc: Loc


@dataclass(frozen=True)
class MakeComplex:
    """A complex number of two floats."""

    real: Expr
    imaginary: Expr
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Part:
    """The real (0) or imaginary (1) part of a complex value."""

    operand: Expr
    which: int
    type: Type
    loc: Loc


@dataclass(frozen=True)
class Intrinsic:
    """A function without effects that the core knows (`intrinsics`)."""

    name: str
    arguments: tuple[Expr, ...]
    type: Type
    loc: Loc


Expr = (
    Literal
    | Load
    | AddressOf
    | Decay
    | RoutineName
    | Offset
    | Distance
    | Unary
    | Binary
    | Compare
    | Not
    | Logical
    | Select
    | Convert
    | MakeComplex
    | Part
    | Intrinsic
)


@dataclass(frozen=True)
class Aggregate:
    """The initial value of an array or record: values by position (of the field); what is left out is 0."""

    items: tuple[tuple[int, Initial], ...]
    type: Type
    loc: Loc


Initial = Expr | Aggregate
