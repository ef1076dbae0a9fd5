"""Bodies of operations in place of the operations: one block, or one branch of an `scf.if`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def move_body(block: Any, before: Any, values: Iterable[Any] = ()) -> list[Any]:
    """Move all operations of a block but the last in front of an operation; the operands of the last, which is erased.

    The block's arguments, if there are any, are replaced by `values`.
    """
    for argument, value in zip(block.arguments, values, strict=True):
        argument.replace_all_uses_with(value)
    *body, end = [op.operation for op in block.operations]
    for op in body:
        op.move_before(before)
    results = list(end.operands)
    end.erase()
    return results


def replace_op(op: Any, values: Iterable[Any]) -> None:
    """Replace the results of an operation by values, and erase it."""
    for result, value in zip(op.results, values, strict=True):
        result.replace_all_uses_with(value)
    op.erase()


def take_branch(choice: Any, branch: int) -> None:
    """Put a branch of an `scf.if` (0 where its condition holds, 1 where it does not) in its place."""
    blocks = list(choice.regions[branch].blocks)
    replace_op(choice, move_body(blocks[0], choice) if blocks else ())
