"""Loop-carried tensors and results: each is tied to the memory that it has to end up in.

The tensor that an iteration computes has no memory of its own that outlives the iteration. Unless it is the old tensor
changed in place, it is written to where the old one is; bufferization then copies those parts of the old one that are
still needed.

Bufferization does not relate a tensor to the memory it was made from, nor a write to memory to the tensors that live
there: it would take a result's array for free while another result is still in it. Therefore results go through a
tensor that stands for their array, so that the array is written in place only when its contents are no longer needed.

    before  scf.for ... iter_args(%p = %a) -> tensor<8xf32> {
              %f = linalg.fill ins(%x) outs(%new)
              scf.yield %f
    after   scf.for ... iter_args(%p = %a) -> tensor<8xf32> {
              %f = linalg.fill ins(%x) outs(%new)
              %u = bufferization.materialize_in_destination %f in %p
              scf.yield %u
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from mlir import ir

from raising.native.bufferize.in_place_updates import INTO
from raising.support.mlir.operand_segments import copied, segment_sizes, segmented
from raising.support.mlir.walk import around, maker, operations

_CHANGED = {"tensor.insert": 1, "tensor.insert_slice": 1, INTO: 1}
"""Operations on tensors, and which operand is changed."""
_LOOPS = ("scf.for", "scf.while")


def write_carried_in_place(module: Any, *, always: bool = False) -> None:
    """Let loops end with an update of each tensor that they carry, as raised ones do, see
    `raising.native.bufferize.in_place_updates`; where the old one is changed in place, only if `always`.
    """
    loops = operations(module, lambda op: op.name in _LOOPS and bool(op.results))
    for loop in loops:
        _keep_begin(loop)
        block = loop.regions[len(loop.regions) - 1].blocks[0]
        _settle(block, list(block.arguments)[loop.name == "scf.for" :], always)


def duplicate_shared_empties(module: Any) -> None:
    """Where several loops start from one tensor without contents, give each loop a tensor of its own.

    Bufferization takes what is read of such a tensor to be undefined, also where a loop has written it: two loops, or
    two values of one loop, that begin with the same one would overwrite each other.
    """
    for op in operations(module, lambda op: op.name == "tensor.empty"):
        uses = [(use.owner.operation, use.operand_number) for use in op.results[0].uses]
        for user, number in uses if len(uses) > 1 else ():
            if user.name in _LOOPS:
                sizes = list(op.operands)
                kind, parts, place = op.results[0].type, segmented(ir, len(sizes), 0, 0), ir.InsertionPoint(user)
                room = ir.Operation.create("bufferization.alloc_tensor", [kind], sizes, parts, ip=place)
                user.operands[number] = room.results[0]


def duplicate_shared_fills(module: Any) -> None:
    """Where several operations add to one tensor of a constant, give each a tensor of its own.

    Bufferization gives all but one of them a copy. To make it again costs no more, and the fills are not tied to each
    other: loops that read the same matrix (`x += A @ y` and `z += w @ A`) can be one.
    """
    for op in operations(module, _is_fill):
        adding = [use for use in op.results[0].uses if _adds(use.owner.operation, use.operand_number)]
        for user, number in [(use.owner.operation, use.operand_number) for use in adding if len(adding) > 1]:
            with ir.InsertionPoint(user):
                empty = op.operands[0].owner.operation.clone()
                fill = op.operation.clone()
            fill.operands[0] = empty.results[0]
            user.operands[number] = fill.results[0]
        if next(iter(op.results[0].uses), None) is None:
            op.operation.erase()


def _is_fill(op: Any) -> bool:
    """Whether an operation puts one value into all elements of a new tensor."""
    if op.name != "linalg.generic" or len(op.operands) != 1 or not _is_empty(op.operands[0]):
        return False
    block = op.regions[0].blocks[0]
    (end,) = block.operations if len(block.operations) == 1 else (None,)
    return end is not None and len(op.results) == 1 and end.operation.operands[0] not in list(block.arguments)


def _adds(op: Any, number: int) -> bool:
    """Whether an operation changes the elements of an operand, and reads what they were."""
    if op.name != "linalg.generic" or number < len(op.operands) - len(op.results):
        return False
    return next(iter(op.regions[0].blocks[0].arguments[number].uses), None) is not None


def _keep_begin(loop: Any) -> None:
    """Copy what a loop begins with where others read it then: its iterations change it in place."""
    for number, value in enumerate(loop.operands):
        if not isinstance(value.type, ir.RankedTensorType) or _is_empty(value):
            continue
        if any(_reads_later(use, loop, number) for use in value.uses):
            loop.operands[number] = copied(ir, value, ir.InsertionPoint(loop))


def _is_empty(value: Any) -> bool:
    """Whether a tensor has no contents."""
    if isinstance(value, ir.BlockArgument):
        return False
    op = value.owner.operation
    return op.name == "tensor.empty" or (op.name == "bufferization.alloc_tensor" and not segment_sizes(op)[1])


def _reads_later(use: Any, loop: Any, number: int) -> bool:
    """Whether a use of what a loop begins with is in the loop or behind it, and needs the contents."""
    user = use.owner.operation
    if user == loop:
        return bool(use.operand_number < number)
    if user.name == INTO and use.operand_number == 1:
        return False
    user, order = around(user, loop.block), [op.operation for op in loop.block.operations]
    return user is not None and order.index(user) >= order.index(loop)


def _settle(block: Any, carried: list[Any], always: bool) -> None:
    end = block.operations[len(block.operations) - 1].operation
    for number, (old, new) in enumerate(zip(carried, list(end.operands), strict=False)):
        in_place = new == old if always else _is_in_place(new, old)
        if isinstance(old.type, ir.RankedTensorType) and new.type == old.type and not in_place:
            update = ir.Operation.create(INTO, [old.type], [new, old], ip=ir.InsertionPoint(end))
            end.operands[number] = update.results[0]


def _is_in_place(new: Any, old: Any) -> bool:
    """Whether a tensor is made of another one by changing it, as far as that is seen."""
    while new != old:
        if isinstance(new, ir.BlockArgument):
            return False
        op = new.owner.operation
        number = list(op.results).index(new)
        if op.name in _CHANGED:
            new = op.operands[_CHANGED[op.name]]
        elif op.name == "scf.for":
            new = op.operands[3 + number]
        elif op.name == "scf.if":
            ends = [r.blocks[0].operations[len(r.blocks[0].operations) - 1].operation for r in op.regions]
            return all(_is_in_place(end.operands[number], old) for end in ends)
        elif op.name.startswith("linalg.") and _starts_from(op, number) is not None:
            new = _starts_from(op, number)
        else:
            return False
    return True


def _starts_from(op: Any, number: int) -> Any:
    """The tensor that a structured operation begins a result with; None if no element of it is read."""
    start = list(op.operands)[len(op.operands) - len(op.results) + number]
    return start if isinstance(start.type, ir.RankedTensorType) else None


TO_TENSOR = "bufferization.to_tensor"
_VIEWS = frozenset(
    {TO_TENSOR, "memref.dim", "memref.subview", "memref.cast", "memref.reinterpret_cast"}
    | {"memref.collapse_shape", "memref.expand_shape", "memref.extract_strided_metadata"}
)
_CALLS = frozenset({"func.call", "func.call_indirect", "llvm.call"})


def tie_results(module: Any) -> None:
    """Route results through the tensors that stand for their memory; stores come after all of them are computed."""
    blocks = {op.block: None for op in operations(module, _is_to_memory)}
    for block in blocks:
        own = [op.operation for op in block.operations]
        numbered = groupby(range(len(own)), key=lambda k: _is_to_memory(own[k]))
        for run in [list(group) for wanted, group in numbered if wanted]:
            _tie(own, run)


def _is_to_memory(op: Any) -> bool:
    return op.name == INTO and not op.results


def _tie(own: Sequence[Any], run: Sequence[int]) -> None:
    """Tie the results at the places `run`, which are neighbours, of a block's operations."""
    first = own[run[0]]
    for op in [own[k] for k in run]:
        destination = _tensor_of(op.operands[1], own, run[0])
        value = op.operands[0]
        with ir.InsertionPoint(first):
            if value.type != destination.type:
                value = ir.Operation.create("tensor.cast", [destination.type], [value]).results[0]
            op.operands[0] = ir.Operation.create(INTO, [destination.type], [value, destination]).results[0]


def _tensor_of(memory: Any, own: Sequence[Any], end: int) -> Any:
    """The tensor that stands for some memory from the last change of any memory before the place `end` on.

    It stands there before what is computed for it, which then can be computed in its place.
    """
    start, owner, known = end, maker(memory), None
    while start and not _touches_memory(own[start - 1]) and (owner is None or own[start - 1] != owner):
        start -= 1
        if own[start].name == TO_TENSOR and own[start].operands[0] == memory:
            known = own[start]
    if known is not None:
        if known != own[start]:
            known.move_before(own[start])
        return known.results[0]
    shape = [memory.type.shape[d] for d in range(memory.type.rank)]
    kind = ir.RankedTensorType.get(shape, memory.type.element_type)
    unit = {"restrict": ir.UnitAttr.get(), "writable": ir.UnitAttr.get()}
    return ir.Operation.create(TO_TENSOR, [kind], [memory], unit, ip=ir.InsertionPoint(own[start])).results[0]


def _touches_memory(op: Any) -> bool:
    """Whether an operation may read or write memory: what tensors live in is not meant."""

    def touches(inner: Any) -> bool:
        on_memory = any(isinstance(o.type, ir.MemRefType | ir.UnrankedMemRefType) for o in inner.operands)
        return inner.name in _CALLS or (on_memory and inner.name not in _VIEWS)

    return any(map(touches, operations(op)))
