"""The least and the greatest of positions that are data, which loops of their own find at run time.

The loops of a function are repeated without what they do to memory: only what its positions come from is left, and two
cells for each of them. What a position comes from may not change in the loops, and lie at no position that is data
itself, so that the loops read in front what the function reads later, wherever the rest of its test holds.

    before  %4 = idx[i]; %5 = %4 as an index; %6 = x[%5] …     after  %4 = idx[i]; %5 = %4 as an index
                                                                      low.5 = min(low.5, %5); high.5 = max(high.5, %5)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from raising.frontend.lower.emit.mlir import Emitter
from raising.frontend.lower.emit.text import Unplaced
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import (
    Array,
    Choose,
    For,
    Function,
    If,
    IndexOf,
    Let,
    Node,
    Read,
    Write,
    forms_of,
    parts,
    walk,
    with_parts,
)
from raising.frontend.lower.ir.polynomial import is_data
from raising.frontend.lower.ir.types import LONG

_NARROW = 16  # bits of an integer of which all values may be elements of a table
_FAR = 1 << 62
_WIDENS = ("arith.index_cast", "arith.extsi", "arith.extui")


def range_of_type(function: Function, position: int) -> tuple[int, int] | None:
    """The least and the greatest value of a position that is a narrow integer in memory; None of any other."""
    made = {n.dst: n for n in walk(function.body) if isinstance(n, Let | Read)}
    node, signs = made.get(position), list[bool]()
    while isinstance(node, Let) and node.text.startswith(_WIDENS):
        signs.append("ui " not in node.text)
        node = made.get(node.args[0])
    width = function.arrays[node.array].element.width if isinstance(node, Read) else _NARROW + 1
    if width > _NARROW or not signs or (signs[-1] and not all(signs)):
        return None
    return (-(1 << width - 1), (1 << width - 1) - 1) if signs[-1] else (0, (1 << width) - 1)


def bounds_text(function: Function, positions: Iterable[int]) -> tuple[list[str], list[str]]:
    """Operations in front, and those that leave bounds in `%low.N` and `%high.N` for each position.

    Where a loop that has a position does not run, its bounds lie far apart, the greatest first. `Refused` if they
    cannot be found in front of the function.
    """
    emitter = Emitter(_Bounds(function, frozenset(positions)).function(), Unplaced())
    return emitter.pieces()


class _Bounds:
    """The loops that find bounds while they are made of those of a function."""

    def __init__(self, function: Function, positions: frozenset[int]) -> None:
        self.given = function
        self.written = {n.array for n in walk(function.body) if isinstance(n, Write)}
        self.made = {n.dst: n for n in walk(function.body) if isinstance(n, Let | IndexOf | Read)}
        numbers = [*self.made, *(p.value for p in function.parameters if p.value is not None)]
        self.count = max(numbers, default=0)
        self.stored: dict[str, list[int]] = {}
        self.plain: set[int] = set()
        for position in sorted(positions):
            self._source(position)
        self.positions = positions
        self.needed: set[int] = set()
        self.cells: set[str] = set()

    def _source(self, position: int) -> None:
        """Where a position is met: where it is stored, if it is read from an array of the function's own."""
        made = self.made[position]
        read = self.made.get(made.args[0]) if isinstance(made, Let) and made.args else None
        if isinstance(read, Read) and self.given.arrays[read.array].kind == "local":
            self.stored.setdefault(read.array, []).append(position)
        else:
            self.plain.add(position)

    def function(self) -> Function:
        """The function with nothing but these loops."""
        cells = {f"{end}.{k}": self._cell(f"{end}.{k}") for k in sorted(self.positions) for end in ("low", "high")}
        body, before = self._with_bounds(self.given.body), -1
        while before != len(self.needed) + len(self.cells):
            before = len(self.needed) + len(self.cells)
            self.cells |= cells.keys()
            kept = self._kept(body)
        arrays = {a.name: a for a in self.given.arrays.values() if a.kind not in ("cell", "local", "owned")}
        arrays |= {name: self.given.arrays[name] for name in self.cells - cells.keys()} | cells
        return replace(self.given, arrays=arrays, body=(*self._started(), *kept), result=None, result_type=None)

    def _cell(self, name: str) -> Array:
        return Array(name, LONG, (), "cell", self.given.loc)

    def _started(self) -> list[Node]:
        out: list[Node] = []
        for k in sorted(self.positions):
            for end, value in (("low", _FAR), ("high", -_FAR)):
                out.append(self._let(f"arith.constant {value} : i64", ()))
                out.append(Write(f"{end}.{k}", (), self.count, self.given.loc))
        return out

    def _let(self, text: str, args: tuple[int, ...]) -> Let:
        self.count += 1
        return Let(self.count, text, args, "i64", self.given.loc)

    # ---- what finds the bounds ---------------------------------------------------------------------

    def _with_bounds(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in nodes:
            out.append(with_parts(node, tuple(map(self._with_bounds, parts(node)))))
            if isinstance(node, Write):
                for position in self.stored.get(node.array, ()):
                    out += self._stored(position, node)
            elif isinstance(node, Let) and node.dst in self.plain:
                number = self._let("arith.index_cast {0} : index to i64", (node.dst,))
                out += [number, *self._met(node.dst, number.dst)]
        return tuple(out)

    def _stored(self, position: int, node: Write) -> list[Node]:
        """The bounds of a position with a number that is stored for it."""
        cast, element = self.made[position], self.given.arrays[node.array].element
        if element.width == LONG.width:
            return self._met(position, node.value)
        sign = "u" if isinstance(cast, Let) and "ui " in cast.text else "s"
        wide = self._let(f"arith.ext{sign}i {{0}} : {element.mlir} to i64", (node.value,))
        return [wide, *self._met(position, wide.dst)]

    def _met(self, position: int, value: int) -> list[Node]:
        out: list[Node] = []
        for end, operation in (("low", "minsi"), ("high", "maxsi")):
            self.count += 1
            out.append(Read(self.count, f"{end}.{position}", (), self.given.loc))
            out.append(self._let(f"arith.{operation} {{0}}, {{1}} : i64", (self.count, value)))
            out.append(Write(f"{end}.{position}", (), self.count, self.given.loc))
        return out

    # ---- what they come from -----------------------------------------------------------------------

    def _kept(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """The nodes that are needed, as far as it is known; the last first, which say what they need."""
        out: list[Node] = []
        for node in reversed(nodes):
            match node:
                case Let() | IndexOf() | Read() if node.dst in self.needed:
                    self._needs(node)
                    out.append(node)
                case Write() if node.array in self.cells:
                    self.needed.add(node.value)
                    out.append(node)
                case For() | If() | Choose():
                    bodies = tuple(map(self._kept, parts(node)))
                    if any(bodies):
                        self.needed |= {node.cond} if isinstance(node, Choose) else set()
                        out.append(with_parts(node, bodies))
        return tuple(reversed(out))

    def _needs(self, node: Let | IndexOf | Read) -> None:
        self.needed |= set(node.args) if isinstance(node, Let) else set()
        if not isinstance(node, Read) or node.array.startswith(("low.", "high.")):
            return
        kind = self.given.arrays[node.array].kind
        if kind == "cell":
            self.cells.add(node.array)
        elif node.array in self.written or any(map(is_data, forms_of(node))):
            raise Refused(node.loc, "positions are data that changes, or lies at such positions itself")
