"""Loops that look up elements at positions which are data: whether LLVM may do them on vectors.

LLVM takes an instruction that loads each lane from its own address for as cheap as two loads. On AMD's processors it is
dozens of them: each element costs several cycles, where a load of one costs half a cycle (Fog, Instruction tables, Zen
4; uops.info). A loop that does little else is faster one element after the other, with several of them on their way.

    before  scf.for %i { %k = memref.load %at[%i]; %x = memref.load %table[%k]; memref.store %x, %out[%i] }
    after   the same loop {loop_annotation = <vectorize = <width = 1>, interleave = <count = 4>>}
"""

from __future__ import annotations

from typing import Any

from mlir import ir

from raising.support.graphs import reachable
from raising.support.mlir.walk import maker, named, operations

_BY_ITSELF = (
    "#llvm.loop_annotation<vectorize = <disable = false, width = 1 : i32>, interleave = <count = 4 : i32>,"
    " mustProgress = true>"
)
_LOOKUP = 12
"""Operations of an element, at least, that a lookup of each lane costs as much as, where it is slow."""
_LONG = {"arith.divf": 12, "arith.divsi": 12, "arith.divui": 12, "arith.remsi": 12, "arith.remui": 12, "math.sqrt": 16}
"""Operations that take longer than one, in operations."""
_CALL = 40
"""Operations that a function of the library takes."""
_ONE = ("math.absf", "math.absi", "math.fma", "math.copysign", "math.floor", "math.ceil", "math.trunc")


def look_up_one_by_one(module: Any) -> None:
    """Have loops done one element after the other where lookups cost more than vectors save."""
    for loop in named(module, "scf.for"):
        if "loop_annotation" not in loop.attributes and operations(loop, _is_loop) == [loop]:
            body = [op.operation for op in loop.regions[0].blocks[0].operations]
            lookups = [op for op in body if op.name == "memref.load" and _at_data(op, loop)]
            if lookups and sum(map(_cost, body)) < _LOOKUP * len(lookups) and not _written(lookups, body):
                loop.attributes["loop_annotation"] = ir.Attribute.parse(_BY_ITSELF)


def _is_loop(op: Any) -> bool:
    return bool(op.name.startswith(("scf.for", "scf.while", "scf.parallel")))


def _at_data(load: Any, loop: Any) -> bool:
    """Whether a load has a position that another load of the loop gives."""
    made = [op for value in list(load.operands)[1:] if (op := maker(value)) is not None]
    used = reachable(made, lambda op: [other for value in op.operands if (other := maker(value)) is not None])
    return any(op.name == "memref.load" and op.parent == loop.operation for op in used)


def _written(lookups: list[Any], body: list[Any]) -> bool:
    """Whether the loop writes to what it looks up."""
    stored = [op.operands[1] for op in body if op.name == "memref.store"]
    return any(load.operands[0] in stored for load in lookups)


def _cost(op: Any) -> int:
    """What an operation costs, one for a simple one."""
    if op.name in _LONG:
        return _LONG[op.name]
    return _CALL if op.name.startswith("math.") and op.name not in _ONE else 1
