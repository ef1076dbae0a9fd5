"""Extents of arrays that are expressions."""

from __future__ import annotations

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.read.reader_state import Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.traverse import inside


def extent(ctx: Context, node: Node) -> int | ex.Expr:
    """An extent: a number, an expression of variables that never change, or a hidden constant."""
    value = ctx.value(node)
    if isinstance(value, ex.Literal):
        return int(value.value)
    names = _names(ctx, node)
    steady = all(
        isinstance(part, ex.Literal | ex.Binary | ex.Unary | ex.Convert | ex.Load | ex.Name) for part in inside(value)
    )
    if steady and names is not None and not any(ctx.is_changed(key) for key in names):
        return value
    variable = ctx.temporary(value.type, node.loc, constant=True)
    ctx.declare(variable, value, node.loc)
    return build.read(variable, node.loc)


def _names(ctx: Context, node: Node) -> list[int] | None:
    """The declarations of parameters and constants that an expression reads; None if it reads others."""
    found, pending = [], [node]
    while pending:
        part = pending.pop()
        if part.kind == kinds.DECL_REF and part.referenced.kind != kinds.ENUM_CONSTANT:
            known = ctx.bound.get(part.referenced.key)
            if known is None or not (known.storage == "parameter" or known.constant):
                return None
            found.append(part.referenced.key)
        pending += part.children
    return found
