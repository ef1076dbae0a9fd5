"""Loads at computed positions: the position is computed where it is read.

A program that gathers at positions that it computed itself keeps these in a tensor of integers. A read of such a
tensor is replaced by the computation of its element, so that a subscript is arithmetic on positions and not data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.operand_segments import input_count
from raising.support.mlir.walk import iterator_kinds, operations

_HERE = OpWriter(ir)
_READ = "tensor.extract"


def compute_places(module: Any) -> None:
    """Rewrite reads of single integers from tensors that are computed element by element, in place."""
    work = operations(module, lambda op: op.name == _READ and isinstance(op.results[0].type, ir.IntegerType))
    while work:
        op = work.pop()
        source = op.operands[0]
        if isinstance(source, ir.BlockArgument) or source.owner.name not in _FORMS:
            continue
        with ir.InsertionPoint(op), op.location:
            found = _FORMS[source.owner.name](source, list(op.operands)[1:])
        if found is not None:
            value, more = found
            op.results[0].replace_all_uses_with(value)
            op.erase()
            work += more


Found = tuple[Any, list[Any]] | None
"""A value, and the reads that it was made with; None if it cannot be made."""


def _of_generic(source: Any, place: Sequence[Any]) -> Found:
    """The body of the operation that computes a tensor, at the iteration of one element."""
    owner = source.owner.operation
    block, number = owner.regions[0].blocks[0], ir.OpResult(source).result_number
    inputs = input_count(owner)
    maps = [ir.AffineMapAttr(m).value for m in owner.attributes["indexing_maps"]]
    if not _is_plain(owner, inputs, maps[:inputs]) or not maps[inputs + number].is_permutation:
        return None
    dims = {ir.AffineDimExpr(e).position: p for e, p in zip(maps[inputs + number].results, place, strict=True)}
    at = [dims[d] for d in range(len(dims))]
    given = list(zip(block.arguments, list(owner.operands)[:inputs], maps, strict=False))
    known: dict[Any, Any] = {a: _read(tensor, form, at) for a, tensor, form in given}
    made = [value for value in known.values() if isinstance(value, ir.OpResult)]
    reads = [value.owner.operation for value in made if isinstance(value.type, ir.IntegerType)]
    *body, last = [op.operation for op in block.operations]
    for op in body:
        known |= dict(zip(op.results, _copied(op, known, at), strict=True))
    value = last.operands[number]
    return known.get(value, value), [op for op in reads if op.name == _READ]


def _is_plain(op: Any, inputs: int, maps: Sequence[Any]) -> bool:
    """Whether each iteration computes one element from elements at its own place, by operations without regions."""
    block = op.regions[0].blocks[0]
    alone = not any(len(list(a.uses)) for a in list(block.arguments)[inputs:])
    parallel = "reduction" not in iterator_kinds(op)
    simple = all(isinstance(e, ir.AffineDimExpr | ir.AffineConstantExpr) for m in maps for e in m.results)
    return alone and parallel and simple and not any(len(inner.operation.regions) for inner in block.operations)


def _read(tensor: Any, form: Any, at: Sequence[Any]) -> Any:
    """An operand of an operation at one of its iterations."""
    if not isinstance(tensor.type, ir.RankedTensorType):
        return tensor
    place = [
        at[ir.AffineDimExpr(e).position]
        if isinstance(e, ir.AffineDimExpr)
        else _HERE.index(ir.AffineConstantExpr(e).value)
        for e in form.results
    ]
    return _HERE.one(_READ, ir.RankedTensorType(tensor.type).element_type, tensor, *place)


def _copied(op: Any, known: dict[Any, Any], at: Sequence[Any]) -> list[Any]:
    """The results of an operation of a body, with what is known in place of its operands."""
    if op.name == "linalg.index":
        return [at[int(ir.IntegerAttr(op.attributes["dim"]).value)]]
    copy = op.clone(ir.InsertionPoint.current)
    for k, value in enumerate(op.operands):
        copy.operands[k] = known.get(value, value)
    return list(copy.results)


def _of_constant(source: Any, place: Sequence[Any]) -> Found:
    """A number that all elements are."""
    value = source.owner.attributes["value"]
    if not isinstance(value, ir.DenseElementsAttr) or not value.is_splat:
        return None
    one = value.get_splat_value()
    return _HERE.attribute(one), []


def _of_longer(source: Any, place: Sequence[Any]) -> Found:
    """An element of a tensor that got dimensions of extent one."""
    groups = source.owner.attributes["reassociation"]
    shape = ir.RankedTensorType(source.type).shape
    inner: list[Any] = []
    for group in groups:
        long = [int(ir.IntegerAttr(d).value) for d in group if shape[int(ir.IntegerAttr(d).value)] != 1]
        if len(long) > 1:
            return None
        inner.append(place[long[0]] if long else _HERE.index(0))
    return _again(source.owner.operands[0], inner)


def _of_shorter(source: Any, place: Sequence[Any]) -> Found:
    """An element of a tensor that lost dimensions of extent one."""
    groups = source.owner.attributes["reassociation"]
    shape = ir.RankedTensorType(source.owner.operands[0].type).shape
    inner: list[Any] = []
    for group, position in zip(groups, place, strict=True):
        dims = [int(ir.IntegerAttr(d).value) for d in group]
        if sum(shape[d] != 1 for d in dims) > 1:
            return None
        own = next((d for d in dims if shape[d] != 1), dims[0])
        inner += [position if d == own else _HERE.index(0) for d in dims]
    if not groups:
        inner = [_HERE.index(0) for _ in shape]
    return _again(source.owner.operands[0], inner)


def _again(tensor: Any, place: Sequence[Any]) -> Found:
    read = _HERE.one(_READ, ir.RankedTensorType(tensor.type).element_type, tensor, *place)
    return read, [read.owner.operation]


_FORMS = {
    "linalg.generic": _of_generic,
    "arith.constant": _of_constant,
    "tensor.expand_shape": _of_longer,
    "tensor.collapse_shape": _of_shorter,
}
