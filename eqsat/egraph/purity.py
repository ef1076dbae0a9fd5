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


class Purity:
    """Which operations of a module are values.

    Of each sort one operation is asked for, once, however often the module is changed and looked at again.
    """

    def __init__(self, module: Any, ir: Any, passes: Any, declared: frozenset[str] = frozenset()) -> None:
        """Operations that are `declared`, by name, are values where they have no regions, whose operations may be none.

        `module` itself is not changed; its context is made to allow operations of dialects that are not registered,
        whose effects are unknown.
        """
        self.module, self.ir, self.passes, self.declared = module, ir, passes, declared
        self._known: dict[Any, bool] = {}
        no_modules(ir)

    def values(self, op: Any = None) -> frozenset[Any]:
        """The operations inside of one, or of the module, that only compute values."""
        inside = [inner for inner, _ in walk(self.module.operation if op is None else op) if _can_be_doubled(inner)]
        sorts = [(sort_of(inner, self.ir), *_around(inner)) for inner in inside]
        new = {sort: inner for inner, sort in zip(reversed(inside), reversed(sorts), strict=True)}
        self._ask({sort: inner for sort, inner in new.items() if sort not in self._known})
        pairs = zip(inside, sorts, strict=True)
        return frozenset(inner for inner, sort in pairs if self._known[sort] or _is_declared(inner, self.declared))

    def _ask(self, new: dict[Any, Any]) -> None:
        """Look at an operation of each sort; those in equally many regions together: none of them contains another."""
        if not new:
            return
        asked, ops = dict[int, set[int]](), frozenset(new.values())
        places = {op: (number, depth) for number, (op, depth) in enumerate(walk(self.module.operation)) if op in ops}
        for number, depth in places.values():
            asked.setdefault(depth, set()).add(number)
        allowed = self.module.context.allow_unregistered_dialects
        self.module.context.allow_unregistered_dialects = True
        try:
            found = {n for numbers in asked.values() for n in _pure_among(numbers, self.module, self.ir, self.passes)}
        finally:
            self.module.context.allow_unregistered_dialects = allowed
        self._known |= {sort: places[op][0] in found for sort, op in new.items()}


def _is_declared(op: Any, declared: frozenset[str]) -> bool:
    return op.name in declared and len(op.regions) == 0


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
