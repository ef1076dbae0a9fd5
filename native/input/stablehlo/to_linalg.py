"""StableHLO to linalg, in the MLIR of jaxlib.

StableHLO's own passes do most of it. Operations that they leave are rewritten before: control flow, sorting and
scattering become loops, and arrays without elements, which the passes refuse in many places, become constants.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from raising.frontend.mlir.attributes import source_location
from raising.frontend.mlir.parse_module import parse_module
from raising.grammar.dialects.host import Host
from raising.grammar.dialects.target_dialect import read_target
from raising.native.base.unsupported import CompileError
from raising.native.input.stablehlo.control_flow import case, choice, loop
from raising.native.input.stablehlo.op_builder import Build
from raising.native.input.stablehlo.saturating_casts import convert, converts_to_integers
from raising.native.input.stablehlo.scatter import scatter
from raising.native.input.stablehlo.sort import sort
from raising.support.mlir.walk import operations
from raising.support.source import Loc

_PUBLIC = "builtin.module(symbol-dce)"
_LINALG = "builtin.module(func.func(stablehlo-legalize-to-linalg),canonicalize,cse)"
_OWN = ("stablehlo.", "chlo.", "mhlo.")


def to_linalg(raw: bytes, file: str) -> bytes:
    """A module of StableHLO as one of linalg, scf and tensors, in text.

    `raising.support.errors.InputError` for what does not parse, CompileError for what has no such form.
    """
    host = Host(read_target("stablehlo"))
    with host.context, host.ir.Location.unknown():
        module = parse_module(raw, file, host.ir)
        try:
            host.prepare(module)
            host.run(_PUBLIC, module)
            _rewrite(module, host.ir)
            host.run(_LINALG, module)
        except host.ir.MLIRError as error:
            said = error.error_diagnostics[0].message if error.error_diagnostics else str(error)
            reason = " ".join(said.split())
            raise CompileError(f"{file}: error: StableHLO cannot be brought to linalg: {reason}") from None
        _check(module, file)
        return str(module).encode()


# ---- what the passes have no form for ------------------------------------------------------------


def _rewrite(module: Any, ir: Any) -> None:
    """Every operation with a form of ours in that form; what is inside of others comes first."""
    for op in operations(module, lambda op: op.name.startswith("stablehlo.")):
        if op.name == "stablehlo.reduce" and not len(op.attributes["dimensions"]):
            _reduce_along_one(op, ir)
        form = _form(op, ir)
        if form is None:
            continue
        with op.location:
            values = form(Build(ir, ir.InsertionPoint(op)), op)
        for result, value in zip(op.results, values, strict=True):
            result.replace_all_uses_with(value)
        op.erase()


def _form(op: Any, ir: Any) -> Callable[[Build, Any], list[Any]] | None:
    if op.name in _FORMS:
        return _FORMS[op.name]
    if op.results and all(_is_empty(result, ir) for result in op.results):
        return _nothing if op.name != "stablehlo.constant" else None
    if converts_to_integers(op, ir):
        return convert
    if op.name == "stablehlo.reduce" and _is_empty(op.operands[0], ir):
        return _initial
    if op.name == "stablehlo.concatenate" and any(_is_empty(operand, ir) for operand in op.operands):
        return _shorter
    return None


def _is_empty(value: Any, ir: Any) -> bool:
    """Whether a tensor is known to have no element."""
    return isinstance(value.type, ir.RankedTensorType) and 0 in value.type.shape


def _nothing(at: Build, op: Any) -> list[Any]:
    kinds = (at.ir.RankedTensorType(result.type) for result in op.results)
    free = ([at.index(0)] * sum(map(kind.is_dynamic_dim, range(kind.rank))) for kind in kinds)
    return [at.op("tensor.empty", [r.type], extents)[0] for r, extents in zip(op.results, free, strict=True)]


def _initial(at: Build, op: Any) -> list[Any]:
    """A reduction of nothing: what it begins with."""
    starts = op.operands[len(op.operands) // 2 :]
    nowhere = at.ir.DenseI64ArrayAttr.get([])
    return [
        at.op("stablehlo.broadcast_in_dim", [result.type], [start], broadcast_dimensions=nowhere)[0]
        for result, start in zip(op.results, starts, strict=True)
    ]


def _reduce_along_one(op: Any, ir: Any) -> None:
    """A reduction along no dimension, which the passes leave as it is, along one more that has one element."""
    values = list(op.operands)[: len(op.results)]
    shapes = [ir.RankedTensorType(value.type) for value in values]
    if not all(shape.has_static_shape for shape in shapes):
        return
    with op.location:
        at = Build(ir, ir.InsertionPoint(op))
        for k, (value, shape) in enumerate(zip(values, shapes, strict=True)):
            longer = ir.RankedTensorType.get([*shape.shape, 1], shape.element_type)
            op.operands[k] = at.op("stablehlo.reshape", [longer], [value])[0]
        op.attributes["dimensions"] = ir.DenseI64ArrayAttr.get([shapes[0].rank])


def _shorter(at: Build, op: Any) -> list[Any]:
    parts = [operand for operand in op.operands if not _is_empty(operand, at.ir)]
    return list(at.op("stablehlo.concatenate", [op.results[0].type], parts, dimension=op.attributes["dimension"]))


_FORMS: dict[str, Callable[[Build, Any], list[Any]]] = {
    "stablehlo.case": case,
    "stablehlo.if": choice,
    "stablehlo.optimization_barrier": lambda _, op: list(op.operands),
    "stablehlo.scatter": scatter,
    "stablehlo.sort": sort,
    "stablehlo.while": loop,
}


# ---- what is left --------------------------------------------------------------------------------


def _check(module: Any, file: str) -> None:
    """CompileError, with the place, for the first operation that has no form."""
    left = operations(module, lambda op: op.name.startswith(_OWN))
    if left:
        op = left[0]
        called = f" (of '{op.attributes['call_target_name'].value}')" if "call_target_name" in op.attributes else ""
        where = replace(source_location(op.location, Loc()), file=file)
        raise CompileError(f"{where}: error: {op.name} has no form in linalg{called}")
