"""How the operations of the `tensor` dialect, in which lowered functions are written, move elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from mlir import ir

from raising.grammar.measure.elements import Ids, Leaf, Value, leaves, plain, shape_of
from raising.grammar.measure.workbench import NotStructured

if TYPE_CHECKING:
    from raising.grammar.measure.tracer import Tracer


def _moved(value: Value, change: Callable[[Ids], Ids], shape: tuple[int, ...]) -> Value:
    return Value(shape, leaves(value.node, change), value.reduced, leaves(value.start, change))


def _constant(known: Tracer, op: Any) -> Value:
    kind, attr = op.results[0].type, op.attributes["value"]
    shape = shape_of(kind)
    if not isinstance(kind, ir.RankedTensorType):
        return Value((), Leaf(np.asarray(known.constant(str(attr), str(kind)))))
    element = str(kind.element_type)
    if ir.DenseElementsAttr(attr).is_splat:
        text = str(ir.DenseElementsAttr(attr).get_splat_value())
        return Value(shape, Leaf(np.full(shape, known.constant(text, element))))
    reader = ir.DenseFPElementsAttr if isinstance(attr, ir.DenseFPElementsAttr) else ir.DenseIntElementsAttr
    numbers = [known.constant(f"{v} : {element}", element) for v in reader(attr)]
    return Value(shape, Leaf(np.array(numbers).reshape(shape)))


def _filled(known: Tracer, values: Any, operands: list[Any]) -> list[int]:
    """Static numbers, with those that are given by operands filled in from the front of `operands`."""
    return [int(v) if v >= 0 else _literal(known, operands.pop(0)) for v in values]


def _box(known: Tracer, op: Any, first: int) -> tuple[slice, ...]:
    operands = list(op.operands)[first:]
    names = ("offsets", "sizes", "strides")
    parts = [_filled(known, op.attributes[f"static_{name}"], operands) for name in names]
    return tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(*parts, strict=True))


def _extract_slice(known: Tracer, op: Any) -> Value:
    box, shape = _box(known, op, 1), shape_of(op.results[0].type)
    value = known.value(op.operands[0])
    return _moved(value, lambda ids: ids[box].reshape(shape + ids.shape[len(box) :]), shape)


def _insert_slice(known: Tracer, op: Any) -> Value:
    piece, into = known.value(op.operands[0]), known.value(op.operands[1])
    return _replaced(_surface(known, into), _box(known, op, 2), piece)


def _surface(known: Tracer, value: Value) -> Ids:
    if value.node is None:
        return np.full(value.shape, known.constant("undefined", "undefined"))
    return plain(value)


def _replaced(into: Ids, where: tuple[slice, ...], piece: Value) -> Value:
    result = into.copy()
    result[where] = plain(piece).reshape(result[where].shape)
    return Value(result.shape, Leaf(result))


def _reshape(known: Tracer, op: Any) -> Value:
    value, shape = known.value(op.operands[0]), shape_of(op.results[0].type)
    rank = len(value.shape)
    return _moved(value, lambda ids: ids.reshape(shape + ids.shape[rank:]), shape)


def _pad(known: Tracer, op: Any) -> Value:
    value, shape = known.value(op.operands[0]), shape_of(op.results[0].type)
    last = op.regions[0].blocks[0].operations[0].operation
    low = _filled(known, op.attributes["static_low"], list(op.operands)[1:])
    if last.name != "tensor.yield":
        raise NotStructured("a border is computed")
    border = known.value(last.operands[0])
    box = tuple(slice(start, start + n) for start, n in zip(low, value.shape, strict=True))
    return _replaced(np.broadcast_to(plain(border), shape), box, value)


def _concat(known: Tracer, op: Any) -> Value:
    parts = [plain(known.value(v)) for v in op.operands]
    result = np.concatenate(parts, axis=ir.IntegerAttr(op.attributes["dim"]).value)
    return Value(result.shape, Leaf(result))


def _extract(known: Tracer, op: Any) -> Value:
    value = known.value(op.operands[0])
    if len(op.operands) > 1:
        where = tuple(int(_literal(known, v)) for v in list(op.operands)[1:])
        return _moved(value, lambda ids: ids[where], ())
    return value


def _literal(known: Tracer, ssa: Any) -> int:
    owner = ssa.owner
    if isinstance(owner, ir.Block) or "value" not in owner.attributes:
        raise NotStructured("the position of an element depends on data")
    return int(ir.IntegerAttr(owner.attributes["value"]).value)


def _from_elements(known: Tracer, op: Any) -> Value:
    shape = shape_of(op.results[0].type)
    parts = [plain(known.value(v)) for v in op.operands]
    return Value(shape, Leaf(np.array(parts).reshape(shape)))


def _splat(known: Tracer, op: Any) -> Value:
    shape = shape_of(op.results[0].type)
    return Value(shape, Leaf(np.broadcast_to(plain(known.value(op.operands[0])), shape)))


HANDLERS: dict[str, Callable[[Tracer, Any], Value]] = {
    "arith.constant": _constant,
    "tensor.empty": lambda known, op: Value(shape_of(op.results[0].type), None),
    "tensor.extract_slice": _extract_slice,
    "tensor.insert_slice": _insert_slice,
    "tensor.expand_shape": _reshape,
    "tensor.collapse_shape": _reshape,
    "tensor.reshape": _reshape,
    "tensor.cast": lambda known, op: known.value(op.operands[0]),
    "tensor.pad": _pad,
    "tensor.concat": _concat,
    "tensor.extract": _extract,
    "tensor.from_elements": _from_elements,
    "tensor.splat": _splat,
}
