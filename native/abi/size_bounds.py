"""The sizes of temporaries, known before a function is entered: each as a value over the function's own arguments."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mlir import ir

from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.walk import constant_number

PURE = ("arith.", "index.")
_LOOPS = ("scf.for", "scf.parallel")


class Unbounded(Exception):
    """A size for which there is no bound before the function is entered."""


class Sizes:
    """Writes the operations that compute sizes to the end of a block whose arguments are those of the function.

    Of the arguments whose numbers are in `unknown`, nobody knows the first extent.
    """

    def __init__(self, entry: Any, block: Any, unknown: Collection[int] = ()) -> None:
        self.entry, self.block, self.write = entry, block, OpWriter(ir, ir.InsertionPoint(block))
        self.unknown = unknown
        self._known: dict[tuple[Any, bool], Any] = {}

    def upper(self, value: Any) -> Any:
        """A value that is never less than this one, whenever control reaches it; Unbounded if there is none."""
        return self._bound(value, True)

    def product(self, factors: list[Any], number: int) -> Any:
        """The product of index values, of which negative ones count as 0, with a number; all ones if it overflows."""
        index = ir.IndexType.get()
        zero, most, total = (self.write.constant(index, value) for value in (0, -1, number))
        for factor in factors:
            low, high = self.write.op(
                "arith.mului_extended", [index] * 2, [total, self.write.same("arith.maxsi", factor, zero)]
            )
            (total,) = self.write.op("arith.select", [index], [self.write.compare("ne", high, zero), most, low])
        return total

    def slots(self, factors: list[Any], number: int, copies: int, alignment: int) -> Any:
        """The product for each of several copies, each a multiple of `alignment`, all ones if it overflows."""
        index = ir.IndexType.get()
        units = self.write.same("arith.ceildivui", self.product(factors, number), self.write.constant(index, alignment))
        return self.product([units], copies * alignment)

    def _bound(self, value: Any, upper: bool) -> Any:
        if (value, upper) not in self._known:
            self._known[value, upper] = self._made(value, upper)
        return self._known[value, upper]

    def _made(self, value: Any, upper: bool) -> Any:
        if isinstance(value, ir.BlockArgument):
            return self._argument(value, upper)
        op = value.owner.operation
        if op.name == "memref.dim" and self._is_unknown(op):
            raise Unbounded("C does not say how long an array is")
        if op.name == "arith.constant" or (op.name == "memref.dim" and op.operands[0].owner == self.entry):
            return self._copied(op, [self._bound(operand, upper) for operand in op.operands])
        if op.name == "memref.dim":
            dim = constant_number(op.operands[1])
            if dim is None:
                raise Unbounded("memref.dim")
            return self._extent(op.operands[0], dim, upper)
        if not op.name.startswith(PURE):
            raise Unbounded(str(op.name))
        if all(self._is_fixed(operand) for operand in op.operands):
            return self._copied(op, [self._bound(operand, upper) for operand in op.operands])
        return self._monotone(op, upper)

    def _is_unknown(self, op: Any) -> bool:
        memory = op.operands[0]
        first = constant_number(op.operands[1]) in (0, None)
        return bool(first and memory.owner == self.entry and memory.arg_number in self.unknown)

    def _extent(self, memory: Any, dim: int, upper: bool) -> Any:
        """A bound of an extent of memory: of a part, of what is allocated, of one memory or another one."""
        if memory.type.shape[dim] >= 0:
            return self.write.constant(ir.IndexType.get(), memory.type.shape[dim])
        if isinstance(memory, ir.BlockArgument):
            raise Unbounded("memref.dim")
        op = memory.owner.operation
        before = sum(extent < 0 for extent in memory.type.shape[:dim])
        match op.name:
            case "memref.cast":
                return self._extent(op.operands[0], dim, upper)
            case "arith.select":
                sides = (self._extent(side, dim, upper) for side in op.operands[1:])
                return self.write.same("arith.maxsi" if upper else "arith.minsi", *sides)
            case "memref.alloc":
                return self._bound(op.operands[before], upper)
            case "memref.view":  # of the workspace
                return self._bound(op.operands[2 + before], upper)
            case "memref.subview" if len(op.operands[0].type.shape) == len(memory.type.shape):
                return self._bound(op.opview.sizes[before], upper)
        raise Unbounded("memref.dim")

    def _argument(self, value: Any, upper: bool) -> Any:
        """An argument of the function as it is; a loop's variable by the loop's bounds."""
        if value.owner == self.entry:
            return self.block.arguments[value.arg_number]
        loop = value.owner.owner.operation
        if loop.name not in _LOOPS or value.arg_number >= _rank(loop):
            raise Unbounded("a value that a loop carries")
        low, high = (loop.operands[k * _rank(loop) + value.arg_number] for k in (0, 1))
        if not upper:
            return self._bound(low, False)
        return self.write.same("arith.subi", self._bound(high, True), self.write.constant(value.type, 1))

    def _is_fixed(self, value: Any) -> bool:
        """Whether the value is the same each time that control reaches it."""
        if isinstance(value, ir.BlockArgument):
            return bool(value.owner == self.entry)
        op = value.owner.operation
        if op.name == "memref.dim":
            return bool(op.operands[0].owner == self.entry)
        return op.name.startswith(PURE) and all(self._is_fixed(operand) for operand in op.operands)

    def _monotone(self, op: Any, upper: bool) -> Any:
        """A bound from bounds of the operands, for an operation that keeps or turns their order."""
        match op.name:
            case "arith.addi" | "arith.maxsi" | "arith.index_cast":
                return self._copied(op, [self._bound(operand, upper) for operand in op.operands])
            case "arith.minsi":
                return self._either(op, upper)
            case "arith.subi":
                left, right = op.operands
                return self._copied(op, [self._bound(left, upper), self._bound(right, not upper)])
            case "arith.muli" | "arith.divsi" | "arith.divui" | "arith.floordivsi" | "arith.ceildivsi":
                left, right = op.operands
                if (constant_number(right) or 0) > 0:
                    return self._copied(op, [self._bound(left, upper), self._bound(right, upper)])
            case "arith.select":
                _, left, right = op.operands
                name = "arith.maxsi" if upper else "arith.minsi"
                return self.write.same(name, self._bound(left, upper), self._bound(right, upper))
        raise Unbounded(str(op.name))

    def _either(self, op: Any, upper: bool) -> Any:
        """The least of two values is at most each one of them."""
        found = []
        for operand in op.operands:
            try:
                found.append(self._bound(operand, upper))
            except Unbounded:
                if not upper:
                    raise
        if not found:
            raise Unbounded(str(op.name))
        return found[0] if len(found) == 1 else self._copied(op, found)

    def _copied(self, op: Any, operands: list[Any]) -> Any:
        copy = op.clone(ir.InsertionPoint(self.block))
        for k, operand in enumerate(operands):
            copy.operands[k] = operand
        return copy.results[0]


def _rank(loop: Any) -> int:
    """How many variables a loop has."""
    return 1 if loop.name == "scf.for" else len(loop.regions[0].blocks[0].arguments)
