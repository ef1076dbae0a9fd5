"""Calls that only C++ has: members of containers, constructors that copy, functions of the library; and its casts."""

from __future__ import annotations

from collections.abc import Callable

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.cplusplus.containers import Elements, elements, in_library
from raising.frontend.c.read.conversions import converted
from raising.frontend.c.read.function_calls import mathematical
from raising.frontend.c.read.initialisers import initial
from raising.frontend.c.read.operators import is_lvalue
from raising.frontend.c.read.reader_state import OBJECTS, VALUES, Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import U64, VOID, Bool, Float, Int, Pointer, Record, is_number

_CONSTRUCTED = (kinds.CONSTRUCTOR, 25, 26)  # ... and destructors and conversions
_ABSOLUTE = {32: "abs", 64: "labs"}


def _object_call(ctx: Context, node: Node, asked: bool) -> tuple[ex.Expr | None] | None:
    """A call that has no counterpart in C, its value in a tuple; None for a call of a function."""
    callee = node.referenced
    if callee.kind in _CONSTRUCTED:
        return (_constructed(ctx, node),)
    if callee.kind == kinds.METHOD:
        return (_member_call(ctx, node, callee.spelling),)
    if callee.spelling.startswith("operator") and callee.kind == kinds.FUNCTION:
        raise ctx.refused(node, f"a call of '{callee.spelling}'")
    if callee.kind == kinds.FUNCTION and in_library(node.source.lib, callee.raw):
        return _library_call(ctx, node, callee.spelling)
    if isinstance(ctx.types.node(node), Record) and not ctx.types.is_plain(node.type):
        raise ctx.refused(node, "an object with a constructor or destructor of its own is returned")
    if any(_is_default(a) and a.evaluated() is None for a in node.expressions[1:]):
        raise ctx.refused(node, "a default argument that is no constant")
    return None


def _is_default(node: Node) -> bool:
    """True for an argument that the call does not write: it stands nowhere."""
    return bool(node.source.lib.getCursorExtent(node.raw).start == 0)


def _constructed(ctx: Context, node: Node) -> ex.Expr:
    """An object that is a copy of another one."""
    inside = node.expressions
    if len(inside) == 1 and ctx.types.is_plain(node.type):
        value = ctx.value(inside[0])
        if build.same(value.type, ctx.types.node(node)):
            return value
    raise ctx.refused(node, f"a constructor of '{ctx.types.spelling(node.type)}'")


# ---- members of containers --------------------------------------------------------------------------


def _operands(node: Node) -> list[Node]:
    """The operands of an operator, in the order of the text, without the operator, which clang shows among them."""
    return [c for c in node.expressions if not _names(c, node.referenced)]


def _names(node: Node, function: Node) -> bool:
    inner = node.unconverted()
    return inner.kind == kinds.DECL_REF and inner.referenced.key == function.key


def _member_call(ctx: Context, node: Node, name: str) -> ex.Expr:
    if name.startswith("operator"):
        on, *arguments = _operands(node)
    else:
        callee, *arguments = node.expressions
        if callee.kind != kinds.MEMBER or not callee.expressions:
            raise ctx.refused(node, f"a call of member function '{name}'")
        on = callee.expressions[0]
    place = _place(ctx, on)
    if name == "operator=" and len(arguments) == 1 and place is not None and ctx.types.is_plain(on.type):
        ctx.assign(place, ctx.value(arguments[0]), node.loc)
        return build.load(place, node.loc)
    found = None if place is None else elements(ctx, place, on.type, node.loc)
    handler = _MEMBERS.get((name, len(arguments)))
    if found is None or handler is None:
        raise ctx.refused(node, f"a call of member function '{name}'")
    return handler(ctx, found, arguments, node)


def _place(ctx: Context, node: Node) -> ex.Lvalue | None:
    """The object that a member is called on."""
    if isinstance(ctx.types.node(node), Pointer):
        return build.deref(ctx.value(node), node.loc)
    inner = node.unconverted()
    if isinstance(ctx.types.node(inner), Pointer) or not is_lvalue(inner):
        return None
    return ctx.lvalue(inner)


def _at(ctx: Context, found: Elements, index: ex.Expr, node: Node) -> ex.Expr:
    place = build.deref(build.offset(found.start, index, node.loc), node.loc)
    ctx.look_into(place.type)
    return build.load(place, node.loc)


def _last(ctx: Context, found: Elements, arguments: list[Node], node: Node) -> ex.Expr:
    return _at(ctx, found, build.binary("sub", found.count, ex.Literal(1, U64, node.loc), node.loc), node)


def _empty(ctx: Context, found: Elements, arguments: list[Node], node: Node) -> ex.Expr:
    return build.compare("eq", found.count, ex.Literal(0, U64, node.loc), node.loc)


_MEMBERS: dict[tuple[str, int], Callable[[Context, Elements, list[Node], Node], ex.Expr]] = {
    ("operator[]", 1): lambda ctx, found, arguments, node: _at(ctx, found, ctx.value(arguments[0]), node),
    ("front", 0): lambda ctx, found, arguments, node: _at(ctx, found, ex.Literal(0, U64, node.loc), node),
    ("back", 0): _last,
    ("size", 0): lambda ctx, found, arguments, node: found.count,
    ("data", 0): lambda ctx, found, arguments, node: found.start,
    ("empty", 0): _empty,
}

# ---- functions of the library -----------------------------------------------------------------------


def _library_call(ctx: Context, node: Node, name: str) -> tuple[ex.Expr | None]:
    arguments = node.expressions[1:]
    if name in ("max", "min") and len(arguments) == 2:
        return (_extreme(ctx, arguments, node, name == "max"),)
    if name == "swap" and len(arguments) == 2:
        _swap(ctx, arguments, node)
        return (None,)
    t = ctx.types.node(node)
    found = None
    if name == "abs" and isinstance(t, Int):
        found = mathematical(ctx, _ABSOLUTE.get(t.width, ""), arguments, node)
    elif isinstance(t, Float):
        suffix = {32: "f", 80: "l"}.get(t.width, "")
        found = mathematical(ctx, f"{'fabs' if name == 'abs' else name}{suffix}", arguments, node)
    elif isinstance(t, Bool):
        found = mathematical(ctx, name, arguments, node)
    if found is None:
        raise ctx.refused(node, f"a call of 'std::{name}'")
    return (found,)


def _extreme(ctx: Context, arguments: list[Node], node: Node, greatest: bool) -> ex.Expr:
    """`std::max(a, b)` is `a < b ? b : a`, `std::min(a, b)` is `b < a ? b : a`."""
    a, b = (ctx.value(x) for x in arguments)
    if not is_number(a.type) or not build.same(a.type, b.type):
        raise ctx.refused(node, "the greatest or least of what are no numbers of one type")
    a, b = (x if isinstance(x, ex.Literal) else ctx.keep(x, node.loc) for x in (a, b))
    test = build.compare("lt", a, b, node.loc) if greatest else build.compare("lt", b, a, node.loc)
    return ex.Select(test, b, a, a.type, node.loc)


def _swap(ctx: Context, arguments: list[Node], node: Node) -> None:
    places = [_place(ctx, x) if is_lvalue(x) else None for x in arguments]
    if any(p is None or not is_number(p.type) for p in places):
        raise ctx.refused(node, "a call of 'std::swap'")
    a, b = (p for p in places if p is not None)
    kept = ctx.keep(build.load(a, node.loc), node.loc)
    ctx.assign(a, build.load(b, node.loc), node.loc)
    ctx.assign(b, kept, node.loc)


OBJECTS.append(_object_call)

# ---- casts and constants ----------------------------------------------------------------------------


def _cast(ctx: Context, node: Node) -> ex.Expr:
    """`static_cast<T>(x)`, `T(x)` and the like, between types that C has."""
    inside = node.expressions
    if len(inside) != 1:
        raise ctx.refused(node, "a cast of this kind is not read")
    t = ctx.types.node(node)
    if t == VOID:
        ctx.effect(inside[0])
    if inside[0].kind == kinds.INIT_LIST and is_number(t):
        value = initial(ctx, inside[0], t)
        assert not isinstance(value, ex.Aggregate)
        return value
    return converted(ctx, ctx.value(inside[0]), t, node)


def _null(ctx: Context, node: Node) -> ex.Expr:
    return ex.Literal(0, Pointer(VOID), node.loc)


VALUES.update(
    dict.fromkeys((kinds.STATIC_CAST, kinds.REINTERPRET_CAST, kinds.CONST_CAST, kinds.FUNCTIONAL_CAST), _cast)
)
VALUES[kinds.NULL_POINTER] = _null
