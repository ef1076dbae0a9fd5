"""Expressions over the integer parameters of a C function, that give the extents of its arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TypeVar

from native.errors import CompileError

UNBOUNDED = "?"
"""The first extent of memory whose length the C function does not know."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "sdiv",
    ast.Mod: "srem",
}

T = TypeVar("T")


def evaluate(text: str, names: Mapping[str, T], number: Callable[[int], T], combine: Callable[[str, T, T], T]) -> T:
    """The value of an expression; `combine` is told `add`, `sub`, `mul`, or `sdiv` or `srem` of numbers from 0.

    CompileError for what is no such expression, or has a name that is not among `names`.
    """

    def value(tree: ast.expr) -> T:
        match tree:
            case ast.Constant(int(constant)):
                return number(constant)
            case ast.Name(name) if name in names:
                return names[name]
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                return combine(_OPERATORS[type(operator)], value(left), value(right))
            case ast.UnaryOp(ast.USub(), operand):
                return combine("sub", number(0), value(operand))
        raise CompileError(f"the extent '{text}' cannot be computed")

    try:
        return value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise CompileError(f"'{text}' is no extent") from None
