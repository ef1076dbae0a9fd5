"""`NodeWriter` writes the nodes of a typed program, with a number for each value and a name for each array and loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Array, IndexOf, Let, Node, Read, Write
from raising.frontend.lower.ir.polynomial import Poly
from raising.frontend.lower.ir.types import Number
from raising.support.source import Loc

MAX_NODES = 100_000  # of one function after inlining


class NodeWriter:
    """The nodes of the block that is being written, and the arrays of the function; `taken` names are in use."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.nodes: list[Node] = []
        self.arrays: dict[str, Array] = {}
        self._count = 0  # of values
        self._size = 0  # of nodes, also of those that were forgotten
        self._names = dict.fromkeys(taken, 0)  # each name, and the last number that was put behind it

    def number(self) -> int:
        """A number that no other value has."""
        self._count += 1
        return self._count

    def unique(self, name: str) -> str:
        """A name for an array or loop that no other has, after a name of the source."""
        name = name.partition(".")[0]
        last = self._names.get(name)
        if last is None:
            self._names[name] = 0
            return name
        while f"{name}_{last + 1}" in self._names:
            last += 1
        self._names[name], self._names[f"{name}_{last + 1}"] = last + 1, 0
        return f"{name}_{last + 1}"

    def add(self, node: Node) -> None:
        """Append a node."""
        self._size += 1
        if self._size > MAX_NODES:
            raise Refused(node.loc, f"the function has more than {MAX_NODES} operations after inlining")
        self.nodes.append(node)

    def let(self, text: str, args: tuple[int, ...], type_: str, loc: Loc) -> int:
        """Append an operation; `text` has `{0}` … for its arguments."""
        dst = self.number()
        self.add(Let(dst, text, args, type_, loc))
        return dst

    def read(self, array: str, subscripts: tuple[Poly, ...], loc: Loc) -> int:
        """Append a load."""
        dst = self.number()
        self.add(Read(dst, array, subscripts, loc))
        return dst

    def write(self, array: str, subscripts: tuple[Poly, ...], value: int, loc: Loc) -> None:
        """Append a store."""
        self.add(Write(array, subscripts, value, loc))

    def index_of(self, form: Poly, type_: str, loc: Loc) -> int:
        """Append an affine integer as data."""
        dst = self.number()
        self.add(IndexOf(dst, form, type_, loc))
        return dst

    def cell(self, name: str, type_: Number, loc: Loc) -> str:
        """A memory for one scalar."""
        array = self.unique(name)
        self.arrays[array] = Array(array, type_, (), "cell", loc)
        return array

    @contextmanager
    def block(self) -> Iterator[list[Node]]:
        """Collect the nodes that are appended inside."""
        outer, self.nodes = self.nodes, []
        try:
            yield self.nodes
        finally:
            self.nodes = outer
