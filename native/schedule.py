"""The scheduler: kernels of contractions and of fused vector loops in place of linalg operations on memory.

Contractions are taken first; the remaining operations of each block are read as nests, and every run of them becomes
one kernel.

    before  linalg.generic ins(%a) outs(%t) { arith.mulf }; linalg.generic ins(%t) outs(%out) { arith.addf }
    after   call @native_loops_1(%a, %out, %x)
              scf.for %i by 8 { out[i .. i + 8] += a[i .. i + 8] * x }
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from functools import partial
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine
from raising.native.base.target import Target
from raising.native.bufferize.shapes import name_extents
from raising.native.contraction.schedule_contractions import schedule_contractions
from raising.native.loops.emit_loops import Machine, Writer, write_kernel
from raising.native.loops.fusion_plan import Loops, forwarded, plan
from raising.native.loops.loop_plan import accesses_of
from raising.native.loops.loop_tree import Node
from raising.native.nest.kernel_call import Kernel, call
from raising.native.nest.mlir_builder import Lines
from raising.native.nest.nest import Effects, Nest
from raising.native.nest.read_nests import Item, effects_of, may_have_nests, read_block, read_operation
from raising.native.nest.read_views import Reader
from raising.native.sequential.line_solvers import LineLoop, may_join
from raising.native.sequential.mirrored_updates import mirrored_update, write_mirrored
from raising.native.sequential.recurrence_emit import in_memory, write_scan
from raising.native.sequential.recurrence_plan import loop_nest, scan_in_parallel
from raising.native.sequential.time_loop import body_of, line_loop, lines_kernel, time_kernel
from raising.native.sequential.wavefront import as_lines, as_scans, hoist_constants, wavefront, write_wavefront
from raising.native.transforms.copy_elimination import local_buffers, read_items, without_copies
from raising.native.transforms.producer_fusion import first_apart, inlined
from raising.native.transforms.product_tiles import tile_products
from raising.native.transforms.split_reductions import write_loops
from raising.native.transforms.transpose_columns import columns_as_rows
from raising.support.mlir.walk import blocks_of, maker
from raising.support.record import dataclass

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
        self._blocks(function, Reader(kernels=set(kernels), extents=name_extents(function)))

    def _blocks(self, operation: Any, reader: Reader) -> None:
        ways = (self._time_loop, self._wavefront, self._recurrence)
        for block in blocks_of(operation):
            if operation.name != "linalg.generic":
                self._line_solvers(block, reader)
                for inner in [view.operation for view in block.operations]:
                    if inner.name != "scf.for" or not any(way(inner, reader) for way in ways):
                        self._blocks(inner, reader)
                if may_have_nests(block):
                    self._block(block, reader)

    def _block(self, block: Any, reader: Reader) -> None:
        local = local_buffers(block, reader)
        read = first_apart(inlined(read_items(block, reader), local), local, reader)
        users = {item.operation: item.what for item in read}
        items = without_copies(read, lambda root: _only_for(reader.values[root], users))
        kept = [item.operation for item in items]
        for item in read:
            if item.operation not in kept:
                item.operation.erase()
        self._mirrored(items, reader)
        run: list[Loops] = []
        for step in plan(items, self.strict, reader.values):
            if isinstance(step, Loops):
                run.append(step)
            else:
                self._emit(run, items, items[step.number].operation, reader)
                run = []
        self._emit(run, items, items[-1].operation if items else None, reader)

    def _mirrored(self, items: list[Item], reader: Reader) -> None:
        """Put a kernel in place of each update of a row from its own mirror image."""

        def local(root: str) -> bool:
            return root in reader.values and self._local(root, items, [], reader)

        while (found := mirrored_update(items, local, reader)) is not None:
            self._count += 1
            name, nests = f"native_loops_{self._count}", (found.front, found.back)
            writer = Writer(Lines(), self.machine, self.strict, frozenset())
            emit = partial(write_mirrored, found)
            kernel = write_kernel(nests, name, writer, (frozenset(), frozenset()), emit)
            old = [items[place].operation for place in found.places]
            made = call(self.module, kernel, name, reader, old[-1], [each.location for each in old])
            items[found.places[-1]] = Item(made, effects_of(found.front))
            for place in reversed(found.places[:-1]):
                del items[place]
            for each in old:
                each.erase()

    def _body(self, loop: Any, reader: Reader) -> tuple[list[Item], tuple[Node, ...] | None, frozenset[str]]:
        """The items of a loop, its nests where it has nothing else, and the buffers whose values need no stores."""
        read = read_block(loop.regions[0].blocks[0], reader)
        users = {item.operation: item.what for item in read}
        items = without_copies(read, lambda root: _only_for(reader.values[root], users))
        nodes = body_of(loop, items, reader)
        local = (root for root in _roots(nodes or ()) if self._local(root, items, [], reader))
        return items, nodes, frozenset(root for root in local if forwarded(nodes or (), root))

    def _time_loop(self, loop: Any, reader: Reader) -> bool:
        """Put a kernel in place of a loop that does nothing but nests, if its iterations can follow one another."""
        items, nodes, temporary = self._body(loop, reader)
        if nodes is None:
            return False
        name = f"native_loops_{self._count + 1}"
        writer = Writer(Lines(), self.machine, self.strict, temporary)
        kernel = time_kernel(loop, nodes, name, writer, reader)
        if kernel is None:
            return False
        inside = [item.operation.location for item in items if isinstance(item.what, Nest)]
        self._in_place_of([loop], kernel, reader, [loop.location, *inside])
        return True

    def _in_place_of(self, loops: list[Any], kernel: Kernel, reader: Reader, places: list[Any]) -> None:
        """Call a kernel before the first of these loops, which go."""
        self._count += 1
        blocks = [loop.regions[0].blocks[0] for loop in loops]
        for each in kernel.parameters:
            owner = reader.values[each].owner
            if not isinstance(owner, ir.Block) and owner.operation.block in blocks:
                owner.operation.move_before(loops[0])
        call(self.module, kernel, f"native_loops_{self._count}", reader, loops[0], places)
        for loop in loops:
            loop.erase()

    def _line_solvers(self, block: Any, reader: Reader) -> None:
        """Put one kernel in place of two recurrences on the same lines that follow one another."""
        loops = [view.operation for view in block.operations if view.operation.name == "scf.for"]
        found, place = [self._line_loop(loop, reader) for loop in loops] if len(loops) > 1 else [], 0
        while place + 1 < len(found):
            one, two = found[place], found[place + 1]
            place += 1
            if one is not None and two is not None and may_join(one, two, _between(one.loop, two.loop, reader)):
                writer = Writer(Lines(), self.machine, self.strict, one.temporary | two.temporary)
                kernel = lines_kernel([one, two], f"native_loops_{self._count + 1}", writer)
                self._in_place_of([one.loop, two.loop], kernel, reader, [one.loop.location, two.loop.location])
                place += 1

    def _line_loop(self, loop: Any, reader: Reader) -> LineLoop | None:
        _, nodes, temporary = self._body(loop, reader)
        writer = Writer(Lines(), self.machine, self.strict, temporary)
        return None if nodes is None else line_loop(loop, nodes, writer, reader)

    def _recurrence(self, loop: Any, reader: Reader) -> bool:
        """Put a kernel in place of a loop whose iterations need the one before, if sums may be reordered."""
        cells = f"%cell{self._count + 1}_"
        low, high, step, *first = loop.operands
        nest = None if reader.index(step) != Affine(1) else loop_nest(loop, reader, cells)
        scan = None if nest is None else scan_in_parallel(nest, self.machine.vector_bits)
        if scan is None or (self.strict and not scan.exact):
            return False
        times = reader.name(low), reader.name(high)
        self._count += 1
        name = f"native_loops_{self._count}"
        writer = Writer(Lines(), self.machine, self.strict, frozenset())
        kernel = write_kernel(
            (scan.nest,), name, writer, (frozenset(times), frozenset()), partial(write_scan, scan, times)
        )
        with in_memory(loop, first) as memory:
            reader.values |= {f"{cells}{k}": cell for k, cell in enumerate(memory)}
            call(self.module, kernel, name, reader, loop)
        loop.erase()
        return True

    def _wavefront(self, loop: Any, reader: Reader) -> bool:
        """Put a kernel in place of repeated sweeps in place, if several of them can go on at once."""
        plan_ = wavefront(loop, reader)
        scan = None if self.strict or plan_ is None else scan_in_parallel(plan_.row, self.machine.vector_bits)
        if plan_ is None:
            return False
        scan = None if scan is None or not scan.in_rows else scan
        rows = as_scans(plan_, scan) if scan else as_lines(plan_, reader, self.machine.vector_bits)
        if rows is None:
            return False
        alone = partial(write_scan, scan, plan_.bounds[2]) if scan else None
        self._count += 1
        name = f"native_loops_{self._count}"
        writer = Writer(Lines(), self.machine, self.strict, frozenset())
        kernel = write_kernel((plan_.row,), name, writer, plan_.names, partial(write_wavefront, plan_, rows, alone))
        hoist_constants(loop, kernel.parameters, reader)
        call(self.module, kernel, name, reader, loop)
        loop.erase()
        return True

    def _emit(self, run: list[Loops], items: list[Item], before: Any, reader: Reader) -> None:
        """One kernel for neighbouring steps."""
        if not run:
            return
        nodes = tuple(step.node for step in run)
        numbers = {number for step in run for number in step.sources}
        others = [item for number, item in enumerate(items) if number not in numbers]
        local = frozenset(root for root in _roots(nodes) if self._local(root, items, others, reader))
        temporary = frozenset(root for root in local if forwarded(nodes, root))
        own = frozenset(root for root in local if _begins_empty(root, items, others, reader))
        self._count += 1
        name = f"native_loops_{self._count}"
        kernel = write_loops(nodes, name, self.machine, self.strict, (temporary, own))
        call(self.module, kernel, name, reader, before, [items[n].operation.location for n in sorted(numbers)])
        for number in numbers:
            items[number].operation.erase()
            items[number] = replace(items[number], what=Effects(frozenset(), frozenset()))

    def _local(self, root: str, items: list[Item], others: list[Item], reader: Reader) -> bool:
        """Whether a buffer is allocated in this function, used by these nests only, and read by none of the others."""
        users = {item.operation: item.what for item in items if isinstance(item.what, Nest)}
        elsewhere = {access.array.root for item in others if isinstance(item.what, Nest) for access in item.what.reads}
        return root not in elsewhere and _only_for(reader.values[root], users)


def _between(first: Any, second: Any, reader: Reader) -> list[Item]:
    """The items between two operations of a block."""
    operations = [view.operation for view in first.block.operations]
    inside = operations[operations.index(first) + 1 : operations.index(second)]
    return [Item(operation, read_operation(operation, reader)) for operation in inside]


def _begins_empty(root: str, items: list[Item], others: list[Item], reader: Reader) -> bool:
    """Whether a buffer has no contents when these operations begin: it is new, and none of the others write it."""
    new = reader.values[root].owner.operation.block == items[0].operation.block
    written = {access.array.root for item in others if isinstance(item.what, Nest) for access in item.what.writes}
    return new and root not in written


def _roots(nodes: tuple[Node, ...]) -> set[str]:
    return {access.array.root for access in accesses_of(nodes) if access.array.root is not None}


def _only_for(value: ir.Value, users: Mapping[Any, Nest | Effects]) -> bool:
    """Whether an allocation of the function is used by nests among these operations only."""
    return maker(value, "memref.alloc") is not None and _used_by(value, users)


def _used_by(value: ir.Value, users: Mapping[Any, Nest | Effects]) -> bool:
    for use in value.uses:
        user = use.owner.operation
        if user.name in _VIEWS:
            if not _used_by(user.results[0], users):
                return False
        elif user.name == "memref.load" and isinstance(users.get(user.parent), Nest):
            continue
        elif user.name != "memref.dealloc" and not isinstance(users.get(user), Nest):
            return False
    return True


def schedule_loops(module: Any, machine: Machine, strict: bool, kernels: Collection[str] = ()) -> None:
    """Rewrite the functions of a module in place; operations that no loops can be written for stay.

    `kernels` are functions that are done already and touch only the memory that they are passed.
    """
    with module.context, ir.Location.unknown():
        scheduler = Scheduler(module, machine, strict)
        for operation in list(module.body.operations):
            if operation.operation.name == "func.func" and operation.name.value not in kernels:
                scheduler.function(operation.operation, kernels)


def schedule(module: Any, target: Target, fp: str, kernels: Collection[str] = ()) -> None:
    """Rewrite the module in place; what stays linalg becomes plain loops later.

    `kernels` are functions that are done already and touch only the memory that they are passed.
    """
    kernels = schedule_contractions(module, target, fp, kernels)
    kernels = tile_products(module, target, kernels)
    copies = columns_as_rows(module)
    caches, flags = (target.l2, target.threads, target.l3), (target.joins_lanes, target.permutes)
    machine = Machine(target.vector_bits, *caches, *flags, target.registers, target.streams)
    schedule_loops(module, machine, fp == "strict", {*kernels, *copies})
