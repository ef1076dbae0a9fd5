"""Cells back to values: a load takes the value stored before it, and unused values and cells are dropped.

before  t = %4                        after  %7 = mulf %4, %4
        %5 = t
        %6 = t
        %7 = mulf %5, %6
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import parts, used_values, walk, with_parts
from raising.frontend.lower.ir.polynomial import values_in

_Key = tuple[object, ...]
_Cells = dict[str, int]
_Same = dict[_Key, int]
"""Values by how they were made; loads also by the state of the memory, which each store changes."""


def promoted(function: tp.Function) -> tp.Function:
    """The function with cells read only where their value is not known, and without unused values and cells.

    What is computed or loaded twice in the same way is so once.
    """
    renamed: dict[int, int] = {}
    cells = {name for name, array in function.arrays.items() if array.kind == "cell"}
    body = _Forwarding(cells, renamed).run(function.body, {}, {})
    result = renamed.get(function.result, function.result) if function.result is not None else None
    extents = [e for a in function.arrays.values() if a.kind == "owned" for e in a.shape if e is not None]
    lengths = {number for extent in extents for number in values_in(extent)}
    body, kept = _swept(body, cells, {result, *lengths})
    arrays = {name: a for name, a in function.arrays.items() if name not in cells or name in kept}
    return replace(function, body=body, arrays=arrays, result=result)


class _Forwarding:
    def __init__(self, cells: set[str], renamed: dict[int, int]) -> None:
        self.cells, self.renamed = cells, renamed
        self._memory = 0
        self._states = count(1)

    def run(self, nodes: tuple[tp.Node, ...], known: _Cells, same: _Same) -> tuple[tp.Node, ...]:
        """The nodes of a block; `known` is what each cell holds, `same` what was made before; both are changed."""
        out: list[tp.Node] = []
        for node in nodes:
            if isinstance(node, tp.Let):
                node = self._renamed(node)
            elif isinstance(node, tp.Write):
                node = replace(node, value=self.of(node.value)) if node.value in self.renamed else node
                self._written(node, known)
            if isinstance(node, tp.Definition):
                earlier = self._earlier(node, known, same)
                if earlier is not None:
                    self.renamed[node.dst] = earlier
                    continue
            out.append(self._structured(node, known, same))
        return tuple(out)

    def _renamed(self, node: tp.Let) -> tp.Let:
        known = any(a in self.renamed for a in node.args)
        return replace(node, args=tuple(map(self.of, node.args))) if known else node

    def _earlier(self, node: tp.Definition, known: _Cells, same: _Same) -> int | None:
        """The value that this one is known to be; if there is none, it is remembered itself."""
        if isinstance(node, tp.Read) and node.array in self.cells:
            found = known.setdefault(node.array, node.dst)
        elif isinstance(node, tp.Let) and node.type == "index":
            return None  # subscripts know it by its number
        else:
            found = same.setdefault(_key(node, self._memory), node.dst)
        return None if found == node.dst else found

    def _written(self, node: tp.Write, known: _Cells) -> None:
        if node.array in self.cells:
            known[node.array] = node.value
        else:
            self._memory = next(self._states)

    def of(self, value: int) -> int:
        """The value that stands for another."""
        return self.renamed.get(value, value)

    def _structured(self, node: tp.Node, known: _Cells, same: _Same) -> tp.Node:
        bodies = parts(node)
        if not bodies:
            return node
        changed = {n.array for part in bodies for n in walk(part) if isinstance(n, tp.Write)}
        if isinstance(node, tp.For | tp.While):
            _without(changed, known)
            if changed - self.cells:
                self._memory = next(self._states)
        before, new_bodies = self._memory, []
        for part in bodies:
            self._memory = before
            new_bodies.append(self.run(part, dict(known), dict(same)))
        self._memory = next(self._states) if changed - self.cells else before
        _without(changed, known)
        new = with_parts(node, tuple(new_bodies))
        return replace(new, cond=self.of(new.cond)) if isinstance(new, tp.Choose | tp.While) else new


def _key(node: tp.Definition, memory: int) -> _Key:
    if isinstance(node, tp.Let):
        return node.text, node.args, node.type
    if isinstance(node, tp.IndexOf):
        return node.form, node.type
    return memory, node.array, node.subscripts


def _without(changed: set[str], known: _Cells) -> None:
    for cell in changed:
        known.pop(cell, None)


def _swept(
    body: tuple[tp.Node, ...], cells: set[str], outside: set[int | None]
) -> tuple[tuple[tp.Node, ...], set[str]]:
    """Without what has no effect, also if it goes round in a cell; and the cells that are left."""
    live = _Live(body, cells)
    live.mark(outside)
    return _kept(body, live.values, cells - live.cells), live.cells


class _Live:
    """The values and cells on which memory, the result, or the number of iterations of a loop depends."""

    def __init__(self, body: tuple[tp.Node, ...], cells: set[str]) -> None:
        self.values: set[int | None] = set()
        self.cells: set[str] = set()
        self._all_cells = cells
        self._made: dict[int, tp.Node] = {}
        self._writes: dict[str, list[set[int | None]]] = {}
        self._pending: list[set[int | None]] = []
        self._collect(body, set())

    def _collect(self, nodes: tuple[tp.Node, ...], conds: set[int | None]) -> None:
        """Note the node that defines each value, and the values that each store and the conditions around it need."""
        for node in nodes:
            if isinstance(node, tp.Definition):
                self._made[node.dst] = node
            elif isinstance(node, tp.Write):
                needs = {*used_values(node), *conds}
                if node.array in self._all_cells:
                    self._writes.setdefault(node.array, []).append(needs)
                else:
                    self._pending.append(needs)
            elif isinstance(node, tp.While):
                self._pending.append({node.cond, *conds})
            inside = conds | {node.cond} if isinstance(node, tp.Choose) else conds
            for part in parts(node):
                self._collect(part, inside)

    def mark(self, values: set[int | None]) -> None:
        """These values are needed, and so is what they come from."""
        self._pending.append(values)
        while self._pending:
            for value in self._pending.pop() - self.values:
                self.values.add(value)
                node = self._made.get(value) if value is not None else None
                if node is not None:
                    self._pending.append(set(used_values(node)))
                if isinstance(node, tp.Read) and node.array in self._all_cells - self.cells:
                    self.cells.add(node.array)
                    self._pending += self._writes.get(node.array, [])


def _kept(nodes: tuple[tp.Node, ...], used: set[int | None], dead: set[str]) -> tuple[tp.Node, ...]:
    out: list[tp.Node] = []
    for node in nodes:
        if isinstance(node, tp.Write):
            if node.array not in dead:
                out.append(node)
            continue
        bodies = tuple(_kept(part, used, dead) for part in parts(node))
        if bodies:
            if any(bodies) or isinstance(node, tp.While):
                out.append(with_parts(node, bodies))
        elif getattr(node, "dst", None) in used:
            out.append(node)
    return tuple(out)
