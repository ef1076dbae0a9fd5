"""Declarations in functions: variables, arrays whose extents are variables, statics, typedefs."""

from __future__ import annotations

import re
from dataclasses import replace

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.read.array_extents import extent
from raising.frontend.c.read.by_reference import address_of
from raising.frontend.c.read.clang_types import Typed, is_open
from raising.frontend.c.read.conversions import converted
from raising.frontend.c.read.initialisers import initial
from raising.frontend.c.read.reader_state import Context, Refusal
from raising.frontend.core.statement_nodes import Variable
from raising.frontend.core.types import Array, Pointer, Routine, Type

_STATIC, _EXTERN = 3, 2
_PROMISED = re.compile(r"\[[a-z ]*\bstatic\b")
_RESTRICT = re.compile(r"\[[a-z ]*\brestrict\b")


def declaration(ctx: Context, node: Node) -> None:
    """One declaration of a statement."""
    if node.kind == kinds.TYPEDEF:
        _typedef(ctx, node)
    elif node.kind == kinds.VARIABLE:
        try:
            _variable(ctx, node)
        except Refusal as refusal:
            ctx.broken[node.key] = refusal.reason
            raise


def _variable(ctx: Context, node: Node) -> None:
    lib = node.source.lib
    storage = lib.Cursor_getStorageClass(node.raw)
    if storage == _STATIC:
        ctx.bound[node.key] = ctx.unit.static(ctx, node)
        return
    if storage == _EXTERN:
        ctx.bound[node.key] = ctx.unit.variable(node)
        return
    typed = ctx.types.of(node.type)
    _check(ctx, node, typed)
    if not ctx.types.is_plain(node.type):
        raise ctx.refused(node, f"'{node.spelling}' is an object with a constructor or destructor of its own")
    start = _initialiser(node)
    t = _written(ctx, node, [c for c in node.expressions if not c.is_at(start)])
    name = ctx.unique(node.spelling)
    constant = typed.constant and start is not None
    reference = ctx.types.is_reference(node)
    variable = Variable(name, t, "local", node.loc, node.spelling, constant, reference=reference)
    ctx.bound[node.key] = variable
    ctx.look_into(t)
    ctx.items = 0
    if start is not None and reference:
        ctx.declare(variable, converted(ctx, address_of(ctx, start), t, node), node.loc)
        return
    ctx.declare(variable, None if start is None else initial(ctx, start, t), node.loc)


def _check(ctx: Context, node: Node, typed: Typed) -> None:
    if typed.volatile:
        raise ctx.refused(node, f"'{node.spelling}' is volatile")
    if typed.atomic:
        raise ctx.refused(node, f"'{node.spelling}' is atomic")


def _initialiser(node: Node) -> Node | None:
    raw = node.source.lib.Cursor_getVarDeclInitializer(node.raw)
    found = Node(node.source, raw) if kinds.FIRST_EXPR <= raw.kind <= kinds.LAST_EXPR else None
    empty = found is not None and found.kind == kinds.CALL and found.referenced.kind == kinds.CONSTRUCTOR
    return None if empty and found is not None and not found.expressions else found  # of a plain object


def _written(ctx: Context, node: Node, sizes: list[Node]) -> Type:
    t = ctx.types.of(node.type).type
    return ctx.types.written(node.type, iter(sizes), lambda size: extent(ctx, size)) if is_open(t) else t


def _typedef(ctx: Context, node: Node) -> None:
    """A typedef with extents that are variables means those of the time when it is reached."""
    raw = node.source.lib.getTypedefDeclUnderlyingType(node.raw)
    if is_open(ctx.types.of(raw).type):
        ctx.types.typedefs[node.key] = ctx.types.written(raw, iter(node.expressions), lambda s: extent(ctx, s))


# ---- parameters -------------------------------------------------------------------------------------


def parameter(ctx: Context, node: Node, number: int) -> Variable:
    """A parameter: an array is a pointer to its elements, a function a pointer to it."""
    raw = node.type
    if not ctx.types.is_plain(raw):
        raise ctx.refused(node, f"'{node.spelling}' is an object with a constructor or destructor of its own")
    typed = ctx.types.of(raw)
    t, length, promised = typed.type, None, False
    if is_open(t) or isinstance(t, Array):
        t = ctx.types.written(raw, iter(node.expressions), lambda size: extent(ctx, size))
    if isinstance(t, Array):
        spelling = ctx.types.spelling(raw)
        length, promised = t.extent, bool(_PROMISED.search(spelling))
        t = Pointer(t.element, typed.constant, bool(_RESTRICT.search(spelling)))
    if isinstance(t, Routine):
        t = Pointer(t)
    name = ctx.unique(node.spelling or f"unnamed.{number}")
    constant, reference = typed.constant and not isinstance(typed.type, Array), ctx.types.is_reference(node)
    variable = Variable(name, t, "parameter", node.loc, node.spelling, constant, length, promised, reference)
    variable = replace(variable, numbers=ctx.types.numbers(raw))
    ctx.bound[node.key] = variable
    ctx.variables[name] = variable
    ctx.look_into(t)
    return variable
