"""The locations of operations that rules make: those of the operations in whose place they stand.

What is made has the location of one operation that it replaces, under the name `MADE`; which others went away is known
when the whole function is written.
"""

from __future__ import annotations

from typing import Any

from raising.support.mlir.create import MADE
from raising.support.mlir.walk import operations, symbol_name


def locations(module: Any) -> dict[str, dict[str, Any]]:
    """The locations in each function of a module, by their text."""
    found: dict[str, dict[str, Any]] = {}
    for function in module.body.operations:
        inside = found.setdefault(symbol_name(function), {})
        inside.update((str(op.location), op.location) for op in operations(function))
    return found


def from_replaced(module: Any, host: Any, before: dict[str, dict[str, Any]]) -> None:
    """Give what was made in a function its own location with all those that have gone from it."""
    now = locations(module)
    for function in module.body.operations:
        name = symbol_name(function)
        gone = [place for text, place in before.get(name, {}).items() if text not in now[name]]
        for op in operations(function, lambda op: op.location.is_a_name() and op.location.name_str == MADE):
            op.location = host.Location.fused([op.location.child_loc, *gone], None, op.context)
