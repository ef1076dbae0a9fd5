"""One walk over the operations of a module, for every stage that looks for some of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlir import ir


def operations(module: Any, wanted: Callable[[Any], bool], *, outer_first: bool = False) -> list[Any]:
    """The operations for which that holds, in order: what is inside of one before it, or `outer_first`."""
    found: list[Any] = []

    def visit(op: Any) -> Any:
        if wanted(op):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER if outer_first else ir.WalkOrder.POST_ORDER)
    return found
