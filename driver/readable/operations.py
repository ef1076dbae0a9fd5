"""The operations that stand in functions besides those on numbers: tensors, loops, conditions, memory."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine
from raising.readable.function_writer import FunctionWriter
from raising.readable.generic_operations import Generic
from raising.readable.kept_loops import KEPT
from raising.readable.python_nodes import Node, call, constant, name, subscript
from raising.readable.python_values import Expr, Unsaid, joined
from raising.readable.scalar_operations import dtype_of
from raising.readable.slice_subscripts import Part, slice_of, sliced, whole
from raising.readable.structured import STRUCTURED

W = FunctionWriter


def _nothing(w: W, op: Any) -> None:
    """Memory that ends, and the like."""


def _constant(w: W, op: Any) -> None:
    result = op.results[0]
    attribute = op.attributes["value"]
    if isinstance(result.type, ir.ShapedType):
        if not attribute.is_splat:
            raise Unsaid("a constant array")
        number = _number(attribute.get_splat_value())
        dtype = dtype_of(result.type.element_type)
        w.known[result] = Expr(constant(number), dtype, splat=bool(result.type.rank), weak=True, static=True)
        return
    number = _number(attribute)
    finite = not isinstance(number, float) or math.isfinite(number)
    node = constant(number) if finite else _special(w, float(number))
    form = Affine(number) if isinstance(number, int) and not isinstance(number, bool) else None
    w.known[result] = Expr(node, dtype_of(result.type), weak=True, form=form, static=True)


def _special(w: W, number: float) -> Node:
    if number != number:
        return ast.Attribute(name(w.dialect.module), "nan", ast.Load())
    inf: Node = ast.Attribute(name(w.dialect.module), "inf", ast.Load())
    return inf if number > 0 else ast.UnaryOp(ast.USub(), inf)


def _number(attribute: Any) -> int | float | bool:
    if str(attribute.type) == "i1":
        return bool(ir.IntegerAttr(attribute).value)
    if isinstance(attribute.type, ir.IndexType | ir.IntegerType):
        return int(ir.IntegerAttr(attribute).value)
    return float(ir.FloatAttr(attribute).value)


# ---- tensors -----------------------------------------------------------------------------------------


def _to_tensor(w: W, op: Any) -> None:
    own = w.memory(op.operands[0])
    kind = op.results[0].type
    known = w.known[op.operands[0]]
    node = name(own) if kind.rank else subscript(name(own), [constant(())])
    w.known[op.results[0]] = Expr(node, known.dtype, kind.rank, frozenset([own]), view=kind.rank > 0)


def _materialize(w: W, op: Any) -> None:
    value, target = op.operands
    given = w.value(value)
    if not isinstance(target.type, ir.MemRefType):
        w.known[op.results[0]] = given
        return
    own = w.memory(target)
    if not (isinstance(given.node, ast.Name) and given.node.id == own):
        w.release(own, w.order.place(op))
        w.store_all(own, given, w.shape(target), w.known[target].dtype)
    else:
        w.note_written(own)
    if w.order.needed(value, w.order.place(op)):
        w.known[value] = Expr(name(own), given.dtype, target.type.rank, frozenset([own]), view=True)


def _empty(w: W, op: Any) -> None:
    kind = op.results[0].type
    dtype = dtype_of(kind.element_type)
    zero = False if dtype == "bool" else 0.0 if dtype.startswith("float") else 0
    w.known[op.results[0]] = Expr(constant(zero), dtype, splat=bool(kind.rank), weak=True, static=True)


def _alloc_tensor(w: W, op: Any) -> None:
    if len(op.operands) == 1 and op.operands[0].type == op.results[0].type:
        given = w.value(op.operands[0])
        w.define(op.results[0], given)
    else:
        _empty(w, op)


def _alias(w: W, op: Any) -> None:
    w.known[op.results[0]] = w.value(op.operands[0])


def _subscripts(w: W, part: Part, shape: Sequence[Affine]) -> list[Node]:
    found = []
    for o, s, t, extent, dropped in zip(part.offsets, part.sizes, part.strides, shape, part.dropped, strict=True):
        if not isinstance(t, int):
            raise Unsaid("a slice with a step that is not known")
        first = _form(w, o)
        if dropped and w.dialect.in_place and (end := w.forms.least_beyond(first, extent)) is not None:
            found.append(call("min", w.forms.node(first), constant(end)))  # where the part is empty
        else:
            found.append(sliced(w.forms, first, _form(w, s), t, extent, dropped))
    return found


def _form(w: W, value: Any) -> Affine:
    return Affine(value) if isinstance(value, int) else w.form(value)


def _reads(w: W, part: Part) -> frozenset[str]:
    return joined(*(w.value(v) for v in (*part.offsets, *part.sizes, *part.strides) if not isinstance(v, int)))


def _extract_slice(w: W, op: Any) -> None:
    source, kind = op.operands[0], op.results[0].type
    given = w.value(source)
    part = slice_of(op, source.type.rank, kind)
    if given.splat:
        w.known[op.results[0]] = replace(given, splat=bool(kind.rank))
        return
    parts = _subscripts(w, part, w.shape(source))
    given = w.full(given, w.shape(source))
    node = given.node if whole(parts) else subscript(given.node, parts)
    found = given.but(node, rank=kind.rank, reads=given.reads | _reads(w, part), view=_is_view(given))
    w.define(op.results[0], found)


def _is_view(given: Expr) -> bool:
    return given.view or isinstance(given.node, ast.Name)


def _insert_slice(w: W, op: Any) -> None:
    source, target = op.operands[0], op.operands[1]
    part = slice_of(op, target.type.rank, source.type)
    parts = _subscripts(w, part, w.shape(target))
    _update(w, op, w.value(source), target, parts)


def _insert(w: W, op: Any) -> None:
    source, target = op.operands[0], op.operands[1]
    parts = [w.value(op.operands[k]).node for k in range(2, len(op.operands))]
    _update(w, op, w.value(source), target, parts)


def _update(w: W, op: Any, value: Expr, target: Any, parts: Sequence[Node]) -> None:
    """Write a part of the variable that the result is kept in."""
    result, at = op.results[0], w.order.place(op)
    given = w.value(target)
    home = w.homes.known.get(result)
    if home is None:
        home = _own_variable(w, op, given, target)
    elif not (isinstance(given.node, ast.Name) and given.node.id == home):
        w.release(home, at, [op.operands[0]])
        value = w.value(op.operands[0])
        dtype = (
            w.known[next(m for m, n in w.memories.items() if n == home)].dtype
            if home in w.memories.values()
            else given.dtype
        )
        w.store_all(home, given, w.shape(target), dtype)
    w.release(home, at)
    kept = next((w.known[m].dtype for m, n in w.memories.items() if n == home), given.dtype)
    w.put(subscript(name(home), parts), w.fitted(value, kept))
    w.note_written(home)
    w.known[result] = Expr(name(home), given.dtype, result.type.rank, frozenset([home]), view=True)


def _own_variable(w: W, op: Any, given: Expr, target: Any) -> str:
    """A variable that holds the target and may be written to."""
    here = (
        isinstance(target, ir.BlockArgument)
        and target.owner == op.block
        or (not isinstance(target, ir.BlockArgument) and target.owner.operation.block == op.block)
    )
    if (
        isinstance(given.node, ast.Name)
        and given.node.id in w.own
        and here
        and not w.order.needed(target, w.order.place(op))
    ):
        return given.node.id
    bound = w.bound(w.full(given, w.shape(target)))
    assert isinstance(bound.node, ast.Name)
    return bound.node.id


def _extract(w: W, op: Any) -> None:
    source = op.operands[0]
    given = w.value(source)
    if given.splat or not source.type.rank:
        w.define(op.results[0], replace(given, splat=False))
        return
    given = w.full(given, w.shape(source))
    indices = [w.value(op.operands[k]) for k in range(1, len(op.operands))]
    node = subscript(given.node, [i.node for i in indices])
    w.define(op.results[0], Expr(node, given.dtype, 0, joined(given, *indices)))


def _from_elements(w: W, op: Any) -> None:
    kind = op.results[0].type
    given = [w.value(v) for v in op.operands]
    if not kind.rank:
        w.known[op.results[0]] = given[0]
        return
    if kind.rank != 1:
        raise Unsaid("an array of elements in several dimensions")
    node = w.scalars.function(
        "array",
        ast.List([g.node for g in given], ast.Load()),
        dtype=ast.Attribute(name(w.dialect.module), given[0].dtype, ast.Load()),
    )
    w.define(op.results[0], Expr(node, given[0].dtype, 1, joined(*given)))


def _dim(w: W, op: Any) -> None:
    form = w.shape(op.operands[0])[w.form(op.operands[1]).known or 0]
    w.known[op.results[0]] = Expr(w.forms.node(form), "int64", weak=True, form=form, static=True)


def _generic(w: W, op: Any) -> None:
    for result, found in zip(op.results, Generic(op, w).said(), strict=True):
        w.define(result, found)


def _collapsed(w: W, op: Any) -> None:
    """`tensor.collapse_shape` and `expand_shape` of known extents."""
    given = w.value(op.operands[0])
    kind = op.results[0].type
    if given.splat:
        w.known[op.results[0]] = given
        return
    open_ = [d for d in range(kind.rank) if kind.is_dynamic_dim(d)]
    if len(open_) > 1:
        raise Unsaid("a change of shape with several open extents")
    extents = [constant(-1 if d in open_ else kind.get_dim_size(d)) for d in range(kind.rank)]
    given = w.full(given, w.shape(op.operands[0]))
    node = call(ast.Attribute(given.node, "reshape", ast.Load()), *extents)
    w.define(op.results[0], given.but(node, rank=kind.rank, view=_is_view(given)))


def _return(w: W, op: Any) -> None:
    w.returned(list(op.operands))


OPERATIONS: dict[str, Callable[[FunctionWriter, Any], None]] = {
    "arith.constant": _constant,
    "bufferization.to_tensor": _to_tensor,
    "bufferization.materialize_in_destination": _materialize,
    "bufferization.alloc_tensor": _alloc_tensor,
    "tensor.empty": _empty,
    "tensor.cast": _alias,
    "memref.dealloc": _nothing,
    "tensor.extract_slice": _extract_slice,
    "tensor.insert_slice": _insert_slice,
    "tensor.extract": _extract,
    "tensor.insert": _insert,
    "tensor.from_elements": _from_elements,
    "tensor.dim": _dim,
    "memref.dim": _dim,
    "tensor.collapse_shape": _collapsed,
    "tensor.expand_shape": _collapsed,
    "linalg.generic": _generic,
    "func.return": _return,
    **STRUCTURED,
    **KEPT,
}
