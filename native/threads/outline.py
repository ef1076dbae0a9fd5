"""Parallel loops as tasks for the pool of threads.

The outermost `scf.parallel` of a function becomes a function of its own, which runs the iterations from one number to
another, and a call that has the pool run all of them. The result does not depend on which thread runs an iteration.

    before  scf.parallel (%i) = (%zero) to (%n) step (%one) { ... }
    after   call @f.spawn0(%x, %m, %n)                   # has the pool of threads call @f.task0
            func.func private @f.task0(%x, %m, %worker, %from, %to) { scf.for %i = %from to %to { ... } }
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.native.base.effects import VIEWS
from raising.native.threads.runtime import PARALLEL, WAIT
from raising.support.mlir.op_writer import OpWriter
from raising.support.mlir.walk import blocks_of, maker, operations
from raising.support.record import dataclass

WORKER = "raise.worker_number"
"""A function that is only called: the number of the worker that does an iteration."""

IN_ORDER = "raise.in_order"
"""An attribute of a parallel loop: iterations are begun in their order, whoever does them."""

_PARALLEL_LOOP = "scf.parallel"


@dataclass(frozen=True)
class Task:
    """A parallel loop made a task: the names of both functions, and the arguments of the first.

    Of each argument, its rank if it is an array (else None), and whether it overlaps no other.
    """

    name: str
    spawn: str
    arguments: tuple[tuple[int | None, bool], ...]
    in_order: bool = False


def outermost_parallel(body: Any) -> list[Any]:
    """The parallel loops of a function that are in no other."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == _PARALLEL_LOOP:
            found.append(op)
            return ir.WalkResult.SKIP
        return ir.WalkResult.ADVANCE

    body.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def outline(module: Any, body: Any, name: str) -> list[Task]:
    """Make tasks of the parallel loops of a function."""
    return [
        _Outline(module, loop, f"{name}.task{k}", f"{name}.spawn{k}").made()
        for k, loop in enumerate(outermost_parallel(body))
    ]


class _Outline:
    """One loop on its way to be a task."""

    def __init__(self, module: Any, loop: Any, name: str, spawn: str) -> None:
        self.module, self.loop, self.name, self.spawn = module, loop, name, spawn
        self.block = loop.regions[0].blocks[0]
        self.inside: list[Any] = []
        self.uses: list[tuple[Any, int, Any]] = []
        self._find_uses()
        self.waits = self._waits()
        outer = dict.fromkeys([*loop.operands, *(value for _, _, value in self.uses)])
        self.captured = [value for value in outer if not _is_constant(value)]
        self.constants = [value for value in outer if _is_constant(value)]

    def _find_uses(self) -> None:
        """The operations inside, and where they use values from outside."""
        own: set[Any] = set(self.block.arguments)

        for op in operations(self.loop, lambda op: op != self.loop, outer_first=True):
            self.inside.append(op)
            own.update(op.results)
            for block in blocks_of(op):
                own.update(block.arguments)
        for op in self.inside:
            self.uses += [(op, k, value) for k, value in enumerate(op.operands) if value not in own]

    def made(self) -> Task:
        """Write both functions and the call, and erase the loop."""
        task, number = self._skeleton()
        given = dict(zip(self.captured, task.entry_block.arguments, strict=False))
        start = ir.InsertionPoint.at_block_begin(task.entry_block)
        for value in self.constants:
            given[value] = value.owner.operation.clone(start).results[0]
        iterations = number.owner
        variables = self._variables(number, [given[value] for value in self.loop.operands])
        for op, k, value in self.uses:
            op.operands[k] = given[value]
        for variable, value in zip(self.block.arguments, variables, strict=True):
            variable.replace_all_uses_with(value)
        self._move_to(iterations, task)
        ranks = [value.type.rank if _is_memory(value) else None for value in self.captured]
        arguments = tuple(zip(ranks, self._apart(), strict=True))
        self._call()
        in_order = IN_ORDER in self.loop.attributes
        self.loop.erase()
        return Task(self.name, self.spawn, arguments, in_order)

    def _skeleton(self) -> tuple[Any, Any]:
        """The task with a loop that has nothing in it, and the number of the iteration."""
        types = [str(value.type) for value in self.captured]
        heads = "".join(f"%c{k}: {kind}, " for k, kind in enumerate(types))
        passed = "".join(f"{kind}, " for kind in types)
        text = f"""
func.func private @{self.spawn}({passed}index)
func.func private @{self.name}({heads}%worker: index, %low: index, %high: index) {{
  %one = arith.constant 1 : index
  scf.for %number = %low to %high step %one {{}}
  return
}}"""
        extra = ir.Module.parse(text)
        *_, task = [op.operation.clone(ir.InsertionPoint(self.module.body)) for op in extra.body.operations]
        function = task.opview
        return function, function.entry_block.operations[1].operation.regions[0].blocks[0].arguments[0]

    def _variables(self, number: Any, bounds: list[Any]) -> list[Any]:
        """The loop's variables from the number of the iteration, the last one changing fastest."""
        rank = len(self.block.arguments)
        write = OpWriter(ir, ir.InsertionPoint.at_block_begin(number.owner))
        variables: list[Any] = []
        for d in reversed(range(rank)):
            low, high, step = (bounds[k * rank + d] for k in range(3))
            count = _trips(low, high, step, write)
            digit = write.same("arith.remsi", number, count) if d else number
            number = write.same("arith.divsi", number, count) if d else number
            variables.insert(0, write.same("arith.addi", low, write.same("arith.muli", digit, step)))
        return variables

    def _move_to(self, block: Any, task: Any) -> None:
        """Move the loop's operations, local arrays to the begin of the task."""
        *_, end = block.operations
        worker = task.entry_block.arguments[len(self.captured)]
        first = task.entry_block.operations[0]
        for op in [op.operation for op in self.block.operations][:-1]:
            op.move_before(end.operation)
        for op in self.inside:
            if op.name == "memref.alloca":
                op.move_before(first.operation)
            elif op.name == "func.call" and ir.FlatSymbolRefAttr(op.attributes["callee"]).value == WORKER:
                op.results[0].replace_all_uses_with(worker)
                op.erase()

    def _call(self) -> None:
        """Have the pool do as many iterations as there are."""
        write = OpWriter(ir, ir.InsertionPoint(self.loop))
        rank = len(self.block.arguments)
        zero, total = write.index(0), write.index(1)
        for d in range(rank):
            low, high, step = (self.loop.operands[k * rank + d] for k in range(3))
            trips = write.same("arith.maxsi", _trips(low, high, step, write), zero)
            total = write.same("arith.muli", total, trips)
        write.op("func.call", [], [*self.captured, total], callee=ir.FlatSymbolRefAttr.get(self.spawn))

    def _waits(self) -> bool:
        """Whether iterations wait for each other: what another thread wrote meanwhile is read through any argument."""
        calls = (op for op in self.inside if op.name == "func.call")
        return any(ir.FlatSymbolRefAttr(op.attributes["callee"]).value == WAIT for op in calls)

    def _apart(self) -> tuple[bool, ...]:
        """For each passed value, whether it is memory that overlaps no other passed value."""
        roots = [_root(value) if _is_memory(value) else None for value in self.captured]
        found = [root for root in roots if root is not None]
        known = len(found) == sum(map(_is_memory, self.captured)) and not self.waits
        return tuple(known and root is not None and found.count(root) == 1 for root in roots)


def _trips(low: Any, high: Any, step: Any, write: OpWriter) -> Any:
    return write.same("arith.ceildivsi", write.same("arith.subi", high, low), step)


def task_functions(task: Task, module: Any, threads: int) -> list[str]:
    """The functions around the pool: those that call it and those that it calls, as modules in LLVM's dialect."""
    function = next(op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == task.name)
    types = [str(argument.type) for argument in function.regions[0].blocks[0].arguments][:-3]
    record = f"!llvm.struct<({', '.join(types)})>"
    pointer = "!llvm.ptr"
    signature = f"({', '.join([*types, 'i64', 'i64', 'i64'])})"
    field = f"({pointer}) -> {pointer}, {record}"
    loads, stores = [], []
    for k, kind in enumerate(types):
        loads += [
            f"%p{k} = llvm.getelementptr %context[0, {k}] : {field}",
            f"%v{k} = llvm.load %p{k} : {pointer} -> {kind}",
        ]
        stores += [
            f"%p{k} = llvm.getelementptr %context[0, {k}] : {field}",
            f"llvm.store %v{k}, %p{k} : {kind}, {pointer}",
        ]
    values = "".join(f"%v{k}, " for k in range(len(types)))
    heads = "".join(f"%v{k}: {kind}, " for k, kind in enumerate(types))
    newline = "\n"
    body = f"{task.name}.entry"
    called = f"""
llvm.func @{task.name}{signature}
llvm.func @{body}(%context: {pointer}, %worker: i64, %low: i64, %high: i64) {{
{newline.join(loads)}
llvm.call @{task.name}({values}%worker, %low, %high) : {signature} -> ()
llvm.return
}}"""
    spawn = f"""
llvm.func @{body}({pointer}, i64, i64, i64)
llvm.mlir.global internal @{task.spawn}.cost(0 : i64) : i64
llvm.func @{PARALLEL}({pointer}, {pointer}, i64, i64, {pointer}, i64)
llvm.func @{task.spawn}({heads}%tasks: i64) {{
%one = llvm.mlir.constant(1 : i64) : i64
%threads = llvm.mlir.constant({threads} : i64) : i64
%context = llvm.alloca %one x {record} : (i64) -> {pointer}
{newline.join(stores)}
%body = llvm.mlir.addressof @{body} : {pointer}
%cost = llvm.mlir.addressof @{task.spawn}.cost : {pointer}
%order = llvm.mlir.constant({int(task.in_order)} : i64) : i64
llvm.call @{PARALLEL}(%body, %context, %tasks, %threads, %cost, %order)
    : ({pointer}, {pointer}, i64, i64, {pointer}, i64) -> ()
llvm.return
}}"""
    return [called, spawn]


_CONSTANTS = ("arith.constant", "llvm.mlir.constant")
"""A task has constants of its own: intrinsics take some operands as numbers only."""


def _is_constant(value: Any) -> bool:
    return maker(value, *_CONSTANTS) is not None


def _is_memory(value: Any) -> bool:
    return isinstance(value.type, ir.MemRefType)


def _root(value: Any) -> Any:
    """The argument of the function that a memref is part of; None where that is not known."""
    while not isinstance(value, ir.BlockArgument):
        op = value.owner.operation
        if op.name not in (*VIEWS, "memref.view"):
            return None
        value = op.operands[0]
    return value if value.owner.owner.operation.name == "func.func" else None
