"""What every stage looks for in a module: operations of some kind, what makes a value, and the loops of linalg's."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from typing import Any


def iterator_kinds(generic: Any) -> list[str]:
    """What a structured operation of linalg says of each of its loops: "parallel" or "reduction".

    Read from the text of the attribute: one of its elements as an object imports all of linalg's classes (0.1 s).
    """
    return re.findall(r"iterator_type<(\w+)>", str(generic.attributes["iterator_types"]))


def operations(module: Any, wanted: Callable[[Any], bool] | None = None, *, outer_first: bool = False) -> list[Any]:
    """The operations for which that holds (or all), in order: what is inside of one before it, or `outer_first`."""
    ir = sys.modules[type(module.operation).__module__]  # MLIR's or JAX's
    found: list[Any] = []
    keep, further = found.append, ir.WalkResult.ADVANCE

    def visit(op: Any) -> Any:
        if wanted is None or wanted(op):
            keep(op)
        return further

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER if outer_first else ir.WalkOrder.POST_ORDER)
    return found


def named(module: Any, *names: str) -> list[Any]:
    """The operations with one of these names, what is inside of one before it."""
    return operations(module, lambda op: op.name in names)


def symbol_name(op: Any) -> str:
    """The name of a function or variable; empty if it has none."""
    return str(op.attributes["sym_name"].value) if "sym_name" in op.attributes else ""


def attributes(op: Any) -> list[tuple[str, Any]]:
    """Names and values of an operation's attributes, asked for by number: bindings differ in what a loop gives."""
    named = (op.attributes[k] for k in range(len(op.attributes)))
    return [(a.name, a.attr) for a in named]


def blocks_of(op: Any) -> Iterator[Any]:
    """The blocks in the regions of an operation."""
    return (block for region in op.regions for block in region.blocks)


def maker(value: Any, *names: str) -> Any:
    """The operation that a value is a result of, if it has one of these names (or any); None for a block's argument."""
    op = getattr(value.owner, "operation", None)
    return op if op is not None and (not names or op.name in names) else None


def constant_number(value: Any) -> int | None:
    """The number that a value is by `arith.constant`; None for other values, truths, and what 64 bits may not hold."""
    op = maker(value, "arith.constant")
    number = None if op is None else getattr(op.attributes["value"], "value", None)
    if not isinstance(number, int) or isinstance(number, bool) or getattr(value.type, "width", 64) > 64:
        return None
    return number


def is_row_major(kind: Any) -> bool:
    """Whether the elements of a memref type lie in plain memory, row by row without gaps."""
    same = kind.affine_map == type(kind.affine_map).get_identity(kind.rank)
    return same and kind.memory_space is None


def is_outside(value: Any, op: Any) -> bool:
    """Whether a value is made in no block of an operation."""
    made = maker(value)
    around = value.owner.owner if made is None else made.parent
    while around is not None and around.operation.name != "func.func":
        if around.operation == op:
            return False
        around = around.operation.parent
    return True


def around(op: Any, block: Any) -> Any:
    """The operation of a block that has another one inside, or is it; None if there is none."""
    while op.parent is not None and op.block != block:
        op = op.parent.operation
    return op if op.parent is not None else None


def inside(op: Any) -> list[Any]:
    """The operations in the regions of an operation, each before what is inside of it."""
    return operations(op, outer_first=True)[1:]
