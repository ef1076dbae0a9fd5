"""What every stage looks for in a module: operations of some kind, and the loops of linalg's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mlir import ir


def iterator_kinds(generic: Any) -> list[str]:
    """What a structured operation of linalg says of each of its loops: "parallel" or "reduction".

    Read from the text of the attribute: one of its elements as an object imports all of linalg's classes (0.1 s).
    """
    return re.findall(r"iterator_type<(\w+)>", str(generic.attributes["iterator_types"]))


def operations(module: Any, wanted: Callable[[Any], bool], *, outer_first: bool = False) -> list[Any]:
    """The operations for which that holds, in order: what is inside of one before it, or `outer_first`."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if wanted(op):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER if outer_first else ir.WalkOrder.POST_ORDER)
    return found
