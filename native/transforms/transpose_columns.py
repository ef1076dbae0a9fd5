"""Columns that sequential loops read, from a copy of the array in which they are rows.

A loop that stores single elements of an array and reads whole columns of it, as dynamic programs over intervals do,
waits for a line of memory for each element of a column. If it reads far more columns than the array has, a second array
takes every element with rows and columns exchanged: at first all of them, then each one that is stored. The result
stays the same to the bit.

    before  for i: for j: x[i, j] = sum over k of x[k, j]
    after   t = x, transposed
            for i: for j: x[i, j] = t[j, i] = sum over k of t[j, k]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Affine, Term
from raising.native.nest.kernel_call import Kernel, call
from raising.native.nest.read_views import Reader
from raising.native.transforms.memory_writer import MemoryWriter
from raising.support.mlir.operand_segments import DYNAMIC, input_count, mixed, static
from raising.support.mlir.walk import blocks_of
from raising.support.record import dataclass

WORTH = 4
"""How many times as many columns have to be read as the array has."""
LEAST = 16
"""Elements of a column that is read, if they are a number."""
BLOCK = 32
"""Columns that are copied together."""
LARGEST = 1 << 30
"""Elements of an array that is kept twice."""


@dataclass(frozen=True)
class _Plan:
    """An array of a loop: the views of single columns that are read, and the stores."""

    array: Any
    columns: tuple[Any, ...]
    stores: tuple[Any, ...]


def columns_as_rows(module: Any) -> set[str]:
    """Rewrite the outermost loops of a module's functions where it is worth it; the functions that it adds."""
    added: set[str] = set()
    with module.context, ir.Location.unknown():
        for function in [op for op in module.body.operations if op.operation.name == "func.func"]:
            for block in function.regions[0].blocks:
                for loop in [view.operation for view in block.operations if view.operation.name == "scf.for"]:
                    for plan in list(_plans(loop)):
                        added.add(_rewrite(module, loop, plan, f"native_columns_{len(added) + 1}"))
    return added


def _plans(loop: Any) -> Iterator[_Plan]:
    inside = dict.fromkeys(_operations(loop))
    arrays = dict.fromkeys(op.operands[0] for op in inside if op.name == "memref.subview" and _is_column(op))
    for array in arrays:
        users = [(use.owner.operation, use.operand_number) for use in array.uses]
        here = [(op, place) for op, place in users if op in inside]
        elsewhere = [op for op, _ in users if op not in inside]
        views = [op for op, _ in here if op.name == "memref.subview"]
        stores = tuple(op for op, place in here if op.name == "memref.store" and place == 1)
        known = len(views) + len(stores) + sum(op.name == "memref.load" for op, _ in here) == len(here)
        alone = all(not isinstance(result.type, ir.MemRefType) for op in elsewhere for result in op.results)
        columns = tuple(view for view in views if _is_column(view))
        plan = _Plan(array, columns, stores)
        if known and alone and _has_own_memory(array, loop) and all(map(_only_read, views)) and _pays(plan, loop):
            yield plan


def _operations(loop: Any) -> Iterator[Any]:
    """All operations inside of a loop, but those of linalg's bodies."""
    for block in blocks_of(loop):
        for operation in (view.operation for view in block.operations):
            yield operation
            if not operation.name.startswith("linalg."):
                yield from _operations(operation)


def _is_column(view: Any) -> bool:
    """Whether a view is one column, or a part of one, of a matrix of known size without gaps."""
    source, result = (ir.MemRefType(value.type) for value in (view.operands[0], view.results[0]))
    if source.rank != 2 or result.rank != 1 or not source.has_static_shape or not _is_plain(source):
        return False
    sizes, steps = static(view, "sizes"), static(view, "strides")
    return sizes[1] == 1 and steps == [1, 1] and (sizes[0] == DYNAMIC or sizes[0] >= LEAST)


def _is_plain(kind: ir.MemRefType) -> bool:
    """Whether rows follow one another without gaps, and a copy has room."""
    strides, offset = kind.get_strides_and_offset()
    if kind.shape[0] * kind.shape[1] > LARGEST:
        return False
    return list(strides) == [kind.shape[1], 1] and offset == 0 and kind.memory_space is None


def _has_own_memory(array: Any, loop: Any) -> bool:
    """Whether an array is an argument of the function or allocated in it, before the loop."""
    if isinstance(array.owner, ir.Block):
        return bool(array.owner == loop.block)
    return bool(array.owner.operation.name == "memref.alloc" and array.owner.operation.block == loop.block)


def _only_read(view: Any) -> bool:
    """Whether a view is used as an input of linalg's operations and nowhere else."""
    for use in view.results[0].uses:
        user = use.owner.operation
        if user.name != "linalg.generic":
            return False
        if use.operand_number >= input_count(user):
            return False
    return True


def _pays(plan: _Plan, loop: Any) -> bool:
    """Whether columns are read often enough for the copy, and for each store to be done twice."""
    reads = [_times(view, loop) for view in plan.columns]
    stores = [_times(store, loop) for store in plan.stores]
    if None in reads or None in stores:
        return False
    read = sum(times or 0 for times in reads)
    return read >= WORTH * ir.MemRefType(plan.array.type).shape[1] and sum(times or 0 for times in stores) <= 4 * read


def _times(operation: Any, outermost: Any) -> int | None:
    """How often an operation runs, estimated: loops with bounds in outer counters are taken at the middle of those."""
    loops, reader = [operation.parent.operation], Reader()
    while loops[-1] != outermost:
        loops.append(loops[-1].parent.operation)
    middle: dict[Term, Affine] = {}
    total = 1
    for loop in (each for each in reversed(loops) if each.name == "scf.for"):
        low, high, step = (reader.index(value).substitute(middle) for value in list(loop.operands)[:3])
        if not (low.is_constant and high.is_constant and step.is_constant):
            return None
        middle[reader.name(loop.regions[0].blocks[0].arguments[0])] = Affine((low.constant + high.constant) // 2)
        total *= max(0, (high.constant - low.constant) // max(1, step.constant))
    return total


def _rewrite(module: Any, loop: Any, plan: _Plan, name: str) -> str:
    """Add the array with rows and columns exchanged, and what keeps it equal; the name of the function that copies."""
    kind, reader = ir.MemRefType(plan.array.type), Reader()
    write = MemoryWriter(ir, ir.InsertionPoint(loop))
    turned = write.memory(kind.shape[::-1], kind.element_type)
    call(module, Kernel(_copy(name, kind), (reader.name(plan.array), reader.name(turned))), name, reader, loop)
    for store in plan.stores:
        value, _, row, column = store.operands
        after = _behind(store)
        ir.Operation.create("memref.store", operands=[value, turned, column, row], ip=after)
    for view in plan.columns:
        write.place = ir.InsertionPoint(view)
        row = write.view(turned, mixed(view, "offsets")[::-1], mixed(view, "sizes")[::-1], dropped=0)
        view.results[0].replace_all_uses_with(row)
        view.erase()
    return name


def _behind(operation: Any) -> ir.InsertionPoint:
    following = list(operation.block.operations)
    return ir.InsertionPoint(following[following.index(operation) + 1])


def _copy(name: str, kind: ir.MemRefType) -> str:
    """A function that copies a matrix to one with rows and columns exchanged, some columns at a time."""
    rows, columns = kind.shape
    other = f"memref<{columns}x{rows}x{kind.element_type}>"
    return f"""func.func private @{name}(%from: {kind}, %to: {other} {{llvm.noalias}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %block = arith.constant {BLOCK} : index
  %rows = arith.constant {rows} : index
  %columns = arith.constant {columns} : index
  scf.for %first = %c0 to %columns step %block {{
    %behind = arith.addi %first, %block : index
    %last = arith.minsi %behind, %columns : index
    scf.for %i = %c0 to %rows step %c1 {{
      scf.for %j = %first to %last step %c1 {{
        %value = memref.load %from[%i, %j] : {kind}
        memref.store %value, %to[%j, %i] : {other}
      }}
    }}
  }}
  return
}}"""
