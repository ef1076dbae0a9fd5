"""Assignments and steps, as statements; their value where somebody asks for it."""

from __future__ import annotations

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.read.conversions import converted
from raising.frontend.c.read.operators import binary_effect, binary_value, is_bit_field, operated, unary_value
from raising.frontend.c.read.reader_state import EFFECTS, VALUES, Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import I32, Bool, Complex, Float, Int, Pointer, Type
from raising.support.source import Loc

_STEPS = (kinds.POST_INC, kinds.POST_DEC, kinds.PRE_INC, kinds.PRE_DEC)
_TO_ARITHMETIC = {kinds.MUL_ASSIGN + k: kinds.MUL + k for k in range(5)} | {
    kinds.MUL_ASSIGN + 5: kinds.SHL,
    kinds.MUL_ASSIGN + 6: kinds.SHR,
    kinds.MUL_ASSIGN + 7: kinds.AND,
    kinds.MUL_ASSIGN + 8: kinds.XOR,
    kinds.OR_ASSIGN: kinds.OR,
}


def _assigned(ctx: Context, node: Node, asked: bool) -> ex.Expr | None:
    """`a = b`."""
    left, right = node.expressions
    value = ctx.value(right)
    target = ctx.lvalue(left)
    ctx.look_into(target.type)
    return _stored(ctx, target, converted(ctx, value, target.type, node), node.loc, asked)


def _stored(ctx: Context, target: ex.Lvalue, value: ex.Expr, loc: Loc, asked: bool) -> ex.Expr | None:
    """Store a value of the target's type; what the assignment is worth is the value that the target has then."""
    if asked and not isinstance(target, ex.Name) and not _is_simple(value):
        value = ctx.keep(value, loc)
    ctx.assign(target, value, loc)
    if not asked:
        return None
    loses_bits = isinstance(target, ex.Member) and is_bit_field(ctx, target)
    again = loses_bits or (isinstance(target, ex.Name) and not isinstance(value, ex.Literal))
    return build.load(target, loc) if again else value


def _is_simple(value: ex.Expr) -> bool:
    """True for a value that a store to memory cannot change: of a literal, or of a variable of its own."""
    if isinstance(value, ex.Load) and isinstance(value.source, ex.Name):
        return value.source.name.startswith("t.")
    return isinstance(value, ex.Literal)


def _updated(ctx: Context, node: Node, asked: bool) -> ex.Expr | None:
    """`a op= b`; the right side has the type that C computes in already, except for shifts."""
    left, right = node.expressions
    value = ctx.value(right)
    target = ctx.lvalue(left)
    op = _TO_ARITHMETIC.get(node.operator)
    if op is None:
        raise ctx.refused(node, "an operator that is not read")
    before: ex.Expr = build.load(target, node.loc)
    if not isinstance(before.type, Pointer | Complex) and not isinstance(value.type, Pointer):
        computed = promoted(before.type) if op in (kinds.SHL, kinds.SHR) else _computed(before.type, value.type)
        before = converted(ctx, before, computed, node)
        value = value if op in (kinds.SHL, kinds.SHR) else converted(ctx, value, computed, node)
    result = operated(ctx, op, before, value, node)
    return _stored(ctx, target, converted(ctx, result, target.type, node), node.loc, asked)


def promoted(t: Type) -> Type:
    """C's integer promotion."""
    return I32 if isinstance(t, Bool) or (isinstance(t, Int) and t.width < 32) else t


def _computed(left: Type, right: Type) -> Type:
    """The type in which `a op= b` computes: the right side has been converted to it, if that is arithmetic."""
    return promoted(left) if isinstance(right, Bool) else _wider(promoted(left), right)


def _wider(left: Type, right: Type) -> Type:
    """C's usual arithmetic conversions of a left operand that is not converted yet."""
    if isinstance(left, Float) and isinstance(right, Float):
        return left if left.width >= right.width else right
    if isinstance(left, Float) or isinstance(right, Float | Complex):
        return left if isinstance(left, Float) and not isinstance(right, Complex) else right
    if isinstance(left, Int) and isinstance(right, Int):
        if left.width != right.width:
            return left if left.width > right.width else right
        return right if left.signed else left
    return right


def _stepped(ctx: Context, node: Node, asked: bool) -> ex.Expr | None:
    """`++`, `--` before and behind."""
    op, loc = node.operator, node.loc
    target = ctx.lvalue(node.children[0])
    before: ex.Expr = build.load(target, loc)
    behind = op in (kinds.POST_INC, kinds.POST_DEC)
    if asked and behind:
        before = ctx.keep(before, loc)
    t = promoted(before.type)
    one: ex.Expr = (
        ex.Literal(1, I32, loc) if isinstance(t, Pointer) else build.convert(ex.Literal(1, I32, loc), _real(t), loc)
    )
    number = before if isinstance(t, Pointer) else converted(ctx, before, t, node)
    after = operated(ctx, kinds.ADD if op in (kinds.POST_INC, kinds.PRE_INC) else kinds.SUB, number, one, node)
    value = converted(ctx, after, target.type, node)
    if not (asked and behind):
        return _stored(ctx, target, value, loc, asked)
    ctx.assign(target, value, loc)
    return before


def _real(t: Type) -> Type:
    return t.part if isinstance(t, Complex) else t


def _binary_value(ctx: Context, node: Node) -> ex.Expr:
    value = _assigned(ctx, node, True) if node.operator == kinds.ASSIGN else binary_value(ctx, node)
    assert value is not None
    return value


def _binary_effect(ctx: Context, node: Node) -> None:
    if node.operator == kinds.ASSIGN:
        _assigned(ctx, node, False)
    else:
        binary_effect(ctx, node)


def _unary_value(ctx: Context, node: Node) -> ex.Expr:
    value = _stepped(ctx, node, True) if node.operator in _STEPS else unary_value(ctx, node)
    assert value is not None
    return value


def _unary_effect(ctx: Context, node: Node) -> None:
    if node.operator in _STEPS:
        _stepped(ctx, node, False)
    elif node.operator == kinds.EXTENSION:
        ctx.effect(node.children[0])
    else:
        ctx.value(node)


VALUES.update(
    {
        kinds.BINARY: _binary_value,
        kinds.UNARY: _unary_value,
        kinds.COMPOUND_ASSIGN: lambda ctx, node: _updated(ctx, node, True),
    }
)
EFFECTS.update(
    {
        kinds.BINARY: _binary_effect,
        kinds.UNARY: _unary_effect,
        kinds.COMPOUND_ASSIGN: lambda ctx, node: _updated(ctx, node, False),
    }
)
