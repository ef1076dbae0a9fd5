"""Statements and whole files of the core as text, for golden tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from raising.frontend.core.expression_nodes import (
    Aggregate,
    Initial,
)
from raising.frontend.core.printer import expr_text, extent_text, inner_text, type_text
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

_TAB = "  "


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
    callee = stmt.callee if isinstance(stmt.callee, str) else f"*{inner_text(stmt.callee)}"
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
