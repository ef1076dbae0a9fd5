"""A tree as Python: loops over NumPy arrays. Sizes and counters are Python's own numbers, where C has long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.hunt.drawn.tree import (
    FLOATS,
    NUMPY,
    Array,
    Bin,
    Cast,
    Decl,
    Elem,
    Expr,
    Fn,
    For,
    Function,
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

HEADER = "import math\n\nimport numpy as np\nfrom numpy import bool_, float32, float64, int32, int64\n\n\n"
_FUNCTIONS = {"fabs": "abs", "sqrt": "math.sqrt", "exp": "math.exp"}


def function(tree: Function, name: str) -> str:
    """The function; a compound assignment to a number that is local is one here, too."""
    given = ", ".join(f"{p.name}: {_annotation(p)}" for p in tree.params)
    return "\n".join([f"def {name}({given}):", *statements(tree.body, 1), "", ""])


def _annotation(p: Param) -> str:
    if not isinstance(p, Array):
        return "int" if p.size else NUMPY[p.type]
    extents = ", ".join(":" if d is None else expression(d) for d in p.dims)
    if any(d is None for d in p.dims):
        extents = ", ".join([":"] * len(p.dims))
    return f'"{NUMPY[p.type]}[{extents}]"'


def statements(nodes: Sequence[Stmt], depth: int) -> list[str]:
    """The lines of some statements."""
    return [line for node in nodes for line in _statement(node, "    " * depth, depth)] or ["    " * depth + "pass"]


def _statement(node: Stmt, pad: str, depth: int) -> Iterator[str]:
    match node:
        case Set():
            yield f"{pad}{expression(node.target)} {'=' if node.op == '=' else node.op + '='} {expression(node.value)}"
        case Decl():
            yield f"{pad}{node.name} = {NUMPY[node.type]}({expression(node.init)})"
        case For():
            more = {"<": 0, "<=": 1, ">": 0, ">=": -1}[node.cmp]
            high = expression(Bin("+", node.high, Num(more)) if more else node.high)
            step = f", {node.step}" if node.step != 1 else ""
            yield f"{pad}for {node.var} in range({expression(node.low)}, {high}{step}):"
            yield from statements(node.body, depth + 1)
        case Jump():
            yield f"{pad}{node.word}"
        case If():
            yield f"{pad}if {expression(node.cond)}:"
            yield from statements(node.then, depth + 1)
            if node.other:
                yield f"{pad}else:"
                yield from statements(node.other, depth + 1)


def expression(node: Expr) -> str:
    """An expression."""
    match node:
        case Num():
            text = repr(float(node.value)) if node.type in FLOATS else str(int(node.value))
            return f"({text})" if text.startswith("-") else text
        case Var():
            return node.name
        case Elem():
            return f"{node.array}[{', '.join(map(expression, node.subs))}]"
        case Bin():
            op = {"&&": "and", "||": "or", "/": "//"}.get(node.op, node.op)
            return f"({expression(node.a)} {op} {expression(node.b)})"
        case Un():
            return f"({'not ' if node.op == '!' else node.op}{expression(node.a)})"
        case Sel():
            return f"({expression(node.a)} if {expression(node.c)} else {expression(node.b)})"
        case Cast():
            return f"{NUMPY[node.type]}({expression(node.a)})"
        case Fn():
            return f"{_FUNCTIONS[node.name]}({', '.join(map(expression, node.args))})"
