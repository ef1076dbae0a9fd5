"""Order the loops of `linalg.generic` so that LLVM can vectorise the innermost one.

Named operations leave the order of their iterations open, and the plain
lowering takes the order of the indexing maps: matmul as i, j, k, with a
strided, sequential innermost loop. Permuting the iteration dimensions is a
change of three attributes and makes that i, k, j.
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.mlir.walk import iterator_kinds, named, operations

_FAR = 64
"""Strides beyond this many elements touch a new cache line, and a new vector lane costs a load."""

_CARRIED = 3
"""Cost of a reduction as the innermost loop: the sum passes through a register."""


def interchange_for_locality(module: Any) -> int:
    """Permute every bufferized `linalg.generic` of `module` in place; returns how many changed."""
    with module.context, ir.Location.unknown():
        return sum(map(_interchange, named(module, "linalg.generic")))


def allow_reassociation(module: Any) -> None:
    """Let LLVM reorder the sums inside `linalg.generic`, as the order of a reduction is open there."""
    with module.context, ir.Location.unknown():
        flags = ir.Attribute.parse("#arith.fastmath<reassoc,contract>")
        for operation in named(module, "linalg.generic"):
            for inner in named(operation, "arith.addf", "arith.mulf", "arith.subf"):
                inner.attributes["fastmath"] = flags


def _within(operation: Any) -> list[Any]:
    """The operations inside of one, none of them as an object of its class."""
    return operations(operation, lambda inner: inner != operation)


def _interchange(generic: Any) -> bool:
    """Rewrite maps, iterator types and `linalg.index` of one operation for a better loop order."""
    maps = [attr.value for attr in generic.attributes["indexing_maps"]]
    kinds = iterator_kinds(generic)
    order = _best_order(maps, [_strides(operand.type) for operand in generic.operands], kinds)
    if order == list(range(len(kinds))):
        return False
    position = {old: new for new, old in enumerate(order)}
    dims = [ir.AffineDimExpr.get(position[old]) for old in range(len(kinds))]
    moved = [ir.AffineMap.get(len(kinds), 0, [e.compose(_renaming(dims)) for e in m.results]) for m in maps]
    generic.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in moved])
    types = ", ".join(f"#linalg.iterator_type<{kinds[old]}>" for old in order)
    generic.attributes["iterator_types"] = ir.Attribute.parse(f"[{types}]")
    for inner in _within(generic):
        if inner.name == "linalg.index":
            old = inner.attributes["dim"].value
            dim_type = ir.IntegerType.get_signless(64)
            inner.attributes["dim"] = ir.IntegerAttr.get(dim_type, position[old])
    return True


def _renaming(dims: list[Any]) -> Any:
    return ir.AffineMap.get(len(dims), 0, dims)


def _best_order(maps: list[Any], strides: list[list[int]], kinds: list[str]) -> list[int]:
    """Choose loops from the innermost outwards, each time the one with the cheapest step."""
    left = list(range(len(kinds)))
    chosen: list[int] = []
    while left:
        costs = {dim: _step_cost(dim, maps, strides, kinds[dim] == "reduction") for dim in left}
        best = min(reversed(left), key=lambda dim: costs[dim])
        left.remove(best)
        chosen.append(best)
    return chosen[::-1]


def _step_cost(dim: int, maps: list[Any], strides: list[list[int]], reduction: bool) -> int:
    """How far apart, over all operands, two neighbouring iterations of `dim` reach."""
    cost = _CARRIED if reduction else 0
    for affine_map, steps in zip(maps, strides, strict=True):
        if any(_mentions(e, dim) for e in affine_map.results):
            cost += sum(min(step, _FAR) for e, step in zip(affine_map.results, steps, strict=True) if _mentions(e, dim))
    return cost


def _mentions(expression: Any, dim: int) -> bool:
    if isinstance(expression, ir.AffineDimExpr):
        return bool(expression.position == dim)
    if isinstance(expression, ir.AffineBinaryExpr):
        return _mentions(expression.lhs, dim) or _mentions(expression.rhs, dim)
    return False


def _strides(operand_type: Any) -> list[int]:
    """Row-major strides of a shaped type in elements; unknown sizes count as far apart."""
    if not hasattr(operand_type, "shape"):
        return []
    strides: list[int] = []
    step = 1
    for size in reversed(operand_type.shape):
        strides.append(step)
        step = min(_FAR, step * (size if size > 0 else _FAR))
    return strides[::-1]
