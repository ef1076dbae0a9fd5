"""Functions of NumPy's that are defined by others: a call of one is replaced by its definition.

    np.std(a, axis=0)  ->  np.sqrt(np.mean(np.square(a - np.mean(a, axis=0, keepdims=True)), axis=0, keepdims=False))

Definitions give the elements and types that NumPy gives, up to rounding. Arguments have no effects, so that one may
stand in several places.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from functools import cache
from typing import cast

from raising.frontend.python.module import Module, refused

_DEFINITIONS = """
def var(a, axis=None, *, ddof=0, keepdims=False):
    return numpy._mean(
        numpy.square(a - numpy.mean(a, axis=axis, keepdims=True)), axis=axis, keepdims=keepdims, ddof=ddof)
def std(a, axis=None, *, ddof=0, keepdims=False):
    return numpy.sqrt(numpy.var(a, axis=axis, ddof=ddof, keepdims=keepdims))
def ptp(a, axis=None, keepdims=False):
    return numpy.max(a, axis=axis, keepdims=keepdims) - numpy.min(a, axis=axis, keepdims=keepdims)
def any(a, axis=None, keepdims=False): return numpy.max(a != 0, axis=axis, keepdims=keepdims)
def all(a, axis=None, keepdims=False): return numpy.min(a != 0, axis=axis, keepdims=keepdims)
def count_nonzero(a, axis=None, keepdims=False): return numpy.sum(a != 0, axis=axis, keepdims=keepdims)
def nansum(a, axis=None, keepdims=False):
    return numpy.sum(numpy.where(numpy.isnan(a), 0, a), axis=axis, keepdims=keepdims)
def nanmean(a, axis=None, keepdims=False):
    return numpy._as(
        numpy.nansum(a, axis=axis, keepdims=keepdims) / numpy.sum(a == a, axis=axis, keepdims=keepdims),
        numpy.nansum(a * 1.0, axis=axis, keepdims=keepdims))
def norm(x, *, axis=None, keepdims=False):
    return numpy.sqrt(numpy.sum(numpy.square(x * 1.0), axis=axis, keepdims=keepdims))
def average(a, *, weights):
    return numpy.sum(a * 1.0 * weights) / numpy.sum(numpy.where(True, weights, a * 1.0))
def trapezoid(y, x): return numpy.sum((x[..., 1:] - x[..., :-1]) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
def trace(a): return numpy.sum(numpy.diagonal(a))
def diff(a): return a[..., 1:] - a[..., :-1]
def sign(x): return numpy.where(x > 0, 1, numpy.where(x < 0, -1, numpy.where(x == 0, 0, x)))
def heaviside(x, h): return numpy.where(x < 0, 0.0, numpy.where(x == 0, h, numpy.where(x > 0, 1.0, x)))
def isclose(a, b, rtol=1e-05, atol=1e-08):
    return (numpy.abs(a - b) <= atol + rtol * numpy.abs(b)) & numpy.isfinite(b) | (a == b)
def allclose(a, b, rtol=1e-05, atol=1e-08): return numpy.all(numpy.isclose(a, b, rtol, atol))
def logical_and(x, y): return (x != 0) & (y != 0)
def logical_or(x, y): return (x != 0) | (y != 0)
def logical_xor(x, y): return (x != 0) ^ (y != 0)
def logical_not(x): return x == 0
def equal(x, y): return x == y
def not_equal(x, y): return x != y
def less(x, y): return x < y
def less_equal(x, y): return x <= y
def greater(x, y): return x > y
def greater_equal(x, y): return x >= y
def negative(x): return -x
def degrees(x): return numpy._floating(x) * 57.29577951308232
def radians(x): return numpy._floating(x) * 0.017453292519943295
def sinc(x): return numpy.where(x == 0, 1.0, numpy.sin(3.141592653589793 * x) / (3.141592653589793 * x))
def logaddexp(x, y): return numpy._logaddexp(numpy._floating(x), numpy._floating(y))
def _logaddexp(x, y):
    return numpy.where(x == y, x + 0.6931471805599453, numpy.maximum(x, y) + numpy.log1p(numpy.exp(-numpy.abs(x - y))))
def around(x): return numpy._rounded(x)
"""
_ALIASES = {"rad2deg": "degrees", "deg2rad": "radians", "round": "around"}
_METHODS = frozenset(("var", "std", "any", "all", "round", "trace", "ptp"))
_HOMES = {"norm": "numpy.linalg"}


@cache
def _definitions() -> dict[str, ast.FunctionDef]:
    found = {f.name: f for f in ast.parse(_DEFINITIONS).body if isinstance(f, ast.FunctionDef)}
    return {f"{_HOMES.get(n, 'numpy')}.{n}": f for n, f in found.items()} | {
        f"numpy.{alias}": found[n] for alias, n in _ALIASES.items()
    }


def defined(module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with each such call replaced, in place; `Refused` for arguments that a definition does not have."""
    _Defined(module).visit(function)
    return function


class _Defined(ast.NodeTransformer):
    def __init__(self, module: Module) -> None:
        self.module = module

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("conj", "conjugate") and not node.args:
            function = ast.Attribute(ast.Name("numpy", ast.Load()), "conjugate", ast.Load())
            return ast.fix_missing_locations(ast.copy_location(ast.Call(function, [node.func.value], []), node))
        definition, arguments = _definitions().get(self.module.dotted(node.func)), list(node.args)
        if definition is None and self._is_method(node.func):
            assert isinstance(node.func, ast.Attribute)
            definition = _definitions()[f"numpy.{node.func.attr}"]
            arguments.insert(0, node.func.value)
        if definition is None:
            return node
        meanings = self._bound(node, definition.args, arguments)
        (result,) = definition.body
        assert isinstance(result, ast.Return) and result.value is not None
        found = cast(ast.expr, _Placed(node, meanings).visit(deepcopy(result.value)))
        return cast(ast.expr, self.visit(found))

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """`X, Y = np.meshgrid(x, y)` are two arrays, made one after the other."""
        self.generic_visit(node)
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[one, other])], value=ast.Call(args=[x, y], keywords=given) as call
            ):
                options = {k.arg: getattr(k.value, "value", None) for k in given}
            case _:
                return node
        indexing = options.get("indexing", "xy")
        if self.module.dotted(call.func) != "numpy.meshgrid" or options.keys() - {"indexing"}:
            return node
        axis, found = int(indexing == "xy"), list[ast.stmt]()
        for target, (first, second), along in ((one, (x, y), axis), (other, (y, x), 1 - axis)):
            arguments = [deepcopy(first), deepcopy(second)]
            function = ast.Attribute(ast.Name("numpy", ast.Load()), "_grid", ast.Load())
            made = ast.Call(function, arguments, [ast.keyword("axis", ast.Constant(along))])
            found.append(ast.fix_missing_locations(ast.copy_location(ast.Assign([target], made), node)))
        return found

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`np.newaxis` is None."""
        if self.module.dotted(node) == "numpy.newaxis":
            return ast.copy_location(ast.Constant(None), node)
        if (
            node.attr in ("real", "imag")
            and isinstance(node.ctx, ast.Load)
            and not self.module.dotted(node).startswith("numpy.")
        ):
            self.generic_visit(node)
            function = ast.Attribute(ast.Name("numpy", ast.Load()), node.attr, ast.Load())
            made = ast.Call(function, [node.value], [])
            return ast.fix_missing_locations(ast.copy_location(made, node))
        self.generic_visit(node)
        return node

    def _is_method(self, function: ast.expr) -> bool:
        if not isinstance(function, ast.Attribute) or function.attr not in _METHODS:
            return False
        home = self.module.dotted(function.value)
        return not home or home == getattr(function.value, "id", "")  # no module and no import

    def _bound(self, node: ast.Call, parameters: ast.arguments, given: list[ast.expr]) -> dict[str, ast.expr]:
        names = [p.arg for p in parameters.args]
        own = [*names, *(p.arg for p in parameters.kwonlyargs)]
        defaults = [*parameters.defaults, *(d for d in parameters.kw_defaults if d is not None)]
        bound: dict[str, ast.expr] = dict(zip(own[len(own) - len(defaults) :], defaults, strict=True))
        bound |= dict(zip(names, given, strict=False))
        bound |= {k.arg: k.value for k in node.keywords if k.arg is not None}
        starred = any(isinstance(a, ast.Starred) for a in given) or any(k.arg is None for k in node.keywords)
        if starred or len(given) > len(names) or bound.keys() != {*own}:
            raise refused(self.module, node, f"this call of '{ast.unparse(node.func)}' is not supported")
        return bound


class _Placed(ast.NodeTransformer):
    """A definition at the place of a call, with the arguments for the parameters."""

    def __init__(self, call: ast.Call, meanings: dict[str, ast.expr]) -> None:
        self.call = call
        self.meanings = meanings

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name) and node.id in self.meanings:
            meant = deepcopy(self.meanings[node.id])
            return meant if hasattr(meant, "lineno") and meant.lineno else ast.copy_location(meant, self.call)
        return self.generic_visit(ast.copy_location(node, self.call) if hasattr(node, "lineno") else node)
