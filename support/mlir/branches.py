"""One branch of an `scf.if` in the place of it."""

from __future__ import annotations

from typing import Any


def take_branch(choice: Any, branch: int) -> None:
    """Put a branch of an `scf.if` (0 where its condition holds, 1 where it does not) in its place."""
    blocks = list(choice.regions[branch].blocks)
    operations = [op.operation for op in blocks[0].operations] if blocks else []
    for op in operations[:-1]:
        op.move_before(choice)
    for result, value in zip(choice.results, operations[-1].operands if operations else (), strict=True):
        result.replace_all_uses_with(value)
    choice.erase()
