"""Tuples that have a name, or that a function returns, as a name for each of their parts.

s = x.sum(), x.max()       ->  s_0, s_1 = x.sum(), x.max()
return s[0], s             ->  return s_0, (s_0, s_1)
return moments(x)          ->  given_0, given_1 = moments(x); return given_0, given_1

Tuples of constants, and lists of them that nothing changes, stand where their names do; a part whose number is
computed is one of an array.

w = 0.25, 0.5; … w[k]      ->  table = numpy.array((0.25, 0.5)); … float(table[k])
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy

from raising.frontend.python.module import Module, refused
from raising.frontend.python.numpy_library.made_syntax import expression, placed, written
from raising.frontend.python.variables.scopes import mentioned
from raising.support.source import unused_name


def with_parts_named(module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function without names of tuples, in place; `Refused` where a call gives a tuple inside of an expression."""
    taken = _taken(function)
    _Parts({n: _names(n, count, taken) for n, count in _named(module, function).items()}, {}).visit(function)
    _replace(function, lambda node: _taken_apart(module, node, taken))
    _check(module, function)
    return function


def with_constants(module: Module, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with tuples of constants in the places of their names, in place."""
    _replace(function, lambda node: _one_by_one(module, node))
    _Parts({}, _constants(function)).visit(function)
    tables = _Tables(_taken(function))
    tables.visit(function)
    function.body[:0] = [placed(made, function) for made in tables.made]
    return function


def _replace(function: ast.FunctionDef, made: Callable[[ast.stmt], list[ast.stmt]]) -> None:
    """Other statements in the place of each one, in place."""
    fields = (getattr(n, field, None) for n in ast.walk(function) for field in ("body", "orelse"))
    for block in [b for b in fields if isinstance(b, list)]:
        block[:] = [other for node in block for other in made(node)]


def _one_by_one(module: Module, node: ast.stmt) -> list[ast.stmt]:
    """`a, b = f(x), (1, 2)` as two assignments, where one of the values is a tuple or a list."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            names = [t.id for t in targets if isinstance(t, ast.Name)]
            several = any(isinstance(v, ast.List) or _length(module, v) for v in values)
            if several and len({*names}) == len(targets) and mentioned(values).isdisjoint(names):
                return [placed(ast.Assign([t], v), node) for t, v in zip(targets, values, strict=True)]
    return [node]


def _taken(function: ast.FunctionDef) -> set[str]:
    return set(mentioned([function])) | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}


def _names(name: str, count: int, taken: set[str]) -> list[str]:
    found = []
    for k in range(count):
        found.append(unused_name(f"{name}_{k}", taken))
        taken.add(found[-1])
    return found


# ---- what names stand for ------------------------------------------------------------------------


def _length(module: Module, value: ast.expr | None, opened: tuple[str, ...] = ()) -> int:
    """How many parts a tuple has; 0 for other expressions."""
    if isinstance(value, ast.Tuple):
        return 0 if any(isinstance(p, ast.Starred) for p in value.elts) else len(value.elts)
    name = module.dotted(value.func) if isinstance(value, ast.Call) else ""
    if name not in module.functions or name in opened:
        return 0
    callee = module.functions[name]
    named = _named(module, callee, (*opened, name))
    lengths = {
        named.get(n.value.id, 0) if isinstance(n.value, ast.Name) else _length(module, n.value, (*opened, name))
        for n in ast.walk(callee)
        if isinstance(n, ast.Return)
    }
    return lengths.pop() if len(lengths) == 1 else 0


def _named(module: Module, function: ast.FunctionDef, opened: tuple[str, ...] = ()) -> dict[str, int]:
    """The names that stand for nothing else than tuples of one length, with these lengths."""
    lengths = {n: {_length(module, v, opened) for v in values} for n, values in _assigned(function).items()}
    return {name: max(found) for name, found in lengths.items() if len(found) == 1 and max(found)}


def _assigned(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """The variables that are set by assignments to them alone, with all values that they get."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
    stores = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    given = {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}
    return {name: values for name, values in found.items() if name not in given and stores.count(name) == len(values)}


def _constants(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The names that stand for one tuple of constants, or for a list of them that stays as it is."""
    alone = {name: values[0] for name, values in _assigned(function).items() if len(values) == 1}
    return {
        name: value
        for name, value in alone.items()
        if (isinstance(value, ast.Tuple) or (isinstance(value, ast.List) and _is_only_read(function, name)))
        and value.elts
        and _is_constant(value)
    }


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List):
        return all(map(_is_constant, node.elts))
    plain = isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)
    return plain or _NO_NAMES.number(node) is not None


_NO_NAMES = Module("", names={})
"""Knows the value of what is computed of constants alone, such as `4 / 9`."""


def _is_only_read(function: ast.FunctionDef, name: str) -> bool:
    """Whether a list is used for its elements and its length alone."""
    good = 0
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=own), ctx=ast.Load()) | ast.For(iter=ast.Name(id=own)):
                good += own == name
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=own)]):
                good += own == name
    loads = (n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return good == sum(n.id == name for n in loads)


# ---- names as their parts ------------------------------------------------------------------------


class _Parts(ast.NodeTransformer):
    def __init__(self, parts: Mapping[str, list[str]], values: Mapping[str, ast.expr]) -> None:
        self.parts, self.values = parts, values

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """Nothing in the place of a name for constants."""
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.values:
            return placed(ast.Pass(), node)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name as the tuple of its parts."""
        if node.id in self.values:
            return placed(deepcopy(self.values[node.id]), node)
        if node.id in self.parts:
            return placed(ast.Tuple([ast.Name(p, node.ctx) for p in self.parts[node.id]], node.ctx), node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """One part of a tuple."""
        self.generic_visit(node)
        match node:
            case ast.Subscript(value=ast.Tuple(elts=parts) | ast.List(elts=parts), slice=index):
                number = _constant(index) if isinstance(node.ctx, ast.Load) else None  # a tuple does not change
                return parts[number] if number is not None and -len(parts) <= number < len(parts) else node
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """The length of a tuple as a number."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Tuple(elts=parts) | ast.List(elts=parts)]):
                return placed(ast.Constant(len(parts)), node)
        return node


def _constant(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
    return None


class _Tables(ast.NodeTransformer):
    """Parts of tuples of numbers by a number that is computed."""

    def __init__(self, taken: set[str]) -> None:
        self.made: list[ast.stmt] = []
        self.taken, self._names = taken, dict[str, str]()

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.value, ast.Tuple | ast.List) or isinstance(node.slice, ast.Slice | ast.Tuple):
            return node
        kind = _kind(node.value)
        if not kind or not isinstance(node.ctx, ast.Load):
            return node
        text = ast.dump(node.value)
        if text not in self._names:
            (self._names[text],) = _names("table", 1, self.taken)
            self.made += written("table = numpy.array(display)", node, table=self._names[text], display=node.value)
        return expression("kind(table[place])", node, kind=kind, table=self._names[text], place=node.slice)


def _kind(display: ast.Tuple | ast.List) -> str:
    """The type of Python's that all numbers of a tuple have; empty if there is none."""
    kinds = {
        type(e.value).__name__ if isinstance(e, ast.Constant) else type(_NO_NAMES.number(e)).__name__
        for e in display.elts
    }
    return kinds.pop() if len(kinds) == 1 and kinds <= {"int", "float", "bool"} else ""


# ---- calls that give tuples ----------------------------------------------------------------------


def _taken_apart(module: Module, node: ast.stmt, taken: set[str]) -> list[ast.stmt]:
    """`return f(x)` of a function that returns a tuple with a name for each part."""
    count = _length(module, node.value) if isinstance(node, ast.Return) and isinstance(node.value, ast.Call) else 0
    if not isinstance(node, ast.Return) or node.value is None or not count:
        return [node]
    parts = "".join(f"{name}, " for name in _names("given", count, taken))
    return written(f"{parts}= value\nreturn {parts}", node, value=node.value)


def _check(module: Module, function: ast.FunctionDef) -> None:
    """`Refused` where a call gives a tuple of which neither all parts nor one of them are taken."""
    taken = {id(value) for value in _taken_values(function)}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and id(node) not in taken and (count := _length(module, node)):
            raise refused(module, node, f"a call that gives {count} values, inside of an expression")


def _taken_values(function: ast.FunctionDef) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple()], value=value) | ast.Expr(value=value):
                yield value
            case ast.Subscript(value=value, slice=index) if _constant(index) is not None:
                yield value
