"""Calls of functions that return one of their own arguments, which is the same memory: the argument takes their place.

y = clamped(x, 0.0)        ->  clamped(x, 0.0); y = x
y = clamped(x + 1, 0.0)    ->  y = x + 1; clamped(y, 0.0)
y = same(x) + 1            ->  y = x + 1     (a function without effects)

One of several results, as in `np.histogram(x, 4)[0]`, is that of a function which has no other.
"""

from __future__ import annotations

import ast
from copy import deepcopy

from raising.frontend.python.annotations import parameters
from raising.frontend.python.inner_functions.made_functions import kept
from raising.frontend.python.module import Module
from raising.frontend.python.numpy_library.made_syntax import placed
from raising.frontend.python.variables.scopes import assigned, mentioned
from raising.frontend.python.whole_arrays.written_memory import may_be_written
from raising.support.source import unused_name


def put_for_calls(module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with such calls replaced, in place."""
    _Pure(module).visit(function)
    fields = (getattr(n, field, None) for n in ast.walk(function) for field in ("body", "orelse"))
    for block in [b for b in fields if isinstance(b, list)]:
        block[:] = [made for node in block for made in _split(module, node, function)]
    return function


class _Pure(ast.NodeTransformer):
    def __init__(self, module: Module) -> None:
        self.module = module

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The argument in the place of a call that does nothing else than to return it."""
        self.generic_visit(node)
        given = _given_back(self.module, node)
        return node if given is None or _has_effects(self.module, node) else given

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """One of the results of a function of the file."""
        self.generic_visit(node)
        match node:
            case ast.Subscript(value=ast.Call(func=ast.Name(id=name)) as call, slice=ast.Constant(value=int(number))):
                callee = deepcopy(self.module.functions.get(name))
                found = [n for n in ast.walk(callee) if isinstance(n, ast.Return)] if callee else []
                parts = [n.value.elts if isinstance(n.value, ast.Tuple) else [] for n in found]
                if callee and parts and {*map(len, parts)} == {len(parts[0])} and number in range(len(parts[0])):
                    for one, several in zip(found, parts, strict=True):
                        one.value = several[number]
                    own = kept(self.module, callee, f"{name}_{number}", self.module.functions[name])
                    call.func = ast.copy_location(ast.Name(own, ast.Load()), call.func)
                    return self.visit_Call(call)
        return node


def _split(module: Module, node: ast.stmt, function: ast.FunctionDef) -> list[ast.stmt]:
    """The call as a statement, and the argument as its value."""
    if not isinstance(node, ast.Assign | ast.Return) or not isinstance(node.value, ast.Call):
        return [node]
    call, given = node.value, _given_back(module, node.value)
    if given is None:
        return [node]
    if isinstance(given, ast.Name):
        node.value = given
        again = isinstance(node, ast.Assign) and [ast.unparse(t) for t in node.targets] == [given.id]
        return [placed(ast.Expr(call), node), *([] if again else [node])]
    own = ast.Name(unused_name("given", mentioned([function])), ast.Store())
    target = node.targets[0] if isinstance(node, ast.Assign) else own
    if not isinstance(target, ast.Name) or target.id in mentioned([call]):
        return [node]
    named = ast.Name(target.id, ast.Load())
    call.args = [named if a is given else a for a in call.args]
    for keyword in call.keywords:
        keyword.value = named if keyword.value is given else keyword.value
    first = placed(ast.Assign([target], given), node)
    node.value = named
    return [first, placed(ast.Expr(call), node), *([placed(node, node)] if isinstance(node, ast.Return) else [])]


def _given_back(module: Module, call: ast.Call) -> ast.expr | None:
    """The argument that a call returns whatever happens; None for other calls."""
    callee = module.functions.get(module.dotted(call.func))
    if callee is None or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    returns = [n for n in ast.walk(callee) if isinstance(n, ast.Return)]
    names = {n.value.id if isinstance(n.value, ast.Name) else "" for n in returns}
    order = [p.arg for p in parameters(callee)]
    if len(names) != 1 or not names <= {*order} - assigned([callee]) or callee.body[-1] not in returns:
        return None
    given = dict(zip(order, call.args, strict=False)) | {k.arg or "": k.value for k in call.keywords}
    return given.get(names.pop()) if given.keys() == {*order} else None


def _has_effects(module: Module, call: ast.Call) -> bool:
    """Whether a function may write its arguments, call another one, or raise an error."""
    callee = module.functions[module.dotted(call.func)]
    odd = any(isinstance(n, ast.Raise | ast.Call) for n in ast.walk(callee))
    return odd or any(may_be_written(callee, p.arg, module.functions) for p in parameters(callee))
