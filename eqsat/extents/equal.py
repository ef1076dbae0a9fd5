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
from raising.support.graphs import UnionFind
from raising.support.mlir.operand_segments import mixed, static
from raising.support.mlir.walk import constant_number, maker

Pair = tuple[Hashable, Hashable]
"""Two equal extents."""
VALUE = -1
"""The dimension that stands for an integer itself."""
SLICE = "tensor.extract_slice"


class Classes(UnionFind[Hashable]):
    """Sets of equal extents; a number is an extent of its own."""

    def join(self, one: Hashable, other: Hashable) -> None:
        """Two extents are equal; a number stands for its class."""
        first, second = self.find(one), self.find(other)
        if isinstance(first, int):
            first, second = second, first
        if first != second and not isinstance(first, int):
            self.union(second, first)


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
            for pair in self._known[text]:
                self.classes.join(*(e if isinstance(e, int) else (values[e[0]], e[1]) for e in pair))  # type: ignore[index]

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
        made = maker(value)
        fixed = made is not None and not len(made.operands) and "value" in made.attributes
        return made.clone(ip=self.ir.InsertionPoint(before)).results[0] if fixed else None

    def _outside(self, value: Any, op: Any) -> bool:
        """Whether a value that is used in the regions of an operation is computed outside of them."""
        around = made = maker(value)
        while around is not None and around != op:
            around = around.parent and around.parent.operation
        return made is not None and around is None

    def _demanded(self, text: str) -> Iterator[Pair]:
        """The equal extents of one operation, whose values are given by their number among operands and results."""
        try:
            module = self.lowered(self.ir.Module.parse(text))
        except (self.ir.MLIRError, ValueError):
            return
        if module is None or len(list(module.body.operations)) != 1:
            return
        (block,) = module.body.operations[0].regions[0].blocks
        *steps, result = [child.operation for child in block.operations]
        local = Classes()
        for op in steps:
            for one, other in equalities(op):
                local.join(one, other)
        first: dict[Hashable, Hashable] = {}
        for number, value in enumerate([*block.arguments, *result.operands]):
            for d in _dims(value.type):
                top = local.find((value, d))
                yield (number, d), first.setdefault(top, top if isinstance(top, int) else (number, d))


def equalities(op: Any) -> Iterator[Pair]:
    """The equal extents of one upstream operation."""
    yield from _numbers(op)
    if "indexing_maps" in op.attributes and len(op.regions) == 1:
        yield from _walked(op)
    elif op.name in _EQUALITIES:
        yield from _EQUALITIES[op.name](op)


def _numbers(op: Any) -> Iterator[Pair]:
    """The extents that types tell."""
    for value in [*op.operands, *op.results]:
        if isinstance(value.type, ir.ShapedType) and ir.ShapedType(value.type).has_rank:
            shaped = ir.ShapedType(value.type)
            yield from (((value, d), n) for d, n in enumerate(shaped.shape) if not shaped.is_dynamic_dim(d))


def _same_shape(op: Any) -> Iterator[Pair]:
    """The first operand has the shape of the result, or of what it is written to."""
    one, other = [*op.operands, *op.results][:2]
    if len(_dims(one.type)) == len(_dims(other.type)):
        yield from (((one, d), (other, d)) for d in _dims(other.type))


def _asked(op: Any) -> Iterator[Pair]:
    """The size that is read of a dimension."""
    dimension = constant_number(op.operands[1])
    if dimension is not None:
        yield (op.results[0], VALUE), (op.operands[0], dimension)


def _constant_extent(op: Any) -> Iterator[Pair]:
    number = constant_number(op.results[0])
    if number is not None and isinstance(op.results[0].type, ir.IndexType):
        yield (op.results[0], VALUE), number


def _made(op: Any) -> Iterator[Pair]:
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
    sizes = static(op, "sizes")
    rank = where.ShapedType(op.results[0].type).rank
    kept = range(len(sizes)) if len(sizes) == rank else [d for d, n in enumerate(sizes) if n != 1]
    return tuple(kept) if len(kept) == rank else None


def _sliced(op: Any) -> Iterator[Pair]:
    """A slice has the sizes that it was asked for."""
    sizes = [n if isinstance(n, int) else (n, VALUE) for n in mixed(op, "sizes")]
    yield from (((op.results[0], d), sizes[kept]) for d, kept in enumerate(kept_sizes(ir, op) or ()))


_EQUALITIES: dict[str, Callable[[Any], Iterator[Pair]]] = {
    **dict.fromkeys(("tensor.cast", "memref.cast"), _same_shape),
    **dict.fromkeys(("bufferization.to_tensor", "bufferization.to_buffer"), _same_shape),
    "bufferization.materialize_in_destination": _same_shape,
    **dict.fromkeys(("tensor.dim", "memref.dim"), _asked),
    "tensor.empty": _made,
    SLICE: _sliced,
    "arith.constant": _constant_extent,
}


def _dims(kind: Any) -> list[int]:
    """The dimensions of a type by number; of an integer, the value."""
    if isinstance(kind, ir.IndexType):
        return [VALUE]
    shaped = isinstance(kind, ir.ShapedType) and ir.ShapedType(kind)
    return list(range(shaped.rank)) if shaped and shaped.has_rank else []
