"""Syntax that the front end makes for other syntax, and the places that it gets.

written("for at in range(n): body", node, at="at_1", n=end, body=[...])   ->   for at_1 in range(end): ...
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, TypeVar, cast

from raising.frontend.python.module import Module

Made = TypeVar("Made", bound=ast.AST)
T = TypeVar("T")


def placed(made: Made, at: ast.AST) -> Made:
    """Syntax with the place of the node that it is made for, in all its parts that have none."""
    return ast.fix_missing_locations(ast.copy_location(made, at))


def written(text: str, at: ast.AST, /, **meanings: ast.expr | str | list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a text, at a place. Names in it mean expressions, other names or, alone, several statements.

    An expression that is named twice is there twice, and not copied.
    """
    return [placed(statement, at) for statement in _meant(_parsed(text), meanings)]


def expression(text: str, at: ast.AST, /, **meanings: ast.expr | str) -> ast.expr:
    """The expression of a text, likewise."""
    (statement,) = _parsed(text)
    return placed(cast(ast.expr, _meant(cast(ast.Expr, statement).value, meanings)), at)


@lru_cache(maxsize=256)
def _parsed(text: str) -> list[ast.stmt]:
    return ast.parse(text).body


def _meant(node: Any, meanings: Mapping[str, ast.expr | str | list[ast.stmt]]) -> Any:
    """Syntax without places, in which names have their meanings."""
    match node:
        case list():
            each = (_meant(part, meanings) for part in node)
            return [own for part in each for own in (part if isinstance(part, list) else [part])]
        case ast.Expr(value=ast.Name(id=name)) if isinstance(meanings.get(name), list):
            return meanings[name]
        case ast.Name(id=name) if name in meanings:
            given = meanings[name]
            return ast.Name(given, node.ctx) if isinstance(given, str) else given
        case ast.AST():
            return type(node)(**{name: _meant(part, meanings) for name, part in ast.iter_fields(node)})
    return node


def with_meanings(node: ast.expr, meanings: Mapping[str, ast.expr]) -> ast.expr:
    """A copy of an expression, with copies of what names mean in their places."""
    found: ast.expr = _Meanings(meanings).visit(deepcopy(node))
    return found


class _Meanings(ast.NodeTransformer):
    def __init__(self, meanings: Mapping[str, ast.expr]) -> None:
        self.meanings = meanings

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802 (the name that ast calls)
        meant = self.meanings.get(node.id, node)
        return ast.Name(meant.id, node.ctx) if isinstance(meant, ast.Name) else deepcopy(meant)


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
