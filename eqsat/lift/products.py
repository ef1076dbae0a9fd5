"""Which operations are products that associate, read off their lowered meaning and not off their names.

A product sums over some dimensions the products of an element of each of two
operands. With the dimensions of a tensor in three groups (those that all three
tensors share, those of the left neighbour, those of the right one), products
of one layout associate: (X·Y)·Z = X·(Y·Z), as sums may be exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.record import dataclass

_WIDEST = 64  # bits of an integer that the bindings hand out as a number


@dataclass(frozen=True)
class Product:
    """The numbers of the operands, and how many dimensions are shared by all, left, summed over, and right.

    The left operand has the shared, left and summed dimensions in this order,
    the right one shared, summed, right, the result shared, left, right.
    Without a `destination`, sums start from zero.
    """

    left: int
    right: int
    destination: int | None
    ranks: tuple[int, int, int, int]


def product_of(function: Any) -> Product | None:
    """The product that a lowered function is, or None."""
    (block,) = function.regions[0].blocks
    result = list(list(block.operations)[-1].operands)
    op = result[0].owner if len(result) == 1 and isinstance(result[0], ir.OpResult) else None
    if op is None or not _is_structured(op) or len(op.operands) != 3 or not _multiplies_and_adds(op):
        return None
    sources = {n: v.arg_number for n, v in enumerate(op.operands) if isinstance(v, ir.BlockArgument)}
    destination = sources.get(2)
    if not {0, 1} <= set(sources) or (destination is None and not _is_zero(op.operands[2])):
        return None
    maps = [_dims(ir.AffineMapAttr(a).value) for a in op.attributes["indexing_maps"]]
    for first, second in ((0, 1), (1, 0)):
        ranks = _ranks(maps[first], maps[second], maps[2])
        if ranks is not None:
            return Product(sources[first], sources[second], destination, ranks)
    return None


def is_splat(function: Any) -> bool:
    """True if a lowered function's result is its first operand, a scalar, everywhere."""
    (block,) = function.regions[0].blocks
    made = [child.operation for child in block.operations if len(child.operands)][:-1]
    if len(made) != 1 or not _is_structured(made[0]) or len(made[0].operands) != 2 or not _copies(made[0]):
        return False
    return not isinstance(made[0].operands[0].type, ir.ShapedType)


def is_symmetric(op: Any) -> bool:
    """Whether a structured operation sums products of a matrix with itself: exchanging its result's dimensions
    exchanges the factors."""
    if len(op.operands) != 3 or not _multiplies_and_adds(op):
        return False
    maps = [_dims(ir.AffineMapAttr(a).value) for a in op.attributes["indexing_maps"]]
    if maps[0] is None or maps[1] is None or maps[2] is None or len(maps[2]) != 2:
        return False
    (left, rows), (right, columns) = (_read(v, m) for v, m in zip(op.operands, (maps[0], maps[1]), strict=False))
    row, column = maps[2]
    turned = tuple({row: column, column: row}.get(d, d) for d in rows)
    return bool(left == right) and row in rows and column not in rows and turned == columns


def _read(value: Any, access: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """The value that is read through transpositions, and where."""
    while isinstance(value, ir.OpResult) and _is_structured(value.owner):
        op = value.owner
        maps = [_dims(ir.AffineMapAttr(a).value) for a in op.attributes["indexing_maps"]]
        if len(maps) != 2 or maps[0] is None or maps[1] is None or not _copies(op) or len(maps[0]) != len(maps[1]):
            break
        place = dict(zip(maps[1], access, strict=True))
        value, access = op.operands[0], tuple(place[d] for d in maps[0])
    return value, access


def _is_structured(op: Any) -> bool:
    return "indexing_maps" in op.attributes and len(op.regions) == 1


def _dims(access: Any) -> tuple[int, ...] | None:
    """The iteration dimensions that a map reads, if it is a projection."""
    if not all(isinstance(e, ir.AffineDimExpr) for e in access.results):
        return None
    return tuple(ir.AffineDimExpr(e).position for e in access.results)


def _ranks(
    left: Sequence[int] | None, right: Sequence[int] | None, out: Sequence[int] | None
) -> tuple[int, int, int, int] | None:
    if left is None or right is None or out is None:
        return None
    shared = [d for d in out if d in left and d in right]
    outer = [d for d in out if d in left and d not in right]
    inner = [d for d in left if d not in out]
    other = [d for d in out if d in right and d not in left]
    laid_out = (shared + outer + inner, shared + inner + other, shared + outer + other)
    if not inner or laid_out != (list(left), list(right), list(out)):
        return None
    return len(shared), len(outer), len(inner), len(other)


def _multiplies_and_adds(op: Any) -> bool:
    """The body is old + x * y."""
    (block,) = op.regions[0].blocks
    x, y, old = block.arguments
    total = _defined(list(block.operations)[-1].operands[0], "add")
    if total is None or len(block.operations) != 3:
        return False
    factors = [_defined(v, "mul") for v in total.operands if v != old]
    return len(factors) == 1 and factors[0] is not None and set(factors[0].operands) == {x, y}


def _defined(value: Any, residue: str) -> Any:
    """The operation that defines a value if it is of one kind in the field."""
    if not isinstance(value, ir.OpResult):
        return None
    scalar = SCALARS.get(value.owner.name)
    return value.owner if scalar is not None and scalar.residue == residue else None


def _copies(op: Any) -> bool:
    (block,) = op.regions[0].blocks
    return len(block.operations) == 1 and block.operations[0].operands[0] == block.arguments[0]


def _is_zero(value: Any) -> bool:
    """A tensor that holds a constant zero everywhere."""
    if not isinstance(value, ir.OpResult) or not _is_structured(value.owner) or not _copies(value.owner):
        return False
    source = value.owner.operands[0]
    maker = source.owner if isinstance(source, ir.OpResult) else None
    return maker is not None and "value" in maker.attributes and _number(maker.attributes["value"]) == 0


def _number(value: Any) -> float | None:
    if isinstance(value, ir.IntegerAttr) and isinstance(value.type, ir.IntegerType) and value.type.width > _WIDEST:
        return None
    return float(value.value) if isinstance(value, ir.FloatAttr | ir.IntegerAttr) else None
