"""Kernels in place of the contractions of a module, with what is fused to them."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from mlir import ir

from affine.record import dataclass
from native.contract import Match, match
from native.contraction import write_kernel
from native.dataflow import Flow, Item
from native.forward import forward_copies, local_buffers, read_items
from native.gemm import Gemm
from native.nest import Effects, Nest
from native.read_views import Reader
from native.splice import call
from native.target import Target


@dataclass
class Scheduler:
    """Schedules the functions of one module; `names` are the kernels so far."""

    module: Any
    target: Target
    names: list[str] = field(default_factory=list)

    def blocks(self, operation: Any, reader: Reader) -> None:
        """Every block within an operation, innermost first."""
        if operation.name.startswith("linalg."):
            return
        for block in (block for region in operation.regions for block in region.blocks):
            for inner in list(block.operations):
                self.blocks(inner.operation, reader)
            self._block(block, reader)

    def _block(self, block: Any, reader: Reader) -> None:
        forward_copies(block, reader)
        read = read_items(block, reader)
        operations = [item.operation for item in read]
        items: list[Item] = [item.what for item in read]
        flow = Flow(items, local_buffers(block, reader))
        for at in range(len(items)):
            found = match(flow, at)
            if found is not None:
                self._replace(found, items, operations, reader)
        if any(item is None for item in items):
            _drop_unread(flow, items)
            for item, operation in zip(items, operations, strict=True):
                if item is None:
                    operation.erase()
            _drop_unused(block)

    def _replace(self, found: Match, items: list[Item], operations: list[Any], reader: Reader) -> None:
        """A call of a new kernel at the place of the last item that it stands for."""
        name = f"contraction{len(self.names)}"
        self.names.append(name)
        place = operations[found.at]
        made = call(self.module, write_kernel(found.gemm, self.target, name), name, reader, place)
        for taken in found.taken - {found.at}:
            items[taken] = None
        place.erase()
        operations[found.at], items[found.at] = made, _effects(found.gemm)


def schedule_contractions(module: Any, target: Target, fp: str) -> tuple[str, ...]:
    """Rewrite the functions of a module in place; the names of the kernels that were added.

    Sums are added in another order than the module says: with `fp` strict, nothing is done.
    """
    if fp == "strict":
        return ()
    with module.context, ir.Location.unknown():
        scheduler = Scheduler(module, target)
        for operation in list(module.body.operations):
            if operation.operation.name == "func.func":
                scheduler.blocks(operation.operation, Reader())
    return tuple(scheduler.names)


def _effects(gemm: Gemm) -> Effects:
    roots = [{access.array.root for access in accesses} for accesses in (gemm.accesses, (gemm.write,))]
    read, written = (None if None in part else frozenset(root for root in part if root) for part in roots)
    return Effects(read, written)


def _drop_unread(flow: Flow, items: list[Item]) -> None:
    """Take away nests that write only what nobody reads."""
    for at in reversed(range(len(items))):
        item = items[at]
        if isinstance(item, Nest) and len(item.writes) == 1 and item.writes[0].array.root in flow.local:
            items[at] = None if flow.readers(at) == [] else item


def _drop_unused(block: Any) -> None:
    for operation in [op.operation for op in block.operations if op.operation.name == "memref.alloc"]:
        if next(iter(operation.results[0].uses), None) is None:
            operation.erase()
