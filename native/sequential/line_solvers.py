"""Loops over the same lines, one after the other for each line: what the first leaves of a line is still in the cache.

A line solver eliminates forwards and substitutes backwards (the algorithm of Thomas, filters in both directions). As
two loops over all lines, the second reads everything from memory again. Where no line of one touches what another line
of the other does, a vector of lines goes through both.

    before  for t: for i: p[i, t] = f(p[i, t - 1]);   for t: for i: x[i, n - t] = g(p[i, n - t], x[i, n - t + 1])
    after   for i by 8: the first loop for these lines, then the second one
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raising.native.loops.loop_plan import accesses_of
from raising.native.loops.loop_tree import Node
from raising.native.nest.dataflow import reads, writes
from raising.native.nest.dependence import Span
from raising.native.nest.nest import Access, Effects
from raising.native.nest.read_nests import Item
from raising.native.sequential.outer_vectorise import Recurrence, apart
from raising.support.record import dataclass


@dataclass(frozen=True)
class LineLoop:
    """A loop that is a recurrence on lines; its bounds and its step by name, and buffers that need no stores."""

    loop: Any
    nodes: tuple[Node, ...]
    plan: Recurrence
    span: Span
    bounds: tuple[str, str, str]
    temporary: frozenset[str]


def may_join(first: LineLoop, second: LineLoop, between: Sequence[Item]) -> bool:
    """Whether the second loop may begin for a line when the first one ends for it, before the items between them.

    It pays where the second one reads what the first has read or written.
    """
    one, two = first.plan, second.plan
    if one.extent != two.extent or one.lanes != two.lanes or not _shared(first, second):
        return False
    free = all(_leaves_alone(item, accesses_of(second.nodes)) for item in between)
    return free and apart((one, first.span), (two, second.span))


def _shared(first: LineLoop, second: LineLoop) -> bool:
    touched = {access.array for access in accesses_of(first.nodes)}
    return any(read.array in touched for nest in second.plan.nests for read in nest.needed)


def _leaves_alone(item: Item, accesses: Sequence[Access]) -> bool:
    """Whether an operation may come after these accesses: what it makes of memory is no value that they use."""
    arrays = {access.array for access in accesses}
    if any(writes(item.what, array) or reads(item.what, array) for array in arrays):
        return False
    pure = isinstance(item.what, Effects) and item.what.pure
    return pure or not list(item.operation.results)
