"""Builders of C's syntax: what the Python front end hands to the lowering that it shares with C."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Any

import numpy as np
from pycparser import c_ast

from raising.frontend.python.types import NAMES, Kind
from raising.support.source import Loc


def name(text: str, loc: Loc) -> Any:
    """The use of a variable or function by its name."""
    return c_ast.ID(text, loc)


def integer(value: int, dtype: str, loc: Loc) -> Any:
    """An integer constant of a type that holds it; a negative one is a difference from 0."""
    if value < 0:
        return c_ast.UnaryOp("-", integer(-value, dtype, loc), loc)
    suffix = ("U" if dtype in ("uint32", "uint64") else "") + ("L" if dtype.endswith("64") else "")
    return c_ast.Constant("long int", f"{value}{suffix}", loc)


def real(value: float, dtype: str, loc: Loc) -> Any:
    """A constant of a floating type."""
    if value < 0:
        return c_ast.UnaryOp("-", real(-value, dtype, loc), loc)
    if dtype == "float32":
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    text = "1e999" if isinf(value) else repr(value)
    return c_ast.Constant("double", f"{text}f" if dtype == "float32" else text, loc)


def cast(node: Any, kind: Kind, loc: Loc) -> Any:
    """A conversion."""
    return c_ast.Cast(c_ast.Typename(None, [], None, _declared("", kind, loc), loc), node, loc)


def binary(op: str, left: Any, right: Any, loc: Loc) -> Any:
    """An operator on two operands."""
    return c_ast.BinaryOp(op, left, right, loc)


def unary(op: str, operand: Any, loc: Loc) -> Any:
    """An operator on one operand."""
    return c_ast.UnaryOp(op, operand, loc)


def choice(test: Any, yes: Any, no: Any, loc: Loc) -> Any:
    """`test ? yes : no`."""
    return c_ast.TernaryOp(test, yes, no, loc)


def call(function: str, arguments: Sequence[Any], loc: Loc) -> Any:
    """A call by name."""
    return c_ast.FuncCall(name(function, loc), c_ast.ExprList(list(arguments), loc), loc)


def element(array: Any, subscripts: Sequence[Any], loc: Loc) -> Any:
    """An element, or a row if there are fewer subscripts than dimensions."""
    for subscript in subscripts:
        array = c_ast.ArrayRef(array, subscript, loc)
    return array


def assign(target: Any, value: Any, loc: Loc) -> Any:
    """An assignment."""
    return c_ast.Assignment("=", target, value, loc)


def declare(text: str, kind: Kind, loc: Loc, extents: Sequence[Any] = (), init: Any = None) -> Any:
    """The declaration of a variable, or of an array with these extents that nothing else overlaps."""
    type_ = _declared(text, kind, loc)
    for extent in reversed(extents):
        type_ = c_ast.ArrayDecl(type_, extent, [], loc)
    return c_ast.Decl(text, [], [], [], [], type_, init, None, loc)


def count(text: str, low: Any, high: Any, step: int, body: list[Any], loc: Loc) -> Any:
    """`for (long text = low; text < high; text += step) body`, downwards if the step is negative."""
    start = c_ast.DeclList([declare(text, Kind("int64"), loc, init=low)], loc)
    test = binary("<" if step > 0 else ">", name(text, loc), high, loc)
    following = c_ast.Assignment("+=", name(text, loc), integer(step, "int64", loc), loc)
    return c_ast.For(start, test, following, block(body, loc), loc)


def repeat(test: Any, body: list[Any], loc: Loc) -> Any:
    """`while (test) body`."""
    return c_ast.While(test, block(body, loc), loc)


def branch(test: Any, then: list[Any], orelse: list[Any], loc: Loc) -> Any:
    """`if (test) then else orelse`."""
    return c_ast.If(test, block(then, loc), block(orelse, loc) if orelse else None, loc)


def leave(value: Any, loc: Loc) -> Any:
    """`return value`."""
    return c_ast.Return(value, loc)


def proceed(loc: Loc) -> Any:
    """`continue`."""
    return c_ast.Continue(loc)


def stop(loc: Loc) -> Any:
    """`break`."""
    return c_ast.Break(loc)


def block(items: list[Any], loc: Loc) -> Any:
    """Statements in order."""
    return c_ast.Compound(items, loc)


def function(text: str, parameters: list[Any], result: Kind | None, body: list[Any], loc: Loc) -> Any:
    """The definition of a function."""
    returned = _declared(text, result, loc)
    type_ = c_ast.FuncDecl(c_ast.ParamList(parameters, loc), returned, loc)
    return c_ast.FuncDef(c_ast.Decl(text, [], [], [], [], type_, None, None, loc), None, block(body, loc), loc)


def _declared(text: str, kind: Kind | None, loc: Loc) -> Any:
    names = ["void"] if kind is None else list(NAMES[kind.dtype])
    return c_ast.TypeDecl(text, [], None, c_ast.IdentifierType(names, loc), loc)
