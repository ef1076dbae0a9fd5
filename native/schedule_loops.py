"""Fused vector loops in place of the linalg operations of a module."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from mlir import ir

from native.loop_tree import Node
from native.loops import Machine, accesses_of, write_loops
from native.plan import Loops, forwarded, plan
from native.read import Item, read_block
from native.read_views import Reader
from native.splice import call

_VIEWS = ("memref.subview", "memref.cast")


@dataclass
class Scheduler:
    """Schedules the functions of one module; `strict` keeps the order of floating-point sums."""

    module: Any
    machine: Machine
    strict: bool
    _count: int = field(default=0)

    def function(self, function: Any, kernels: Collection[str]) -> None:
        """Every block of a function, innermost first; `kernels` are functions that touch only what they are passed."""
        self._blocks(function, Reader(kernels=set(kernels)))

    def _blocks(self, operation: Any, reader: Reader) -> None:
        for block in (block for region in operation.regions for block in region.blocks):
            if operation.name != "linalg.generic":
                for inner in list(block.operations):
                    self._blocks(inner.operation, reader)
                self._block(block, reader)

    def _block(self, block: Any, reader: Reader) -> None:
        items = read_block(block, reader)
        run: list[Loops] = []
        for step in plan(items, self.strict):
            if isinstance(step, Loops):
                run.append(step)
            else:
                self._emit(run, items, items[step.number].operation, reader)
                run = []
        self._emit(run, items, items[-1].operation if items else None, reader)

    def _emit(self, run: list[Loops], items: list[Item], before: Any, reader: Reader) -> None:
        """One kernel for neighbouring steps."""
        if not run:
            return
        nodes = tuple(step.node for step in run)
        mine = [items[number].operation for step in run for number in step.sources]
        temporary = frozenset(root for root in self._temporaries(nodes, mine, reader) if forwarded(nodes, root))
        self._count += 1
        name = f"native_loops_{self._count}"
        kernel = write_loops(nodes, name, self.machine, self.strict, temporary)
        call(self.module, kernel, name, reader, before)
        for operation in mine:
            operation.erase()

    def _temporaries(self, nodes: tuple[Node, ...], mine: list[Any], reader: Reader) -> set[str]:
        """The buffers made by an allocation of this function that only these operations use."""
        roots = {access.array.root for access in accesses_of(nodes) if access.array.root is not None}
        return {root for root in roots if _only_for(reader.values[root], mine)}


def _only_for(value: ir.Value, mine: list[Any]) -> bool:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "memref.alloc":
        return False
    return _used_by(value, mine)


def _used_by(value: ir.Value, mine: list[Any]) -> bool:
    for use in value.uses:
        user = use.owner.operation
        if user.name in _VIEWS:
            if not _used_by(user.results[0], mine):
                return False
        elif user.name != "memref.dealloc" and user not in mine:
            return False
    return True


<<<<<<< HEAD
def schedule_loops(module: Any, vector_bits: int, strict: bool, kernels: Collection[str] = ()) -> None:
    """Rewrite the functions of a module in place; operations that no loops can be written for stay.

    `kernels` are functions that are done already and touch only the memory that they are passed.
    """
=======
def schedule_loops(module: Any, machine: Machine, strict: bool) -> None:
    """Rewrite the functions of a module in place; operations that no loops can be written for stay."""
>>>>>>> f90a54a (Rows share vectors where these leave the cache; tensors are read before their place is taken)
    with module.context, ir.Location.unknown():
        scheduler = Scheduler(module, machine, strict)
        for operation in list(module.body.operations):
            if operation.operation.name == "func.func" and operation.name.value not in kernels:
                scheduler.function(operation.operation, kernels)
