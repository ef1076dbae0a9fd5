"""`for (T x : range)` over arrays and containers: a loop that counts."""

from __future__ import annotations

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.cplusplus.containers import Elements, elements
from raising.frontend.c.read.conversions import converted
from raising.frontend.c.read.operators import is_lvalue
from raising.frontend.c.read.reader_state import STATEMENTS, Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import U64, Pointer


def _range_for(ctx: Context, node: Node) -> None:
    if len(node.children) != 3:
        raise ctx.refused(node, "a loop over a range with a declaration in front")
    variable, ranged, body = node.children
    found, loc = _elements(ctx, ranged), node.loc
    start, count = ctx.keep(found.start, loc), found.count
    if not isinstance(count, ex.Literal):
        count = ctx.keep(count, loc)
    counter = ctx.temporary(U64, loc)
    with ctx.block() as inside:
        _declared(ctx, variable, build.offset(start, build.read(counter, loc), loc))
        ctx.statement(body)
    ctx.out += build.count_to(counter, count, tuple(inside), loc, node.span)


def _elements(ctx: Context, ranged: Node) -> Elements:
    inner = ranged.unconverted()
    found = elements(ctx, ctx.lvalue(inner), inner.type, ranged.loc) if is_lvalue(inner) else None
    if found is None:
        raise ctx.refused(ranged, "a loop over a range of this kind")
    return found


def _declared(ctx: Context, node: Node, pointer: ex.Expr) -> None:
    """The variable of the loop: an element, or a reference to it."""
    typed = ctx.types.of(node.type)
    if typed.volatile or typed.atomic or node.kind != kinds.VARIABLE:
        raise ctx.refused(node, "a loop over a range with a variable of this kind")
    name, reference = ctx.unique(node.spelling), ctx.types.is_reference(node)
    variable = st.Variable(name, typed.type, "local", node.loc, node.spelling, typed.constant, reference=reference)
    ctx.bound[node.key] = variable
    place = build.deref(pointer, node.loc)
    ctx.look_into(place.type)
    if reference:
        assert isinstance(typed.type, Pointer)
        if not build.same(typed.type.to, place.type):
            raise ctx.refused(node, "a reference to a conversion of an element")
        held = place.pointer if isinstance(place, ex.Deref) else ex.AddressOf(place, Pointer(place.type), node.loc)
        ctx.declare(variable, converted(ctx, held, typed.type, node), node.loc)
        return
    ctx.declare(variable, converted(ctx, build.load(place, node.loc), typed.type, node), node.loc)


STATEMENTS[kinds.RANGE_FOR] = _range_for
