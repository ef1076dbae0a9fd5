"""Syntax that the front end makes for other syntax, and the places that it gets."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeVar

from raising.frontend.python.module import Module

Made = TypeVar("Made", bound=ast.AST)
T = TypeVar("T")


def placed(made: Made, at: ast.AST) -> Made:
    """Syntax with the place of the node that it is made for, in all its parts that have none."""
    return ast.fix_missing_locations(ast.copy_location(made, at))


def once(node: ast.AST, what: str, make: Callable[[], T]) -> T:
    """What is made for a node when it is asked for first, and the same ever after: syntax is known by its identity."""
    found: T = vars(node)[what] if what in vars(node) else make()
    setattr(node, what, found)
    return found


def numpy_call(name: str, arguments: Sequence[ast.expr]) -> ast.Call:
    """The call `numpy.NAME(…)`."""
    return ast.Call(ast.Attribute(ast.Name("numpy", ast.Load()), name, ast.Load()), [*arguments], [])


def builtin_call(name: str, *arguments: ast.expr) -> ast.expr:
    """The call of a function of Python's own."""
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def arguments_of(module: Module, node: ast.expr, name: str, options: Sequence[str] = ()) -> list[ast.expr]:
    """The arguments of a call of a function of Python's own, with these options; none for other expressions."""
    if not isinstance(node, ast.Call) or module.dotted(node.func) != name or name in module.functions:
        return []
    return [] if any(k.arg not in options for k in node.keywords) else node.args
