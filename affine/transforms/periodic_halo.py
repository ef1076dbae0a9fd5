"""Periodic halos: `x[(i + 1) % n]` reads `i + 1` of an array that is followed by a copy of its own beginning.

`strip_mine` takes a loop apart where a remainder wraps around. With two such loops there are nine pieces, with three
27, and a window that is summed over cannot be taken apart at all. There the array is copied once, with as many
elements before and after it as the remainders reach, and every read becomes a plain read of the copy.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from raising.affine.ir.affine_expr import Floor, Lin, var
from raising.affine.ir.program import Array, Guard, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten
from raising.affine.sizes.size_classes import extreme, loop_ranges
from raising.support.record import dataclass


@dataclass(frozen=True)
class _Wrap:
    """A subscript that is a remainder: `form` without the remainder, from `low` to `high`."""

    form: Lin
    low: int
    high: int


@dataclass(frozen=True)
class _Halo:
    """A copy of an array, and for each dimension how many elements are before and after what it copies."""

    name: str
    before: tuple[int, ...]


def with_halos(program: Program) -> Program:
    """The program with such copies before the loops that read periodically along several loops, or along sums."""
    return _Writer(program).written()


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program, self.ranges = program, loop_ranges(program)
        self.arrays: dict[str, Array] = dict(program.arrays)
        self.names = (f"halo{k}" for k in itertools.count())

    def written(self) -> Program:
        body = self._nodes(self.program.body)
        return replace(self.program, body=body, arrays=self.arrays)

    def _nodes(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            if not isinstance(node, Loop | Guard):
                found.append(node)
                continue
            halos = self._halos(node) if isinstance(node, Loop) else {}
            for halo_nodes, _ in halos.values():
                found += halo_nodes
            copies = {name: halo for name, (_, halo) in halos.items()}
            body = rewritten(node.body, lambda n, copies=copies: (self._read(n, copies),))  # type: ignore[misc]
            found.append(replace(node, body=self._nodes(body)))
        return tuple(found)

    # ---- what is read periodically -----------------------------------------------------------------

    def _halos(self, loop: Loop) -> dict[str, tuple[list[Node], _Halo]]:
        """For each array that a nest only reads, the copy that it is to read instead, and the loops that make it."""
        stored = {n.array for n in walk((loop,)) if isinstance(n, Store)}
        wraps: dict[str, dict[int, list[_Wrap]]] = {}
        for load in (n for n in walk((loop,)) if isinstance(n, Load) and n.array not in stored):
            for dim in range(len(load.subscripts)):
                wrap = self._wrap(load, dim)
                if wrap is not None:
                    wraps.setdefault(load.array, {}).setdefault(dim, []).append(wrap)
        turning = [w.form.names() for found in wraps.values() for some in found.values() for w in some]
        if len(frozenset().union(*turning)) < 2:
            return {}
        return {array: self._halo(array, found, loop) for array, found in wraps.items()}

    def _wrap(self, load: Load, dim: int) -> _Wrap | None:
        """A subscript that is a remainder by the extent of its dimension, at most one extent beside of it."""
        form, extent = load.subscripts[dim], self.arrays[load.array].shape[dim]
        atoms = [atom for atom, _ in form.terms if isinstance(atom, Floor)]
        if len(atoms) != 1 or extent != Lin(atoms[0].divisor):
            return None
        inner, size = atoms[0].inner, atoms[0].divisor
        low, high = extreme(inner, self.ranges, 0), extreme(inner, self.ranges, 1)
        if form != inner.mod(size) or low is None or high is None:
            return None
        turns = (low + high) // 2 // size
        low, high = low - turns * size, high - turns * size
        return _Wrap(inner - turns * size, low, high) if -size <= low and high < 2 * size else None

    # ---- the copy --------------------------------------------------------------------------------

    def _halo(self, array: str, wraps: Mapping[int, Iterable[_Wrap]], loop: Loop) -> tuple[list[Node], _Halo]:
        """Loops that copy an array along one dimension after the other, and the last copy."""
        before, nodes, old = [0] * len(self.arrays[array].shape), list[Node](), self.arrays[array]
        for dim, found in sorted(wraps.items()):
            size = old.shape[dim].const
            first = max(0, *(-w.low for w in found))
            last = max(0, *(w.high - size + 1 for w in found))
            before[dim] = first
            new = replace(old, name=next(self.names), kind="local", shape=_longer(old.shape, dim, first + last))
            self.arrays[new.name] = new
            for low, high, shift in (
                (0, first, size),
                (first, first + size, 0),
                (first + size, first + size + last, -size),
            ):
                if low < high:
                    nodes.append(_copied(old, new, dim, (low, high, shift - first), len(nodes), loop))
            old = new
        return nodes, _Halo(old.name, tuple(before))

    def _read(self, node: Node, halos: Mapping[str, _Halo]) -> Node:
        """A periodic read as one of the copy; other nodes as they are."""
        if not isinstance(node, Load) or node.array not in halos:
            return node
        wraps = [self._wrap(node, dim) for dim in range(len(node.subscripts))]
        if not any(wraps):
            return node
        halo = halos[node.array]
        places = [f if w is None else w.form for f, w in zip(node.subscripts, wraps, strict=True)]
        moved = tuple(f + n for f, n in zip(places, halo.before, strict=True))
        return replace(node, array=halo.name, subscripts=moved)


def _longer(shape: tuple[Lin, ...], dim: int, more: int) -> tuple[Lin, ...]:
    return (*shape[:dim], shape[dim] + more, *shape[dim + 1 :])


def _copied(old: Array, new: Array, dim: int, piece: tuple[int, int, int], number: int, around: Loop) -> Node:
    """Loops that copy the elements from `piece[0]` to `piece[1]` along a dimension, from places moved by `piece[2]`."""
    low, high, shift = piece
    name = f"{new.name}p{number}"
    ivs = [f"{name}i{k}" for k in range(len(old.shape))]
    to = tuple(map(var, ivs))
    source = tuple(f + shift * (k == dim) for k, f in enumerate(to))
    body: tuple[Node, ...] = (
        Load(f"{name}v", old.name, source, around.loc),
        Store(f"{name}S", new.name, to, f"{name}v", around.loc),
    )
    for k in reversed(range(len(ivs))):
        ends = (Lin(low), Lin(high)) if k == dim else (Lin(0), old.shape[k])
        body = (Loop(ivs[k], (ends[0],), (ends[1],), 1, body, around.loc),)
    return body[0]
