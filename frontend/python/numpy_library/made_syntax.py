"""Syntax that the front end makes for other syntax, and the places that it gets."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeVar

Made = TypeVar("Made", bound=ast.AST)


def placed(made: Made, at: ast.AST) -> Made:
    """Syntax with the place of the node that it is made for, in all its parts that have none."""
    return ast.fix_missing_locations(ast.copy_location(made, at))


def numpy_call(name: str, arguments: Sequence[ast.expr]) -> ast.Call:
    """The call `numpy.NAME(…)`."""
    return ast.Call(ast.Attribute(ast.Name("numpy", ast.Load()), name, ast.Load()), [*arguments], [])
