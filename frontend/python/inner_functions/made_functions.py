"""Functions of the file that the source does not have as such: their names, and the variables that they read."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable

from raising.frontend.python.module import Module
from raising.frontend.python.numpy_library.made_syntax import placed


def kept(module: Module, function: ast.FunctionDef, name: str, at: ast.AST) -> str:
    """The name under which a function is one of the file: that of one with the same text, or else an unused one."""
    function.name = name
    number, text = 1, ast.dump(placed(function, at))
    while function.name in module.functions and ast.dump(module.functions[function.name]) != text:
        number += 1
        function.name = f"{name}_{number}"
        text = ast.dump(function)
    return module.functions.setdefault(function.name, function).name


def captured(module: Module, nodes: Iterable[ast.AST], own: Collection[str], outer: Collection[str]) -> list[str]:
    """The variables of the function around that some syntax reads: neither its `own`, nor names of the file."""
    called = [n.func for node in nodes for n in ast.walk(node) if isinstance(n, ast.Call)]
    names = [n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and n not in called]
    known = {*module.functions, *module.constants, *module.names, *dir(builtins)} - {*outer}
    return [name for name in dict.fromkeys(n.id for n in names) if name not in own and name not in known]


def variables(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """The parameters of a function, and the names that it sets."""
    given = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    stored = (n.id for n in ast.walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load))
    return {*given, *stored}


def made(names: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """A function of parameters without types."""
    given = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    return ast.FunctionDef("made", given, body, [])
