"""Kernels in place of the contractions of a module, with what is fused to them.

before  linalg.generic {iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b) outs(%c) {
          %s = arith.addf %old, (arith.mulf %x, %y)
after   call @contraction0(%c, %a, %b) : (memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) -> ()
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from mlir import ir

from raising.native.base.target import Target
from raising.native.bufferize.shapes import name_extents
from raising.native.contraction.emit_contraction import write_kernel
from raising.native.contraction.gemm import Gemm
from raising.native.contraction.recognise_contraction import Match, match
from raising.native.nest.dataflow import Flow, Item
from raising.native.nest.kernel_call import call
from raising.native.nest.nest import Effects, Nest
from raising.native.nest.read_nests import may_have_nests
from raising.native.nest.read_views import Reader
from raising.native.transforms.copy_elimination import forward_copies, local_buffers, read_items
from raising.support.mlir.walk import blocks_of
from raising.support.record import dataclass

Write = Callable[[Any, str, Reader, Any], Any]
"""Writes what does a contraction into a module, under a name, before an operation; what then stands for it."""

Find = Callable[[Flow, int], tuple[Match, Write] | None]
"""The contraction at an item of a block, and what writes it."""


@dataclass
class Scheduler:
    """Replaces contractions of the functions of one module, by what is named `name` and a number."""

    module: Any
    find: Find
    name: str
    _count: int = 0

    def blocks(self, operation: Any, reader: Reader) -> None:
        """Every block within an operation, innermost first."""
        if operation.name.startswith("linalg."):
            return
        for block in blocks_of(operation):
            for inner in list(block.operations):
                self.blocks(inner.operation, reader)
            if may_have_nests(block):
                self._block(block, reader)

    def _block(self, block: Any, reader: Reader) -> None:
        forward_copies(block, reader)
        read = read_items(block, reader)
        operations = [item.operation for item in read]
        items: list[Item] = [item.what for item in read]
        flow = Flow(items, local_buffers(block, reader))
        for at in range(len(items)):
            found = self.find(flow, at)
            if found is not None:
                self._replace(*found, items, operations, reader)
        if any(item is None for item in items):
            _drop_unread(flow, items)
            for item, operation in zip(items, operations, strict=True):
                if item is None:
                    operation.erase()
            _drop_unused(block)

    def _replace(self, found: Match, write: Write, items: list[Item], operations: list[Any], reader: Reader) -> None:
        """Put the kernel of a contraction at the place of the last item that it stands for."""
        place = operations[found.at]
        made = write(self.module, f"{self.name}{self._count}", reader, place)
        self._count += 1
        for taken in found.taken - {found.at}:
            items[taken] = None
        place.erase()
        operations[found.at], items[found.at] = made, _effects(found.gemm)


def schedule_contractions(module: Any, target: Target, fp: str, kernels: Collection[str] = ()) -> frozenset[str]:
    """Rewrite the functions of a module in place; the names of the kernels, with those that there were.

    Sums are added in another order than the module says: with `fp` strict, nothing is done.
    """
    if fp == "strict":
        return frozenset(kernels)

    def find(flow: Flow, at: int) -> tuple[Match, Write] | None:
        found = match(flow, at)
        return None if found is None else (found, own_code(found.gemm, target))

    return replace_contractions(module, find, "contraction", kernels)


def own_code(gemm: Gemm, target: Target) -> Write:
    """Our own code of a contraction."""

    def write(module: Any, name: str, reader: Reader, before: Any) -> Any:
        sizes = [reader.values[each] for extent in gemm.extents for each in extent.symbols]
        varying = target.threads == 1 and any(map(_is_in_loop, sizes))
        return call(module, write_kernel(gemm, target, name, varying=varying), name, reader, before)

    return write


def _is_in_loop(value: ir.Value) -> bool:
    """Whether a value changes from one iteration of a loop to the next."""
    place = value.owner.owner if isinstance(value.owner, ir.Block) else value.owner.operation.parent
    while place is not None and place.name != "func.func":
        if place.name in ("scf.for", "scf.parallel", "scf.while"):
            return True
        place = place.parent
    return False


def replace_contractions(module: Any, find: Find, name: str, kernels: Collection[str] = ()) -> frozenset[str]:
    """Replace what is found in the functions of a module, in place; the names of kernels, with those there were."""
    known = set(kernels)
    with module.context, ir.Location.unknown():
        scheduler = Scheduler(module, find, name)
        for operation in list(module.body.operations):
            if operation.operation.name == "func.func" and operation.name.value not in known:
                reader = Reader(kernels=set(kernels), extents=name_extents(operation))
                scheduler.blocks(operation.operation, reader)
                known |= reader.kernels
    return frozenset(known)


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
