"""The signature of a function of a module, read from its type and its attributes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.c_parameters import C_ARGUMENTS, C_PATHS, C_RESULT, declared, declared_as_rows
from raising.frontend.mlir.variables import argument_symbols
from raising.native.base.signature import C_TYPES, Argument, Extent, Parameter, Signature
from raising.native.base.unsupported import CompileError
from raising.support.mlir.walk import is_row_major

_UNSIGNED = re.compile(r"ui(8|16|32|64)")


def signature_of(function: Any) -> Signature:
    """The signature of a `func.func` on tensors or memory; CompileError for a type that C cannot be given."""
    name = ir.StringAttr(function.attributes["sym_name"]).value
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    given = declared(function, len(kind.inputs)) or [("", f"arg{k}", ()) for k in range(len(kind.inputs))]
    taken = [_parameter(name, t, *c) for t, c in zip(kind.inputs, given, strict=True)]
    rows = declared_as_rows(function, len(taken))
    taken = [replace(p, in_rows=rows.get(k, "")) for k, p in enumerate(taken)]
    symbols = {k: s for k, s in argument_symbols(function).items() if isinstance(kind.inputs[k], ir.MemRefType)}
    parameters = [p for k, p in enumerate(taken) if k not in symbols]
    variables = tuple(replace(taken[k], name=symbol) for k, symbol in symbols.items())
    arrays = [t for t in kind.results if isinstance(t, ir.ShapedType)]
    scalars = tuple(_element(name, t) for t in kind.results if not isinstance(t, ir.ShapedType))
    if any(isinstance(t, ir.MemRefType) for t in arrays):
        raise CompileError(f"function '{name}' returns memory: only scalars and tensors can be returned")
    if len(scalars) > 1:
        raise CompileError(f"function '{name}' returns {len(scalars)} scalars: C returns one")
    outputs = [_parameter(name, t, "", f"result{k}", (), result=True) for k, t in enumerate(arrays)]
    sources = None if outputs else _arguments(function, len(parameters))
    if sources is not None:
        paths = [ir.StringAttr(path).value for path in ir.ArrayAttr(function.attributes[C_PATHS])]
        parameters = [replace(p, path=path) for p, path in zip(parameters, paths, strict=True)]
    result = ir.StringAttr(function.attributes[C_RESULT]).value if C_RESULT in function.attributes else ""
    return Signature(name, (*parameters, *outputs), scalars, variables, arguments=sources or (), result=result)


def _arguments(function: Any, count: int) -> tuple[Argument, ...] | None:
    """What C passes to a function that takes structs, if it still has the parameters that were made of them."""
    attributes = function.attributes
    if C_ARGUMENTS not in attributes or C_PATHS not in attributes:
        return None
    try:
        rows = [[ir.StringAttr(s).value for s in ir.ArrayAttr(row)] for row in ir.ArrayAttr(attributes[C_ARGUMENTS])]
        paths = [ir.StringAttr(path).value for path in ir.ArrayAttr(attributes[C_PATHS])]
        found = tuple(Argument(row[0], row[1], int(row[2]) if row[2:] else 0, tuple(row[3:])) for row in rows)
    except (ValueError, IndexError):
        return None
    return found if len(paths) == count else None


def _parameter(
    function: str, kind: Any, c_type: str, name: str, extents: tuple[str, ...], *, result: bool = False
) -> Parameter:
    if not isinstance(kind, ir.ShapedType):
        element = _element(function, kind)
        return Parameter(name, element, None, c_type or _c_type(kind))
    if not isinstance(kind, ir.MemRefType | ir.RankedTensorType):
        raise CompileError(f"function '{function}': {kind} cannot be passed from C")
    _plain_layout(function, kind)
    element = _element(function, kind.element_type)
    sizes: list[Extent] = [None if kind.is_dynamic_dim(d) else kind.get_dim_size(d) for d in range(kind.rank)]
    if len(extents) == len(sizes):  # what is written as C has it may be flat there, and have its shape here
        sizes = [text if size is None else size for text, size in zip(extents, sizes, strict=True)]
    return Parameter(name, element, tuple(sizes), c_type or _c_type(kind.element_type), result=result)


def _plain_layout(function: str, kind: Any) -> None:
    plain = is_row_major(kind) if isinstance(kind, ir.MemRefType) else kind.encoding is None
    if not plain:
        raise CompileError(f"function '{function}': {kind} is not a plain row-major array")


def _element(function: str, kind: Any) -> str:
    """The element type inside of the module, where integers have no sign."""
    name = _UNSIGNED.sub(r"i\1", str(kind))
    if name not in C_TYPES:
        raise CompileError(f"function '{function}': the type {kind} cannot be passed from C")
    return name


def _c_type(kind: Any) -> str:
    return _UNSIGNED.sub(r"uint\1_t", str(kind)) if _UNSIGNED.fullmatch(str(kind)) else C_TYPES[str(kind)]
