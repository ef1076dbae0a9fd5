"""Delays: a cell that holds what an earlier iteration computed becomes an array with one element more than iterations.

    for (i = 0; i < n; i++) { o[i] = x[i] - last; last = x[i]; }

reads `last_x[i]` and writes `last_x[i + 1]`, with the old value at `last_x[0]`: no iteration needs another one then. A
cell that gets the old value of such a cell (`before = last; last = x[i]`) is in the same array, one element earlier. A
cell whose value is computed from itself, also through other memory, is a recurrence and stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from raising.affine.ir.affine_expr import Cond, Lin, var
from raising.affine.ir.program import Array, Guard, Load, Loop, Node, Program, Store, walk
from raising.affine.ir.rewriting import rewritten, with_loops
from raising.affine.ir.value_names import computed_from, values_in
from raising.support.graphs import reachable
from raising.support.source import Loc

_CELLS = ("local", "scalar")


def undelayed(program: Program) -> Program:
    """The program with an array for each such cell; the same one if there is none."""
    worker = _Worker(program)
    body = with_loops(program.body, worker.loop)
    return replace(program, body=body, arrays=worker.arrays) if body != program.body else program


class _Worker:
    def __init__(self, program: Program) -> None:
        self.program, self.arrays = program, dict(program.arrays)

    def loop(self, loop: Loop) -> tuple[Node, ...]:
        """The loop after rewriting, or the loop itself if nothing is rewritten."""
        if loop.step != 1 or len(loop.lower) > 1 or len(loop.upper) > 1 or loop.parallel:
            return (loop,)
        if not loop.lower[0].names() | loop.upper[0].names() <= frozenset(self.program.sizes):
            return (loop,)  # the array would have another length in each iteration around it
        before: list[Node] = []
        after: list[Node] = []
        steps = loop.upper[0] - loop.lower[0]
        for line in _lines(loop, _delayed(loop, self.arrays)):
            new, last = self._named(f"{line[0].array}_x"), len(line) - 1
            extent = steps + last + 1
            self.arrays[new] = Array(new, self.arrays[line[0].array].element, (extent,), "local", clamped=True)
            old: list[Node] = []
            back: list[Node] = []
            for k, store in enumerate(line):
                old += _copied(store.array, (), new, (Lin(last - k),), f"{new}_{k}", store.loc)
                back += _copied(new, (extent - 1 - k,), store.array, (), f"{new}_n{k}", store.loc)
                place = var(loop.iv) - loop.lower[0] + last - k
                loop = replace(loop, body=_moved(loop.body, store, new, place, kept=not k))
            before += [Guard((Cond(steps),), tuple(old), loop.loc)] if last else old
            after.append(Guard((Cond(steps),), tuple(back), loop.loc))
        return (*before, loop, *after)

    def _named(self, name: str) -> str:
        while name in self.arrays:
            name += "x"
        return name


def _delayed(loop: Loop, arrays: dict[str, Array]) -> list[Store]:
    """The stores, one for each cell, whose values the next iteration reads, and which need no earlier value of it."""
    inside = list(walk(loop.body))
    made = values_in(inside)
    stores = [n for n in inside if isinstance(n, Store)]
    reads = {s.label: arrays_of(s.value, made) for s in stores}
    found = []
    for k, store in enumerate(loop.body):
        if not isinstance(store, Store) or arrays[store.array].shape or arrays[store.array].kind not in _CELLS:
            continue
        alone = sum(s.array == store.array for s in stores) == 1
        early = any(isinstance(n, Load) and n.array == store.array for n in walk(loop.body[:k]))
        if alone and early and store.array not in _reached(reads[store.label], stores, reads):
            found.append(store)
    return found


def _copied(source: str, at: tuple[Lin, ...], target: str, to: tuple[Lin, ...], name: str, loc: Loc) -> list[Node]:
    """One element of an array, stored to another one; `name` is that of the store, and begins that of the value."""
    load = Load(f"{name}_value", source, at, loc)
    return [load, Store(name, target, to, load.dst, loc)]


def _lines(loop: Loop, stores: Sequence[Store]) -> list[list[Store]]:
    """Delayed cells in lines, which share an array: what a cell holds goes to the next one when it gets a new value."""
    made, lines = values_in(loop.body), [[store] for store in stores]
    for store in stores:
        taken = made.get(store.value)
        if not isinstance(taken, Load) or taken not in loop.body:
            continue
        early = loop.body[loop.body.index(taken) :]
        line = next((each for each in lines if each[-1].array == taken.array and each[-1] in early), [store])
        if line[0] is not store:
            own = next(each for each in lines if each[0] is store)
            lines.remove(own)
            line += own
    return lines


def arrays_of(value: str, made: Mapping[str, Node]) -> set[str]:
    """The arrays that a value is computed from."""
    nodes = (made.get(name) for name in computed_from([value], made))
    return {node.array for node in nodes if isinstance(node, Load)}


def _reached(arrays: set[str], stores: Sequence[Store], reads: dict[str, set[str]]) -> list[str]:
    """These arrays, and those that the values stored to them are computed from."""
    return reachable(arrays, lambda name: [a for s in stores if s.array == name for a in reads[s.label]])


def _moved(nodes: tuple[Node, ...], store: Store, new: str, at: Lin, kept: bool) -> tuple[Node, ...]:
    """A loop's body with the cell's accesses at places of an array: `at` before its store, which may be `kept`."""
    place = at

    def change(node: Node) -> tuple[Node, ...]:
        nonlocal place
        if not isinstance(node, Load | Store) or node.array != store.array:
            return (node,)
        place = at + 1 if isinstance(node, Store) else place
        return (replace(node, array=new, subscripts=(place,)),) if kept or isinstance(node, Load) else ()

    return rewritten(nodes, change)
