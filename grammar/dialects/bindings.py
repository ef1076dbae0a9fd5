"""Reads operation signatures from the Python classes that MLIR generates for a dialect.

The reader runs over the syntax tree of the generated module, in which every
class is built alike: what is appended to `operands`, stored in `attributes`
and appended to `results` is the signature. No operation is known by name.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

from raising.grammar.dialects.op_signature import Attr, Op, Operand

INFERS = "InferTypeOpInterface"
SAME_SIZE = "SameVariadicOperandSize"
SEGMENTS = "AttrSizedOperandSegments"


class NoBindings(RuntimeError):
    """The module of generated classes cannot be imported."""


def read(module: str) -> tuple[Op, ...]:
    """The operations whose classes a module of generated bindings holds."""
    try:
        source = inspect.getsource(importlib.import_module(module))
    except (ImportError, OSError) as error:
        raise NoBindings(f"{module}: {error}") from None
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    wanted = [c for c in classes if "OPERATION_NAME" in _constants(c) and _initialiser(c) is not None]
    if not wanted:
        raise NoBindings(f"{module}: holds no generated operation classes")
    return tuple(_operation(c) for c in wanted)


def _operation(node: ast.ClassDef) -> Op:
    constants = _constants(node)
    init = _initialiser(node)
    assert init is not None
    dialect, _, name = constants["OPERATION_NAME"].partition(".")
    count = constants["_ODS_REGIONS"][0]
    results = _appended(init, "results") or [Operand(n, "") for n in _results(node)]
    return Op(
        dialect=dialect,
        name=name,
        operands=tuple(_appended(init, "operands")),
        attrs=tuple(_attributes(init)),
        results=tuple(results),
        regions=tuple(f"region{i}" for i in range(count)),
        traits=tuple(_traits(node, init)),
        summary=_summary(ast.get_docstring(node) or ""),
    )


def _constants(node: ast.ClassDef) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in node.body:
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
            try:
                found[item.targets[0].id] = ast.literal_eval(item.value)
            except ValueError:
                continue
    return found


def _initialiser(node: ast.ClassDef) -> ast.FunctionDef | None:
    return next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)


def _statements(body: list[ast.stmt], optional: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """All statements, and whether each one stands under a condition."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _statements(statement.body, True)
        else:
            yield statement, optional


def _appended(init: ast.FunctionDef, target: str) -> list[Operand]:
    """The value that is appended to (one, or optional) or extends (variadic) a list."""
    found = []
    for statement, optional in _statements(init.body):
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        if isinstance(call.func.value, ast.Name) and call.func.value.id == target:
            names = [n.id for n in ast.walk(call.args[0]) if isinstance(n, ast.Name) and not n.id.startswith("_")]
            arity = "variadic" if call.func.attr == "extend" else "optional" if optional else "one"
            found.append(Operand(names[0] if names else "", "", arity))
    return found


def _attributes(init: ast.FunctionDef) -> Iterator[Attr]:
    for statement, optional in _statements(init.body):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
            continue
        if target.value.id == "attributes" and isinstance(target.slice, ast.Constant):
            yield Attr(str(target.slice.value), _kind(statement), optional)


def _kind(statement: ast.stmt) -> str:
    """The name under which the builder of the attribute is registered, prefixes left out."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "contains":
            assert isinstance(node.args[0], ast.Constant)
            return str(node.args[0].value).split(".")[-1].split("_", 1)[-1]
    return "UnitAttr"


def _results(node: ast.ClassDef) -> list[str]:
    """The properties that return `self.operation.results[i]`."""
    found = []
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.decorator_list:
            returns = [s for s in item.body if isinstance(s, ast.Return)]
            value = returns[-1].value if returns else None
            if (
                isinstance(value, ast.Subscript)
                and isinstance(value.value, ast.Attribute)
                and value.value.attr == "results"
            ):
                found.append(item.name)
    return found


def _traits(node: ast.ClassDef, init: ast.FunctionDef) -> Iterator[str]:
    if any(a.arg == "results" for a in init.args.kwonlyargs):
        yield INFERS
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    if "_ods_equally_sized_accessor" in names:
        yield SAME_SIZE
    if _constants(node).get("_ODS_OPERAND_SEGMENTS"):
        yield SEGMENTS


def _summary(docstring: str) -> str:
    first = " ".join(docstring.split("\n\n")[0].split())
    return re.split(r"(?<=[a-z`])\. ", first)[0].rstrip(".")
