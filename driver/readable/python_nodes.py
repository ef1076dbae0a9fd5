"""Nodes of Python's syntax."""

from __future__ import annotations

import ast
from collections.abc import Sequence

Node = ast.expr


def name(text: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(text, ast.Load())


def constant(value: object) -> Node:
    """A constant; a negative number as people write it."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)  # type: ignore[arg-type]


def attribute(value: Node, *path: str) -> Node:
    """The syntax of `value.a.b`."""
    for part in path:
        value = ast.Attribute(value, part, ast.Load())
    return value


def dotted(text: str) -> Node:
    """The node of `np.maximum`, say."""
    first, *rest = text.split(".")
    return attribute(name(first), *rest)


def call(function: str | Node, *arguments: Node, **keywords: Node) -> Node:
    """The syntax of a call."""
    known = dotted(function) if isinstance(function, str) else function
    return ast.Call(known, list(arguments), [ast.keyword(k, v) for k, v in keywords.items()])


def binary(operator: type[ast.operator], left: Node, right: Node) -> Node:
    """`left + right`, and so on."""
    return ast.BinOp(left, operator(), right)


def compare(operator: type[ast.cmpop], left: Node, right: Node) -> Node:
    """`left < right`, and so on."""
    return ast.Compare(left, [operator()], [right])


def pair(parts: Sequence[Node]) -> Node:
    """The syntax of a tuple."""
    return ast.Tuple(list(parts), ast.Load())


def subscript(value: Node, parts: Sequence[Node]) -> Node:
    """`value[a, b]`; `value[()]` for none."""
    inner = parts[0] if len(parts) == 1 else pair(parts)
    return ast.Subscript(value, inner, ast.Load())


def assign(target: Node, value: Node) -> ast.stmt:
    """`target = value`."""
    return ast.Assign([_stored(target)], value, lineno=0)


def _stored(node: Node) -> Node:
    if isinstance(node, ast.Name):
        return ast.Name(node.id, ast.Store())
    if isinstance(node, ast.Subscript):
        return ast.Subscript(node.value, node.slice, ast.Store())
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_stored(e) for e in node.elts], ast.Store())
    raise TypeError(ast.dump(node))


def everything() -> ast.Slice:
    """The syntax of a whole slice, `:`."""
    return ast.Slice()


def size(node: ast.AST) -> int:
    """How many nodes there are: a measure of how long the text is."""
    return sum(1 for _ in ast.walk(node))


def names_in(node: ast.AST) -> set[str]:
    """The names that are read or written."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
