"""Where values are kept: which variable a chain of updates writes to, and when a value is used for the last time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mlir import ir

from raising.support.mlir.walk import blocks_of, inside, operations

STORES = {"affine.store": 1, "memref.store": 1, "bufferization.materialize_in_destination": 1}
_UPDATES = ("tensor.insert_slice", "tensor.insert")


def memories_written(op: Any) -> Iterator[Any]:
    """The memories that an operation, or what is inside, stores to."""
    for inner in operations(op, outer_first=True):
        if inner.name in STORES:
            target = inner.operands[STORES[inner.name]]
            if isinstance(target.type, ir.MemRefType):
                yield target


class Order:
    """The operations of a function by number."""

    def __init__(self, function: Any) -> None:
        self.numbers = {op: k for k, op in enumerate(inside(function), 1)}

    def place(self, op: Any) -> int:
        """The number of an operation."""
        return self.numbers[op.operation]

    def needed(self, value: Any, at: int) -> bool:
        """Whether a value is used after an operation."""
        return any(self.place(use.owner) > at for use in value.uses)

    def beside(self, value: Any, use: Any) -> bool:
        """Whether a use is no further inside of loops than the value."""
        owner = use.owner.operation
        while owner.parent is not None and owner.parent.operation.name.startswith("linalg."):
            owner = owner.parent.operation
        return bool(owner.block == value.owner.operation.block)


class Homes:
    """The variables that chains of updates write to."""

    def __init__(self, function: Any, memories: Mapping[Any, str], order: Order) -> None:
        self.order = order
        self.known: dict[Any, str] = {}
        self.direct: dict[Any, Any] = {}
        for op in inside(function):
            if op.name == "bufferization.materialize_in_destination" and op.operands[1] in memories:
                self._memory(op, memories[op.operands[1]])

    def _memory(self, op: Any, variable: str) -> None:
        """Write a tensor that ends in a memory there from its first update on, if nothing reads it meanwhile."""
        value, target = op.operands
        chain = self.chain(value)
        single = not chain and not isinstance(value, ir.BlockArgument) and value.owner.operation.block == op.block
        if not chain and not (single and isinstance(value.type, ir.RankedTensorType) and value.type.rank):
            return
        first, last = min(self.order.place(v.owner) for v in chain or [value]), self.order.place(op)
        if any(first < self.order.place(use.owner) < last for use in target.uses):
            return
        if chain:
            self.keep(value, variable)
        elif value.owner.operation.name.startswith("linalg.") and value not in self.direct:
            self.direct[value] = target

    def chain(self, value: Any) -> list[Any]:
        """The updates that lead to a value."""
        found = []
        while not isinstance(value, ir.BlockArgument):
            op = value.owner.operation
            if op.name in _UPDATES:
                found.append(value)
                value = op.operands[1]
            elif op.name == "scf.for":
                found.append(value)
                value = op.operands[3 + ir.OpResult(value).result_number]
            elif op.name == "scf.if":
                found.append(value)
                break
            else:
                break
        return found

    def keep(self, value: Any, variable: str) -> None:
        """Let the updates that lead to a value write to a variable."""
        for one in self.chain(value):
            self.known.setdefault(one, variable)
            op = one.owner.operation
            if op.name == "scf.if":
                for block in blocks_of(op):
                    last = block.operations[len(block.operations) - 1].operation
                    self.keep(last.operands[ir.OpResult(one).result_number], variable)

    def inside(self, op: Any) -> set[str]:
        """The variables that updates inside of an operation, and its results, are written to."""
        found = [r for inner in operations(op, outer_first=True) for r in inner.results]
        return {self.known[r] for r in found if r in self.known}

    def extent(self, value: Any, d: int) -> Any:
        """An extent of a value that is no argument: a number, an index, or None if it cannot be seen."""
        while value.type.is_dynamic_dim(d):
            source = _same_shape(value)
            if source is None:
                break
            value = source
        if not value.type.is_dynamic_dim(d):
            return value.type.get_dim_size(d)
        if isinstance(value, ir.BlockArgument):
            return None
        op = value.owner.operation
        if op.name in _MADE:
            return op.operands[sum(value.type.is_dynamic_dim(k) for k in range(d))]
        return _slice_extent(op, value, d) if op.name == "tensor.extract_slice" else None


_MADE = ("tensor.empty", "memref.alloc", "memref.alloca", "bufferization.alloc_tensor")


def _same_shape(value: Any) -> Any:
    """The value that another one was made of, with its shape; None if there is none."""
    if isinstance(value, ir.BlockArgument):
        parent = value.owner.owner.operation
        return parent.operands[3 + value.arg_number - 1] if parent.name == "scf.for" else None
    op, number = value.owner.operation, ir.OpResult(value).result_number
    if op.name in _UPDATES:
        return op.operands[1]
    if op.name == "scf.for":
        return op.operands[3 + number]
    if op.name.startswith("linalg."):
        return op.operands[len(op.operands) - len(op.results) + number]
    copied = op.name == "bufferization.alloc_tensor" and len(op.operands) == 1 and op.operands[0].type == value.type
    return op.operands[0] if copied or op.name == "bufferization.materialize_in_destination" else None


def _slice_extent(op: Any, value: Any, d: int) -> Any:
    from raising.readable.slice_subscripts import slice_of

    part = slice_of(op, op.operands[0].type.rank, value.type)
    kept = [s for s, dropped in zip(part.sizes, part.dropped, strict=True) if not dropped]
    return kept[d]
