"""The core as text, for people and for golden tests. It shows every conversion and the type of every constant that is
neither an `i32` nor an `f64`; what wraps around has `%` behind its operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raising.frontend.core.expression_nodes import (
    AddressOf,
    Aggregate,
    Binary,
    Bytes,
    Compare,
    Convert,
    Decay,
    Deref,
    Distance,
    Expr,
    Half,
    Initial,
    Intrinsic,
    Literal,
    Load,
    Logical,
    Lvalue,
    MakeComplex,
    Member,
    Name,
    Not,
    Offset,
    Part,
    RoutineName,
    Select,
    Unary,
)
from raising.frontend.core.statement_nodes import (
    Assign,
    Assume,
    Break,
    Call,
    Continue,
    Declare,
    Function,
    Global,
    Goto,
    If,
    Label,
    Loop,
    RecordLayout,
    Refused,
    Region,
    Return,
    Stmt,
    Switch,
    Unit,
    Variable,
)
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
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_TAB = "  "


def type_text(t: Type) -> str:
    """A type, outermost first: `*[m]f64` points to rows of m numbers."""
    return _TYPES[type(t)](t)


def extent_text(extent: int | Expr | None) -> str:
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


def expr_text(node: Expr | Lvalue) -> str:
    """An expression or lvalue; every operator but those of the outermost level stands in parentheses."""
    return _EXPRESSIONS[type(node)](node)


def _inner(node: Expr | Lvalue) -> str:
    text = expr_text(node)
    return f"({text})" if isinstance(node, _INFIX) else text


def _literal(node: Literal) -> str:
    if isinstance(node.type, Bool):
        return "true" if node.value else "false"
    if isinstance(node.type, Pointer):
        return "null"
    return repr(node.value) if node.type in (I32, F64) else f"{node.value!r}:{type_text(node.type)}"


def _deref(node: Deref) -> str:
    pointer = node.pointer
    if isinstance(pointer, Offset):
        return f"{_array(pointer.pointer)}[{expr_text(pointer.index)}]"
    return f"*{_inner(pointer)}"


def _array(pointer: Expr) -> str:
    return _inner(pointer.array) if isinstance(pointer, Decay) else _inner(pointer)


def _member(node: Member) -> str:
    if isinstance(node.base, Deref) and not isinstance(node.base.pointer, Offset):
        return f"{_inner(node.base.pointer)}->{node.field}"
    return f"{_inner(node.base)}.{node.field}"


def _bytes(node: Bytes) -> str:
    values = node.values[:-1]
    if all(0 <= v < 256 for v in values):
        return repr(bytes(values))[1:]
    return f"chars{node.values}"


def _offset(node: Offset) -> str:
    return f"{_inner(node.pointer)} + {_inner(node.index)}"


def _binary(node: Binary) -> str:
    return f"{_inner(node.left)} {_BINARY[node.op]}{'%' * node.wraps} {_inner(node.right)}"


def _unary(node: Unary) -> str:
    return f"{'-' if node.op == 'neg' else '~'}{'%' * (node.wraps and node.op == 'neg')}{_inner(node.operand)}"


def _select(node: Select) -> str:
    return f"{_inner(node.condition)} ? {_inner(node.then)} : {_inner(node.otherwise)}"


_EXPRESSIONS: dict[type, Callable[..., str]] = {
    Name: lambda n: n.name,
    Deref: _deref,
    Member: _member,
    Half: lambda n: f"{_inner(n.base)}.{('re', 'im')[n.which]}",
    Bytes: _bytes,
    Literal: _literal,
    Load: lambda n: expr_text(n.source),
    AddressOf: lambda n: f"&{_inner(n.target)}",
    Decay: lambda n: f"&{_inner(n.array)}[0]",
    RoutineName: lambda n: f"&{n.name}",
    Offset: _offset,
    Distance: lambda n: f"{_inner(n.left)} - {_inner(n.right)}",
    Unary: _unary,
    Binary: _binary,
    Compare: lambda n: f"{_inner(n.left)} {_COMPARE[n.op]} {_inner(n.right)}",
    Not: lambda n: f"!{_inner(n.operand)}",
    Logical: lambda n: f"{_inner(n.left)} {'&&' if n.op == 'and' else '||'} {_inner(n.right)}",
    Select: _select,
    Convert: lambda n: f"{_type_name(n.type)}({expr_text(n.operand)})",
    MakeComplex: lambda n: f"{type_text(n.type)}({expr_text(n.real)}, {expr_text(n.imaginary)})",
    Part: lambda n: f"{_inner(n.operand)}.{('re', 'im')[n.which]}",
    Intrinsic: lambda n: f"{n.name}({', '.join(map(expr_text, n.arguments))})",
}
_INFIX = (Offset, Binary, Compare, Logical, Select, Distance)


def _type_name(t: Type) -> str:
    return f"({type_text(t)})" if isinstance(t, Pointer | Array | Routine) else type_text(t)


def initial_text(node: Initial) -> str:
    """An initial value; values of an aggregate that do not follow the one before have their position."""
    if not isinstance(node, Aggregate):
        return expr_text(node)
    parts, following = [], 0
    for k, item in node.items:
        parts.append(("" if k == following else f"[{k}] = ") + initial_text(item))
        following = k + 1
    return "{" + ", ".join(parts) + "}"


# ---- statements -----------------------------------------------------------------------------------


def body_lines(body: tuple[Stmt, ...], tabs: str = "") -> Iterator[str]:
    """Statements, a line each, what is inside of them two columns further in."""
    for stmt in body:
        yield from _statement(stmt, tabs)


def _statement(stmt: Stmt, tabs: str) -> Iterator[str]:
    match stmt:
        case If():
            yield f"{tabs}if {expr_text(stmt.condition)}"
            yield from body_lines(stmt.then, tabs + _TAB)
            if stmt.otherwise:
                yield f"{tabs}else"
                yield from body_lines(stmt.otherwise, tabs + _TAB)
        case Loop():
            yield from _loop(stmt, tabs)
        case Switch():
            yield from _switch(stmt, tabs)
        case Region():
            yield f"{tabs}region"
            yield from body_lines(stmt.body, tabs + _TAB)
        case _:
            yield tabs + _SIMPLE[type(stmt)](stmt)


def _loop(stmt: Loop, tabs: str) -> Iterator[str]:
    condition = expr_text(stmt.condition)
    yield f"{tabs}loop {f'while {condition}' if stmt.tests_first and not stmt.test else stmt.keyword}"
    inner = tabs + _TAB
    test = [*body_lines(stmt.test, inner + _TAB)]
    if stmt.tests_first and stmt.test:
        yield from (f"{inner}test", *test, f"{inner}  while {condition}")
        yield f"{inner}body"
        inner += _TAB
    yield from body_lines(stmt.body, inner)
    if stmt.step:
        yield f"{tabs}step"
        yield from body_lines(stmt.step, tabs + _TAB)
    if not stmt.tests_first:
        yield f"{tabs}test"
        yield from body_lines(stmt.test, tabs + _TAB)
        yield f"{tabs}  while {condition}"


def _switch(stmt: Switch, tabs: str) -> Iterator[str]:
    yield f"{tabs}switch {expr_text(stmt.value)}"
    for arm in stmt.arms:
        yield f"{tabs}case {', '.join([*map(str, arm.values), *['default'] * arm.default])}"
        yield from body_lines(arm.body, tabs + _TAB)
        if arm.falls:
            yield f"{tabs}  falls"


def _declare(stmt: Declare) -> str:
    initial = "" if stmt.initial is None else f" = {initial_text(stmt.initial)}"
    return f"{'let' if stmt.variable.storage == 'hidden' else 'var'} {variable_text(stmt.variable)}{initial}"


def _call(stmt: Call) -> str:
    result = "" if stmt.result is None else f"let {variable_text(stmt.result)} = "
    callee = stmt.callee if isinstance(stmt.callee, str) else f"*{_inner(stmt.callee)}"
    return f"{result}call {callee}({', '.join(map(expr_text, stmt.arguments))})"


def _refused(stmt: Refused) -> str:
    return f"refused {stmt.loc.line}:{stmt.loc.col}: {stmt.reason}"


_SIMPLE: dict[type, Callable[..., str]] = {
    Declare: _declare,
    Assign: lambda s: f"{expr_text(s.target)} = {expr_text(s.value)}",
    Call: _call,
    Break: lambda s: "break",
    Continue: lambda s: "continue",
    Return: lambda s: "return" if s.value is None else f"return {expr_text(s.value)}",
    Goto: lambda s: f"goto {s.label}",
    Label: lambda s: f"label {s.label}",
    Assume: lambda s: f"assume {expr_text(s.condition)}",
    Refused: _refused,
}

# ---- units ----------------------------------------------------------------------------------------


def variable_text(variable: Variable) -> str:
    """A variable with its type and what is known of it."""
    length = ""
    if variable.length is not None:
        length = f" length {'promised ' * variable.promised}{extent_text(variable.length)}"
    return f"{variable.name}: {'const ' * variable.constant}{type_text(variable.type)}{length}"


def function_text(function: Function) -> str:
    """A function with its body."""
    marks = [mark for mark, on in (("static", not function.external), ("inline", function.inline)) if on]
    marks += ["noreturn"] * (not function.returns)
    parameters = [*map(variable_text, function.parameters), *["..."] * function.variadic]
    head = " ".join([*marks, f"function {function.name}({', '.join(parameters)}) {type_text(function.result)}"])
    if function.body is None:
        return f"declare {head}\n"
    return "\n".join([head, *body_lines(function.body, _TAB)]) + "\n"


def unit_text(unit: Unit) -> str:
    """A whole file."""
    parts = [_record(r) for r in unit.records.values()]
    parts += [_global(g) for g in unit.globals.values()]
    parts += [function_text(f) for f in unit.routines.values()]
    parts += [f"remark {loc.line}:{loc.col}: {text}\n" for loc, text in unit.remarks]
    return "\n".join(parts)


def _record(record: RecordLayout) -> str:
    kind = "union" if record.union else "struct"
    if record.fields is None:
        return f"declare {kind} %{record.name}\n"
    fields = [
        f"{_TAB}{f.name}: {type_text(f.type)} at {f.offset}{f' bits {f.bits}' if f.bits is not None else ''}"
        for f in record.fields
    ]
    return "\n".join([f"{kind} %{record.name} of {record.size} bytes", *fields]) + "\n"


def _global(item: Global) -> str:
    head = "global" if item.external else "static global"
    thread = " thread" * (item.variable.storage == "thread")
    initial = " = extern" if item.initial is None else f" = {initial_text(item.initial)}"
    return f"{head}{thread} {variable_text(item.variable)}{initial}\n"
