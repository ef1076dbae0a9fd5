"""Types and expressions of the core as text, for people. It shows every conversion and the type of every constant that
is neither an `i32` nor an `f64`; what wraps around has `%` behind its operator."""

from __future__ import annotations

from collections.abc import Callable

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core.types import (
    F64,
    I32,
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
    Void,
)

_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "floordiv": "//", "floormod": "mod",
    "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>",
}  # fmt: skip


def type_text(t: Type) -> str:
    """A type, outermost first: `*[m]f64` points to rows of m numbers."""
    return _TYPES[type(t)](t)


def extent_text(extent: int | ex.Expr | None) -> str:
    """An extent; `?` where it is not known."""
    return "?" if extent is None else str(extent) if isinstance(extent, int) else expr_text(extent)


def _routine(t: Routine) -> str:
    parts = [*map(type_text, t.parameters), *["..."] * t.variadic]
    return f"fn({', '.join(parts)}) {type_text(t.result)}"


_TYPES: dict[type, Callable[..., str]] = {
    Void: lambda t: "void",
    Bool: lambda t: "bool",
    Int: lambda t: f"{'i' if t.signed else 'u'}{t.width}",
    Float: lambda t: f"f{t.width}",
    Complex: lambda t: f"c{2 * t.part.width}",
    Pointer: lambda t: f"*{'restrict ' * t.restrict}{'const ' * t.constant}{type_text(t.to)}",
    Array: lambda t: f"[{extent_text(t.extent)}]{type_text(t.element)}",
    Record: lambda t: f"%{t.name}",
    Routine: _routine,
    Opaque: lambda t: f"opaque({t.text})",
}


# ---- expressions ----------------------------------------------------------------------------------


def expr_text(node: ex.Expr | ex.Lvalue) -> str:
    """An expression or lvalue; every operator but those of the outermost level stands in parentheses."""
    return _EXPRESSIONS[type(node)](node)


def inner_text(node: ex.Expr | ex.Lvalue) -> str:
    """An expression as an operand: in parentheses if an operator is its last."""
    text = expr_text(node)
    return f"({text})" if isinstance(node, _INFIX) else text


def _literal(node: ex.Literal) -> str:
    if isinstance(node.type, Bool):
        return "true" if node.value else "false"
    if isinstance(node.type, Pointer):
        return "null"
    return repr(node.value) if node.type in (I32, F64) else f"{node.value!r}:{type_text(node.type)}"


def _deref(node: ex.Deref) -> str:
    pointer = node.pointer
    if isinstance(pointer, ex.Offset):
        return f"{_array(pointer.pointer)}[{expr_text(pointer.index)}]"
    return f"*{inner_text(pointer)}"


def _array(pointer: ex.Expr) -> str:
    return inner_text(pointer.array) if isinstance(pointer, ex.Decay) else inner_text(pointer)


def _member(node: ex.Member) -> str:
    if isinstance(node.base, ex.Deref) and not isinstance(node.base.pointer, ex.Offset):
        return f"{inner_text(node.base.pointer)}->{node.field}"
    return f"{inner_text(node.base)}.{node.field}"


def _bytes(node: ex.Bytes) -> str:
    values = node.values[:-1]
    if all(0 <= v < 256 for v in values):
        return repr(bytes(values))[1:]
    return f"chars{node.values}"


def _binary(node: ex.Binary) -> str:
    return f"{inner_text(node.left)} {_BINARY[node.op]}{'%' * node.wraps} {inner_text(node.right)}"


def _unary(node: ex.Unary) -> str:
    return f"{'-' if node.op == 'neg' else '~'}{'%' * (node.wraps and node.op == 'neg')}{inner_text(node.operand)}"


def _select(node: ex.Select) -> str:
    return f"{inner_text(node.condition)} ? {inner_text(node.then)} : {inner_text(node.otherwise)}"


_EXPRESSIONS: dict[type, Callable[..., str]] = {
    ex.Name: lambda n: n.name,
    ex.Deref: _deref,
    ex.Member: _member,
    ex.Half: lambda n: f"{inner_text(n.base)}.{('re', 'im')[n.which]}",
    ex.Bytes: _bytes,
    ex.Literal: _literal,
    ex.Load: lambda n: expr_text(n.source),
    ex.AddressOf: lambda n: f"&{inner_text(n.target)}",
    ex.Decay: lambda n: f"&{inner_text(n.array)}[0]",
    ex.RoutineName: lambda n: f"&{n.name}",
    ex.Offset: lambda node: f"{inner_text(node.pointer)} + {inner_text(node.index)}",
    ex.Distance: lambda n: f"{inner_text(n.left)} - {inner_text(n.right)}",
    ex.Unary: _unary,
    ex.Binary: _binary,
    ex.Compare: lambda n: f"{inner_text(n.left)} {ex.SIGNS[n.op]} {inner_text(n.right)}",
    ex.Not: lambda n: f"!{inner_text(n.operand)}",
    ex.Logical: lambda n: f"{inner_text(n.left)} {'&&' if n.op == 'and' else '||'} {inner_text(n.right)}",
    ex.Select: _select,
    ex.Convert: lambda n: f"{_type_name(n.type)}({expr_text(n.operand)})",
    ex.MakeComplex: lambda n: f"{type_text(n.type)}({expr_text(n.real)}, {expr_text(n.imaginary)})",
    ex.Part: lambda n: f"{inner_text(n.operand)}.{('re', 'im')[n.which]}",
    ex.Intrinsic: lambda n: f"{n.name}({', '.join(map(expr_text, n.arguments))})",
}
_INFIX = (ex.Offset, ex.Binary, ex.Compare, ex.Logical, ex.Select, ex.Distance)


def _type_name(t: Type) -> str:
    return f"({type_text(t)})" if isinstance(t, Pointer | Array | Routine) else type_text(t)
