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
from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import definitions, forms_of, parts, walk, with_parts
from raising.frontend.lower.ir.polynomial import is_data
from raising.frontend.lower.ir.ranges_of_values import Ranges
from raising.frontend.lower.ir.types import LONG

_FAR = 1 << 62


def range_of_type(function: tp.Function, position: int) -> tuple[int, int] | None:
    """The least and the greatest value of a position that is a narrow integer in memory, or some bits of an integer;
    None of any other.
    """
    return Ranges(function).of(position, signed=True)


def bounds_text(function: tp.Function, positions: Iterable[int]) -> tuple[list[str], list[str]]:
    """Operations in front, and those that leave bounds in `%low.N` and `%high.N` for each position.

    Where a loop that has a position does not run, its bounds lie far apart, the greatest first. `Refused` if they
    cannot be found in front of the function.
    """
    emitter = Emitter(_Bounds(function, frozenset(positions)).function(), Unplaced())
    return emitter.pieces()


class _Bounds:
    """The loops that find bounds while they are made of those of a function."""

    def __init__(self, function: tp.Function, positions: frozenset[int]) -> None:
        self.given = function
        self.written = {n.array for n in walk(function.body) if isinstance(n, tp.Write)}
        self.made, self.fresh = definitions(function.body), tp.Fresh(function)
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
        read = self.made.get(made.args[0]) if isinstance(made, tp.Let) and made.args else None
        if isinstance(read, tp.Read) and self.given.arrays[read.array].kind == "local":
            self.stored.setdefault(read.array, []).append(position)
        else:
            self.plain.add(position)

    def function(self) -> tp.Function:
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

    def _cell(self, name: str) -> tp.Array:
        return tp.Array(name, LONG, (), "cell", self.given.loc)

    def _started(self) -> list[tp.Node]:
        out: list[tp.Node] = []
        for k in sorted(self.positions):
            for end, value in (("low", _FAR), ("high", -_FAR)):
                start = self._let(f"arith.constant {value} : i64", ())
                out += [start, tp.Write(f"{end}.{k}", (), start.dst, self.given.loc)]
        return out

    def _let(self, text: str, args: tuple[int, ...]) -> tp.Let:
        return tp.Let(self.fresh.number(), text, args, "i64", self.given.loc)

    # ---- what finds the bounds ---------------------------------------------------------------------

    def _with_bounds(self, nodes: tuple[tp.Node, ...]) -> tuple[tp.Node, ...]:
        out: list[tp.Node] = []
        for node in nodes:
            out.append(with_parts(node, tuple(map(self._with_bounds, parts(node)))))
            if isinstance(node, tp.Write):
                for position in self.stored.get(node.array, ()):
                    out += self._stored(position, node)
            elif isinstance(node, tp.Let) and node.dst in self.plain:
                number = self._let("arith.index_cast {0} : index to i64", (node.dst,))
                out += [number, *self._met(node.dst, number.dst)]
        return tuple(out)

    def _stored(self, position: int, node: tp.Write) -> list[tp.Node]:
        """The bounds of a position with a number that is stored for it."""
        cast, element = self.made[position], self.given.arrays[node.array].element
        if element.width == LONG.width:
            return self._met(position, node.value)
        sign = "u" if isinstance(cast, tp.Let) and "ui " in cast.text else "s"
        wide = self._let(f"arith.ext{sign}i {{0}} : {element.mlir} to i64", (node.value,))
        return [wide, *self._met(position, wide.dst)]

    def _met(self, position: int, value: int) -> list[tp.Node]:
        out: list[tp.Node] = []
        for end, operation in (("low", "minsi"), ("high", "maxsi")):
            old = tp.Read(self.fresh.number(), f"{end}.{position}", (), self.given.loc)
            new = self._let(f"arith.{operation} {{0}}, {{1}} : i64", (old.dst, value))
            out += [old, new, tp.Write(f"{end}.{position}", (), new.dst, self.given.loc)]
        return out

    # ---- what they come from -----------------------------------------------------------------------

    def _kept(self, nodes: tuple[tp.Node, ...]) -> tuple[tp.Node, ...]:
        """The nodes that are needed, as far as it is known; the last first, which say what they need."""
        out: list[tp.Node] = []
        for node in reversed(nodes):
            match node:
                case tp.Let() | tp.IndexOf() | tp.Read() if node.dst in self.needed:
                    self._needs(node)
                    out.append(node)
                case tp.Write() if node.array in self.cells:
                    self.needed.add(node.value)
                    out.append(node)
                case tp.For() | tp.If() | tp.Choose():
                    bodies = tuple(map(self._kept, parts(node)))
                    if any(bodies):
                        self.needed |= {node.cond} if isinstance(node, tp.Choose) else set()
                        out.append(with_parts(node, bodies))
        return tuple(reversed(out))

    def _needs(self, node: tp.Let | tp.IndexOf | tp.Read) -> None:
        self.needed |= set(node.args) if isinstance(node, tp.Let) else set()
        if not isinstance(node, tp.Read) or node.array.startswith(("low.", "high.")):
            return
        kind = self.given.arrays[node.array].kind
        if kind == "cell":
            self.cells.add(node.array)
        elif node.array in self.written or any(map(is_data, forms_of(node))):
            raise Refused(node.loc, "positions are data that changes, or lies at such positions itself")
