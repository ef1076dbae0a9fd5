"""A tree as C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.hunt.drawn.tree import (
    C_NAMES,
    Array,
    Bin,
    Cast,
    Decl,
    Elem,
    Expr,
    Fn,
    For,
    Function,
    Global,
    If,
    Jump,
    Num,
    Param,
    Sel,
    Set,
    Stmt,
    Un,
    Var,
)

HEADER = "#include <math.h>\n"


def function(tree: Function, name: str) -> str:
    """The globals of a function, and the function with this name."""
    given = ", ".join(map(parameter, tree.params)) or "void"
    result = "void" if tree.returns is None else "double"
    lines = [*map(variable, tree.globals), f"{result} {name}({given}) {{", *statements(tree.body, 1)]
    if tree.returns is not None:
        lines.append(f"  return {expression(tree.returns)};")
    return "\n".join([*lines, "}", ""])


def parameter(one: Param) -> str:
    """A parameter as it is declared; an array of which the first extent is unknown is a pointer."""
    kind = C_NAMES[one.type]
    if not isinstance(one, Array):
        return f"{kind} {one.name}"
    word = "restrict " if one.restrict else ""
    first, *rest = one.dims
    inner = "".join(f"[{expression(d)}]" for d in rest if d is not None)
    if first is None:
        return f"{kind} (*{word}{one.name}){inner}" if inner else f"{kind} *{word}{one.name}"
    return f"{kind} {one.name}[{word}{expression(first)}]{inner}"


def variable(one: Global) -> str:
    """A global with its initial values."""
    dims = "".join(f"[{expression(d)}]" for d in one.what.dims if d) if isinstance(one.what, Array) else ""
    text = ", ".join(expression(Num(v, one.what.type)) for v in one.init)
    init = "" if not one.init else f" = {{{text}}}" if dims else f" = {text}"
    word = f"{one.linkage} " if one.linkage else ""
    return f"{word}{C_NAMES[one.what.type]} {one.what.name}{dims}{init};"


def statements(nodes: Sequence[Stmt], depth: int) -> list[str]:
    """The lines of some statements."""
    return [line for node in nodes for line in _statement(node, "  " * depth, depth)]


def _statement(node: Stmt, pad: str, depth: int) -> Iterator[str]:
    match node:
        case Set():
            equals = "=" if node.op == "=" else f"{node.op}="
            yield f"{pad}{expression(node.target)} {equals} {expression(node.value)};"
        case Decl():
            dims = "".join(f"[{d}]" for d in node.dims)
            yield f"{pad}{C_NAMES[node.type]} {node.name}{dims} = {'{0}' if dims else expression(node.init)};"
        case For():
            yield from _loop(node, pad, depth)
        case Jump():
            yield f"{pad}{node.word};"
        case If():
            yield f"{pad}if ({expression(node.cond)}) {{"
            yield from statements(node.then, depth + 1)
            if node.other:
                yield f"{pad}}} else {{"
                yield from statements(node.other, depth + 1)
            yield f"{pad}}}"


def _loop(node: For, pad: str, depth: int) -> Iterator[str]:
    start = f"{C_NAMES[node.type]} {node.var} = {expression(node.low)}"
    test = f"{node.var} {node.cmp} {expression(node.high)}"
    step = f"{node.var}{'++' if node.step == 1 else '--' if node.step == -1 else f' += {node.step}'}"
    if node.style in ("while", "do"):
        first, last = (f"while ({test}) {{", "}") if node.style == "while" else ("do {", f"}} while ({test});")
        yield f"{pad}{{"
        yield f"{pad}  {start};"
        yield f"{pad}  {first}"
        yield from statements(node.body, depth + 2)
        yield f"{pad}    {step};"
        yield f"{pad}  {last}"
    else:
        body, also = (node.body[:-1], node.body[-1:]) if node.style == "step" else (node.body, ())
        step = ", ".join([*(line.rstrip(";") for line in statements(also, 0)), step])
        yield f"{pad}for ({start}; {test}; {step}) {{"
        yield from statements(body, depth + 1)
    yield f"{pad}}}"


def expression(node: Expr) -> str:
    """An expression, in parentheses where it is a compound."""
    match node:
        case Num():
            return number(node)
        case Var():
            return node.name
        case Elem():
            return node.array + "".join(f"[{_open(s)}]" for s in node.subs)
        case Bin():
            return f"({expression(node.a)} {node.op} {expression(node.b)})"
        case Un():
            return f"({node.op}{expression(node.a)})"
        case Sel():
            return f"({expression(node.c)} ? {expression(node.a)} : {expression(node.b)})"
        case Cast():
            return f"({C_NAMES[node.type]}){_closed(node.a)}"
        case Fn():
            return f"{node.name}({', '.join(map(_open, node.args))})"


def _open(node: Expr) -> str:
    text = expression(node)
    return text[1:-1] if isinstance(node, Bin) else text


def _closed(node: Expr) -> str:
    text = expression(node)
    return f"({text})" if text.startswith("-") else text


def number(node: Num) -> str:
    """A constant of its type."""
    if node.type in ("f64", "f32"):
        text = f"{float(node.value)!r}" + ("f" if node.type == "f32" else "")
    else:
        suffix = {"u32": "u", "i64": "l", "u64": "ul"}.get(node.type, "")
        text = f"{int(node.value)}{suffix}"
        text = f"({C_NAMES[node.type]}){text}" if node.type in ("i8", "i16", "u8", "u16", "bool") else text
    return f"({text})" if text.startswith("-") else text
