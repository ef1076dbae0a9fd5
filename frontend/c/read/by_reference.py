"""References of C++: pointers that are followed wherever their name stands."""

from __future__ import annotations

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.clang.libclang import RawType
from raising.frontend.c.read.operators import is_lvalue
from raising.frontend.c.read.reader_state import Context
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import Pointer


def address_of(ctx: Context, node: Node) -> ex.Expr:
    """What a reference to an expression holds: its address, or that of a hidden variable with its value."""
    inner = _designating(node)
    target: ex.Lvalue
    if inner is not None:
        target = ctx.lvalue(inner)
    else:
        value = ctx.keep(ctx.value(node), node.loc)
        assert isinstance(value, ex.Load)
        target = value.source
    if isinstance(target, ex.Deref):
        return target.pointer
    ctx.look_into(target.type)
    return ex.AddressOf(target, Pointer(target.type, ctx.types.of(node.type).constant), node.loc)


def _designating(node: Node) -> Node | None:
    """The expression that designates memory, below what only adds `const`; None for a value."""
    inner = node.bare()
    while inner.kind == kinds.UNEXPOSED and len(inner.expressions) == 1:
        below = inner.expressions[0].bare()
        if _plain(inner) != _plain(below):
            return None
        inner = below
    return inner if is_lvalue(inner) else None


def _plain(node: Node) -> str:
    """The type of an expression without `const`."""
    lib = node.source.lib
    return lib.text(lib.getTypeSpelling(lib.getCanonicalType(node.type))).removeprefix("const ")


def passed(ctx: Context, node: Node, parameter: RawType | None) -> ex.Expr:
    """An argument as its parameter takes it."""
    if parameter is not None and node.source.lib.getCanonicalType(parameter).kind in kinds.T_REFERENCES:
        return address_of(ctx, node)
    return ctx.value(node)
