"""Nodes with the types that follow from their operands; conversions of literals are done at once where they are exact.

These are the rules of the core, not of a language: operands must have their types already.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from math import inf, isfinite, trunc
from typing import cast

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.intrinsics import INTRINSICS
from raising.frontend.core.printer import type_text
from raising.frontend.core.types import BOOL, I32, I64, Array, Bool, Complex, Float, Int, Pointer, Type
from raising.support.source import Loc


def name(variable: st.Variable, loc: Loc) -> ex.Name:
    """A variable as an lvalue."""
    return ex.Name(variable.name, variable.type, loc)


def read(variable: st.Variable, loc: Loc) -> ex.Load:
    """The value of a variable."""
    return load(name(variable, loc), loc)


def load(lvalue: ex.Lvalue, loc: Loc) -> ex.Load:
    """The value of an lvalue; the qualifiers of a pointer variable stay with the variable."""
    return ex.Load(lvalue, lvalue.type, loc)


def integer(value: int, t: Type, loc: Loc) -> ex.Literal:
    """A constant integer, which must fit."""
    return ex.Literal(value, t, loc)


def truth(value: bool, loc: Loc) -> ex.Literal:
    """A constant truth value."""
    return ex.Literal(value, BOOL, loc)


def decay(array: ex.Lvalue, loc: Loc) -> ex.Expr:
    """An array lvalue as the pointer to its first element."""
    assert isinstance(array.type, Array)
    return ex.Decay(array, Pointer(array.type.element), loc)


def offset(pointer: ex.Expr, index: ex.Expr, loc: Loc) -> ex.Expr:
    """`pointer + index`."""
    return ex.Offset(pointer, index, pointer.type, loc)


def deref(pointer: ex.Expr, loc: Loc) -> ex.Lvalue:
    """What a pointer points to; `*&x` is `x`."""
    if isinstance(pointer, ex.AddressOf) and pointer.target.type == cast(Pointer, pointer.type).to:
        return pointer.target
    assert isinstance(pointer.type, Pointer)
    return ex.Deref(pointer, pointer.type.to, loc)


def element(base: ex.Lvalue, index: ex.Expr, loc: Loc) -> ex.Lvalue:
    """`base[index]` of an array, or of what a pointer variable points to."""
    pointer = decay(base, loc) if isinstance(base.type, Array) else load(base, loc)
    return deref(offset(pointer, index, loc), loc)


def binary(op: ex.BinaryOp, left: ex.Expr, right: ex.Expr, loc: Loc, wraps: bool | None = None) -> ex.Binary:
    """An operation on operands of one type; unsigned integers wrap around and signed ones don't unless `wraps` says."""
    return ex.Binary(op, left, right, left.type, loc, _wraps(left.type) if wraps is None else wraps)


def unary(op: ex.UnaryOp, operand: ex.Expr, loc: Loc, wraps: bool | None = None) -> ex.Unary:
    """Negation or complement; see `binary`."""
    return ex.Unary(op, operand, operand.type, loc, _wraps(operand.type) if wraps is None else wraps)


def _wraps(t: Type) -> bool:
    return isinstance(t, Int) and not t.signed


def compare(op: ex.CompareOp, left: ex.Expr, right: ex.Expr, loc: Loc) -> ex.Compare:
    """A comparison of operands of one type."""
    return ex.Compare(op, left, right, BOOL, loc)


def negated(operand: ex.Expr, loc: Loc) -> ex.Expr:
    """The other truth value; of a negation its operand, of a constant the other constant."""
    if isinstance(operand, ex.Not):
        return operand.operand
    if isinstance(operand, ex.Literal):
        return truth(not operand.value, loc)
    return ex.Not(operand, BOOL, loc)


def both(left: ex.Expr, right: ex.Expr, loc: Loc) -> ex.Expr:
    """`left && right`."""
    return ex.Logical("and", left, right, BOOL, loc)


def either(left: ex.Expr, right: ex.Expr, loc: Loc) -> ex.Expr:
    """`left || right`."""
    return ex.Logical("or", left, right, BOOL, loc)


def count_to(
    counter: st.Variable, end: ex.Expr, body: tuple[st.Stmt, ...], loc: Loc, span: st.Span | None = None
) -> tuple[st.Declare, st.Loop]:
    """`for (counter = 0; counter < end; counter += 1) body`."""
    t, at = counter.type, read(counter, loc)
    step = st.Assign(name(counter, loc), binary("add", at, integer(1, t, loc), loc), loc)
    loop = st.Loop((), compare("lt", at, end, loc), body, (step,), True, "for", loc, span)
    return st.Declare(counter, integer(0, t, loc), loc), loop


def store_zeros(to: ex.Lvalue, loc: Loc, depth: int = 0) -> tuple[st.Stmt, ...]:
    """Loops that store 0 to each element of an array of arrays of known lengths."""
    if not isinstance(to.type, Array):
        return (st.Assign(to, convert(integer(0, I64, loc), to.type, loc), loc),)
    assert isinstance(to.type.extent, int)
    counter = st.Variable(f"i.zero{depth}", I64, "hidden", loc)
    body = store_zeros(element(to, read(counter, loc), loc), loc, depth + 1)
    return count_to(counter, integer(to.type.extent, I64, loc), body, loc)


def listed(initial: ex.Initial, at: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], ex.Expr]]:
    """(subscripts, expression) of each element that an initialiser names."""
    if isinstance(initial, ex.Aggregate):
        for k, item in initial.items:
            yield from listed(item, (*at, k))
    else:
        yield at, initial


def intrinsic(name: str, arguments: tuple[ex.Expr, ...], loc: Loc) -> ex.Intrinsic:
    """A function that the core knows, of arguments of one type."""
    known, of = INTRINSICS[name], arguments[0].type
    results: dict[str, Type] = {"same": of, "bool": BOOL, "int": I32}
    if known.result == "part":
        assert isinstance(of, Complex)
        results["part"] = of.part
    return ex.Intrinsic(name, arguments, results[known.result], loc)


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


def part(value: ex.Expr, which: int, loc: Loc) -> ex.Expr:
    """The real (0) or imaginary (1) part of a number."""
    if isinstance(value, ex.MakeComplex):
        return (value.real, value.imaginary)[which]
    if isinstance(value.type, Complex):
        return ex.Part(value, which, value.type.part, loc)
    return value if which == 0 else ex.Literal(0.0, value.type, loc)


def convert(operand: ex.Expr, t: Type, loc: Loc) -> ex.Expr:
    """A value as another type. Nothing to do for its own; literals are converted at once where C says to what."""
    if same(operand.type, t):
        return operand
    if isinstance(operand, ex.Literal):
        value = _converted(operand.value, t)
        if value is not None:
            return ex.Literal(value, t, loc)
    if isinstance(t, Bool):
        return as_truth(operand, loc)
    if isinstance(operand, ex.MakeComplex) and isinstance(t, Complex):
        return ex.MakeComplex(convert(operand.real, t.part, loc), convert(operand.imaginary, t.part, loc), t, loc)
    return ex.Convert(operand, t, loc)


def as_truth(value: ex.Expr, loc: Loc) -> ex.Expr:
    """What a condition makes of a value: `value != 0`; of a truth value that was made an integer, itself.

    Of a choice between 0 and another constant it is what the choice asks.
    """
    if isinstance(value.type, Bool):
        return value
    if isinstance(value, ex.Convert) and isinstance(value.operand.type, Bool):
        return value.operand
    if isinstance(value, ex.Literal):
        return truth(bool(value.value), loc)
    if isinstance(value, ex.Select):
        then, otherwise = as_truth(value.then, loc), as_truth(value.otherwise, loc)
        if isinstance(then, ex.Literal) and isinstance(otherwise, ex.Literal):
            asked = value.condition if then.value else negated(value.condition, loc)
            return asked if then.value != otherwise.value else then
    zero = ex.Literal(0.0 if isinstance(value.type, Float) else 0, value.type, loc)
    if isinstance(value.type, Complex):
        return ex.Convert(value, BOOL, loc)
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
