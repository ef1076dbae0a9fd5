"""Lifetimes of memory: an allocation in a loop has to end with the iteration that makes it.

before  scf.for ... iter_args(%p = %a) -> memref<8xf32> {
          %new = memref.alloc()
          scf.yield %new
after   CompileError: memory of memref<8xf32> outlives the iteration that allocates it
"""

from __future__ import annotations

from typing import Any

from raising.native.base.effects import VIEWS
from raising.native.base.unsupported import CompileError
from raising.support.mlir.walk import operations

ALLOCATIONS = ("memref.alloc", "memref.alloca")
_LOOPS = ("scf.for", "scf.while", "scf.parallel", "scf.forall")


def allocations(module: Any) -> list[Any]:
    """The operations in a module, or in a function, that allocate memory."""
    return operations(module, lambda op: op.name in ALLOCATIONS)


def check_lifetimes(module: Any) -> None:
    """CompileError if memory of one iteration of a loop is handed to the next one."""
    for allocation in allocations(module):
        loop = allocation.parent.operation
        while loop.name not in (*_LOOPS, "func.func"):
            loop = loop.parent.operation
        if loop.name in _LOOPS and _handed_on(allocation.results[0], set()):
            raise CompileError(f"memory of {allocation.results[0].type} outlives the iteration that allocates it")


def _handed_on(value: Any, seen: set[Any]) -> bool:
    """Whether a loop carries the memory of a value."""
    for use in value.uses:
        user = use.owner.operation
        if user.name in VIEWS or user.name == "arith.select":
            results = list(user.results)
        elif user.name == "scf.yield" and user.parent.operation.name == "scf.if":
            results = [user.parent.operation.results[use.operand_number]]
        elif user.name in ("scf.yield", "scf.condition"):
            return True
        else:
            continue
        new = [result for result in results if result not in seen]
        if any(_handed_on(result, seen | {result}) for result in new):
            return True
    return False
