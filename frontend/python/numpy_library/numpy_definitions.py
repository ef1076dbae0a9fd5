"""Functions of NumPy's that are defined by others: a call of one is replaced by its definition.

    np.std(a, axis=0)  ->  np.sqrt(np.mean(np.square(a - np.mean(a, axis=0, keepdims=True)), axis=0, keepdims=False))

Definitions give the elements and types that NumPy gives, up to rounding. Arguments have no effects, so that one may
stand in several places.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np

from raising.frontend.python.annotations import element_kind, elements_of
from raising.frontend.python.module import OF_RANK, Module, refused
from raising.frontend.python.numpy_library.expressions_of_numpy import DEFINITIONS
from raising.frontend.python.numpy_library.made_syntax import expression, numpy_call, placed
from raising.frontend.python.numpy_library.unpacked_arrays import one_by_one

_ALIASES = {
    "rad2deg": "degrees", "deg2rad": "radians", "round": "around", "bitwise_not": "invert",
    "ascontiguousarray": "asarray", "trapz": "trapezoid",
}  # fmt: skip
_METHODS = frozenset(("var", "std", "any", "all", "round", "trace", "ptp", "argsort", "clip", "take", "searchsorted"))
_FULL_NAMES = {f"{ufunc}_{method}": f"{ufunc}.{method}" for ufunc, method in (
    ("add", "reduce"), ("multiply", "reduce"), ("maximum", "reduce"), ("minimum", "reduce"), ("multiply", "outer"),
    ("logical_and", "reduce"), ("logical_or", "reduce"),
)} | {name: f"linalg.{name}" for name in ("norm", "det", "inv", "solve", "matrix_power", "cholesky")}  # fmt: skip
_LOOPS = "numpy._loops."
_OF_EACH = ("map", "numpy.percentile", "numpy.quantile")  # given several, they give a result for each
_JOINING = frozenset(f"numpy.{name}" for name in ("concatenate", "hstack", "vstack", "column_stack", "stack"))
_AS_ARRAYS = frozenset(f"numpy.{name}" for name in ("asarray", "ascontiguousarray", "asanyarray"))
_OF_ARRAYS = frozenset(
    f"numpy.{name}"
    for name in ("max", "min", "amax", "amin", "sum", "mean", "prod", "std", "var", "median", "argmax", "argmin")
    + ("any", "all", "cumsum", "cumprod", "diff", "sort", "argsort", "dot", "outer", "polyval", "digitize", "interp")
    + ("convolve", "correlate", "searchsorted", "maximum", "minimum", "average", "linalg.norm")
)  # a list that one of these is given is an array
_OF_DATA = frozenset(
    ("unique", "nonzero", "flatnonzero", "argwhere", "compress", "extract", "bincount", "setdiff1d", "union1d")
    + ("intersect1d", "trim_zeros")
)  # how long their results are depends on data


def _full_name(name: str) -> str:
    """The name that a definition is of; `math_x` is one of Python's."""
    return name.replace("_", ".", 1) if name.startswith("math_") else f"numpy.{_FULL_NAMES.get(name, name)}"


@cache
def _definitions() -> dict[str, list[ast.FunctionDef]]:
    found: dict[str, list[ast.FunctionDef]] = {}
    for function in ast.parse(DEFINITIONS).body:
        assert isinstance(function, ast.FunctionDef)
        found.setdefault(function.name, []).append(function)
    return {_full_name(n): f for n, f in found.items()} | {
        "divmod": found["divmod"],
        **{f"numpy.{alias}": found[n] for alias, n in _ALIASES.items()},
    }


@cache
def _loops() -> dict[str, ast.FunctionDef]:
    files = ("loops", "sorting", "linear_algebra")
    texts = [Path(__file__).with_name(f"{name}_of_numpy.py").read_text() for name in files]
    return {f.name: f for text in texts for f in ast.parse(text).body if isinstance(f, ast.FunctionDef)}


def defined(module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with each such call replaced, in place; `Refused` for arguments that a definition does not have."""
    _Defined(module, function).visit(function)
    return function


class _Defined(ast.NodeTransformer):
    def __init__(self, module: Module, function: ast.FunctionDef) -> None:
        self.module, self.function = module, function

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("conj", "conjugate") and not node.args:
            return placed(numpy_call("_conjugate", [node.func.value]), node)  # no copy of real ones
        name, arguments = self.module.dotted(node.func), list(node.args)
        if name.startswith(_LOOPS):
            return self._looped(node, name.removeprefix(_LOOPS))
        if name.startswith("numpy.") and name.removeprefix("numpy.") in _OF_DATA and not _has_length(node):
            raise refused(self.module, node, f"how long the result of '{name}' is depends on data")
        known = None if name in self.module.functions else _by_operators(node, name)
        if (rewritten := known or self._rewritten(node, name) or self._with_options(node, name)) is not None:
            return rewritten
        definitions = None if name in self.module.functions else _definitions().get(name)
        if definitions is None and self._is_method(node.func):
            assert isinstance(node.func, ast.Attribute)
            definitions = _definitions()[f"numpy.{node.func.attr}"]
            arguments.insert(0, node.func.value)
        if definitions is None:
            return node
        result, meanings = self._fitting(node, definitions, arguments)
        found = cast(ast.expr, _Placed(node, meanings).visit(deepcopy(result)))
        return cast(ast.expr, self.visit(found))

    def _rewritten(self, node: ast.Call, name: str) -> ast.expr | None:
        """What a call is whose arguments are lists; None for other calls."""
        match node.args:
            case _ if name == "numpy.select":
                return self._selected(node)
            case _ if name == "numpy.roll":
                return self._rolled(node)
            case [first, second] if (
                re.fullmatch(r"numpy\.\w+\.outer", name) and name not in _definitions() and not node.keywords
            ):
                vectors = [numpy_call("einsum", [ast.Constant("i->i"), v]) for v in (first, second)]
                column = expression("vector[:, None]", node, vector=vectors[0])
                made = placed(numpy_call(name.split(".")[1], [column, vectors[1]]), node)
                return cast(ast.expr, self.visit(made))
            case [first, ast.Tuple(elts=parts) | ast.List(elts=parts)] if name in _OF_EACH:
                function = first if name == "map" else node.func
                given = [] if name == "map" else [expression("first.astype('float64')", node, first=first)]
                each: list[ast.expr] = [ast.Call(deepcopy(function), [*deepcopy(given), p], []) for p in parts]
                listed = ast.Tuple(each, ast.Load())
                result: ast.expr = listed if name == "map" else numpy_call("_array", [listed])
                return cast(ast.expr, self.visit(placed(result, node)))
            case [ast.Tuple(elts=parts) | ast.List(elts=parts), *_] if name in _JOINING:
                for k, part in enumerate(parts):
                    number = name == "numpy.hstack" and self.module.number(part) is not None
                    if number or isinstance(part, ast.Tuple | ast.List):
                        parts[k] = placed(numpy_call("atleast_1d" if number else "_array", [part]), part)
        return None

    def _selected(self, node: ast.Call) -> ast.expr:
        """`np.select` as a choice in a choice: the first condition that holds decides."""
        given = dict(zip(("condlist", "choicelist", "default"), node.args, strict=False))
        given |= {k.arg or "": k.value for k in node.keywords}
        lists = [given.get(name) for name in ("condlist", "choicelist")]
        conditions, choices = (each.elts if isinstance(each, ast.List | ast.Tuple) else [] for each in lists)
        if not conditions or len(conditions) != len(choices) or given.keys() - {"condlist", "choicelist", "default"}:
            raise refused(self.module, node, "np.select of other than two lists that are as long")
        found = given.get("default", ast.Constant(0))
        for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
            found = numpy_call("where", [condition, choice, found])
        return placed(found, node)

    def _with_options(self, node: ast.Call, name: str) -> ast.expr | None:
        """What a call is with a type, or with `out` and `where`, or with lists for arrays; None for other calls."""
        options = {k.arg: k.value for k in node.keywords}
        match node.args:
            case [ast.Name() as array, *kind] if name in _AS_ARRAYS and len(kind) + len(options) == 1:
                return self._as_array(node, array, options.get("dtype", *kind))
            case _ if name.startswith("numpy.") and options.keys() == {"out", "where"}:
                return self._where_it_holds(node)
            case [*given] if name in _OF_ARRAYS and any(isinstance(g, ast.List) for g in given):
                lists = [placed(numpy_call("_array", [g]), g) if isinstance(g, ast.List) else g for g in given]
                return cast(ast.expr, self.visit(placed(ast.Call(node.func, lists, node.keywords), node)))
        return None

    def _as_array(self, node: ast.Call, array: ast.Name, kind: ast.expr | None) -> ast.expr | None:
        """A parameter in a type: the parameter itself, or a copy where it has another type. None for other arrays."""
        has, wanted = (
            elements_of(self.module, self.function, array.id),
            element_kind(self.module, kind) if kind else None,
        )
        names = [n for n in ast.walk(self.function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        own = [s for s in ast.walk(self.function) if isinstance(s, ast.Assign) and s.value is node]
        set_here = sum(isinstance(t, ast.Name) and t.id == array.id for s in own for t in s.targets)
        if has is None or not kind or wanted is None or sum(n.id == array.id for n in names) > set_here:
            return None
        return array if has.dtype == wanted.dtype else expression("array.astype(kind)", array, array=array, kind=kind)

    def _limit(self, node: ast.Attribute) -> ast.expr | None:
        """`np.finfo(x.dtype).eps` and `np.iinfo(np.int32).max` as numbers; None for other attributes."""
        match node.value:
            case ast.Call(func=function, args=[ast.Attribute(attr="dtype", value=ast.Name(id=name))], keywords=[]):
                kind = elements_of(self.module, self.function, name)
            case ast.Call(func=function, args=[type_], keywords=[]):
                kind = element_kind(self.module, type_)
            case _:
                return None
        home = {"numpy.finfo": np.finfo, "numpy.iinfo": np.iinfo}.get(self.module.dotted(function))
        if home is None or kind is None or kind.is_float != (home is np.finfo) or kind.is_bool or kind.is_complex:
            return None
        value = getattr(home(kind.dtype), node.attr, None)
        if home is np.iinfo:
            return ast.Constant(int(value)) if isinstance(value, int) else None
        return numpy_call(kind.dtype, [ast.Constant(float(value))]) if isinstance(value, np.floating) else None

    def _where_it_holds(self, node: ast.Call, in_place: bool = False) -> ast.expr | None:
        """`np.divide(x, y, out=z, where=c)` as a choice between the quotient and `z`, which is new or, as a statement,
        changed in place.
        """
        given = {k.arg: k.value for k in node.keywords}
        if not in_place and not isinstance(given["out"], ast.Call):
            return None
        value = ast.Call(node.func, node.args, [])
        made = numpy_call("where", [given["where"], value, given["out"]])
        made.keywords = [ast.keyword("out", deepcopy(given["out"]))] if in_place else []
        return cast(ast.expr, self.visit(placed(made, node)))

    def _rolled(self, node: ast.Call) -> ast.expr | None:
        """`np.roll` by several axes, one after the other; None for other calls."""
        axes = node.keywords[0].value if node.keywords else node.args[-1]
        if len(node.args) < 2 or len(node.args) + len(node.keywords) != 3 or not isinstance(axes, ast.Tuple):
            return None
        found, by = node.args[:2]
        steps = by.elts if isinstance(by, ast.Tuple) else [by] * len(axes.elts)
        for step, axis in zip(steps, axes.elts, strict=False):
            found = numpy_call("roll", [found, deepcopy(step), axis])
        return placed(found, node) if len(steps) == len(axes.elts) else None

    def _looped(self, node: ast.Call, name: str) -> ast.expr:
        """The call of a function of loops, which becomes one of the file; constants are put into it."""
        if isinstance(node.args[0], ast.Constant) and f"{name}{OF_RANK[0]}" in _loops():
            name += OF_RANK[0]
        own, arguments, constants = f"_numpy_{name}_{node.lineno}_{node.col_offset}", [], dict[str, ast.expr]()
        for parameter, argument in zip(_loops()[name].args.args, node.args, strict=True):
            if isinstance(argument, ast.Constant):
                constants[parameter.arg] = argument
                own += "_" + re.sub(r"\W", "_", repr(argument.value))
            else:
                arguments.append(argument)
        for of_rank in ("", *OF_RANK.values()):
            if f"{name}{of_rank}" in _loops():
                self._kept(f"{name}{of_rank}", f"{own}{of_rank}", node, constants)
        return placed(ast.Call(ast.Name(own, ast.Load()), arguments, []), node)

    def _kept(self, name: str, own: str, node: ast.Call, constants: dict[str, ast.expr]) -> None:
        """A function of loops as one of the file, at the place of a call, with what it calls."""
        if own in self.module.functions:
            return
        function = deepcopy(_loops()[name])
        function.name, function.returns = own, None
        function.args.args = [ast.arg(p.arg) for p in function.args.args if p.arg not in constants]
        self.module.functions[own] = function
        for part in ast.walk(function):
            if isinstance(part, ast.Name) and part.id in _loops():
                called = f"_numpy_{part.id}_{node.lineno}_{node.col_offset}"
                self._kept(part.id, called, node, {})
                part.id = called
        function.body = [cast(ast.stmt, _Placed(node, constants).visit(s)) for s in function.body]
        for part in ast.walk(function):
            if hasattr(part, "lineno"):
                ast.copy_location(part, node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        """`x.sort()` as `x[:] = np.sort(x)`; `np.copyto(x, y)` as `x[...] = y`."""
        match node.value:
            case ast.Call(func=function, keywords=[_, _] as options) if {k.arg for k in options} == {"out", "where"}:
                if self.module.dotted(function).startswith("numpy."):
                    node.value = self._where_it_holds(node.value, in_place=True) or node.value
            case ast.Call(args=[array, value], keywords=[]) if self.module.dotted(node.value.func) == "numpy.copyto":
                target = ast.Subscript(array, ast.Constant(...), ast.Store())
                node = cast(ast.Expr, placed(ast.Assign([target], value), node))
            case ast.Call(func=ast.Attribute(value=array, attr="sort"), args=[], keywords=[]):
                if not self.module.dotted(array).startswith("numpy"):
                    target = ast.Subscript(deepcopy(array), ast.Slice(), ast.Store())
                    made = ast.Assign([target], numpy_call("sort", [array]))
                    node = cast(ast.Expr, placed(made, node))
        self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        """`X, Y = np.meshgrid(x, y)` is two arrays, made one after the other; `x = np.asarray(x)` does nothing."""
        if each := one_by_one(self.module, node):
            return [cast(ast.stmt, self.visit(placed(one, node))) for one in each]
        self.generic_visit(node)
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=same)) if name == same:
                return ast.copy_location(ast.Pass(), node)
            case ast.Assign(targets=[ast.Subscript()], value=ast.Tuple() | ast.List()):  # a row of these elements
                node.value = placed(numpy_call("_array", [node.value]), node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """`np.c_[x, y]` and `np.r_[x, y]` of arrays; one of what is listed, as `divmod(x, y)[0]`; lists as arrays."""
        self.generic_visit(node)
        match node:
            case ast.Subscript(value=ast.Tuple(elts=parts) | ast.List(elts=parts), slice=place, ctx=ast.Load()):
                number = self.module.number(place)
                if isinstance(number, int) and -len(parts) <= number < len(parts):
                    return parts[number]
        name = self.module.dotted(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name not in ("numpy.c_", "numpy.r_") or any(isinstance(p, ast.Slice) for p in parts):
            listed = [placed(numpy_call("_array", [p]), p) if isinstance(p, ast.List) else p for p in parts]
            node.slice = placed(ast.Tuple(listed, ast.Load()), node) if isinstance(node.slice, ast.Tuple) else listed[0]
            return node
        joined = ast.Tuple(parts, ast.Load())
        return placed(numpy_call("column_stack" if name == "numpy.c_" else "concatenate", [joined]), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`np.newaxis` is None."""
        if self.module.dotted(node) == "numpy.newaxis":
            return ast.copy_location(ast.Constant(None), node)
        if (limit := self._limit(node)) is not None:
            return placed(limit, node)
        if (
            node.attr in ("real", "imag")
            and isinstance(node.ctx, ast.Load)
            and not self.module.dotted(node).startswith("numpy.")
        ):
            self.generic_visit(node)
            return placed(numpy_call(node.attr, [node.value]), node)
        self.generic_visit(node)
        return node

    def _is_method(self, function: ast.expr) -> bool:
        if not isinstance(function, ast.Attribute) or function.attr not in _METHODS:
            return False
        home = self.module.dotted(function.value)
        return not home or home == getattr(function.value, "id", "")  # no module and no import

    def _fitting(
        self, node: ast.Call, definitions: Sequence[ast.FunctionDef], given: list[ast.expr]
    ) -> tuple[ast.expr, dict[str, ast.expr]]:
        """The first definition that a call fits, and what its parameters are there."""
        starred = any(isinstance(a, ast.Starred) for a in given) or any(k.arg is None for k in node.keywords)
        for definition in definitions if not starred else ():
            meanings = self._bound(node, definition.args, given)
            if meanings is not None:
                (result,) = definition.body
                assert isinstance(result, ast.Return) and result.value is not None
                return result.value, meanings
        raise refused(self.module, node, f"this call of '{ast.unparse(node.func)}' is not supported")

    def _bound(self, node: ast.Call, parameters: ast.arguments, given: list[ast.expr]) -> dict[str, ast.expr] | None:
        """The meaning of each parameter; None where they are others, or constants are."""
        names = [p.arg for p in parameters.args]
        own = [*names, *(p.arg for p in parameters.kwonlyargs)]
        bound = dict[str, ast.expr](
            zip(names[len(names) - len(parameters.defaults) :], parameters.defaults, strict=True)
        )
        pairs = zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        bound |= {p.arg: default for p, default in pairs if default is not None}
        bound |= dict(zip(names, given, strict=False))
        bound |= {k.arg: k.value for k in node.keywords if k.arg is not None}
        if len(given) > len(names) or bound.keys() != {*own}:
            return None
        wanted = [(bound[p.arg], p.annotation) for p in (*parameters.args, *parameters.kwonlyargs) if p.annotation]
        return bound if all(self._is_constant(value, annotation) for value, annotation in wanted) else None

    def _is_constant(self, value: ast.expr, wanted: ast.expr) -> bool:
        if isinstance(wanted, ast.Attribute):
            return self.module.dotted(value) == self.module.dotted(wanted)
        try:
            return bool(ast.literal_eval(value) == ast.literal_eval(wanted))
        except (ValueError, TypeError):
            return False


def _has_length(node: ast.Call) -> bool:
    """Whether a call says how long its result is, at least."""
    return len(node.args) == 3 or any(k.arg == "minlength" for k in node.keywords)


def _by_operators(node: ast.Call, name: str) -> ast.expr | None:
    """A call of a function of Python's that operators or constants say; None for other calls."""
    match node.args:
        case _ if node.keywords:
            return None
        case [ast.Tuple(elts=parts) | ast.List(elts=parts)] if name == "len":
            return ast.copy_location(ast.Constant(len(parts)), node)
        case [ast.Constant(value=str(text))] if name == "ord" and len(text) == 1:
            return ast.copy_location(ast.Constant(ord(text)), node)
        case [base, power] if name == "pow":
            return placed(ast.BinOp(base, ast.Pow(), power), node)
        case [number, base] if name == "math.log":
            each = [ast.Call(deepcopy(node.func), [value], []) for value in (number, base)]
            return placed(ast.BinOp(each[0], ast.Div(), each[1]), node)
    return None


class _Placed(ast.NodeTransformer):
    """A definition at the place of a call, with the arguments for the parameters."""

    def __init__(self, call: ast.Call, meanings: dict[str, ast.expr]) -> None:
        self.call = call
        self.meanings = meanings

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name) and node.id in self.meanings:
            meant = deepcopy(self.meanings[node.id])
            return meant if hasattr(meant, "lineno") and meant.lineno else ast.copy_location(meant, self.call)
        made = self.generic_visit(ast.copy_location(node, self.call) if hasattr(node, "lineno") else node)
        match made:
            case ast.Subscript(value=ast.Tuple(elts=parts), slice=ast.Constant(value=int(k))):
                return parts[k]
        return made
