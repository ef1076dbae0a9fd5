"""A raised module as the text of a Python module."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from raising.affine.ir.c_parameters import declared
from raising.readable.dialects import DIALECTS
from raising.readable.function_writer import FunctionWriter
from raising.readable.operations import OPERATIONS
from raising.readable.python_values import Unsaid
from raising.support.record import dataclass

_GENERIC = "builtin.module(func.func(linalg-generalize-named-ops))"


@dataclass(frozen=True)
class Source:
    """The text; for each function that is not in it the reason, for each other one the arguments that it writes.

    `functions` are the definitions in the text, by their names in the module; `integers` are the places of arguments
    that are integers, which bounds of loops and slices may depend on.
    """

    text: str
    refused: Mapping[str, str]
    written: Mapping[str, tuple[str, ...]]
    functions: Mapping[str, ast.FunctionDef]
    integers: Mapping[str, tuple[int, ...]]


def to_source(text: str, language: str, names: Mapping[str, Sequence[str]]) -> Source:
    """The functions of a module in Python for `numpy` or `jax`; `names` are those of their arguments.

    Raises ValueError for a language that is not known, and for a text that is no module.
    """
    if language not in DIALECTS:
        raise ValueError(f"unknown language '{language}' (known: {', '.join(DIALECTS)})")
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        try:
            module = ir.Module.parse(text)
            PassManager.parse(_GENERIC).run(module.operation)
        except ir.MLIRError as error:
            raise ValueError(str(error).partition("\n")[0]) from None
        return _module(module, language, names)


def _module(module: Any, language: str, names: Mapping[str, Sequence[str]]) -> Source:
    made: dict[str, ast.FunctionDef] = {}
    integers: dict[str, tuple[int, ...]] = {}
    refused: dict[str, str] = {}
    written: dict[str, tuple[str, ...]] = {}
    for op in module.body.operations:
        if op.operation.name != "func.func" or not op.operation.regions[0].blocks:
            continue
        own = str(ir.StringAttr(op.attributes["sym_name"]).value)
        try:
            writer = _writer(op.operation, names.get(own, ()), language)
            made[own] = ast.fix_missing_locations(writer.write())
            written[own] = tuple(writer.written)
            kinds = [a.type for a in op.operation.regions[0].blocks[0].arguments]
            integers[own] = tuple(k for k, t in enumerate(kinds) if isinstance(t, ir.IntegerType | ir.IndexType))
        except Unsaid as error:
            refused[own] = str(error)
        except RecursionError:
            refused[own] = "it is nested too deeply"
    return Source(_printed([*made.values()], language), refused, written, made, integers)


def _writer(op: Any, names: Sequence[str], language: str) -> FunctionWriter:
    count = len(op.regions[0].blocks[0].arguments)
    c_types = [[kind, parameter, *extents] for kind, parameter, extents in declared(op, count)]
    known = [c[1] for c in c_types] if len(c_types) == count else list(names)
    known += [f"arg{k}" for k in range(len(known), count)]
    return FunctionWriter(op, known[:count], DIALECTS[language](), c_types, OPERATIONS)


def _printed(functions: Sequence[ast.stmt], language: str) -> str:
    texts = ["\n".join(DIALECTS[language].imports)]
    texts += [ast.unparse(f) for f in functions]
    return "\n\n\n".join(texts) + "\n"
