"""The workspace: every allocation of a function becomes an argument, memory that the entry function provides.

So all temporaries of a call are one piece of memory whose size is known before the function is entered. The entry can
refuse a size that is too large; the caller can provide the memory and use it again for the next call; the function
notices neither. An allocation in a loop is one temporary for all iterations, as large as the largest.

    before  func.func @f.body(%x: f32) {
              %new = memref.alloc() : memref<1024xf32>
    after   func.func @f.body(%x: f32, %workspace: memref<?xi8>) {
              %new = memref.view %workspace[%c0][] : memref<?xi8> to memref<1024xf32>
"""

from __future__ import annotations

from math import prod
from typing import Any

from mlir import ir

from raising.native.abi.size_bounds import Sizes, Unbounded
from raising.native.base.signature import UNBOUNDED, Signature, element_bytes
from raising.native.base.target import ALIGNMENT
from raising.native.base.unsupported import CompileError
from raising.native.bufferize.destination_passing import SUFFIX
from raising.native.bufferize.lifetimes import allocations, check_lifetimes
from raising.native.threads.outline import WORKER
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.walk import operations
from raising.support.record import dataclass

SIZES = ".sizes"
"""What the function that computes sizes of temporaries has in place of `SUFFIX`."""

_ON_STACK = 1024  # bytes up to which a local array of fixed size stays on the stack


@dataclass(frozen=True)
class Temporary:
    """Memory of a call; `shape` is None where `NAME.sizes` returns the number of its bytes."""

    element: str
    shape: tuple[int, ...] | None

    @property
    def rank(self) -> int:
        """The rank of the argument that stands for it."""
        return 1 if self.shape is None else len(self.shape)

    @property
    def bytes(self) -> int | None:
        """The bytes of the allocation; None if they are not known."""
        return None if self.shape is None else prod(self.shape) * element_bytes(self.element)


def to_workspace(module: Any, signature: Signature, threads: int) -> tuple[Temporary, ...]:
    """Turn the allocations of a function's body, `NAME.body`, into arguments behind its own, in this order.

    One in a parallel loop is as many temporaries as there are threads. Those of one type whose memory is freed before
    the next is allocated are one: a contraction of open size packs into megabytes, which each call would get anew.
    A function `NAME.sizes` is added, from the arguments of the source to the bytes
    of each temporary of variable size. CompileError for memory whose size cannot
    be bounded, or that outlives the iteration that allocates it.
    """
    name = signature.name
    body = next(f for f in module.body.operations if f.operation.name == "func.func" and f.name.value == name + SUFFIX)
    sizes = _sizes_function(body, name)
    unknown = {k for k, p in enumerate(signature.memory) if p.shape and p.shape[0] == UNBOUNDED}
    computed = Sizes(body.entry_block, sizes.entry_block, unknown)
    temporaries, results = [], []
    check_lifetimes(body)
    spans, shared = _spans(body), _Shared()
    for allocation in allocations(body):
        _forget_frees(allocation)
        fixed, loop = _fixed_bytes(allocation), _parallel_loop(allocation) if threads > 1 else None
        if fixed is not None and fixed <= _ON_STACK:
            _to_stack(allocation, (body if loop is None else loop).regions[0].blocks[0])
            continue
        copies = 1 if loop is None else threads
        if fixed is None:
            results.append(_bytes(allocation, computed, copies))
        if loop is None:
            temporaries += _replaced(allocation, body, shared, spans.get(allocation))
        else:
            temporaries.append(_replaced_per_worker(allocation, body, loop, threads))
    _finish(sizes, results)
    _retype(body)
    return tuple(temporaries)


def _sizes_function(body: Any, name: str) -> Any:
    """A function with the arguments of `body` and nothing in it."""
    arguments = ", ".join(f"%{k}: {kind}" for k, kind in enumerate(body.type.inputs))
    extra = ir.Module.parse(f"func.func @{name}{SIZES}({arguments}) {{ return }}")
    made = extra.body.operations[0].operation.clone(ir.InsertionPoint(body))
    made.opview.entry_block.operations[0].operation.erase()
    return made.opview


def _fixed_bytes(allocation: Any) -> int | None:
    kind = allocation.results[0].type
    return prod(kind.shape) * element_bytes(str(kind.element_type)) if kind.has_static_shape else None


def _parallel_loop(allocation: Any) -> Any:
    """The outermost parallel loop around an allocation, or None."""
    found, op = None, allocation.parent.operation
    while op.name != "func.func":
        found = op if op.name == "scf.parallel" else found
        op = op.parent.operation
    return found


def _bytes(allocation: Any, computed: Sizes, copies: int) -> Any:
    """The bytes of temporaries of variable size, as a value in the function of sizes; never negative."""
    kind = allocation.results[0].type
    try:
        extents = [computed.upper(operand) for operand in allocation.operands]
    except Unbounded as error:
        raise CompileError(f"the size of {kind} is not known before it is needed ({error})") from None
    number = prod(size for d, size in enumerate(kind.shape) if not kind.is_dynamic_dim(d))
    number *= element_bytes(str(kind.element_type))
    return computed.product(extents, number) if copies == 1 else computed.slots(extents, number, copies, ALIGNMENT)


def _spans(body: Any) -> dict[Any, tuple[int, int]]:
    """Per allocation that is freed once, in its own block: its place and that of its end in the text."""
    every = operations(body, lambda _: True)
    places = {op: place for place, op in enumerate(every)}
    found = {}
    for op in every:
        if op.name == "memref.alloc":
            frees = [use.owner.operation for use in op.results[0].uses if use.owner.operation.name == "memref.dealloc"]
            if len(frees) == 1 and frees[0].block == op.block:
                found[op] = places[op], places[frees[0]]
    return found


class _Shared:
    """Arguments for memory of fixed size that is freed, and where in the text each of them is free again."""

    def __init__(self) -> None:
        self._free: dict[Any, list[tuple[int, Any]]] = {}

    def taken(self, kind: Any, start: int) -> Any:
        """An argument of a type that nothing uses from a place on, or None."""
        free = self._free.get(kind, [])
        found = next((each for each in free if each[0] < start), None)
        if found is None:
            return None
        free.remove(found)
        return found[1]

    def give(self, kind: Any, argument: Any, end: int) -> None:
        """Let others use an argument behind a place."""
        self._free.setdefault(kind, []).append((end, argument))


def _replaced(allocation: Any, body: Any, shared: _Shared, span: tuple[int, int] | None) -> list[Temporary]:
    """Put an argument in place of an allocation; the temporaries that this adds: none where it shares one."""
    kind = allocation.results[0].type
    fixed = kind.has_static_shape
    given = ir.MemRefType.get(kind.shape, kind.element_type) if fixed else ir.Type.parse("memref<?xi8>")
    argument = shared.taken(given, span[0]) if fixed and span else None
    added = [] if argument else [Temporary(str(kind.element_type), tuple(kind.shape) if fixed else None)]
    argument = argument or body.entry_block.add_argument(given, allocation.location)
    if fixed and span:
        shared.give(given, argument, span[1])
    value = argument if fixed else _view(allocation, argument, 0)
    allocation.results[0].replace_all_uses_with(value)
    allocation.erase()
    return added


def _replaced_per_worker(allocation: Any, body: Any, loop: Any, threads: int) -> Temporary:
    """Put the worker's part of an argument in place of an allocation in a parallel loop."""
    fixed = _fixed_bytes(allocation)
    whole = None if fixed is None else (threads * -(-fixed // ALIGNMENT) * ALIGNMENT,)
    memory = body.entry_block.add_argument(ir.Type.parse("memref<?xi8>"), allocation.location)
    write = OpWriter(ir, ir.InsertionPoint.at_block_begin(loop.regions[0].blocks[0]))
    zero, count, index = write.index(0), write.index(threads), ir.IndexType.get()
    slot = write.same("arith.divui", write.op("memref.dim", [index], [memory, zero])[0], count)
    (worker,) = write.op("func.call", [index], callee=ir.FlatSymbolRefAttr.get(WORKER))
    allocation.results[0].replace_all_uses_with(_view(allocation, memory, write.same("arith.muli", slot, worker)))
    allocation.erase()
    return Temporary("i8", whole)


def _forget_frees(allocation: Any) -> None:
    for use in allocation.results[0].uses:
        if use.owner.operation.name == "memref.dealloc":
            use.owner.operation.erase()


def _to_stack(allocation: Any, block: Any) -> None:
    """A small array as one local variable for all iterations."""
    place = ir.InsertionPoint.at_block_begin(block)
    alignment = {"alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), ALIGNMENT)}
    local = ir.Operation.create("memref.alloca", [allocation.results[0].type], attributes=alignment, ip=place)
    allocation.results[0].replace_all_uses_with(local.results[0])
    allocation.erase()


def _view(allocation: Any, memory: Any, start: Any) -> Any:
    """Memory of bytes, from a place on, as the memref that an allocation makes."""
    write = OpWriter(ir, ir.InsertionPoint(allocation))
    start = write.index(0) if start == 0 else start
    return write.op("memref.view", [allocation.results[0].type], [memory, start, *allocation.operands])[0]


def _finish(sizes: Any, results: list[Any]) -> None:
    """Let the function of sizes return them."""
    ir.Operation.create("func.return", operands=results, ip=ir.InsertionPoint(sizes.entry_block))
    kind = ir.FunctionType.get(sizes.type.inputs, [result.type for result in results])
    sizes.attributes["function_type"] = ir.TypeAttr.get(kind)


def _retype(body: Any) -> None:
    """Give a function the type that its arguments have by now."""
    kinds = [argument.type for argument in body.entry_block.arguments]
    attributes = list(body.arg_attrs) if "arg_attrs" in body.attributes else []
    body.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kinds, body.type.results))
    if attributes:
        attributes += [ir.DictAttr.get({})] * (len(kinds) - len(attributes))
        body.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)
