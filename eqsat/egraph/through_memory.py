"""Tensors that go through memory of the function's own: what is written there is what is read.

before  bufferization.materialize_in_destination %v in restrict writable %buffer
        %t = bufferization.to_tensor %buffer restrict
after   %v, in place of %t
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from raising.eqsat.egraph.held import ALLOCATIONS, VIEW, WRITE, Memory, may_be_view, memory_of
from raising.eqsat.egraph.purity import Purity, no_modules, walk
from raising.support.mlir.branches import replace_op
from raising.support.mlir.walk import blocks_of

_FREE = "memref.dealloc"
View = tuple[Any, bool, bool, str]


def forward(module: Any, ir: Any) -> bool:
    """Take out memory that one tensor is written to, and that is read as a tensor after that; False if there is none.

    What other memory may be changed in between does not matter: the tensor is computed before, and is no view.
    """
    no_modules(ir)
    found = [_ends(op) for op, _ in walk(module.operation) if op.name in ALLOCATIONS]
    ends = [(op, writes[0], reads, frees) for op, writes, reads, frees in found if _once(op, writes, reads)]
    for op, write, reads, frees in ends:
        for read in reads:
            read.results[0].replace_all_uses_with(write.operands[0])
        for gone in (*reads, write, *frees, op):
            gone.erase()
    return bool(ends)


def _ends(op: Any) -> tuple[Any, list[Any], list[Any], list[Any]]:
    """An allocation, and what writes, reads and frees it; no reads where it has other uses."""
    users = [use.owner.operation for use in op.results[0].uses]
    writes, reads, frees = ([u for u in users if u.name == name] for name in (WRITE, VIEW, _FREE))
    return op, writes, reads if len(writes) + len(reads) + len(frees) == len(users) else [], frees


def _once(op: Any, writes: list[Any], reads: list[Any]) -> bool:
    """Whether one tensor is written, and each read is of its type and comes after that."""
    if len(writes) != 1 or not reads or writes[0].block != op.block or may_be_view(value := writes[0].operands[0]):
        return False
    return all(read.results[0].type == value.type and _follows(read, writes[0]) for read in reads)


def _follows(op: Any, first: Any) -> bool:
    """Whether an operation comes after one in the same block, or is inside of what does."""
    after = False
    for other in first.block.operations:
        if after and _within(op, other.operation):
            return True
        after = after or other.operation == first
    return False


def _within(op: Any, outer: Any) -> bool:
    while op is not None and op != outer:
        op = op.parent.operation if op.parent is not None else None
    return op is not None


def share_views(module: Any, ir: Any, passes: Any, declared: frozenset[str]) -> None:
    """Read memory as a tensor once in a block, where nothing may write to it in between: rules see one value.

    `declared` are names of operations of which MLIR does not know that they have no effects.
    """
    no_modules(ir)
    found = [op for op, _ in walk(module.operation)]
    viewed = Counter(_view(op) for op in found if op.name == VIEW)
    if not viewed or max(viewed.values()) < 2:
        return
    memory = memory_of(found, Purity(module, ir, passes, declared).values())
    blocks = [block for op in found for block in blocks_of(op)]
    again = [pair for block in blocks for pair in _again([op.operation for op in block.operations], memory)]
    for view, first in again:  # at the end: with other operands an operation has another hash
        replace_op(view, first.results)


def _again(operations: Iterable[Any], memory: Memory) -> Iterator[tuple[Any, Any]]:
    """Views of memory of which there is one already, which shows the same."""
    there: dict[View, Any] = {}
    for op in operations:
        if op.name != VIEW:
            written = memory.written(op)
            there = {k: v for k, v in there.items() if not memory.meet(memory.read(v, {}), written)}
        elif _view(op) in there:
            yield op, there[_view(op)]
        else:
            there[_view(op)] = op


def _view(op: Any) -> View:
    """The memory, and as what it is read."""
    return op.operands[0], *(name in op.attributes for name in ("restrict", "writable")), str(op.results[0].type)
