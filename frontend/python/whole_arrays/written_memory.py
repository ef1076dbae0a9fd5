"""Which memory a function of Python may write: by the name of an array, or by one that may share its memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from raising.frontend.python.annotations import parameters

Functions = Mapping[str, ast.FunctionDef]

_READING = frozenset(
    ("len", "enumerate", "abs", "min", "max", "range", "zip", "reversed", "int", "float", "bool", "complex", "round")
    + ("sum", "any", "all", "pow", "divmod")
)
"""Functions of Python that only read an array."""
_NEW = frozenset({"empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "copy"})
"""Functions of NumPy that make an array which nobody else has."""


def may_write(function: ast.AST, name: str, functions: Functions, rebound: bool = True) -> bool:
    """Whether a function, or statements, may write the memory of an array by its name; to set it counts if `rebound`.

    To exchange it counts always: who has its memory then may be written under another name. Of the `functions` of the
    file it is known which of their parameters they may write.
    """
    targets = [t for n in ast.walk(function) if isinstance(n, ast.Assign) for t in n.targets]
    bound = [t for t in targets if rebound or isinstance(t, ast.Tuple | ast.List)]
    return _writes(function, name, functions) or any(sets(t, name) for t in bound)


def may_be_written(function: ast.AST, name: str, functions: Functions) -> bool:
    """Whether the memory of an array may be written, as far as syntax tells: by this name or one that may share it."""
    nodes = list(ast.walk(function))
    others = {t for n in nodes if isinstance(n, ast.Assign) and _may_share(n.value, name) for t in _stored(n)}
    others |= {t for n in nodes if isinstance(n, ast.For) and mentions(n.iter, name) for t in _stored(n)}
    return any(_writes(function, each, functions) for each in {name, *others})


def _writes(function: ast.AST, name: str, functions: Functions) -> bool:
    """Whether a store, an update or a call may write the memory that a name stands for, as far as syntax tells."""
    return any(name in _memory(target) for node in ast.walk(function) for target in _targets(node, functions))


def _targets(node: ast.AST, functions: Functions) -> Iterator[ast.expr]:
    """Expressions whose memory a statement or call may write; one call in another is asked where it is passed on."""
    match node:
        case ast.Subscript(value=array, ctx=context) | ast.Attribute(value=array, ctx=context):
            yield from [] if isinstance(context, ast.Load) else [array]
        case ast.AugAssign():
            yield node.target
        case ast.Call(func=ast.Name(id=called)):
            given = [*node.args, *(k.value for k in node.keywords)] if called not in _READING else []
            if called in functions:
                given = _written(node, functions[called], {n: f for n, f in functions.items() if n != called})
            yield from (a for a in given if not isinstance(a, ast.Call))
        case ast.Call(func=ast.Attribute(value=receiver, attr=called)):
            yield from (k.value for k in node.keywords if k.arg in ("out", "dst"))
            yield from [receiver] if called in ("fill", "sort") else []
            yield from node.args[:1] if called in ("at", "copyto", "fill_diagonal") else []


def _written(call: ast.Call, callee: ast.FunctionDef, functions: Functions) -> list[ast.expr]:
    """The arguments of a call whose memory the function of the file may write; a part of one that it gives counts."""
    names = [p.arg for p in parameters(callee)]
    given = [*zip(names, call.args, strict=False), *((k.arg or "", k.value) for k in call.keywords)]
    starred = any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)
    return [v for n, v in given if starred or may_be_written(callee, n, functions)]


def _memory(value: ast.AST) -> set[str]:
    """The names whose memory an expression may have: what operators give, subscripts and lengths are no such."""
    match value:
        case ast.Name():
            return {value.id}
        case ast.Subscript():
            return _memory(value.value)
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Attribute(attr="shape" | "size" | "ndim"):
            return set()
    return {name for part in ast.iter_child_nodes(value) for name in _memory(part)}


def _may_share(value: ast.expr, name: str) -> bool:
    """Whether a value may be the memory of an array: what operators give is not, and no copy."""
    parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value]
    shares = [p for p in parts if not isinstance(p, ast.BinOp | ast.UnaryOp | ast.Compare) and not is_new(p)]
    return any(mentions(p, name) for p in shares)


def is_new(value: ast.expr) -> bool:
    """Whether a value is an array that nobody else has."""
    match value:
        case ast.Call(func=ast.Attribute(attr=made)):
            return made in _NEW
    return False


def sets(statement: ast.AST, name: str) -> bool:
    """Whether a statement, or one in it, or a target sets a name."""
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(statement))


def _stored(node: ast.Assign | ast.For) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def mentions(node: ast.AST, name: str) -> bool:
    """Whether a name occurs in a node."""
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
