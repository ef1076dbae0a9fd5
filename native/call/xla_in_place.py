"""Loop bodies in the form that XLA's CPU updates in place.

XLA updates an array that a loop carries in place if all that an iteration puts into it goes into the carried array
itself, and if nothing reads the array as it was before. Three rewrites bring updates into that form; values stay equal.

    %p = pad %row (rows behind it)             ->  %p = dynamic_update_slice %carried, %row, 0, 0
    %y = dynamic_update_slice %p, %rest, 1, 0      (%rest covers what was padded; the loop returns %y for %carried)

    %y = dynamic_update_slice %x, %part, 0, 0  ->  %z = slice %y [1:9]
    %z = slice %x [1:9]                            (outside of the part)

    %y = dynamic_update_slice %x, %part, 0, 0  ->  %q = slice %y [0:1]
    ... uses of %part                              ... uses of %q
"""

from __future__ import annotations

from typing import Any

from raising.support.mlir.walk import maker, named

_PUT, _SLICE, _LOOP, _PAD = "stablehlo.dynamic_update_slice", "stablehlo.slice", "stablehlo.while", "stablehlo.pad"

Box = list[tuple[int, int]]
"""For each dimension, the first position and the one behind the last."""


def update_in_place(function: Any, hlo: Any) -> None:
    """Rewrite the updates in the bodies of loops; only those at places that are known."""
    for update in named(function, _PUT):
        if update.parent.name == _LOOP:
            _replace_padding(update, hlo)
    for update in named(function, _PUT):
        box = _box_of(update, hlo) if update.parent.name == _LOOP else None
        if box is not None:
            _read_beside(update, box, hlo)
            _read_again(update, box, hlo)


def _replace_padding(update: Any, hlo: Any) -> None:
    """Put what is padded into the array that the loop carries, if the update overwrites all of the padding."""
    pad, carried, box = maker(update.operands[0], _PAD), _carried(update), _box_of(update, hlo)
    if pad is None or carried is None or box is None or pad.block != update.operation.block:
        return
    low, shape = _numbers(pad, "edge_padding_low", hlo), update.results[0].type.shape
    padded = [(p, p + n) for p, n in zip(low, pad.operands[0].type.shape, strict=True)]
    inside = all(a >= 0 and b <= n for (a, b), n in zip(padded, shape, strict=True))
    if not inside or any(_numbers(pad, "interior_padding", hlo)) or not _covers(box, padded, shape):
        return
    with hlo.Location.unknown(), hlo.InsertionPoint(pad):
        number = hlo.RankedTensorType.get([], hlo.IntegerType.get_signless(32))
        starts = [_constant(hlo.DenseElementsAttr.get_splat(number, _i32(p, hlo)), hlo) for p in low]
        operands = [carried, pad.operands[0], *starts]
        moved = hlo.Operation.create(_PUT, results=[carried.type], operands=operands)
    update.operands[0] = moved.results[0]
    if not list(pad.results[0].uses):
        pad.erase()


def _carried(update: Any) -> Any:
    """The argument of the loop's body whose next value the update makes; None if it makes none."""
    uses = list(update.results[0].uses)
    returned = [use.operand_number for use in uses if use.owner.operation.name == "stablehlo.return"]
    if len(returned) != 1:
        return None
    argument = update.operation.block.arguments[returned[0]]
    return argument if argument.type == update.results[0].type else None


def _covers(box: Box, padded: Box, shape: list[int]) -> bool:
    """Whether a box has all positions of the shape outside of another box."""
    for d, (first, behind) in enumerate(padded):
        for a, b in ((0, first), (behind, shape[d])):
            slab = [(a, b) if e == d else (0, n) for e, n in enumerate(shape)]
            if a < b and not all(p <= q and r <= s for (p, s), (q, r) in zip(box, slab, strict=True)):
                return False
    return True


def _read_beside(update: Any, box: Box, hlo: Any) -> None:
    """Read parts of the array that the update leaves alone from the updated array, behind the update."""
    for use in list(update.operands[0].uses):
        user = use.owner.operation
        if user.name == _SLICE and user.block == update.operation.block and _is_behind(user, update):
            starts, ends = (_numbers(user, name, hlo) for name in ("start_indices", "limit_indices"))
            if any(b <= p or q <= a for a, b, (p, q) in zip(starts, ends, box, strict=True)):
                user.operands[0] = update.results[0]


def _read_again(update: Any, box: Box, hlo: Any) -> None:
    """Read the part from the updated array, for all that uses it behind the update."""
    part = update.operands[1]
    users = [(use.owner.operation, use.operand_number) for use in part.uses]
    behind = [(user, k) for user, k in users if user.block == update.operation.block and _is_behind(user, update)]
    later = [(user, k) for user, k in behind if user.name != "stablehlo.return"]
    if not later:
        return
    starts, ends = zip(*box, strict=True) if box else ((), ())
    numbers = {"start_indices": starts, "limit_indices": ends, "strides": [1] * len(box)}
    attributes = {name: hlo.DenseI64ArrayAttr.get(each) for name, each in numbers.items()}
    with hlo.Location.unknown(), hlo.InsertionPoint.after(update.operation):
        read = hlo.Operation.create(_SLICE, results=[part.type], operands=[update.results[0]], attributes=attributes)
    for user, k in later:
        user.operands[k] = read.results[0]


def _is_behind(user: Any, update: Any) -> bool:
    """Whether an operation of the update's block stands behind it."""
    return user != update.operation and not user.is_before_in_block(update.operation)


def _box_of(update: Any, hlo: Any) -> Box | None:
    """The positions that an update writes; None where they are not known, or would be clamped."""
    _, part, *starts = update.operands
    box: Box = []
    for start, m, n in zip(starts, part.type.shape, update.results[0].type.shape, strict=True):
        place = _number(start, hlo)
        if place is None or not 0 <= place <= n - m:
            return None
        box.append((place, place + m))
    return box


def _number(value: Any, hlo: Any) -> int | None:
    """The number that a constant of rank zero has."""
    op = maker(value, "stablehlo.constant")
    return None if op is None else int(next(iter(hlo.DenseIntElementsAttr(op.attributes["value"]))))


def _numbers(op: Any, name: str, hlo: Any) -> list[int]:
    return list(hlo.DenseI64ArrayAttr(op.attributes[name]))


def _i32(number: int, hlo: Any) -> Any:
    return hlo.IntegerAttr.get(hlo.IntegerType.get_signless(32), number)


def _constant(value: Any, hlo: Any) -> Any:
    return hlo.Operation.create("stablehlo.constant", results=[value.type], attributes={"value": value}).results[0]
