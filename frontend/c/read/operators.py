"""Expressions of C without effects of their own: names, memory, operators, conversions, choices.

Clang has done what C's rules say: both operands of an operator have its type already, through implicit conversions
that the library shows as nodes without a kind whose type differs from that of their child.
"""

from __future__ import annotations

from collections.abc import Callable

from raising.frontend.c.clang import cursor_kinds as kinds
from raising.frontend.c.clang.cursor import Node
from raising.frontend.c.read.clang_types import agrees
from raising.frontend.c.read.complex_numbers import complex_binary
from raising.frontend.c.read.reader_state import EFFECTS, LVALUES, VALUES, Context
from raising.frontend.core import build
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import (
    I64,
    VOID,
    Array,
    Bool,
    Complex,
    Float,
    Int,
    Pointer,
    Record,
    Routine,
    Type,
    is_number,
)
from raising.support.source import Loc

_ARITHMETIC: dict[int, ex.BinaryOp] = {
    kinds.MUL: "mul", kinds.DIV: "div", kinds.REM: "rem", kinds.ADD: "add", kinds.SUB: "sub",
    kinds.SHL: "shl", kinds.SHR: "shr", kinds.AND: "and", kinds.XOR: "xor", kinds.OR: "or",
}  # fmt: skip
_COMPARISONS: dict[int, ex.CompareOp] = {
    kinds.LT: "lt", kinds.GT: "gt", kinds.LE: "le", kinds.GE: "ge", kinds.EQ: "eq", kinds.NE: "ne",
}  # fmt: skip


# ---- lvalues ----------------------------------------------------------------------------------------


def _name(ctx: Context, node: Node) -> ex.Lvalue:
    _check_qualifiers(ctx, node)
    found = ctx.variable(node)
    if ctx.types.is_reference(node.referenced):
        return build.deref(build.load(found, node.loc), node.loc)
    return found


def _check_qualifiers(ctx: Context, node: Node) -> None:
    typed = ctx.types.of(node.type)
    if typed.volatile:
        raise ctx.refused(node, "it uses volatile memory")
    if typed.atomic:
        raise ctx.refused(node, "it uses atomic memory")


def _subscript(ctx: Context, node: Node) -> ex.Lvalue:
    _check_qualifiers(ctx, node)
    base, index = (ctx.value(child) for child in node.expressions)
    if isinstance(index.type, Pointer):
        base, index = index, base
    _check_steps(ctx, base.type, node)
    return build.deref(build.offset(base, index, node.loc), node.loc)


def _unary_lvalue(ctx: Context, node: Node) -> ex.Lvalue:
    if node.operator == kinds.DEREF:
        _check_qualifiers(ctx, node)
        return build.deref(ctx.value(node.children[0]), node.loc)
    if node.operator in (kinds.REAL, kinds.IMAG):
        base = ctx.lvalue(node.children[0])
        if isinstance(base.type, Complex):
            return ex.Half(base, int(node.operator == kinds.IMAG), base.type.part, node.loc)
        return base
    if node.operator == kinds.EXTENSION:
        return ctx.lvalue(node.children[0])
    raise ctx.refused(node, "a value that has no place in memory is not an lvalue")


def _member(ctx: Context, node: Node) -> ex.Lvalue:
    """`s.f`, or `p->f` if the base is a pointer."""
    _check_qualifiers(ctx, node)
    below = node.expressions[0]
    if isinstance(ctx.types.node(below), Pointer | Array):
        base = build.deref(ctx.value(below), node.loc)
    else:
        base = place_of(ctx, below)
    assert isinstance(base.type, Record)
    ctx.types.layout(base.type.name)  # which names what has no name
    name = ctx.types.field_name(node.referenced)
    path = ctx.types.path(base.type.name, name)
    if not path:
        raise ctx.refused(node, f"field '{name}' is not known")
    for one in path:
        base = ex.Member(base, one.name, one.type, node.loc)
    if ctx.types.is_reference(node.referenced):
        return build.deref(build.load(base, node.loc), node.loc)
    return base


def place_of(ctx: Context, node: Node) -> ex.Lvalue:
    """The lvalue that an expression designates; a value is put in a hidden variable."""
    inner = node.unconverted()
    if is_lvalue(inner):
        return ctx.lvalue(inner)
    value = ctx.keep(ctx.value(node), node.loc)
    assert isinstance(value, ex.Load)
    return value.source


def is_lvalue(node: Node) -> bool:
    """True for an expression that designates memory, not only a value."""
    node = node.bare()
    if node.kind == kinds.DECL_REF:
        return node.referenced.kind in (kinds.VARIABLE, kinds.PARAMETER)
    if node.kind == kinds.UNARY:
        if node.operator in (kinds.REAL, kinds.IMAG, kinds.EXTENSION):
            return is_lvalue(node.children[0])
        return node.operator == kinds.DEREF
    if node.kind == kinds.CALL:
        return returns_reference(node)
    return node.kind in (kinds.SUBSCRIPT, kinds.MEMBER, kinds.STRING, kinds.COMPOUND_LITERAL)


def returns_reference(node: Node) -> bool:
    """True for a call of what returns a reference of C++."""
    lib = node.source.lib
    result = lib.getResultType(node.referenced.type)
    return bool(lib.getCanonicalType(result).kind in kinds.T_REFERENCES)


# ---- values of lvalues ------------------------------------------------------------------------------


def _loaded(ctx: Context, node: Node) -> ex.Expr:
    """The value of an lvalue; of an array, the pointer to its first element."""
    target = ctx.lvalue(node)
    return value_of(ctx, target, node)


def value_of(ctx: Context, target: ex.Lvalue, node: Node) -> ex.Expr:
    """The value of an lvalue that a node designates."""
    if isinstance(target.type, Array):
        constant = ctx.types.of(node.type).constant
        return ex.Decay(target, Pointer(target.type.element, constant), node.loc)
    if isinstance(target.type, Routine):
        assert isinstance(target, ex.Deref)
        return target.pointer  # `*f` of a function is `f` again
    ctx.look_into(target.type)
    return build.load(target, node.loc)


def _declared(ctx: Context, node: Node) -> ex.Expr:
    """A name: of a variable, a function or an enumerator."""
    declaration = node.referenced
    if declaration.kind == kinds.FUNCTION:
        name = ctx.unit.routine(declaration)
        t = ctx.types.node(declaration)
        return ex.RoutineName(name, Pointer(t), node.loc)
    if declaration.kind == kinds.ENUM_CONSTANT:
        value = int(declaration.source.lib.getEnumConstantDeclValue(declaration.raw))
        return constant(ctx, value, ctx.types.node(node), node)
    if declaration.kind not in (kinds.VARIABLE, kinds.PARAMETER):  # a number that a template was given
        given = node.evaluated()
        if given is None:
            raise ctx.refused(node, "a name of this kind is not read")
        return constant(ctx, given, ctx.types.node(node), node)
    return _loaded(ctx, node)


def constant(ctx: Context, value: int | float, t: Type, node: Node) -> ex.Expr:
    """A number that clang has computed, as a literal of a type."""
    if isinstance(t, Int):
        return ex.Literal(build.wrapped(int(value), t), t, node.loc)
    if isinstance(t, Float):
        return ex.Literal(float(value), t, node.loc)
    if isinstance(t, Bool):
        return ex.Literal(bool(value), t, node.loc)
    if isinstance(t, Pointer) and value == 0:
        return ex.Literal(0, t, node.loc)
    raise ctx.refused(node, "a constant of a type that is not read")


def unary_value(ctx: Context, node: Node) -> ex.Expr:
    """The value of a unary operator without effects."""
    op, child = node.operator, node.children[0]
    if op == kinds.ADDRESS:
        return _address(ctx, node)
    if op == kinds.NOT:
        return build.convert(build.negated(condition(ctx, child), node.loc), ctx.types.node(node), node.loc)
    if op in (kinds.REAL, kinds.IMAG) and not is_lvalue(child):
        return build.part(ctx.value(child), int(op == kinds.IMAG), node.loc)
    if op in (kinds.DEREF, kinds.REAL, kinds.IMAG):
        return _loaded(ctx, node)
    value = ctx.value(child)
    if op == kinds.MINUS:
        return negative(value, node.loc)
    if op == kinds.COMPLEMENT and isinstance(value.type, Int):
        return build.unary("inv", value, node.loc)
    if op in (kinds.PLUS, kinds.EXTENSION):
        return value
    raise ctx.refused(node, "an operator that is not read")


def negative(value: ex.Expr, loc: Loc) -> ex.Expr:
    """`-value`; a constant at once, where its type has the result."""
    if isinstance(value, ex.Literal) and isinstance(value.type, Int):
        low, high = value.type.range
        if not value.type.signed or low <= -value.value <= high:
            return ex.Literal(build.wrapped(-int(value.value), value.type), value.type, loc)
    if isinstance(value, ex.Literal) and isinstance(value.type, Float):
        return ex.Literal(-value.value, value.type, loc)
    return build.unary("neg", value, loc)


def _address(ctx: Context, node: Node) -> ex.Expr:
    child = node.children[0].bare()
    if child.kind == kinds.DECL_REF and child.referenced.kind == kinds.FUNCTION:
        return ctx.value(child)
    target = ctx.lvalue(child)
    if isinstance(target, ex.Deref):
        return target.pointer
    if isinstance(target, ex.Member) and is_bit_field(ctx, target):
        raise ctx.refused(node, "the address of a bit-field")
    constant = ctx.types.of(child.type).constant
    return ex.AddressOf(target, Pointer(target.type, constant), node.loc)


def is_bit_field(ctx: Context, target: ex.Member) -> bool:
    """Whether a field of a record is one of so many bits."""
    assert isinstance(target.base.type, Record)
    fields = ctx.types.layout(target.base.type.name).fields or ()
    return any(f.name == target.field and f.bits is not None for f in fields)


# ---- operators --------------------------------------------------------------------------------------


def binary_value(ctx: Context, node: Node) -> ex.Expr:
    """The value of a binary operator that is no assignment."""
    op = node.operator
    if op == kinds.COMMA:
        ctx.effect(node.children[0])
        return ctx.value(node.children[1])
    if op in (kinds.LOGICAL_AND, kinds.LOGICAL_OR):
        return build.convert(condition(ctx, node), ctx.types.node(node), node.loc)
    left, right = (ctx.value(child) for child in node.expressions)
    if op in _COMPARISONS:
        return build.convert(_compared(op, left, right, node.loc), ctx.types.node(node), node.loc)
    if op not in _ARITHMETIC:
        raise ctx.refused(node, "an operator that is not read")
    return operated(ctx, op, left, right, node)


def _compared(op: int, left: ex.Expr, right: ex.Expr, loc: Loc) -> ex.Expr:
    """A comparison; pointers to different types are compared as addresses, a real number with a complex one as one.

    A null pointer stands on the right.
    """
    if isinstance(left, ex.Literal) and isinstance(left.type, Pointer) and op in (kinds.EQ, kinds.NE):
        left, right = right, left
    if not build.same(left.type, right.type):
        if isinstance(left.type, Pointer | Complex):
            right = build.convert(right, left.type, loc)
        else:
            left = build.convert(left, right.type, loc)
    return build.compare(_COMPARISONS[op], left, right, loc)


def operated(ctx: Context, op: int, left: ex.Expr, right: ex.Expr, node: Node) -> ex.Expr:
    """An arithmetic operator on operands as C has converted them: numbers, or a pointer and a number."""
    loc = node.loc
    if isinstance(left.type, Pointer) and isinstance(right.type, Pointer):
        return ex.Distance(left, build.convert(right, left.type, loc), I64, loc)
    if isinstance(right.type, Pointer):
        left, right = right, left
    if isinstance(left.type, Pointer):
        _check_steps(ctx, left.type, node)
        return moved(left, right, op == kinds.SUB, loc)
    if isinstance(left.type, Complex) or isinstance(right.type, Complex):
        return complex_binary(ctx, _ARITHMETIC[op], left, right, loc)
    if op not in (kinds.SHL, kinds.SHR) and left.type != right.type:
        raise ctx.refused(node, "an operator on types that are not read")
    if not isinstance(left.type, Bool) and not is_number(left.type):
        raise ctx.refused(node, "an operator on types that are not read")
    return build.binary(_ARITHMETIC[op], left, right, loc)


def _check_steps(ctx: Context, pointer: Type, node: Node) -> None:
    if not isinstance(pointer, Pointer) or pointer.to == VOID or isinstance(pointer.to, Routine):
        raise ctx.refused(node, "arithmetic on a pointer to void or to a function")
    ctx.look_into(pointer.to)


def moved(pointer: ex.Expr, index: ex.Expr, back: bool, loc: Loc) -> ex.Expr:
    """A pointer `index` elements further, or back."""
    if back:
        index = negative(build.convert(index, I64, loc), loc)
    return build.offset(pointer, index, loc)


# ---- conditions -------------------------------------------------------------------------------------


def condition(ctx: Context, node: Node) -> ex.Expr:
    """An expression as a truth value."""
    bare = node.bare()
    if bare.kind == kinds.BINARY and bare.operator in (kinds.LOGICAL_AND, kinds.LOGICAL_OR):
        return _logical(ctx, bare)
    if bare.kind == kinds.UNARY and bare.operator == kinds.NOT:
        return build.negated(condition(ctx, bare.children[0]), bare.loc)
    return build.as_truth(ctx.value(node), node.loc)


def _logical(ctx: Context, node: Node) -> ex.Expr:
    """`a && b`, `a || b`; a branch where `b` has effects."""
    left_node, right_node = node.expressions
    conjunction = node.operator == kinds.LOGICAL_AND
    left = condition(ctx, left_node)
    with ctx.block() as effects:
        right = condition(ctx, right_node)
    if not effects:
        return (build.both if conjunction else build.either)(left, right, node.loc)
    known = ctx.keep(left, node.loc)
    assert isinstance(known, ex.Load)
    with ctx.block() as then:
        ctx.out += effects
        ctx.assign(known.source, right, node.loc)
    ctx.branch(known if conjunction else build.negated(known, node.loc), then, [], node.loc)
    return known


def _conditional(ctx: Context, node: Node) -> ex.Expr:
    """`c ? a : b`; a branch where `a` or `b` has effects."""
    test, then, otherwise = node.expressions
    return choice(ctx, condition(ctx, test), lambda: ctx.value(then), lambda: ctx.value(otherwise), node)


def choice(
    ctx: Context, test: ex.Expr, then: Callable[[], ex.Expr], otherwise: Callable[[], ex.Expr], node: Node
) -> ex.Expr:
    """One of two values."""
    with ctx.block() as first:
        a = then()
    with ctx.block() as second:
        b = otherwise()
    t, loc = _chosen_type(ctx, a, b, node), node.loc
    if not first and not second:
        return ex.Select(test, build.convert(a, t, loc), build.convert(b, t, loc), t, loc)
    result = ctx.temporary(t, loc)
    ctx.declare(result, None, loc)
    for statements, value in ((first, a), (second, b)):
        with ctx.block() as arm:
            ctx.out += statements
            ctx.assign(build.name(result, loc), value, loc)
        statements[:] = arm
    ctx.branch(test, first, second, loc)
    return build.read(result, loc)


def _chosen_type(ctx: Context, a: ex.Expr, b: ex.Expr, node: Node) -> Type:
    """Clang's type, but for pointers to rows, whose length it does not tell."""
    t = ctx.types.node(node)
    if isinstance(t, Pointer):
        return next((x.type for x in (a, b) if agrees(x.type, t)), t)
    return t


def _choice_effect(ctx: Context, node: Node) -> None:
    """A conditional whose value nobody asks for."""
    test_node, then_node, otherwise_node = node.expressions
    test = condition(ctx, test_node)
    sides: list[list[st.Stmt]] = []
    for part_ in (then_node, otherwise_node):
        with ctx.block() as side:
            ctx.effect(part_)
        sides.append(side)
    ctx.branch(test, sides[0], sides[1], node.loc)


# ---- what stands in brackets ----------------------------------------------------------------------------


def _logical_effect(ctx: Context, node: Node) -> None:
    left, right = node.expressions
    test = condition(ctx, left)
    with ctx.block() as effects:
        ctx.effect(right)
    known = test if node.operator == kinds.LOGICAL_AND else build.negated(test, node.loc)
    ctx.branch(known, effects, [], node.loc)


def binary_effect(ctx: Context, node: Node) -> None:
    """An operator whose value nobody asks for."""
    if node.operator == kinds.COMMA:
        for child in node.expressions:
            ctx.effect(child)
    elif node.operator in (kinds.LOGICAL_AND, kinds.LOGICAL_OR):
        _logical_effect(ctx, node)
    else:
        ctx.value(node)


def _inner_effect(ctx: Context, node: Node) -> None:
    ctx.effect(node.expressions[-1])


VALUES.update(
    {
        kinds.DECL_REF: _declared,
        kinds.MEMBER: _loaded,
        kinds.SUBSCRIPT: _loaded,
        kinds.CONDITIONAL: _conditional,
        kinds.PAREN: lambda ctx, node: ctx.value(node.children[0]),
    }
)
LVALUES.update(
    {
        kinds.PAREN: lambda ctx, node: ctx.lvalue(node.children[0]),
        kinds.DECL_REF: _name,
        kinds.SUBSCRIPT: _subscript,
        kinds.UNARY: _unary_lvalue,
        kinds.MEMBER: _member,
    }
)
EFFECTS.update(
    {
        kinds.PAREN: _inner_effect,
        kinds.CAST: _inner_effect,
        kinds.CONDITIONAL: _choice_effect,
    }
)
