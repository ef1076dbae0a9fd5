"""Tensors as trees of scalar operations over arrays of element numbers.

Elements are numbered: those of a function's arguments from zero on, constants
by negative numbers. Slices, transpositions and insertions are then indexing of
NumPy arrays, whatever operations they were written with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from raising.grammar.measure.workbench import Attrs, NotStructured
from raising.support.record import dataclass

Ids = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Leaf:
    """An element number per element; with `position`, the integer that an index computation gives."""

    ids: Ids
    position: bool = False


@dataclass(frozen=True, eq=False)
class Step:
    """One scalar operation on all elements; `old` as an argument is the accumulator."""

    op: str
    attrs: Attrs
    args: tuple[Node, ...]


@dataclass(frozen=True)
class Old:
    """The accumulator of a reduction."""


Node = Leaf | Step | Old
OLD = Old()


@dataclass(frozen=True)
class Value:
    """A tensor: its tree over (shape, then reduced extents) and, if reduced, where it starts from."""

    shape: tuple[int, ...]
    node: Node | None
    reduced: tuple[int, ...] = ()
    start: Node | None = None


def leaves(node: Node | None, change: Callable[[Ids], Ids]) -> Node | None:
    """The tree with every array of numbers changed; shared subtrees stay shared."""
    known: dict[int, Node] = {}

    def visit(item: Node) -> Node:
        if isinstance(item, Old):
            return item
        if id(item) not in known:
            if isinstance(item, Leaf):
                known[id(item)] = Leaf(change(item.ids), item.position)
            else:
                known[id(item)] = Step(item.op, item.attrs, tuple(visit(a) for a in item.args))
        return known[id(item)]

    return None if node is None else visit(node)


def plain(value: Value) -> Ids:
    """The element numbers of a tensor on which nothing is computed."""
    if not isinstance(value.node, Leaf) or value.reduced or value.node.position:
        raise NotStructured("assembles a tensor from computed parts")
    return value.node.ids


def shape_of(kind: Any) -> tuple[int, ...]:
    """The static shape of a type; a scalar has none."""
    if not isinstance(kind, ir.RankedTensorType):
        return ()
    if not kind.has_static_shape:
        raise NotStructured("a shape is not static")
    if 0 in kind.shape:
        raise NotStructured("a tensor is empty")
    return tuple(kind.shape)
