"""The C loops as Python loops for Numba, translated statement by statement.

The translation makes a tree of Python's `ast` from the core; only the forms listed here occur in it, and every name
is one of the C function's own. It covers what our kernels use.
"""

from __future__ import annotations

import ast
from importlib import import_module
from typing import Any

from raising.frontend.c.read_c import read_c
from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.types import F32, Array
from raising.polybench.peers.peer import Peer, Skipped, Subject, version_of
from raising.polybench.peers.timing import Program, in_place

_BINARY: dict[str, type[ast.operator]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "div": ast.Div, "rem": ast.Mod,
}  # fmt: skip
_COMPARE: dict[str, type[ast.cmpop]] = {
    "eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE,
}  # fmt: skip
_LOGIC: dict[str, type[ast.boolop]] = {"and": ast.And, "or": ast.Or}
_MATHS = {"sqrt": "sqrt", "exp": "exp", "pow": "power"}


def numba() -> Peer:
    """The loops under `numba.njit`, with reassociation allowed as NumPy users allow it."""

    def told() -> str:
        return f"numba {version_of('numba')}, njit(fastmath=True) on the loops"

    def prepare(subject: Subject) -> Program:
        typeof = import_module("numba").typeof

        if not subject.kernel:
            raise Skipped("only the kernels of this package are translated")
        call = _jit(translated(subject), subject.function)
        call.compile(tuple(map(typeof, subject.values.values())))
        return in_place(call, subject.values, subject.outputs)

    return Peer("numba", told, prepare, threaded=False)


def translated(subject: Subject) -> ast.Module:
    """The C function as a Python module with one function of the same name."""
    macros = [f"-D{name}={value}" for name, value in subject.defines.items()]
    found = read_c(subject.source.read_text(), str(subject.source), macros).routines[subject.function]
    names = [ast.arg(p.name.replace(".", "__")) for p in found.parameters]
    arguments = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    dtypes = {str(value.dtype) for value in subject.values.values()}
    body = _Statements("float32" if "float32" in dtypes else "float64").block(found.body or ())
    function = ast.FunctionDef(found.name, arguments, body, [], None, None)
    return ast.fix_missing_locations(ast.Module([function], []))


def _jit(module: ast.Module, name: str) -> Any:
    import numpy as np

    numba = import_module("numba")

    scope: dict[str, Any] = {"np": np}
    exec(compile(module, "<kernel>", "exec"), scope)
    return numba.njit(fastmath=True)(scope[name])


class _Statements:
    """Statements of the core to Python's; `dtype` is the type of local arrays."""

    def __init__(self, dtype: str) -> None:
        self._dtype = dtype

    def block(self, body: tuple[st.Stmt, ...]) -> list[ast.stmt]:
        """Statements as a body that is not empty."""
        out: list[ast.stmt] = []
        for item in body:
            if isinstance(item, st.Loop):
                start = out.pop() if out else None  # the statement in front of a loop sets its counter
                out.append(self._loop(item, start))
            else:
                out += self._statement(item)
        return out or [ast.Pass()]

    def _statement(self, item: st.Stmt) -> list[ast.stmt]:
        match item:
            case st.Declare():
                return self._declared(item)
            case st.Assign():
                return [ast.Assign([_target(item.target)], value(item.value))]
            case st.If():
                orelse = self.block(item.otherwise) if item.otherwise else []
                return [ast.If(value(item.condition), self.block(item.then), orelse)]
            case st.Region():
                return self.block(item.body)
        raise Skipped(f"the Numba form has no {type(item).__name__}")

    def _declared(self, item: st.Declare) -> list[ast.stmt]:
        name, t = _name(item.variable.name, ast.Store()), item.variable.type
        if isinstance(t, Array) and t.extent is not None:
            extent = ast.Constant(t.extent) if isinstance(t.extent, int) else value(t.extent)
            made = _call("empty", extent, ast.Attribute(_name("np"), self._dtype, ast.Load()))
            return [ast.Assign([name], made)]
        if item.initial is None or isinstance(item.initial, ex.Aggregate):
            return []
        return [ast.Assign([name], value(item.initial))]

    def _loop(self, item: st.Loop, start: ast.stmt | None) -> ast.stmt:
        (step,) = item.step if len(item.step) == 1 else (None,)
        cond = item.condition
        if (
            not isinstance(step, st.Assign)
            or not isinstance(step.value, ex.Binary)
            or not isinstance(start, ast.Assign)
        ):
            raise Skipped("the Numba form has only loops that count")
        by, counter = step.value.right, _target(step.target)
        if not isinstance(by, ex.Literal) or not isinstance(cond, ex.Compare):
            raise Skipped("the Numba form has only loops that count")
        if ast.dump(start.targets[0]) != ast.dump(counter) or ast.dump(value(cond.left)) != ast.dump(_loaded(counter)):
            raise Skipped("the Numba form has only loops that count")
        step_by = int(by.value) if step.value.op == "add" else -int(by.value)
        end = value(cond.right)
        if cond.op in ("le", "ge"):
            end = ast.BinOp(end, ast.Add(), ast.Constant(1 if step_by > 0 else -1))
        bounds = ast.Call(_name("range"), [start.value, end, ast.Constant(step_by)], [])
        return ast.For(counter, bounds, self.block(item.body), [])


def _target(node: ex.Lvalue) -> ast.expr:
    """The target of an assignment."""
    return _lvalue(node, ast.Store())


def _loaded(node: ast.expr) -> ast.expr:
    return ast.Name(node.id, ast.Load()) if isinstance(node, ast.Name) else node


def _lvalue(node: ex.Lvalue | ex.Expr, context: ast.expr_context) -> ast.expr:
    indices: list[ast.expr] = []
    while not isinstance(node, ex.Name):
        if isinstance(node, ex.Deref) and isinstance(node.pointer, ex.Offset):
            indices.insert(0, value(node.pointer.index))
            node = node.pointer.pointer
        elif isinstance(node, ex.Decay):
            node = node.array
        elif isinstance(node, ex.Load):
            node = node.source
        else:
            raise Skipped(f"the Numba form has no {type(node).__name__}")
    if not indices:
        return _name(node.name, context)
    return ast.Subscript(_name(node.name), ast.Tuple(indices, ast.Load()), context)


def value(node: ex.Expr) -> ast.expr:
    """An expression of the core as one of Python; conversions are left to NumPy."""
    match node:
        case ex.Literal():
            constant = ast.Constant(node.value)
            return _call("float32", constant) if node.type == F32 else constant
        case ex.Load():
            return _lvalue(node.source, ast.Load())
        case ex.Convert():
            return value(node.operand)
        case ex.Unary(op="neg"):
            return ast.UnaryOp(ast.USub(), value(node.operand))
        case ex.Binary() if node.op in _BINARY:
            return ast.BinOp(value(node.left), _BINARY[node.op](), value(node.right))
        case ex.Compare() | ex.Logical() | ex.Not():
            return _truth(node)
        case ex.Select():
            return ast.IfExp(value(node.condition), value(node.then), value(node.otherwise))
        case ex.Intrinsic() if node.name in _MATHS:
            return _call(_MATHS[node.name], *map(value, node.arguments))
    raise Skipped(f"the Numba form has no {type(node).__name__}")


def _truth(node: ex.Compare | ex.Logical | ex.Not) -> ast.expr:
    if isinstance(node, ex.Not):
        return ast.UnaryOp(ast.Not(), value(node.operand))
    left, right = value(node.left), value(node.right)
    if isinstance(node, ex.Logical):
        return ast.BoolOp(_LOGIC[node.op](), [left, right])
    return ast.Compare(left, [_COMPARE[node.op]()], [right])


def _name(name: str, context: ast.expr_context | None = None) -> ast.expr:
    return ast.Name(name.replace(".", "__"), context or ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_name("np"), name, ast.Load()), list(arguments), [])
