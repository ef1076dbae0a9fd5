"""The executable reference: runs a loop program over any arithmetic.

The search and the checks compare against this; it is written to be plainly
right. Memories are flat lists, so an access outside of its array is an error
here (`OutOfBounds`), never a wrong value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from affine.expr import Lin
from affine.program import Compute, Guard, IndexValue, Load, Loop, Node, Program, Store

V = TypeVar("V")


class OutOfBounds(Exception):
    """A subscript left its array; the message names the place."""


@dataclass(frozen=True)
class Arithmetic(Generic[V]):
    """What the reference needs of a number domain: a computation's result, and a constant of an element type."""

    compute: Callable[[Compute, Sequence[V]], V]
    literal: Callable[[Any, str], V]


@dataclass
class Memory(Generic[V]):
    """One array's elements, row-major, and which of them have been written."""

    shape: tuple[int, ...]
    data: list[V]
    written: set[int] = field(default_factory=set)

    def flat(self, subscripts: Sequence[int], where: object) -> int:
        """The position of an element; `OutOfBounds` if there is none."""
        position = 0
        for index, extent in zip(subscripts, self.shape, strict=True):
            if not 0 <= index < extent:
                raise OutOfBounds(f"{where}: subscript {index} outside of 0 … {extent - 1}")
            position = position * extent + index
        return position


class Machine(Generic[V]):
    """Runs nodes with `sizes` bound, on `memory`, with `scalars` given."""

    def __init__(
        self,
        arithmetic: Arithmetic[V],
        sizes: Mapping[str, int],
        memory: dict[str, Memory[V]],
        scalars: dict[str, V],
    ) -> None:
        self.arithmetic = arithmetic
        self.names: dict[str, int] = dict(sizes)
        self.memory = memory
        self.values: dict[str, V] = dict(scalars)

    def run(self, nodes: Sequence[Node]) -> None:
        """Execute the nodes in order."""
        for node in nodes:
            match node:
                case Loop():
                    self._loop(node)
                case Guard():
                    if all(c.holds(self.names) for c in node.conds):
                        self.run(node.body)
                case Load():
                    memory = self.memory[node.array]
                    self.values[node.dst] = memory.data[self._flat(memory, node.subscripts, node)]
                case Compute():
                    args = [self.values[a] for a in node.args]
                    self.values[node.dst] = self.arithmetic.compute(node, args)
                case IndexValue():
                    self.values[node.dst] = self.arithmetic.literal(node.form.evaluate(self.names), node.element)
                case Store():
                    self.store(node)

    def store(self, node: Store) -> None:
        """Execute a store."""
        memory = self.memory[node.array]
        position = self._flat(memory, node.subscripts, node)
        memory.data[position] = self.values[node.value]
        memory.written.add(position)

    def _flat(self, memory: Memory[V], subscripts: Sequence[Lin], node: Load | Store) -> int:
        return memory.flat([s.evaluate(self.names) for s in subscripts], node.loc)

    def _loop(self, loop: Loop) -> None:
        low = max(f.evaluate(self.names) for f in loop.lower)
        high = min(f.evaluate(self.names) for f in loop.upper)
        for value in range(low, high, loop.step):
            self.names[loop.iv] = value
            self.run(loop.body)


def shape_at(program: Program, array: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """An array's extents at given sizes."""
    return tuple(f.evaluate(sizes) for f in program.arrays[array].shape)


def instances_at(nodes: Sequence[Node], sizes: Mapping[str, int], bound: int) -> int:
    """How many times the innermost nodes run, counted up to `bound` (a cheap guard before executing)."""
    names = dict(sizes)
    count = 0

    def visit(nodes: Sequence[Node]) -> None:
        nonlocal count
        for node in nodes:
            if count > bound:
                return
            if isinstance(node, Loop):
                low = max(f.evaluate(names) for f in node.lower)
                for value in range(low, min(f.evaluate(names) for f in node.upper), node.step):
                    names[node.iv] = value
                    visit(node.body)
                    if count > bound:
                        return
            elif isinstance(node, Guard):
                visit(node.body)
            else:
                count += 1

    visit(nodes)
    return count
