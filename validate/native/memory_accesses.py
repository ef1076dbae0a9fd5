"""Loads and stores of a function: which memory, how often, and whether their subscripts are inside of it."""

from __future__ import annotations

from math import prod
from typing import Any

from mlir import ir

from raising.affine.ir.spans import Span
from raising.support.mlir.walk import operations
from raising.support.record import dataclass
from raising.validate.native.argument_types import Unsupported
from raising.validate.native.index_ranges import Intervals, enclosing_loops

_MEMORY = {"affine.load": 0, "memref.load": 0, "affine.store": 1, "memref.store": 1}
"""The operand that is the memory; those after it are subscripts."""
_OWN = ("memref.alloc", "memref.alloca")


@dataclass(frozen=True)
class Access:
    """A load or store, the memory that it accesses, and the variables of the loops around it."""

    op: Any
    memory: Any
    loops: tuple[Any, ...]

    @property
    def argument(self) -> int | None:
        """The number of the function argument that is accessed, or None for other memory."""
        if isinstance(self.memory, ir.BlockArgument) and self.memory.owner.owner.operation.name == "func.func":
            return int(self.memory.arg_number)
        return None

    def refuse_view(self) -> None:
        """`Unsupported` if it does not say what it accesses of an argument."""
        if isinstance(self.memory, ir.OpResult) and self.memory.owner.name not in (*_OWN, "memref.get_global"):
            raise Unsupported(f"memory is accessed through {self.memory.owner.name}")

    def plain_subscripts(self) -> list[Any]:
        """For each dimension the value that alone is its subscript, or None."""
        operands = list(self.op.operands)[_MEMORY[self.op.name] + 1 :]
        if "map" not in self.op.attributes:
            return operands
        results = self.op.attributes["map"].value.results
        return [operands[e.position] if isinstance(e, ir.AffineDimExpr) else None for e in results]

    def subscripts(self, intervals: Intervals) -> list[Span]:
        """The interval of each subscript."""
        return intervals.subscripts(self.op, _MEMORY[self.op.name] + 1)

    def iterations(self, intervals: Intervals) -> float:
        """The largest number of times that it runs."""
        return prod((max(0, high - low + 1) for low, high in map(intervals.of, self.loops)), start=1.0)

    def is_idle(self, intervals: Intervals) -> bool:
        """Whether a loop around it runs less than twice."""
        return any(high <= low for low, high in map(intervals.of, self.loops))

    def is_inside(self, intervals: Intervals) -> bool:
        """Whether no subscript may be below 0, or beyond the end of memory that the function makes."""
        subscripts, extents = self.subscripts(intervals), self._own_extents(intervals)
        inside = all(high < extent for (_, high), extent in zip(subscripts, extents, strict=False))
        return inside and all(low >= 0 for low, _ in subscripts)

    def _own_extents(self, intervals: Intervals) -> list[float]:
        """The least extents of memory that the function makes; none for other memory."""
        if not isinstance(self.memory, ir.OpResult) or self.memory.owner.name not in _OWN:
            return []
        made, kind = iter(self.memory.owner.operands), self.memory.type
        return [intervals.of(next(made))[0] if size < 0 else size for size in kind.shape]


def accesses(function: Any) -> list[Access]:
    """All loads and stores of the function, in order."""
    ops = operations(function, lambda op: op.name in _MEMORY)
    return [Access(op, op.operands[_MEMORY[op.name]], tuple(enclosing_loops(op))) for op in ops]
