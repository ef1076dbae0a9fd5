"""Tensors that a loop puts together anew in each iteration, built onto the one that it carries.

A tensor without contents, into which parts are put, and which ends up where the old one is, may begin as the old one:
then the parts are stored, and nothing is copied. The part that is computed from the elements that it replaces is put
first, while the old tensor is whole. Parts that have no element in common may be put in any order.

    before  %mine = tensor.extract_slice %old[1, 0] [7, 8] [1, 1]        which %rest is computed from
            %one = tensor.insert_slice %row into %empty[0, 0] [1, 8] [1, 1]
            %all = tensor.insert_slice %rest into %one[1, 0] [7, 8] [1, 1]
            %new = bufferization.materialize_in_destination %all in %old
    after   %one = tensor.insert_slice %rest into %old[1, 0] [7, 8] [1, 1]
            %new = tensor.insert_slice %row into %one[0, 0] [1, 8] [1, 1]
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from mlir import ir

from raising.native.bufferize.element_versions import named
from raising.native.bufferize.in_place_updates import INTO
from raising.support.mlir.operand_segments import BOX, mixed, static
from raising.support.mlir.walk import maker

_PUT, _SLICE = "tensor.insert_slice", "tensor.extract_slice"


def build_on_old(module: Any) -> bool:
    """Rewrite the loops of a module of tensor operations in place; whether there was anything to do."""
    found = [op for op in named(module, INTO) if _is_carried(op)]
    return any([_build(op) for op in found])


def _is_carried(update: Any) -> bool:
    """Whether an update ends an iteration of a loop, which carries the tensor."""
    if len(update.results) != 1 or not isinstance(update.operands[1].owner, ir.Block):
        return False
    block = update.operands[1].owner
    ends = all(use.owner.operation.name == "scf.yield" for use in update.results[0].uses)
    return bool(block.owner.operation.name == "scf.for" and update.block == block and ends)


def _build(update: Any) -> bool:
    value, old = update.operands
    parts = _parts(value, update.block)
    mine = [use.owner.operation for use in old.uses if use.owner.operation != update]
    own = [put for put in parts if mine and all(_same_box(read, put) for read in mine)]
    apart = all(_are_apart(one, other) for one, other in combinations(parts, 2))
    if len(parts) < 2 or not apart or (mine and not own):
        return False
    place, target = ir.InsertionPoint(parts[-1]), old
    for put in [*own, *(put for put in parts if put not in own)]:
        new = put.clone(place)
        new.operands[1] = target
        target = new.results[0]
    value.replace_all_uses_with(target)
    update.results[0].replace_all_uses_with(target)
    update.erase()
    for put in reversed(parts):
        put.erase()
    return True


def _parts(value: Any, block: Any) -> list[Any]:
    """What is put into a tensor without contents to make a value, in order; nothing if it is made in another way."""
    parts = list[Any]()
    while (put := maker(value, _PUT)) is not None and put.block == block:
        if parts and len(list(value.uses)) > 1:
            return []
        parts.insert(0, put)
        value = put.operands[1]
    return parts if maker(value, "tensor.empty") is not None else []


def _same_box(read: Any, put: Any) -> bool:
    """Whether an operation is a slice of just the elements that a part replaces."""
    if read.name != _SLICE or read.block != put.block:
        return False
    same = all(static(read, name) == static(put, name) for name in BOX)
    return same and list(read.operands)[1:] == list(put.operands)[2:]


def _are_apart(one: Any, other: Any) -> bool:
    """Whether two parts are known to have no element in common."""
    if {*static(one, "strides"), *static(other, "strides")} != {1}:
        return False
    (begins, sizes), (starts, extents) = ((mixed(put, "offsets"), static(put, "sizes")) for put in (one, other))
    return any(
        isinstance(a, int) and isinstance(b, int) and ((m >= 0 and a + m <= b) or (n >= 0 and b + n <= a))
        for a, m, b, n in zip(begins, sizes, starts, extents, strict=True)
    )
