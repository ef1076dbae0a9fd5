"""Nodes with the types that follow from their operands; conversions of literals are done at once where they are exact.

These are the rules of the core, not of a language: operands must have their types already.
"""

from __future__ import annotations

import struct
from math import inf, isfinite, trunc
from typing import cast

from raising.frontend.core.expression_nodes import (
    AddressOf,
    Binary,
    BinaryOp,
    Compare,
    CompareOp,
    Convert,
    Decay,
    Deref,
    Expr,
    Intrinsic,
    Literal,
    Load,
    Logical,
    Lvalue,
    MakeComplex,
    Name,
    Not,
    Offset,
    Part,
    Select,
    Unary,
    UnaryOp,
)
from raising.frontend.core.intrinsics import INTRINSICS
from raising.frontend.core.printer import type_text
from raising.frontend.core.statement_nodes import Variable
from raising.frontend.core.types import BOOL, I32, Array, Bool, Complex, Float, Int, Pointer, Type
from raising.support.source import Loc


def name(variable: Variable, loc: Loc) -> Name:
    """A variable as an lvalue."""
    return Name(variable.name, variable.type, loc)


def read(variable: Variable, loc: Loc) -> Load:
    """The value of a variable."""
    return load(name(variable, loc), loc)


def load(lvalue: Lvalue, loc: Loc) -> Load:
    """The value of an lvalue; the qualifiers of a pointer variable stay with the variable."""
    return Load(lvalue, lvalue.type, loc)


def integer(value: int, t: Type, loc: Loc) -> Literal:
    """A constant integer, which must fit."""
    return Literal(value, t, loc)


def truth(value: bool, loc: Loc) -> Literal:
    """A constant truth value."""
    return Literal(value, BOOL, loc)


def decay(array: Lvalue, loc: Loc) -> Expr:
    """An array lvalue as the pointer to its first element."""
    assert isinstance(array.type, Array)
    return Decay(array, Pointer(array.type.element), loc)


def address(target: Lvalue, loc: Loc, constant: bool = False) -> Expr:
    """The address of an lvalue; `&*p` is `p`."""
    if isinstance(target, Deref):
        return target.pointer
    return AddressOf(target, Pointer(target.type, constant), loc)


def offset(pointer: Expr, index: Expr, loc: Loc) -> Expr:
    """`pointer + index`."""
    return Offset(pointer, index, pointer.type, loc)


def deref(pointer: Expr, loc: Loc) -> Lvalue:
    """What a pointer points to; `*&x` is `x`."""
    if isinstance(pointer, AddressOf) and pointer.target.type == cast(Pointer, pointer.type).to:
        return pointer.target
    assert isinstance(pointer.type, Pointer)
    return Deref(pointer, pointer.type.to, loc)


def element(base: Lvalue, index: Expr, loc: Loc) -> Lvalue:
    """`base[index]` of an array, or of what a pointer variable points to."""
    pointer = decay(base, loc) if isinstance(base.type, Array) else load(base, loc)
    return deref(offset(pointer, index, loc), loc)


def binary(op: BinaryOp, left: Expr, right: Expr, loc: Loc, wraps: bool | None = None) -> Binary:
    """An operation on operands of one type; unsigned integers wrap around and signed ones don't unless `wraps` says."""
    return Binary(op, left, right, left.type, loc, _wraps(left.type) if wraps is None else wraps)


def unary(op: UnaryOp, operand: Expr, loc: Loc, wraps: bool | None = None) -> Unary:
    """Negation or complement; see `binary`."""
    return Unary(op, operand, operand.type, loc, _wraps(operand.type) if wraps is None else wraps)


def _wraps(t: Type) -> bool:
    return isinstance(t, Int) and not t.signed


def compare(op: CompareOp, left: Expr, right: Expr, loc: Loc) -> Compare:
    """A comparison of operands of one type."""
    return Compare(op, left, right, BOOL, loc)


def negated(operand: Expr, loc: Loc) -> Expr:
    """The other truth value; of a negation its operand, of a constant the other constant."""
    if isinstance(operand, Not):
        return operand.operand
    if isinstance(operand, Literal):
        return truth(not operand.value, loc)
    return Not(operand, BOOL, loc)


def both(left: Expr, right: Expr, loc: Loc) -> Expr:
    """`left && right`."""
    return Logical("and", left, right, BOOL, loc)


def either(left: Expr, right: Expr, loc: Loc) -> Expr:
    """`left || right`."""
    return Logical("or", left, right, BOOL, loc)


def intrinsic(name: str, arguments: tuple[Expr, ...], loc: Loc) -> Intrinsic:
    """A function that the core knows, of arguments of one type."""
    known, of = INTRINSICS[name], arguments[0].type
    results: dict[str, Type] = {"same": of, "bool": BOOL, "int": I32}
    if known.result == "part":
        assert isinstance(of, Complex)
        results["part"] = of.part
    return Intrinsic(name, arguments, results[known.result], loc)


def same(a: Type, b: Type) -> bool:
    """True for equal types, whatever the qualifiers of pointers say."""
    if a == b or not (isinstance(a, Pointer | Array) and isinstance(b, Pointer | Array)):
        return a == b
    return type_text(plain(a)) == type_text(plain(b))


def plain(t: Type) -> Type:
    """The type without qualifiers of pointers."""
    if isinstance(t, Pointer):
        return Pointer(plain(t.to))
    return Array(plain(t.element), t.extent) if isinstance(t, Array) else t


def part(value: Expr, which: int, loc: Loc) -> Expr:
    """The real (0) or imaginary (1) part of a number."""
    if isinstance(value, MakeComplex):
        return (value.real, value.imaginary)[which]
    if isinstance(value.type, Complex):
        return Part(value, which, value.type.part, loc)
    return value if which == 0 else Literal(0.0, value.type, loc)


def convert(operand: Expr, t: Type, loc: Loc) -> Expr:
    """A value as another type. Nothing to do for its own; literals are converted at once where C says to what."""
    if same(operand.type, t):
        return operand
    if isinstance(operand, Literal):
        value = _converted(operand.value, t)
        if value is not None:
            return Literal(value, t, loc)
    if isinstance(t, Bool):
        return as_truth(operand, loc)
    if isinstance(operand, MakeComplex) and isinstance(t, Complex):
        return MakeComplex(convert(operand.real, t.part, loc), convert(operand.imaginary, t.part, loc), t, loc)
    return Convert(operand, t, loc)


def as_truth(value: Expr, loc: Loc) -> Expr:
    """What a condition makes of a value: `value != 0`; of a truth value that was made an integer, itself.

    Of a choice between 0 and another constant it is what the choice asks.
    """
    if isinstance(value.type, Bool):
        return value
    if isinstance(value, Convert) and isinstance(value.operand.type, Bool):
        return value.operand
    if isinstance(value, Literal):
        return truth(bool(value.value), loc)
    if isinstance(value, Select):
        then, otherwise = as_truth(value.then, loc), as_truth(value.otherwise, loc)
        if isinstance(then, Literal) and isinstance(otherwise, Literal):
            asked = value.condition if then.value else negated(value.condition, loc)
            return asked if then.value != otherwise.value else then
    zero = Literal(0.0 if isinstance(value.type, Float) else 0, value.type, loc)
    if isinstance(value.type, Complex):
        return Convert(value, BOOL, loc)
    return compare("ne", value, zero, loc)


def _converted(value: int | float, t: Type) -> int | float | None:
    """The number of a type that C makes of a constant; None where it depends on more than the number."""
    if isinstance(t, Bool):
        return bool(value)
    if isinstance(t, Int):
        if isinstance(value, float):
            low, high = t.range
            return trunc(value) if isfinite(value) and low <= trunc(value) <= high else None
        return wrapped(value, t)
    if isinstance(t, Float):
        return rounded(value, t)
    return 0 if isinstance(t, Pointer) and value == 0 else None


def wrapped(value: int, t: Int) -> int:
    """An integer modulo 2^width, as the type reads it."""
    value &= (1 << t.width) - 1
    return value - (1 << t.width) if t.signed and value >> (t.width - 1) else value


def rounded(value: int | float, t: Float) -> float | None:
    """The float nearest to a number, ties to even; None for widths whose numbers Python does not have."""
    if t.width not in (32, 64):
        return None
    if t.width == 64:
        return _nearest(value)
    if isinstance(value, int) and _nearest(value) != value:
        return None  # the double in between would round it twice
    try:
        return cast(float, struct.unpack("<f", struct.pack("<f", _nearest(value)))[0])
    except OverflowError:
        return inf if value > 0 else -inf


def _nearest(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf
