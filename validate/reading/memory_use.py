"""The use of memory by a function: none after it is freed, and the extents that its casts assume.

The passes that make loops of a function forget both, so they are read from the function as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from raising.frontend.mlir.attributes import Refusal, location
from raising.support.mlir.operand_segments import SEGMENTS, input_count
from raising.support.mlir.walk import blocks_of, maker, operations
from raising.support.record import dataclass
from raising.support.source import Loc

_CASTS = ("memref.cast", "tensor.cast")
_VIEWS = (
    *("memref.cast", "memref.subview", "memref.reinterpret_cast", "memref.collapse_shape", "memref.expand_shape"),
    *("memref.transpose", "memref.view", "memref.memory_space_cast", "memref.reshape"),
)


@dataclass(frozen=True)
class Extent:
    """The assumption that dimension `dim` of an argument, open in its type, has this many elements."""

    argument: int
    dim: int
    number: int
    where: Loc


# ---- freed memory --------------------------------------------------------------------------------


def check_lifetimes(function: Any) -> None:
    """`Refusal` unless all that is freed was allocated here, and is not used, freed or returned after that."""
    for op in operations(function, lambda op: op.name == "memref.dealloc"):
        _check_freed(op)
    for op in operations(function, lambda op: op.name == "memref.alloca"):
        for user in _users(op.results[0]):
            if user.name == "func.return":
                raise Refusal(location(user), "memory of the stack is returned")


def _check_freed(op: Any) -> None:
    value = op.operands[0]
    while (cast := maker(value, "memref.cast")) is not None:
        value = cast.operands[0]
    if isinstance(value, ir.BlockArgument):
        raise Refusal(location(op), "an argument is freed")
    if value.owner.name != "memref.alloc":
        raise Refusal(location(op), f"memory is freed that comes from {value.owner.name}")
    if _parent(value.owner) != _parent(op):
        raise Refusal(location(op), "memory is freed in a loop or under a condition, and allocated outside of it")
    later = _after(op)
    for user in _users(value):
        if any(outer in later for outer in _enclosing(user)):
            what = "freed twice" if user.name == "memref.dealloc" else "used after it is freed"
            raise Refusal(location(user), f"memory is {what}")


def _parent(op: Any) -> Any:
    return op.operation.block


def _after(op: Any) -> list[Any]:
    """The operations behind one in its block."""
    found = [o.operation for o in op.operation.block.operations]
    return found[found.index(op.operation) + 1 :]


def _enclosing(op: Any) -> Iterator[Any]:
    """An operation and those around it."""
    while op is not None and op.name != "func.func":
        yield op
        parent = op.parent
        op = None if parent is None else parent.operation


def _users(memory: Any) -> Iterator[Any]:
    """The operations that use a memory, or whatever may stand for a part of it."""
    seen, pending = {memory}, [memory]
    while pending:
        for use in pending.pop().uses:
            user = use.owner.operation
            yield user
            for value in (v for v in _results(user) if v not in seen):
                seen.add(value)
                pending.append(value)


def _results(user: Any) -> Iterator[Any]:
    """Memories that an operation makes of its operands; what ends a region gives them to the one around it."""
    yield from (r for r in user.results if isinstance(r.type, ir.MemRefType))
    if user.name.endswith(".yield"):
        outer = user.parent.operation
        yield from (r for r in outer.results if isinstance(r.type, ir.MemRefType))
    for block in blocks_of(user):
        yield from (a for a in block.arguments if isinstance(a.type, ir.MemRefType))


# ---- where memory comes from ---------------------------------------------------------------------


def origin(memory: Any) -> Any:
    """The memory that a view is a view of, as far as that can be seen."""
    while (view := maker(memory, *_VIEWS)) is not None:
        memory = view.operands[0]
    return memory


def may_overlap(one: Any, other: Any) -> bool:
    """True if two memories may be parts of one; arguments are taken not to be."""
    first, second = origin(one), origin(other)
    if first == second:
        return True
    return not (_is_own(first) and _is_own(second))


def _is_own(memory: Any) -> bool:
    """True for arguments and allocations, of which no other memory is a part."""
    if isinstance(memory, ir.BlockArgument):
        return bool(memory.owner.owner.operation.name == "func.func")
    return memory.owner.name in ("memref.alloc", "memref.alloca", "memref.get_global")


_READERS = ("memref.load", "affine.load", "memref.dim", "func.return", *_VIEWS)


def is_written(memory: Any) -> bool:
    """True unless a memory is seen to be read only; the loops of linalg read all that they do not write."""
    for use in memory.uses:
        user = use.owner.operation
        if user.name in _VIEWS and is_written(user.results[0]):
            return True
        copies = user.name == "memref.copy" and use.operand_number == 0
        reads = user.name == "linalg.generic" and use.operand_number < input_count(user)
        if not (copies or reads or user.name in _READERS or user.name == "bufferization.to_tensor"):
            return True
    return False


def is_in_place(op: Any) -> bool:
    """True if an operation of linalg on memory may read, in one iteration, what it writes in another."""
    if not op.name.startswith("linalg."):
        return False
    operands = list(op.operands)
    first = len(operands) - 1  # of those that are written; only operations with one of them have no numbers of either
    if SEGMENTS in op.attributes:
        first = input_count(op)
    memories = [(k, v) for k, v in enumerate(operands) if isinstance(v.type, ir.MemRefType)]
    return any(j >= first and j != k and may_overlap(one, other) for j, one in memories for k, other in memories)


# ---- flags ---------------------------------------------------------------------------------------

_FLAGS = {"overflowFlags": "overflow", "fastmath": "fastmath", "isExact": "exact", "nonNeg": "nneg"}


@dataclass(frozen=True)
class Promise:
    """What a flag of an operation says, such as `overflow<nsw>`: nothing overflows, no number is NaN, and the like."""

    op: str
    flag: str
    where: Loc

    @property
    def text(self) -> str:
        """The promise in words."""
        return f"{self.op} keeps what {self.flag} promises"


def promises(function: Any) -> tuple[Promise, ...]:
    """The promises of operations' flags."""
    found = []
    for op in operations(function, lambda op: any(name in op.attributes for name in _FLAGS)):
        for attribute, name in _FLAGS.items():
            text = str(op.attributes[attribute]) if attribute in op.attributes else "none"
            told = text.partition("<")[2].rstrip(">") or text
            if told not in ("none", "false"):
                flag = name if told in ("unit", "true") else f"{name}<{told}>"
                found.append(Promise(op.name, flag, location(op)))
    return tuple(dict.fromkeys(found))


# ---- casts ---------------------------------------------------------------------------------------


def cast_extents(function: Any) -> tuple[Extent, ...]:
    """The extents that casts say arguments to have; `Refusal` if one says so of something else."""
    found = []
    for op in operations(function, lambda op: op.name in _CASTS):
        before, after = op.operands[0].type, op.results[0].type
        if not all(isinstance(t, ir.MemRefType | ir.RankedTensorType) for t in (before, after)):
            continue
        for dim in range(after.rank):
            if before.is_dynamic_dim(dim) and not after.is_dynamic_dim(dim):
                extent = _extent(function, op, dim, int(after.shape[dim]))
                found += [extent] if extent is not None else []
    return tuple(dict.fromkeys(found))


def _extent(function: Any, op: Any, dim: int, number: int) -> Extent | None:
    """The extent that a cast states; None if it is known anyway."""
    value = op.operands[0]
    while isinstance(value, ir.OpResult) and value.owner.name in _CASTS and value.type.is_dynamic_dim(dim):
        value = value.owner.operands[0]
    if not value.type.is_dynamic_dim(dim):
        if int(value.type.shape[dim]) != number:
            raise Refusal(location(op), f"an array of {value.type.shape[dim]} elements is cast to one of {number}")
        return None
    block = function.regions[0].blocks[0]
    if not isinstance(value, ir.BlockArgument) or value.owner != block:
        if isinstance(value.type, ir.RankedTensorType):
            return None  # a shape that was worked out on the way
        raise Refusal(location(op), "memory is cast to a number of elements that nothing says it has")
    if _parent(op) != block:
        raise Refusal(location(op), "an argument is cast to a number of elements in a loop or under a condition")
    return Extent(value.arg_number, dim, number, location(op))
