"""Choices apart: what is stored on several lines of a matrix is stored by an operation for each line.

Three diagonals that are set were fused to one operation on all of the matrix, which chooses between four values. An
operation with one choice has bounds: it goes over the one line.

before  a[i, j] = i == j ? p : (i == j + 1 ? q : a[i, j])
after   a[i, j] = i == j + 1 ? q : a[i, j];  a[i, j] = i == j ? p : a[i, j]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from raising.native.nest.active import is_zero
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import bounds, operation
from raising.native.nest.nest import Nest
from raising.native.nest.read_nests import read_operation
from raising.native.nest.read_views import Reader
from raising.support.mlir.walk import named


def choices_apart(module: Any) -> None:
    """Rewrite the operations of a module on memory in place."""
    with module.context, ir.Location.unknown():
        for stored in named(module, "linalg.generic"):
            count = len(list(_lines(stored)))
            if count > 1:
                for place in reversed(range(count)):
                    _only(stored.clone(ir.InsertionPoint(stored)), place)
                stored.erase()


def _lines(stored: Any) -> Iterator[str]:
    """The conditions of an operation's choices, the last one first, if each is about one line; nothing if one is not.

    No value or condition depends on what the operation stores to, but for what is left where no condition holds.
    """
    nest = read_operation(stored, Reader())
    if not isinstance(nest, Nest) or not all(nest.parallel) or len(nest.writes) != 1:
        return
    (write,) = nest.writes
    code = Fragment(nest.reads, nest.body, nest.yields[0], write.array.element, nest.captured)
    old, found, name = f"in{nest.reads.index(write)}" if write in nest.reads else "", list[str](), code.result
    while (last := operation(code, name)) is not None and last.name == "arith.select":
        known = bounds(code, last.args[0], True) or []
        if not any(is_zero(known)):
            return
        found.append(last.args[0])
        needed = Nest(nest.extents, nest.parallel, nest.reads, nest.writes, nest.body, last.args[:2], nest.captured, "")
        if any(read.array.may_overlap(write.array) for read in needed.needed):
            return
        name = last.args[2]
    if name == old:
        yield from found


def _only(stored: Any, place: int) -> None:
    """Leave one of an operation's choices, the last of which is 0."""
    end = list(stored.regions[0].blocks[0].operations)[-1].operation
    choices = [end.operands[0].owner.operation]
    while not isinstance(choices[-1].operands[2].owner, ir.Block):
        choices.append(choices[-1].operands[2].owner.operation)
    choices[place].operands[2] = choices[-1].operands[2]
    end.operands[0] = choices[place].results[0]
