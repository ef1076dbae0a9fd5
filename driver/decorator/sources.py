"""The syntax of a function and of the functions that it calls, with the values of names from outside of it.

Each function is read from its source text, and is never run. Names from outside are replaced by what they mean when
the function is first called: numbers by constants, modules and what is in them by their full names, functions of Python
by names under which their own syntax is kept. As in Numba, later changes of such a name are not seen.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import field
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc

LINES = 10_000_000  # the lines of the second file begin here; `raising.frontend.python.module` counts them so
_HOMES = ("numpy", "math", "itertools", "numba")


@dataclass
class Sources:
    """Functions by name, the wanted one first; line `k * LINES + n` is line `n` of file `k`."""

    name: str
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that the code depends on, places included."""
        bodies = [ast.dump(node, include_attributes=True) for node in self.functions.values()]
        return "\n".join([self.name, *self.files, *bodies])


def plain(function: Callable[..., Any]) -> FunctionType:
    """The function that was written, whatever it is wrapped in."""
    found = inspect.unwrap(getattr(function, "py_func", function))
    if not isinstance(found, FunctionType):
        raise TypeError(f"raising.jit takes a function, not {type(found).__name__}")
    return found


def place_of(function: FunctionType) -> Loc:
    """Where a function is defined."""
    return Loc(function.__code__.co_filename, function.__code__.co_firstlineno, 1)


def changed_in_place(sources: Sources) -> tuple[str, Loc] | None:
    """A name with the place of its `a += x`, if the name may be of an argument; None if there is none."""
    for function in sources.functions.values():
        nodes = list(ast.walk(function))
        names = {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name | ast.IfExp | ast.Tuple):
                names |= {n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        for node in nodes:
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id in names:
                file, line = divmod(node.lineno, LINES)
                return node.target.id, Loc(sources.files[file], line, node.col_offset + 1)
    return None


def collect(function: FunctionType) -> Sources:
    """A function with all that it calls; `InputError` where it has no source text, or a name means nothing we know."""
    return _Collector(function).found


class _Collector:
    def __init__(self, function: FunctionType) -> None:
        self.found = Sources(function.__name__)
        self._names: dict[FunctionType, str] = {}
        self.named(function, function.__name__)

    def named(self, function: FunctionType, name: str) -> str:
        """The name under which a function is kept."""
        if function in self._names:
            return self._names[function]
        own, k = name, 1
        while own in self.found.functions:
            k += 1
            own = f"{name}_{k}"
        self._names[function] = own
        node = self._syntax(function)
        self.found.functions[own] = node  # before its body, which may call it
        scope = _Scope(self, function, node)
        node.body = [scope.visit(statement) for statement in node.body]
        node.decorator_list = []
        self._put_defaults(function, node.args)
        return own

    def _put_defaults(self, function: FunctionType, arguments: ast.arguments) -> None:
        """The values of defaults that a call of this function by another one may have; calls from outside bring all."""
        values, more = function.__defaults__ or (), function.__kwdefaults__ or {}
        positional = [*arguments.posonlyargs, *arguments.args]
        arguments.defaults = [ast.copy_location(_constant(v), positional[-1]) for v in values]
        given = [(a, more[a.arg]) if a.arg in more else (a, ...) for a in arguments.kwonlyargs]
        arguments.kw_defaults = [None if v is ... else ast.copy_location(_constant(v), a) for a, v in given]

    def _syntax(self, function: FunctionType) -> ast.FunctionDef:
        """The definition of a function, with places as the file has them."""
        where = place_of(function)
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise InputError(where, f"'{function.__name__}' has no source text") from None
        text = "".join(lines)
        try:
            tree = ast.parse(textwrap.dedent(text))
        except SyntaxError:
            raise InputError(where, f"the source text of '{function.__name__}' cannot be read alone") from None
        if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
            raise InputError(where, f"'{function.__name__}' is no function that is defined by def")
        indent = len(text) - len(text.lstrip())
        if where.file not in self.found.files:
            self.found.files.append(where.file)
        offset = self.found.files.index(where.file) * LINES + first - 1
        for node in ast.walk(tree.body[0]):
            if isinstance(node, ast.stmt | ast.expr | ast.arg | ast.keyword):
                node.lineno, node.col_offset = node.lineno + offset, node.col_offset + indent
        return tree.body[0]

    def place(self, node: ast.AST) -> Loc:
        """Where a node is."""
        number, line = divmod(getattr(node, "lineno", 0), LINES)
        return Loc(self.found.files[number], line, getattr(node, "col_offset", -1) + 1)


class _Scope(ast.NodeTransformer):
    """Replaces the names from outside of one function by what they mean."""

    def __init__(self, collector: _Collector, function: FunctionType, node: ast.FunctionDef) -> None:
        self.collector = collector
        arguments = node.args
        own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        stored = (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
        inner = [n for statement in node.body for n in ast.walk(statement)]
        defined = {n.name for n in inner if isinstance(n, ast.FunctionDef)}
        defined |= {n.arg for n in inner if isinstance(n, ast.arg)}
        self.local = {a.arg for a in own if a is not None} | set(stored) | defined
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self.outside = {**function.__globals__, **{name: cell for name, cell in cells}}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:  # noqa: N802 (the name that ast calls)
        """A function inside of the function; what it says of types is not asked."""
        node.returns = None
        for argument in (n for n in ast.walk(node.args) if isinstance(n, ast.arg)):
            argument.annotation = None
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802 (the name that ast calls)
        """A name; one of the function's own stays."""
        if node.id in self.local or node.id not in self.outside:
            return node
        value = self.outside[node.id]
        if type(value).__name__ == "cell":
            try:
                value = value.cell_contents
            except ValueError:
                raise InputError(self.collector.place(node), f"'{node.id}' has no value yet") from None
        made = self._meaning(node, value)
        for part in ast.walk(made):
            ast.copy_location(part, node)
        return made

    def _meaning(self, node: ast.Name, value: Any) -> ast.expr:
        function = getattr(value, "py_func", None) or value
        if isinstance(function, FunctionType) and not _full_name(function):
            return ast.Name(self.collector.named(function, function.__name__), ast.Load())
        if type(value) in (int, float, bool, str, type(None)):
            return ast.Constant(value)
        name = value.__name__ if isinstance(value, ModuleType) else _full_name(value)
        if name:
            return _dotted(name)
        scalar = _scalar(value)
        if scalar is not None:
            return scalar
        if (listed := _listed(value)) is not None:
            return listed
        if type(value).__module__ == "builtins" and not hasattr(value, "__len__"):
            return node
        kind = "an array" if hasattr(value, "shape") else f"a {type(value).__name__}"
        told = f"'{node.id}' is {kind} from outside of the function; pass it as an argument"
        raise InputError(self.collector.place(node), told)


def _constant(value: Any) -> ast.expr:
    """A default value; `...` for one that no constant has."""
    return ast.Constant(value if type(value) in (int, float, bool, str, type(None)) else ...)


def _full_name(value: Any) -> str:
    """The name that NumPy or `math` has for a function or a type; empty for other values."""
    if type(value).__name__ == "ufunc":
        return f"numpy.{value.__name__}"
    if not isinstance(value, type | BuiltinFunctionType | FunctionType) and not callable(value):
        return ""
    name, home = getattr(value, "__name__", ""), (getattr(value, "__module__", "") or "").partition(".")[0]
    return f"{home}.{name}" if name and home in _HOMES else ""


_DEEPEST = 8  # a list may be in itself


def _listed(value: Any, depth: int = 0) -> ast.expr | None:
    """Numbers in tuples and lists, also inside each other, as they would be written; None for other values."""
    if type(value) in (int, float, bool) and depth:
        return ast.Constant(value)
    if not isinstance(value, tuple | list) or depth > _DEEPEST:
        return None
    parts = [part for each in value if (part := _listed(each, depth + 1)) is not None]
    made = ast.Tuple if isinstance(value, tuple) else ast.List
    return made(parts, ast.Load()) if len(parts) == len(value) else None


def _scalar(value: Any) -> ast.expr | None:
    """A number of NumPy's, as a call of its type; None for other values."""
    if type(value).__module__ != "numpy" or getattr(value, "shape", None) != () or not hasattr(value, "item"):
        return None
    number = value.item()
    if type(number) not in (int, float, bool):
        return None
    return ast.Call(_dotted(f"numpy.{value.dtype.name}"), [ast.Constant(number)], [])


def _dotted(name: str) -> ast.expr:
    first, *rest = name.split(".")
    found: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        found = ast.Attribute(found, part, ast.Load())
    return found
