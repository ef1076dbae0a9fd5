"""Loop bodies in the form that XLA's CPU updates in place.

A part that is computed, put into an array that a loop carries, and read again afterwards makes XLA keep it apart and
copy the array on every iteration. Where it is read from the updated array instead, the part is computed where it goes.
"""

from __future__ import annotations

from typing import Any

_PUT, _SLICE, _LOOP = "stablehlo.dynamic_update_slice", "stablehlo.slice", "stablehlo.while"


def read_what_was_put(function: Any, hlo: Any) -> None:
    """Read parts from the arrays that they were put into, at known places, in the bodies of loops; the same values."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == _PUT and op.parent.name == _LOOP:
            found.append(op)
        return hlo.WalkResult.ADVANCE

    function.operation.walk(visit)
    for op in found:
        _read_again(op, hlo)


def _read_again(op: Any, hlo: Any) -> None:
    """A slice of what an operation makes, for all that uses the part later in the block."""
    _, part, *starts = op.operands
    shape, whole = part.type.shape, op.results[0].type.shape
    places = [_number(start, hlo) for start in starts]
    if any(p is None or not 0 <= p <= n - m for p, n, m in zip(places, whole, shape, strict=True)):
        return
    order = [each.operation for each in op.block.operations]
    at = order.index(op.operation)
    uses = [(use.owner.operation, use.operand_number) for use in part.uses if use.owner.operation in order]
    later = [(user, number) for user, number in uses if order.index(user) > at and user.name != "stablehlo.return"]
    if not later:
        return
    ends = [p + m for p, m in zip(places, shape, strict=True)]
    numbers = {"start_indices": places, "limit_indices": ends, "strides": [1] * len(places)}
    with hlo.Location.unknown(), hlo.InsertionPoint(order[at + 1]):
        attributes = {name: hlo.DenseI64ArrayAttr.get(each) for name, each in numbers.items()}
        read = hlo.Operation.create(_SLICE, results=[part.type], operands=[op.results[0]], attributes=attributes)
    for user, number in later:
        user.operands[number] = read.results[0]


def _number(value: Any, hlo: Any) -> int | None:
    """A constant number."""
    owner = value.owner
    if isinstance(owner, hlo.Block) or owner.name != "stablehlo.constant":
        return None
    return int(next(iter(hlo.DenseIntElementsAttr(owner.attributes["value"]))))
