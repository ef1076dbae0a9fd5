"""Which operations are values: no effects, so equal operands give equal results and order does not matter.

The bindings do not show MLIR's effect interfaces, but a pass that asks them
does: common subexpression elimination merges two equal operations across
something with unknown effects if and only if they have none themselves.
A dialect that is given in IRDL has no such interfaces; it says so by an attribute.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from raising.support.mlir.walk import attributes, blocks_of

BARRIER = "raise.barrier"
USE = "raise.use"
OWN_DIALECTS = ("raise", "equivalence")


def no_modules(ir: Any) -> None:
    """The bindings look for a Python module whenever they hand out an operation, and again if there is none.

    For dialects that have none, an empty one saves that time, a millisecond for each operation.
    """
    for dialect in OWN_DIALECTS:
        name = f"{ir.__package__}.dialects.{dialect}"
        sys.modules.setdefault(name, ModuleType(name))


def pure_operations(module: Any, ir: Any, passes: Any, declared: frozenset[str] = frozenset()) -> frozenset[int]:
    """The positions, in the order of `walk`, of the operations that are values.

    Operations of dialects that are not registered have unknown effects. Those that are `declared`, by name, have none
    where they have no regions, whose operations may have some.
    `module` itself is not changed; its context is made to allow such operations.
    """
    no_modules(ir)
    said = [n for n, (op, _) in enumerate(walk(module.operation)) if declared and _is_declared(op, declared)]
    alike: dict[Any, list[int]] = {}
    asked: dict[int, set[int]] = {}  # of each sort one operation, by the regions around it
    for number, (op, depth) in enumerate(walk(module.operation)):
        if _can_be_doubled(op):
            same = alike.setdefault((sort_of(op, ir), *_around(op)), [])
            same.append(number)
            if len(same) == 1:
                asked.setdefault(depth, set()).add(number)
    found: set[int] = set()
    allowed = module.context.allow_unregistered_dialects
    module.context.allow_unregistered_dialects = True
    try:
        for numbers in asked.values():
            found |= _pure_among(numbers, module, ir, passes)
    finally:
        module.context.allow_unregistered_dialects = allowed
    return frozenset((*said, *(number for same in alike.values() if same[0] in found for number in same)))


def _is_declared(op: Any, declared: frozenset[str]) -> bool:
    return op.name in declared and len(op.regions) == 0 and _can_be_doubled(op)


def _around(op: Any) -> Iterator[str]:
    """The operations around one, by name: CSE looks into no region that is a graph."""
    while (op := op.parent) is not None:
        op = op.operation
        yield op.name


def sort_of(op: Any, ir: Any) -> Any:
    """All of an operation that its effects can depend on: not its operands, and of tensors not how large they are."""
    kinds = tuple(_kind(v.type, ir) for v in (*op.operands, *op.results))
    inside = tuple(sort_of(child, ir) for child in _children(op)) if len(op.regions) else ()
    return op.name, len(op.results), kinds, frozenset(attributes(op)), inside


def _kind(kind: Any, ir: Any) -> Any:
    return (ir.RankedTensorType, kind.element_type) if isinstance(kind, ir.RankedTensorType) else kind


def walk(op: Any) -> Iterator[tuple[Any, int]]:
    """Every operation inside of `op` in the order of the text, with the number of regions around it."""
    within = [_children(op)]
    while within:
        child = next(within[-1], None)
        if child is None:
            within.pop()
            continue
        yield child, len(within) - 1
        if len(child.regions):
            within.append(_children(child))


def _children(op: Any) -> Iterator[Any]:
    return (child.operation for block in blocks_of(op) for child in block.operations)


def _pure_among(numbers: set[int], module: Any, ir: Any, passes: Any) -> set[int]:
    """The pure operations among some, none of which contains another, so that each can be doubled."""
    copy = module.operation.clone()
    try:
        with module.context, ir.Location.unknown():
            doubled = [(n, op) for n, (op, _) in enumerate(walk(copy)) if n in numbers]
            for number, op in doubled:
                _double(number, op, ir)
            passes.PassManager.parse("any(cse)").run(copy)
        merged = [op for op, _ in walk(copy) if op.name == USE]
        return {int(op.attributes["n"].value) for op in merged if _same_halves(list(op.operands))}
    finally:
        copy.erase()


def _can_be_doubled(op: Any) -> bool:
    """Terminators and symbols cannot stand twice; without results there is nothing to compare."""
    return len(op.results) > 0 and "sym_name" not in op.attributes and len(op.successors) == 0


def _double(number: int, op: Any, ir: Any) -> None:
    before = ir.InsertionPoint(op)
    twin = op.clone(ip=before)
    ir.Operation.create(BARRIER, ip=before)
    tag = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
    use = ir.Operation.create(USE, operands=[*twin.results, *op.results], attributes={"n": tag}, ip=before)
    use.move_after(op)


def _same_halves(operands: list[Any]) -> bool:
    half = len(operands) // 2
    return operands[:half] == operands[half:]
