"""Definitions and lambdas inside of a function, as functions of the file.

def f(x, dt):                       def f(x, dt):
    def g(y):                   ->      return _g(x, dt=dt)
        return y * dt               def _g(y, dt):
    return g(x)                         return y * dt

What such a function reads of the variables around becomes a parameter: it has the value of the time of the call, too.
"""

from __future__ import annotations

import ast

from raising.frontend.python.inner_functions.made_functions import captured, kept, variables
from raising.frontend.python.module import Module, refused
from raising.frontend.python.numpy_library.made_syntax import once, placed


def taken_out(module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function without definitions in it, changed in place; `Refused` for one that is more than called."""
    for body in _bodies(function):
        for inner in [s for s in map(_definition, body) if s is not None]:
            _taken(module, function, inner)
        if any(_definition(s) for s in body):
            body[:] = [s for s in body if _definition(s) is None] or [placed(ast.Pass(), body[0])]
    return function


def _bodies(function: ast.FunctionDef) -> list[list[ast.stmt]]:
    """The blocks of a function, but for those of functions in it."""
    found, waiting = list[list[ast.stmt]](), [function.body]
    while waiting:
        found.append(body := waiting.pop(0))
        inner = [s for s in body if not isinstance(s, ast.FunctionDef)]
        parts = [getattr(s, field, None) for s in inner for field in ("body", "orelse")]
        waiting += [part for part in parts if isinstance(part, list)]
    return found


def _definition(statement: ast.stmt) -> ast.FunctionDef | None:
    """A definition, or a name that is given to a lambda; the same one whenever it is asked for."""
    match statement:
        case ast.FunctionDef():
            return statement
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=args, body=value)):
            made = ast.FunctionDef(name, args, [placed(ast.Return(value), value)], [])
            return once(statement, "definition", lambda: placed(made, statement))
    return None


def _taken(module: Module, function: ast.FunctionDef, inner: ast.FunctionDef) -> None:
    name = inner.name
    others = [n for n in ast.walk(function) if _is_definition(n, name)]
    if len(others) > 1 or inner.decorator_list or name in {a.arg for a in function.args.args}:
        raise refused(module, inner, f"function '{name}' inside of another one is defined twice, or decorated")
    for argument in (n for n in ast.walk(inner) if isinstance(n, ast.arg)):
        argument.annotation = None  # its type is that of what it is called with
    taken_out(module, inner)
    reads = captured(module, inner.body, variables(inner), variables(function) - {name})
    inner.args.kwonlyargs += [placed(ast.arg(read), inner) for read in reads]
    inner.args.kw_defaults += [None] * len(reads)
    own = kept(module, inner, f"_{name}", inner)
    _Calls(module, name, own, reads).visit(function)


def _is_definition(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.FunctionDef) and node.name == name


class _Calls(ast.NodeTransformer):
    """Calls of a function by its new name, with what it reads behind its arguments."""

    def __init__(self, module: Module, name: str, own: str, reads: list[str]) -> None:
        self.module, self.name, self.own, self.reads = module, name, own, reads

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call, and what is in it."""
        if isinstance(node.func, ast.Name) and node.func.id == self.name:
            node.func.id = self.own
            node.keywords += [placed(ast.keyword(r, ast.Name(r, ast.Load())), node) for r in self.reads]
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The function as a value: where it reads nothing from around, it is that of the file."""
        if node.id == self.name and isinstance(node.ctx, ast.Load):
            if self.reads:
                raise refused(self.module, node, f"function '{self.name}' reads variables around it, and is passed on")
            node.id = self.own
        return node
