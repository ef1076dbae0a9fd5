"""Calls in a module that give one memory to two arguments of a function, which raising takes for apart.

before  func.func @scale(%a, %b) { ... }; func.call @scale(%m, %m)
after   the same: @scale stays as it is, since its arguments 0 and 1 may be the same memory
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from mlir import ir

from raising.emit.tensor_abi import written_arguments
from raising.frontend.mlir.reader import Function
from raising.support.mlir.walk import named, symbol_name

Roots = frozenset[Any]
Pair = tuple[int, int]
_ANY = "any memory"
_NEW = ("memref.alloc", "memref.alloca")


def shared_arguments(module: Any) -> dict[str, set[Pair]]:
    """For each function that is called: the pairs of its arguments that may be one memory, or views of it.

    Two arguments of a function that nothing calls are apart, as for raising.
    """
    found: dict[str, set[Pair]] = {}
    calls = [(op, _function_around(op), op.attributes["callee"].value) for op in named(module, "func.call")]
    while True:
        before = sum(map(len, found.values()))
        for call, caller, callee in calls:
            memory = [(k, _roots(v)) for k, v in enumerate(call.operands) if isinstance(v.type, ir.MemRefType)]
            pairs = {(i, j) for (i, a), (j, b) in combinations(memory, 2) if _meet(a, b, found.get(caller, set()))}
            found.setdefault(callee, set()).update(pairs)
        if sum(map(len, found.values())) == before:
            return found


def why_shared(function: Function, pairs: set[Pair]) -> str:
    """Why a function is not raised that is called with these pairs of arguments; empty if it may be."""
    written = written_arguments(function)
    calls = bool(named(function.op, "func.call"))
    for first, second in sorted(pairs):
        if calls or first in written or second in written:
            return f"a call in this module may give its arguments {first} and {second} the same memory"
    return ""


def _function_around(op: Any) -> str:
    around = op.operation.parent
    while around.name != "func.func":
        around = around.operation.parent
    return symbol_name(around)


def _roots(value: Any) -> Roots:
    """The memory that a value is, or a view of: arguments of functions, operations that make it, or names."""
    if isinstance(value, ir.BlockArgument):
        return frozenset({value.arg_number}) if value.owner.owner.operation.name == "func.func" else frozenset({_ANY})
    op = value.owner.operation
    if op.name == "memref.get_global":
        return frozenset({op.attributes["name"].value})
    if op.name in _NEW:
        return frozenset({op})
    views = [v for v in op.operands if isinstance(v.type, ir.MemRefType)]
    if not views or len(op.regions):
        return frozenset({_ANY})
    return frozenset[Any]().union(*map(_roots, views))


def _meet(first: Roots, second: Roots, shared: set[Pair]) -> bool:
    """Whether two values may be one memory, where `shared` pairs of the function's arguments are."""
    if _ANY in first | second or first & second:
        return True
    return any(
        (min(a, b), max(a, b)) in shared for a in first for b in second if isinstance(a, int) and isinstance(b, int)
    )
