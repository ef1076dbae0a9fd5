"""Which extents of a function are equal, because its operations demand it or make them so.

Each operation is lowered by itself to structured operations over its own arguments. Dimensions that one dimension of an
iteration space walks through are equal, as are those that a size was read from and a tensor was made with. Only
operations that are always executed count: an operation in a branch demands nothing outside of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from mlir import ir

from raising.eqsat.egraph.purity import walk
from raising.support.mlir.create import SEGMENTS

Place = tuple[Any, int]
"""A dimension of a value; -1 is the value of an integer itself."""
Pair = tuple[Hashable, Hashable]
VALUE = -1
SLICE, SIZES = "tensor.extract_slice", "static_sizes"

_SAME_SHAPE = frozenset({"tensor.cast", "memref.cast", "bufferization.to_tensor", "bufferization.to_buffer"})
_ASK = frozenset({"tensor.dim", "memref.dim"})


class Classes:
    """Disjoint sets of places; a number is a place of its own."""

    def __init__(self) -> None:
        self.parent: dict[Hashable, Hashable] = {}

    def find(self, place: Hashable) -> Hashable:
        """The place that stands for the class of one."""
        top = place
        while (up := self.parent.get(top, top)) != top:
            top = up
        while place != top:
            self.parent[place], place = top, self.parent.get(place, place)
        return top

    def join(self, one: Hashable, other: Hashable) -> None:
        """Two places are equal; a number stands for its class."""
        first, second = self.find(one), self.find(other)
        if first == second:
            return
        if isinstance(first, int):
            first, second = second, first
        if not isinstance(first, int):
            self.parent[first] = second


class Extents:
    """The equal extents of one block, operation by operation; `lowered` lowers a function of one operation."""

    def __init__(self, where: Any, lowered: Callable[[Any], Any]) -> None:
        self.ir, self.lowered = where, lowered
        self.classes = Classes()
        self._known: dict[str, tuple[Pair, ...]] = {}

    def inside(self) -> Extents:
        """The equalities that are known so far, for a block inside of this one."""
        made = Extents(self.ir, self.lowered)
        made.classes.parent, made._known = dict(self.classes.parent), self._known
        return made

    def read(self, operations: Sequence[Any]) -> None:
        """Take in what operations demand."""
        for op in operations:
            if not any(self.open(v) for v in [*op.operands, *op.results]):
                continue
            text = self._alone(op)
            if text not in self._known:
                self._known[text] = tuple(self._demanded(text))
            values = [*op.operands, *op.results]
            for one, other in self._known[text]:
                self.classes.join(_place(values, one), _place(values, other))

    def open(self, value: Any) -> bool:
        """Whether a value has an extent that is not known, or may be one."""
        if isinstance(value.type, self.ir.IndexType):
            return True
        shaped = isinstance(value.type, self.ir.ShapedType) and self.ir.ShapedType(value.type)
        return bool(shaped and shaped.has_rank and not shaped.has_static_shape)

    def _alone(self, op: Any) -> str:
        """A function that computes one operation of its arguments; constants that it uses come with it."""
        inputs = ", ".join(f"%a{k}: {v.type}" for k, v in enumerate(op.operands))
        results = ", ".join(str(r.type) for r in op.results)
        text = f"func.func private @f({inputs}) -> ({results})"
        module = self.ir.Module.parse(text, op.context)
        function = module.body.operations[0].operation
        here = self.ir.Location.unknown(op.context)
        block = function.regions[0].blocks.append(*[v.type for v in op.operands], arg_locs=[here] * len(op.operands))
        del function.attributes["sym_visibility"]
        point = self.ir.InsertionPoint(block)
        copy = op.clone(ip=point)
        for k, (value, argument) in enumerate(zip(op.operands, block.arguments, strict=True)):
            copy.operands[k] = self._constant(value, copy) or argument
        for inner in [child for child, _ in walk(copy)]:
            for k, value in enumerate(inner.operands):
                inner.operands[k] = (self._outside(value, copy) and self._constant(value, copy)) or value
        with here:
            self.ir.Operation.create("func.return", operands=list(copy.results), ip=point)
        return str(module.operation.get_asm(print_generic_op_form=True, assume_verified=True))

    def _constant(self, value: Any, before: Any) -> Any:
        """A constant once more, in front of an operation; None if a value is none."""
        maker = value.owner if isinstance(value, self.ir.OpResult) else None
        fixed = maker is not None and not len(maker.operands) and "value" in maker.attributes
        return maker.clone(ip=self.ir.InsertionPoint(before)).results[0] if fixed and maker else None

    def _outside(self, value: Any, op: Any) -> bool:
        """Whether a value that is used in the regions of an operation is computed outside of them."""
        maker = value.owner if isinstance(value, self.ir.OpResult) else None
        while maker is not None and maker != op:
            maker = maker.parent and maker.parent.operation
        return isinstance(value, self.ir.OpResult) and maker is None

    def _demanded(self, text: str) -> Iterator[Pair]:
        """The pairs of equal places of one operation, as (number among operands and results, dimension)."""
        try:
            module = self.lowered(self.ir.Module.parse(text))
        except (self.ir.MLIRError, ValueError):
            return
        if module is None or len(list(module.body.operations)) != 1:
            return
        (block,) = module.body.operations[0].regions[0].blocks
        local = Classes()
        places: list[tuple[Hashable, Hashable]] = []
        for k, argument in enumerate(block.arguments):
            places += [((argument, d), (k, d)) for d in _dims(argument.type)]
        operations = [child.operation for child in block.operations]
        for op in operations[:-1]:
            for one, other in equalities(op):
                local.join(one, other)
        for r, value in enumerate(operations[-1].operands):
            places += [((value, d), (len(block.arguments) + r, d)) for d in _dims(value.type)]
        first: dict[Hashable, Hashable] = {}
        for inside, outside in places:
            top = local.find(inside)
            yield outside, first.setdefault(top, top if isinstance(top, int) else outside)


def equalities(op: Any) -> Iterator[Pair]:
    """The equal places of one upstream operation."""
    yield from _numbers(op)
    if "indexing_maps" in op.attributes and len(op.regions) == 1:
        yield from _walked(op)
    elif op.name in _SAME_SHAPE and _ranks_agree(op.operands[0], op.results[0]):
        yield from (((op.operands[0], d), (op.results[0], d)) for d in _dims(op.results[0].type))
    elif op.name in _ASK:
        number = _number(op.operands[1])
        if number is not None:
            yield (op.results[0], VALUE), (op.operands[0], number)
    elif op.name == "tensor.empty":
        yield from _asked_for(op)
    elif op.name == SLICE:
        yield from _sliced(op)
    elif op.name == "arith.constant" and isinstance(op.results[0].type, ir.IndexType):
        yield (op.results[0], VALUE), int(ir.IntegerAttr(op.attributes["value"]).value)
    elif op.name == "bufferization.materialize_in_destination" and _ranks_agree(*list(op.operands)[:2]):
        yield from (((op.operands[0], d), (op.operands[1], d)) for d in _dims(op.operands[0].type))


def _numbers(op: Any) -> Iterator[Pair]:
    """The extents that types tell."""
    for value in [*op.operands, *op.results]:
        if isinstance(value.type, ir.ShapedType) and ir.ShapedType(value.type).has_rank:
            shaped = ir.ShapedType(value.type)
            yield from (((value, d), n) for d, n in enumerate(shaped.shape) if not shaped.is_dynamic_dim(d))


def _asked_for(op: Any) -> Iterator[Pair]:
    """A new tensor has the sizes that it was made with."""
    shaped = ir.ShapedType(op.results[0].type)
    unknown = [d for d in range(shaped.rank) if shaped.is_dynamic_dim(d)]
    yield from (((op.results[0], d), (v, VALUE)) for d, v in zip(unknown, op.operands, strict=True))


def _walked(op: Any) -> Iterator[Pair]:
    """Dimensions that one dimension of the iteration space walks through."""
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    count = len(op.operands)
    pairs = list(zip(maps, op.operands, strict=True))
    pairs += list(zip(maps[count - len(op.results) :], op.results, strict=True))
    for access, value in pairs:
        for d, expr in enumerate(access.results):
            if isinstance(expr, ir.AffineDimExpr):
                yield (value, d), (op.operation, ir.AffineDimExpr(expr).position)
    for n, result in enumerate(op.results):  # whatever the map: a result is what it is written over
        into = op.operands[count - len(op.results) + n]
        yield from (((result, d), (into, d)) for d in _dims(result.type))


def kept_sizes(where: Any, op: Any) -> tuple[int, ...] | None:
    """The sizes of a slice that the dimensions of its result have; None if that is not clear."""
    sizes = list(where.DenseI64ArrayAttr(op.attributes[SIZES]))
    rank = where.ShapedType(op.results[0].type).rank
    kept = range(len(sizes)) if len(sizes) == rank else [d for d, n in enumerate(sizes) if n != 1]
    return tuple(kept) if len(kept) == rank else None


def _sliced(op: Any) -> Iterator[Pair]:
    """A slice has the sizes that it was asked for."""
    sizes, segments = (
        list(ir.DenseI64ArrayAttr(op.attributes[SIZES])),
        list(ir.DenseI32ArrayAttr(op.attributes[SEGMENTS])),
    )
    given = iter(list(op.operands)[segments[0] + segments[1] :])
    unknown = ir.ShapedType.get_dynamic_size()
    places: list[Hashable] = [(next(given), VALUE) if n == unknown else n for n in sizes]
    for d, place in enumerate(kept_sizes(ir, op) or ()):
        yield (op.results[0], d), places[place]


def _dims(kind: Any) -> list[int]:
    """The dimensions of a type by number; of an integer, the value."""
    if isinstance(kind, ir.IndexType):
        return [VALUE]
    shaped = isinstance(kind, ir.ShapedType) and ir.ShapedType(kind)
    return list(range(shaped.rank)) if shaped and shaped.has_rank else []


def _ranks_agree(one: Any, other: Any) -> bool:
    return len(_dims(one.type)) == len(_dims(other.type))


def _number(value: Any) -> int | None:
    maker = value.owner if isinstance(value, ir.OpResult) else None
    if maker is None or "value" not in maker.attributes:
        return None
    return int(ir.IntegerAttr(maker.attributes["value"]).value)


def _place(values: Sequence[Any], place: Hashable) -> Hashable:
    if not isinstance(place, tuple):
        return place
    return values[place[0]], place[1]
