"""Formulas of indices as text, such as `min(%v1 + 1, 8)`: each sign becomes an operation of the dialect `arith`.

Names of values begin with a percent sign. `min`, `max` and comparisons are those of signed numbers; `//` and `ceildiv`,
which rounds up, are of numbers that are not negative; `and`, `or` and `not` are of truth values. A function of another
name is the operation that is called so, as `remsi(a, b)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache

Value = int | str
"""A number or a truth value that is known when compiling, or the name of a value."""
Operation = Callable[..., Value]
"""Gives the value of an operation: what stands behind `arith.`, the type of its operands, and these."""
_Formula = Callable[[list[str], Operation], Value]
"""Gives the value of a formula, from the names in it."""

_NAME = re.compile(r"(%[\w.#]+)")
_SIGNS = {
    ast.Add: "addi",
    ast.Sub: "subi",
    ast.Mult: "muli",
    ast.FloorDiv: "divui",
    ast.BitAnd: "andi",
    ast.And: "andi",
    ast.Or: "ori",
    ast.Eq: "cmpi eq,",
    ast.Lt: "cmpi slt,",
    ast.LtE: "cmpi sle,",
    ast.Gt: "cmpi sgt,",
    ast.GtE: "cmpi sge,",
}
_FUNCTIONS = {"min": "minsi", "max": "maxsi"}


def value_of(formula: str, operation: Operation) -> Value:
    """The value of a formula, whose operations come from left to right, those of operands first."""
    first, *others = _NAME.split(formula)
    return _parsed(first, *others[1::2])(others[::2], operation)


@cache
def _parsed(first: str, *others: str) -> _Formula:
    """The formula between whose names these texts stand."""
    text = first + "".join(f"_{number}{each}" for number, each in enumerate(others))
    return _read(ast.parse(text, mode="eval").body)


def _read(node: ast.expr) -> _Formula:
    match node:
        case ast.Name(name):
            number = int(name[1:])
            return lambda names, _: names[number]
        case ast.Constant(int() as value):
            return lambda *_: value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() as value)):
            return lambda *_: -value
        case ast.UnaryOp(ast.Not(), operand):
            return _applied("xori", "i1", operand, ast.Constant(True))
        case ast.BinOp(left, sign, right) | ast.Compare(left, [sign], [right]):
            return _applied(_SIGNS[type(sign)], "index", left, right)
        case ast.BoolOp(sign, [left, right]):
            return _applied(_SIGNS[type(sign)], "i1", left, right)
        case ast.Call(ast.Name("ceildiv"), [left, right]):
            rest = ast.BinOp(right, ast.Sub(), ast.Constant(1))
            return _applied("divui", "index", ast.BinOp(left, ast.Add(), rest), right)
        case ast.Call(ast.Name(name), operands):
            return _applied(_FUNCTIONS.get(name, name), "index", *operands)
        case ast.IfExp(condition, one, other):
            return _applied("select", "index", condition, one, other)
    raise ValueError(f"'{ast.unparse(node)}' is no formula of indices")


def _applied(sign: str, kind: str, *operands: ast.expr) -> _Formula:
    """An operation of operands."""
    values = tuple(map(_read, operands))
    return lambda names, operation: operation(sign, kind, *[value(names, operation) for value in values])
