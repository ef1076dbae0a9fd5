"""Conversions, literals, and what the compiler computes (sizes, offsets, choices of types)."""

from __future__ import annotations

import re
from fractions import Fraction

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.clang.string_literals import characters
from raising.frontend.c.read.array_extents import extent
from raising.frontend.c.read.clang_types import agrees, is_open
from raising.frontend.c.read.operators import choice, constant, is_lvalue, value_of
from raising.frontend.c.read.reader_state import LVALUES, VALUES, Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import (
    U64,
    VOID,
    Array,
    Bool,
    Complex,
    Float,
    Int,
    Opaque,
    Pointer,
    Record,
    Routine,
    Type,
    behind_pointers,
)
from raising.support.source import Loc

_WORD = re.compile(rb"\w+")

# ---- conversions ------------------------------------------------------------------------------------


def converted(ctx: Context, value: ex.Expr, t: Type, node: Node) -> ex.Expr:
    """A value as another type, for a conversion that C allows.

    Of a parameter that is declared as an array or function, clang says that type where it means the pointer.
    """
    if agrees(value.type, t) or (isinstance(t, Array | Routine) and isinstance(value.type, Pointer)):
        return value
    pair = (value.type, t)
    if any(isinstance(x, Opaque) for x in pair) or any(isinstance(x, Record) for x in pair):
        raise ctx.refused(node, "a conversion between types that are not read")
    if t == VOID:
        return value
    if isinstance(t, Pointer) and isinstance(value.type, Float | Complex):
        raise ctx.refused(node, "a conversion between types that are not read")
    if isinstance(value.type, Complex) and isinstance(t, Int | Float):
        return build.convert(build.part(value, 0, node.loc), t, node.loc)
    return build.convert(value, t, node.loc)


def _implicit(ctx: Context, node: Node) -> ex.Expr:
    """A cursor without a kind: a conversion of its only child, or an expression that clang's interface leaves out."""
    inside = node.expressions
    if len(inside) == 1 and len(node.children) == 1:
        if _is_variadic_argument(ctx, node, inside[0]):
            raise ctx.refused(node, "an argument of a variable list (va_arg)")
        return converted(ctx, ctx.value(inside[0]), ctx.types.node(node), node)
    if len(inside) == 4 and inside[0].span == inside[1].span:
        return _otherwise(ctx, node)
    t = ctx.types.node(node)
    value = node.evaluated()
    if isinstance(t, Opaque):
        raise ctx.refused(node, f"a value of type '{t.text}'")
    if value is None:
        raise ctx.refused(node, f"'{_first_word(node)}' is not read")
    return constant(ctx, value, t, node)


def _first_word(node: Node) -> str:
    """The word of the source that an expression begins with."""
    text, span = node.written
    found = _WORD.match(text, span.start)
    return found.group().decode() if found else "an expression"


def _is_variadic_argument(ctx: Context, node: Node, child: Node) -> bool:
    t = behind_pointers(ctx.types.node(child))
    return isinstance(t, Record) and t.name == "__va_list_tag" and node.span != child.span


def _otherwise(ctx: Context, node: Node) -> ex.Expr:
    """`a ?: b`: clang shows `a` three times."""
    value = ctx.value(node.expressions[0])
    known = value if isinstance(value, ex.Load | ex.Literal) else ctx.keep(value, node.loc)
    t = ctx.types.node(node)
    test = build.as_truth(known, node.loc)
    return choice(ctx, test, lambda: converted(ctx, known, t, node), lambda: ctx.value(node.expressions[-1]), node)


def _cast(ctx: Context, node: Node) -> ex.Expr:
    """`(type) value`, whose type may say extents in brackets."""
    *sizes, operand = node.expressions
    t = ctx.types.node(node)
    if isinstance(t, Float) and _rounds(t, ctx.types.node(operand)) and (known := node.evaluated()) is not None:
        return constant(ctx, known, t, node)  # as `DBL_MAX` is defined: by a constant of long double
    value = ctx.value(operand)
    if is_open(t) and isinstance(value.type, Pointer | Array):
        t = ctx.types.written(node.type, iter(sizes), lambda size: extent(ctx, size))
    return converted(ctx, value, t, node)


def _rounds(t: Float, given: Type) -> bool:
    """Whether a number is one of long double, which is not read, and becomes one that is."""
    return isinstance(given, Float) and given.width > 64 >= t.width


# ---- literals ---------------------------------------------------------------------------------------


def _number(ctx: Context, node: Node) -> ex.Expr:
    value = node.evaluated()
    if value is None:
        raise ctx.refused(node, "a constant whose value is not known")
    t = ctx.types.node(node)
    if isinstance(t, Float) and t.width > 64 and not _is_exact(node, value):
        raise ctx.refused(node, "a constant of long double that no double is equal to")
    return constant(ctx, value, t, node)


def _is_exact(node: Node, value: int | float) -> bool:
    """True if the text of a number says exactly this one."""
    text, span = node.written
    number = text[span.start : span.end].decode(errors="replace").rstrip("lLqQ")
    try:
        return Fraction(value) == Fraction(number)
    except (ValueError, OverflowError):
        return False


def _imaginary(ctx: Context, node: Node) -> ex.Expr:
    t = ctx.types.node(node)
    if not isinstance(t, Complex):
        raise ctx.refused(node, "an imaginary constant that is not floating")
    value = ctx.value(node.children[0])
    return ex.MakeComplex(ex.Literal(0.0, t.part, node.loc), value, t, node.loc)


def _string(ctx: Context, node: Node) -> ex.Lvalue:
    t = ctx.types.node(node)
    values = characters(node.spelling)
    if not isinstance(t, Array) or not isinstance(t.extent, int) or values is None:
        raise ctx.refused(node, "a string that is not read")
    padded = (*values, *[0] * (t.extent - len(values)))[: t.extent]
    return ex.Bytes(padded, t, node.loc)


# ---- sizes ------------------------------------------------------------------------------------------


def _sizeof(ctx: Context, node: Node) -> ex.Expr:
    """`sizeof` or `_Alignof`: a constant, unless an extent is a variable."""
    value = node.evaluated()
    if value is not None:
        return constant(ctx, value, ctx.types.node(node), node)
    operand = node.expressions[-1].bare() if node.expressions else None
    if operand is None or not is_lvalue(operand):
        raise ctx.refused(node, "the size of a type whose extents are variables")
    with ctx.block():
        t = ctx.lvalue(operand).type
    size = size_of(ctx, t, node.loc)
    if size is None:
        raise ctx.refused(node, "a size that is not known")
    return size


def size_of(ctx: Context, t: Type, loc: Loc) -> ex.Expr | None:
    """The bytes of a type as a `size_t`; None if they are not known."""
    if isinstance(t, Array):
        element = size_of(ctx, t.element, loc)
        if element is None or t.extent is None:
            return None
        extent = ex.Literal(t.extent, U64, loc) if isinstance(t.extent, int) else build.convert(t.extent, U64, loc)
        return build.binary("mul", extent, element, loc)
    if isinstance(t, Record):
        return ex.Literal(ctx.types.records[t.name].size, U64, loc)
    bits = {Pointer: 64, Bool: 8}.get(type(t), 0) or getattr(t, "width", 0)
    if isinstance(t, Complex):
        bits = 2 * t.part.width
    return ex.Literal(16 if bits == 80 else bits // 8, U64, loc) if bits else None


def _generic(ctx: Context, node: Node) -> ex.Expr:
    """`_Generic`: clang shows all of its cases; the chosen one has its type. Refused if several do."""
    t = ctx.types.node(node)
    found = [c for c in node.expressions[1:] if build.same(ctx.types.node(c), t)]
    if len(found) == 1:
        return ctx.value(found[0])
    value = node.evaluated()
    if value is None:
        raise ctx.refused(node, "_Generic of which clang does not tell the case")
    return constant(ctx, value, t, node)


VALUES.update(
    {
        kinds.UNEXPOSED: _implicit,
        kinds.CAST: _cast,
        **dict.fromkeys((kinds.INTEGER, kinds.FLOATING, kinds.CHARACTER), _number),
        kinds.IMAGINARY: _imaginary,
        kinds.STRING: lambda ctx, node: value_of(ctx, _string(ctx, node), node),
        kinds.TRUTH: lambda ctx, node: constant(ctx, node.evaluated() or 0, ctx.types.node(node), node),
        kinds.SIZEOF: _sizeof,
        kinds.GENERIC: _generic,
    }
)
LVALUES[kinds.STRING] = _string
