"""The C loops as Python loops for Numba, translated statement by statement.

The translation makes a tree of Python's `ast` from the C syntax tree; only the constructs listed here occur in it, and
every name is one of the C function's own. It covers what our kernels use.
"""

from __future__ import annotations

import ast
from typing import Any

from pycparser import c_ast

from raising.frontend.c import COptions
from raising.frontend.c.syntax.parse import parse
from raising.frontend.c.syntax.preprocess import preprocess
from raising.polybench.peers.peer import Peer, Skipped, Subject
from raising.polybench.peers.timing import Program, in_place

_BINARY: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div}
_COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}
_LOGIC: dict[str, type[ast.boolop]] = {"&&": ast.And, "||": ast.Or}
_MATHS = {"sqrt": "sqrt", "exp": "exp", "pow": "power"}


def numba() -> Peer:
    """The loops under `numba.njit`, with reassociation allowed as NumPy users allow it."""

    def told() -> str:
        import numba

        return f"numba {numba.__version__}, njit(fastmath=True) on the loops"

    def prepare(subject: Subject) -> Program:
        from numba import typeof

        if not subject.kernel:
            raise Skipped("only the kernels of this package are translated")
        call = _jit(translated(subject), subject.function)
        call.compile(tuple(map(typeof, subject.values.values())))
        return in_place(call, subject.values, subject.outputs)

    return Peer("numba", told, prepare, threaded=False)


def translated(subject: Subject) -> ast.Module:
    """The C function as a Python module with one function of the same name."""
    macros = [f"{name}={value}" for name, value in subject.defines.items()]
    text = preprocess(subject.source.read_text(), str(subject.source), COptions(defines=tuple(macros)))
    found = parse(text, str(subject.source)).functions[subject.function]
    names = [ast.arg(p.name) for p in found.decl.type.args.params]
    arguments = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    dtypes = {str(value.dtype) for value in subject.values.values()}
    body = _Statements("float32" if "float32" in dtypes else "float64").block(found.body)
    function = ast.FunctionDef(found.decl.name, arguments, body, [], None, None)
    return ast.fix_missing_locations(ast.Module([function], []))


def _jit(module: ast.Module, name: str) -> Any:
    import numba
    import numpy as np

    scope: dict[str, Any] = {"np": np}
    exec(compile(module, "<kernel>", "exec"), scope)
    return numba.njit(fastmath=True)(scope[name])


class _Statements:
    """C statements to Python ones; `dtype` is the type of local arrays."""

    def __init__(self, dtype: str) -> None:
        self._dtype = dtype

    def block(self, node: Any) -> list[ast.stmt]:
        """A statement, or a compound one, as a body that is not empty."""
        items = node.block_items or [] if isinstance(node, c_ast.Compound) else [node]
        return [out for item in items for out in self._statement(item)] or [ast.Pass()]

    def _statement(self, node: Any) -> list[ast.stmt]:
        match node:
            case c_ast.Decl():
                return self._declared(node)
            case c_ast.Assignment():
                return self._assigned(node)
            case c_ast.For():
                return [self._loop(node)]
            case c_ast.If():
                return [
                    ast.If(value(node.cond), self.block(node.iftrue), self.block(node.iffalse) if node.iffalse else [])
                ]
            case c_ast.Compound():
                return self.block(node)
            case c_ast.Pragma() | c_ast.EmptyStatement():
                return []
        raise Skipped(f"the Numba form has no {type(node).__name__}")

    def _declared(self, node: Any) -> list[ast.stmt]:
        if isinstance(node.type, c_ast.ArrayDecl):
            made = _call("empty", value(node.type.dim), ast.Attribute(_name("np"), self._dtype, ast.Load()))
            return [ast.Assign([_name(node.name, ast.Store())], made)]
        return [ast.Assign([_name(node.name, ast.Store())], value(node.init))] if node.init else []

    def _assigned(self, node: Any) -> list[ast.stmt]:
        if node.op != "=":
            target: Any = value(node.lvalue, ast.Store())
            return [ast.AugAssign(target, _BINARY[node.op[0]](), value(node.rvalue))]
        targets, last = [node.lvalue], node.rvalue
        while isinstance(last, c_ast.Assignment):
            targets.append(last.lvalue)
            last = last.rvalue
        return [ast.Assign([value(t, ast.Store()) for t in targets], value(last))]

    def _loop(self, node: Any) -> ast.stmt:
        start, cond = node.init, node.cond
        step = {"p++": 1, "++": 1, "p--": -1, "--": -1}[node.next.op]
        first = start.decls[0] if isinstance(start, c_ast.DeclList) else start
        name, low = (first.name, first.init) if isinstance(first, c_ast.Decl) else (first.lvalue.name, first.rvalue)
        end = value(cond.right)
        if cond.op in ("<=", ">="):
            end = ast.BinOp(end, ast.Add(), ast.Constant(step))
        bounds = ast.Call(_name("range"), [value(low), end, ast.Constant(step)], [])
        return ast.For(_name(name, ast.Store()), bounds, self.block(node.stmt), [])


def value(node: Any, context: ast.expr_context | None = None) -> ast.expr:
    """A C expression as a Python one."""
    match node:
        case c_ast.ID(name=name):
            return _name(name, context)
        case c_ast.Constant(value=text):
            return _constant(text)
        case c_ast.ArrayRef():
            return _subscript(node, context or ast.Load())
        case c_ast.UnaryOp(op="-"):
            return ast.UnaryOp(ast.USub(), value(node.expr))
        case c_ast.BinaryOp():
            return _binary(node)
        case c_ast.TernaryOp():
            return ast.IfExp(value(node.cond), value(node.iftrue), value(node.iffalse))
        case c_ast.Cast():
            return value(node.expr)
        case c_ast.FuncCall() if node.name.name.removesuffix("f") in _MATHS:
            return _call(_MATHS[node.name.name.removesuffix("f")], *(value(a) for a in node.args.exprs))
    raise Skipped(f"the Numba form has no {type(node).__name__}")


def _binary(node: Any) -> ast.expr:
    left, right = value(node.left), value(node.right)
    if node.op in _COMPARE:
        return ast.Compare(left, [_COMPARE[node.op]()], [right])
    if node.op in _LOGIC:
        return ast.BoolOp(_LOGIC[node.op](), [left, right])
    return ast.BinOp(left, _BINARY[node.op](), right)


def _subscript(node: Any, context: ast.expr_context) -> ast.expr:
    indices: list[ast.expr] = []
    while isinstance(node, c_ast.ArrayRef):
        indices.insert(0, value(node.subscript))
        node = node.name
    return ast.Subscript(value(node), ast.Tuple(indices, ast.Load()), context)


def _constant(text: str) -> ast.expr:
    if text.lower().endswith("f") and not text.lower().startswith("0x"):
        return _call("float32", ast.Constant(float(text[:-1])))
    return ast.Constant(int(text) if text.isdigit() else float(text))


def _name(name: str, context: ast.expr_context | None = None) -> ast.expr:
    return ast.Name(name, context or ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_name("np"), name, ast.Load()), list(arguments), [])
