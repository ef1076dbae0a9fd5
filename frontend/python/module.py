"""What a Python file says at its top level: imports, constants and functions. Nothing of it is run."""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable
from dataclasses import field
from typing import Any

from raising.frontend.lower.ir.module import Refused
from raising.support.errors import InputError
from raising.support.record import dataclass
from raising.support.source import Loc

Number = int | float

MAX_BITS = 64
LINES = 10_000_000  # more than any file has
OF_RANK = {0: "_of_number", 1: "_of_vector", 2: "_of_matrix"}  # behind the name of a function for such first arguments
_USUAL = {"np": "numpy", "numpy": "numpy", "math": "math"}
_CONSTANTS: dict[str, float] = {
    f"{home}.{name}": value
    for home in ("math", "numpy")
    for name, value in (
        ("pi", 3.141592653589793),
        ("e", 2.718281828459045),
        ("inf", float("inf")),
        ("nan", float("nan")),
    )
}
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
}


@dataclass
class Module:
    """The top level of a file, by name; `names` says what an import or another name stands for.

    Functions that are compiled `as_written` look at their subscripts when they run.
    """

    file: str
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    constants: dict[str, Number] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=lambda: dict(_USUAL))
    refused: list[Refused] = field(default_factory=list)
    more: tuple[str, ...] = ()
    as_written: bool = False

    def place(self, node: ast.AST) -> Loc:
        """Where a node starts: lines from `k * LINES` on are those of file `k` of `more`, counted from one."""
        number, line = divmod(getattr(node, "lineno", 0), LINES)
        return Loc(self.more[number - 1] if number else self.file, line, getattr(node, "col_offset", -1) + 1)

    def dotted(self, node: ast.expr) -> str:
        """The full name of what an expression such as `np.sqrt` names; empty for other expressions."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            home = self.dotted(node.value)
            return f"{home}.{node.attr}" if home else ""
        return ""

    def number(self, node: ast.expr) -> Number | None:
        """The value of a constant expression; None for one that is not, or whose value is too large."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return self._small(node.value)
        if isinstance(node, ast.Name | ast.Attribute):
            known = self.constants.get(node.id) if isinstance(node, ast.Name) else None
            return known if known is not None else _CONSTANTS.get(self.dotted(node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.number(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            left, right = self.number(node.left), self.number(node.right)
            if left is None or right is None:
                return None
            try:
                return self._small(_OPERATORS[type(node.op)](left, right))
            except (ArithmeticError, ValueError):
                return None
        return None

    def _small(self, value: Any) -> Number | None:
        return None if isinstance(value, int) and value.bit_length() > MAX_BITS else value


def parse(text: str, file: str) -> Module:
    """The top level of a file; `InputError` at the place where it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as for an escape in a string that nobody asked about
            tree = ast.parse(text)
    except SyntaxError as error:
        where = Loc(file, error.lineno or 0, max(1, error.offset or 0))
        raise InputError(where, f"not valid Python: {error.msg.partition(';')[0]}") from None
    except (RecursionError, MemoryError):
        raise InputError(Loc(file), "it is nested too deeply to be read") from None
    except ValueError as error:
        raise InputError(Loc(file), f"not valid Python: {error}") from None
    module = Module(file)
    for node in tree.body:
        _read(module, node)
    _forget_what_changes(module, tree)
    return module


def _read(module: Module, node: ast.stmt) -> None:
    match node:
        case ast.FunctionDef():
            if node.name in module.functions:
                raise InputError(module.place(node), f"function '{node.name}' is defined twice")
            module.functions[node.name] = node
        case ast.AsyncFunctionDef():
            module.refused.append(refused(module, node, f"function '{node.name}' stays in Python: it is asynchronous"))
        case ast.Import() | ast.ImportFrom():
            _import(module, node)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            _set(module, name, value)
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            for target, value in zip(names, values, strict=True):
                if isinstance(target, ast.Name):
                    _set(module, target.id, value)


def _import(module: Module, node: ast.Import | ast.ImportFrom) -> None:
    if isinstance(node, ast.ImportFrom):
        if node.level == 0 and node.module:
            module.names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    else:
        module.names |= {alias.asname: alias.name for alias in node.names if alias.asname}


def _set(module: Module, name: str, value: ast.expr) -> None:
    number, other = module.number(value), module.dotted(value)
    if number is not None:
        module.constants[name] = number
    elif other:
        module.names[name] = other


def _forget_what_changes(module: Module, tree: ast.Module) -> None:
    """A name that is set more than once, or from inside of a function, is no constant."""
    found: list[str] = []
    for top in tree.body:
        inside = isinstance(top, ast.FunctionDef)
        for node in ast.walk(top):
            if isinstance(node, ast.Global):
                found += node.names * 2
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and not inside:
                found.append(node.id)
    for name in {n for n in found if found.count(n) > 1}:
        module.constants.pop(name, None)
        module.names.pop(name, None)


def refused(module: Module, node: ast.AST, reason: str) -> Refused:
    """The reason why a function stays in Python, at its place."""
    return Refused(module.place(node), reason)
