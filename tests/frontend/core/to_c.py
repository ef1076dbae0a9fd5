"""The core as C for gcc: so that what a reader made of a file can be run beside the file itself.

Nothing is left to C's conversions or to its order of evaluation here, so it shows what the core says.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from raising.frontend.core import expression_nodes as n
from raising.frontend.core import statement_nodes as s
from raising.frontend.core import types as t
from raising.frontend.core.traverse import inside

_HEAD = """
typedef signed char i8; typedef short i16; typedef int i32; typedef long i64; typedef __int128 i128;
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long u64;
typedef unsigned __int128 u128;
"""
_RENAMED: dict[str, str] = {}
_FLOATS = {16: "_Float16", 32: "float", 64: "double", 80: "long double", 128: "__float128"}
_OPS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "&", "or": "|", "xor": "^"} | {
    "shl": "<<",
    "shr": ">>",
}
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def name(text: str) -> str:
    """A name that C takes."""
    return text.replace(".", "__")


def c_type(x: t.Type) -> str:
    """A type as a name that declares whatever stands behind it."""
    match x:
        case t.Void():
            return "void"
        case t.Bool():
            return "_Bool"
        case t.Int():
            return f"{'i' if x.signed else 'u'}{x.width}"
        case t.Float():
            return _FLOATS[x.width]
        case t.Complex():
            return f"_Complex {_FLOATS[x.part.width]}"
        case t.Pointer(to=t.Routine() as routine):
            parameters = [c_type(p) for p in routine.parameters]
            return f"__typeof__({c_type(routine.result)} (*)({', '.join(parameters) or ''}))"
        case t.Pointer():
            return f"__typeof__({c_type(x.to)} *)"
        case t.Array():
            extent = "" if x.extent is None else x.extent if isinstance(x.extent, int) else expr(x.extent)
            return f"__typeof__({c_type(x.element)} [{extent}])"
        case t.Record():
            return f"struct {name(x.name)}" if x.name not in _RENAMED else f"union {name(x.name)}"
    raise NotImplementedError(str(x))


def expr(x: Any) -> str:
    """An expression or lvalue in parentheses."""
    return f"({_EXPRESSIONS[type(x)](x)})"


def _literal(x: n.Literal) -> str:
    if isinstance(x.type, t.Float):
        if math.isnan(x.value) or math.isinf(x.value):
            sign = "-" if math.copysign(1, x.value) < 0 else ""
            call = '__builtin_nan("")' if math.isnan(x.value) else "__builtin_inf()"
            return f"({c_type(x.type)}){sign}{call}"
        return f"({c_type(x.type)}){float(x.value).hex()}"
    if isinstance(x.value, int) and x.value == -(1 << 63):
        return "(i64)(-9223372036854775807l - 1)"
    return f"({c_type(x.type)}){int(x.value)}{'ul' if x.value > (1 << 63) - 1 else 'l'}"


def _string(x: n.Bytes) -> str:
    assert isinstance(x.type, t.Array)
    if isinstance(x.type.element, t.Int) and x.type.element.width == 8:
        return '"' + "".join(f"\\{v % 256:03o}" for v in x.values[:-1]) + '"'
    return f"({c_type(x.type)}){{{', '.join(map(str, x.values))}}}"


def _binary(x: n.Binary) -> str:
    kind = c_type(x.type)
    if x.op in ("floordiv", "floormod"):
        raise NotImplementedError(x.op)
    return f"({kind})({expr(x.left)} {_OPS[x.op]} {expr(x.right)})"


def _intrinsic(x: n.Intrinsic) -> str:
    arguments = ", ".join(expr(a) for a in x.arguments)
    of = x.arguments[0].type
    if x.name == "abs":
        return f"__builtin_llabs({arguments})"
    if x.name in ("popcount", "clz", "ctz"):
        assert isinstance(of, t.Int)
        return f"__builtin_{x.name}{'l' * (of.width == 64)}({arguments})"
    if x.name == "bswap":
        assert isinstance(of, t.Int)
        return f"__builtin_bswap{of.width}({arguments})"
    if isinstance(x.type, t.Bool):
        return f"__builtin_{x.name}({arguments}) != 0"
    part = of.part if isinstance(of, t.Complex) else of
    assert isinstance(part, t.Float)
    return f"__builtin_{x.name}{ {32: 'f', 64: '', 80: 'l'}[part.width] }({arguments})"


_EXPRESSIONS: dict[type, Callable[..., str]] = {
    n.Name: lambda x: name(x.name),
    n.Deref: lambda x: f"*{expr(x.pointer)}",
    n.Member: lambda x: f"{expr(x.base)}.{name(x.field)}",
    n.Half: lambda x: f"{('__real__', '__imag__')[x.which]} {expr(x.base)}",
    n.Bytes: _string,
    n.Literal: _literal,
    n.Load: lambda x: expr(x.source),
    n.AddressOf: lambda x: f"&{expr(x.target)}",
    n.Decay: lambda x: f"&{expr(x.array)}[0]",
    n.RoutineName: lambda x: f"&{x.name}",
    n.Offset: lambda x: f"{expr(x.pointer)} + {expr(x.index)}",
    n.Distance: lambda x: f"{expr(x.left)} - {expr(x.right)}",
    n.Unary: lambda x: f"({c_type(x.type)}){'-' if x.op == 'neg' else '~'}{expr(x.operand)}",
    n.Binary: _binary,
    n.Compare: lambda x: f"(_Bool)({expr(x.left)} {_COMPARE[x.op]} {expr(x.right)})",
    n.Not: lambda x: f"(_Bool)!{expr(x.operand)}",
    n.Logical: lambda x: f"(_Bool)({expr(x.left)} {'&&' if x.op == 'and' else '||'} {expr(x.right)})",
    n.Select: lambda x: f"{expr(x.condition)} ? {expr(x.then)} : {expr(x.otherwise)}",
    n.Convert: lambda x: f"({c_type(x.type)}){expr(x.operand)}",
    n.MakeComplex: lambda x: f"__builtin_complex({expr(x.real)}, {expr(x.imaginary)})",
    n.Part: lambda x: f"{('__real__', '__imag__')[x.which]} {expr(x.operand)}",
    n.Intrinsic: _intrinsic,
}


def initial(x: n.Initial, unit: s.Unit) -> str:
    """An initial value."""
    if not isinstance(x, n.Aggregate):
        return expr(x)
    parts = []
    for k, item in x.items:
        if isinstance(x.type, t.Record):
            fields = unit.records[x.type.name].fields
            assert fields is not None
            parts.append(f".{name(fields[k].name)} = {initial(item, unit)}")
        else:
            parts.append(f"[{k}] = {initial(item, unit)}")
    return "{" + ", ".join(parts) + "}"


class Body:
    """The statements of a function."""

    def __init__(self, unit: s.Unit) -> None:
        self.unit = unit
        self.loops = 0

    def lines(self, body: tuple[s.Stmt, ...], label: str = "") -> Iterator[str]:
        for stmt in body:
            yield from self.line(stmt, label)

    def line(self, stmt: s.Stmt, label: str) -> Iterator[str]:
        match stmt:
            case s.If():
                yield f"if {expr(stmt.condition)} {{"
                yield from self.lines(stmt.then, label)
                yield "} else {"
                yield from self.lines(stmt.otherwise, label)
                yield "}"
            case s.Loop():
                yield from self.loop(stmt)
            case s.Switch():
                yield from self.switch(stmt, label)
            case s.Region():
                yield from self.lines(stmt.body, label)
            case s.Continue():
                yield f"goto {label};"
            case _:
                yield self.simple(stmt) + ";"

    def simple(self, stmt: s.Stmt) -> str:
        match stmt:
            case s.Declare():
                value = "" if stmt.initial is None else f" = {initial(stmt.initial, self.unit)}"
                return f"{c_type(stmt.variable.type)} {name(stmt.variable.name)}{value}"
            case s.Assign():
                return f"{expr(stmt.target)} = {expr(stmt.value)}"
            case s.Call():
                callee = stmt.callee if isinstance(stmt.callee, str) else expr(stmt.callee)
                result = "" if stmt.result is None else f"{c_type(stmt.result.type)} {name(stmt.result.name)} = "
                return f"{result}{callee}({', '.join(map(expr, stmt.arguments))})"
            case s.Return():
                return f"return{'' if stmt.value is None else ' ' + expr(stmt.value)}"
            case s.Goto():
                return f"goto {stmt.label}"
            case s.Label():
                return f"{stmt.label}: "
        return {s.Break: "break", s.Refused: "__builtin_trap()"}.get(type(stmt), "")

    def loop(self, stmt: s.Loop) -> Iterator[str]:
        self.loops += 1
        label = f"next_{self.loops}"
        yield "while (1) {"
        test = [*self.lines(stmt.test), f"if (!{expr(stmt.condition)}) break;"]
        if stmt.tests_first:
            yield from test
        yield "{"
        yield from self.lines(stmt.body, label)
        yield f"}} {label}: ;"
        yield from self.lines(stmt.step)
        if not stmt.tests_first:
            yield from test
        yield "}"

    def switch(self, stmt: s.Switch, label: str) -> Iterator[str]:
        yield f"switch {expr(stmt.value)} {{"
        for arm in stmt.arms:
            yield "".join(f"case {v}: " for v in arm.values) + "default: " * arm.default + "{"
            yield from self.lines(arm.body, label)
            yield "}" if arm.falls else "} break;"
        yield "}"


def function(unit: s.Unit, f: s.Function) -> str:
    """A definition; parameters whose types mention hidden variables get them after these."""
    hidden = {v.name for v in f.variables.values() if v.storage == "hidden"}
    late = [p for p in f.parameters if hidden & _names(p.type)]
    heads = [f"void *late__{name(p.name)}" if p in late else f"{c_type(p.type)} {name(p.name)}" for p in f.parameters]
    body = list(f.body or ())
    start = next((k for k, x in enumerate(body) if not _is_extent(x)), len(body))
    written = Body(unit)
    lines = [*written.lines(tuple(body[:start]))]
    lines += [f"{c_type(p.type)} {name(p.name)} = late__{name(p.name)};" for p in late]
    lines += written.lines(tuple(body[start:]))
    head = f"{c_type(f.result)} {f.name}({', '.join([*heads, *['...'] * f.variadic]) or 'void'})"
    return "\n".join([("" if f.external else "static ") + head + " {", *lines, "}"])


def _is_extent(stmt: s.Stmt) -> bool:
    return isinstance(stmt, s.Declare) and stmt.variable.storage == "hidden" and stmt.variable.constant


def _names(x: t.Type) -> set[str]:
    found: set[str] = set()
    while isinstance(x, t.Pointer | t.Array):
        if isinstance(x, t.Array) and x.extent is not None and not isinstance(x.extent, int):
            found |= {part.name for part in inside(x.extent) if isinstance(part, n.Name)}
        x = x.to if isinstance(x, t.Pointer) else x.element
    return found


def unit_c(unit: s.Unit) -> str:
    """The whole unit."""
    _RENAMED.clear()
    _RENAMED.update({r.name: "" for r in unit.records.values() if r.union})
    parts = [_HEAD, *_records(unit)]
    for f in unit.routines.values():
        if not any(_names(p.type) for p in f.parameters):
            parameters = [c_type(p.type) for p in f.parameters] + ["..."] * (f.variadic and bool(f.parameters))
            mark, head = "" if f.external else "static ", f"{c_type(f.result)} {f.name}"
            parts.append(f"{mark}{head}({', '.join(parameters) or ('' if f.variadic else 'void')});")
    for with_value in (False, True):
        for g in unit.globals.values():
            value = "" if g.initial is None or not with_value else f" = {initial(g.initial, unit)}"
            mark = "extern " if g.initial is None else "" if g.external else "static "
            parts.append(f"{mark}{c_type(g.variable.type)} {name(g.variable.name)}{value};")
    parts += [function(unit, f) for f in unit.routines.values() if f.body is not None]
    return re.sub(r"\(\(([\w]+)\)\)", r"(\1)", "\n".join(parts)) + "\n"


def _records(unit: s.Unit) -> Iterator[str]:
    """Records in an order in which those inside of others come first."""
    done: set[str] = set()

    def record(r: s.RecordLayout) -> Iterator[str]:
        if r.name in done:
            return
        done.add(r.name)
        if r.fields is None:
            return
        for f in r.fields:
            inner = t.innermost(f.type)
            if isinstance(inner, t.Record):
                yield from record(unit.records[inner.name])
        fields = "".join(
            f" {c_type(f.type)} {name(f.name)}{'' if f.bits is None else f' : {f.bits}'};" for f in r.fields
        )
        yield f"{'union' if r.union else 'struct'} {name(r.name)} {{{fields} }};"

    for r in unit.records.values():
        yield f"{'union' if r.union else 'struct'} {name(r.name)};"
    for r in unit.records.values():
        yield from record(r)
