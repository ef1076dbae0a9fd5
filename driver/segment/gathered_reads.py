"""Reads at positions that are data or quotients, before a segment is solved.

A gathered array gets the extents of what is read of it, so that the operation which gathers reads what the loops read
and nothing else: a position that no loop reads may be none of the array. Where there is such a position at some sizes,
as another loop around runs zero times, the loops stay for these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from raising.affine.ir.affine_expr import Lin, var
from raising.affine.ir.program import Array, Gathered, Guard, Load, Loop, Node, Program
from raising.affine.ir.rewriting import rewritten
from raising.affine.polyhedral.bounding_box import Box, box_of
from raising.affine.polyhedral.scop import Access, box_set, build, telling_set


def with_quotients_apart(program: Program) -> Program:
    """`y[i] = x[i / 2]` with what is read at quotients of loop variables as arrays of their own; itself if none is."""
    quotients = _Quotients(program)
    body = tuple(quotients.node(node, ()) for node in program.body)
    if not quotients.arrays:
        return program
    arrays = {array.name: array for array in quotients.arrays.values()}
    sized = with_extents_read(replace(program, arrays={**program.arrays, **arrays}, body=body), arrays)
    return program if isinstance(sized, str) else sized


class _Quotients:
    """Loads at quotients of loop variables as loads of gathered arrays over those variables."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.arrays: dict[tuple[str, tuple[str, ...], tuple[Lin, ...]], Array] = {}

    def node(self, node: Node, ivs: tuple[str, ...]) -> Node:
        """A node inside of loops over `ivs`."""
        if isinstance(node, Loop | Guard):
            inner = (*ivs, node.iv) if isinstance(node, Loop) else ivs
            return replace(node, body=tuple(self.node(n, inner) for n in node.body))
        if not isinstance(node, Load) or not any(s.quotients() for s in node.subscripts):
            return node
        used = frozenset().union(*(s.names() for s in node.subscripts))
        if not used <= set(ivs) or self.program.arrays[node.array].gathered is not None:
            return node
        dims = tuple(iv for iv in ivs if iv in used)
        return replace(node, array=self._array(node, dims).name, subscripts=tuple(map(var, dims)))

    def _array(self, load: Load, dims: tuple[str, ...]) -> Array:
        """The array of what a load reads at each iteration of loops over `dims`; it has no extents yet."""
        key = load.array, dims, load.subscripts
        if key not in self.arrays:
            by_dim = {iv: var(f"d{k}") for k, iv in enumerate(dims)}
            subscripts = tuple(s.substitute(by_dim.get) for s in load.subscripts)
            gathered = Gathered(load.array, (), subscripts, frozenset({load.array}), (Lin(0),) * len(dims))
            element = self.program.arrays[load.array].element
            name = f"{load.array}_quotients{len(self.program.arrays) + len(self.arrays)}"
            self.arrays[key] = Array(name, element, (Lin(1),) * len(dims), "gathered", gathered=gathered)
        return self.arrays[key]


def with_extents_read(program: Program, only: Collection[str] = ()) -> Program | str:
    """The program with gathered arrays (`only` these, or all) of the extents that are read; why there is none."""
    accesses = list(build(program).loads.values())
    program = _without_unread(program, {access.node.array for access in accesses})
    gathered = {n: a.gathered for n, a in program.arrays.items() if a.gathered is not None and (not only or n in only)}
    written = {s.array for s in program.stores()}
    if any(not each.bases.isdisjoint(written) for each in gathered.values()):
        return "what is read at positions that are data changes in the same loops"
    for name in gathered:
        box = _box_read(program, name, accesses)
        if box is None:
            return "positions that are data are read in a region that is no box"
        program = _cropped(program, name, box)
    return program


def _without_unread(program: Program, read: set[str]) -> Program:
    """The program without the gathered arrays that no load is of, as its branch is never taken, and no other array."""
    parts = {n: {g.array, *(name for name, *_ in g.positions)} for n, a in program.arrays.items() if (g := a.gathered)}
    while more := set().union(*(parts[name] for name in read & parts.keys())) - read:
        read = read | more
    kept = {name: array for name, array in program.arrays.items() if name in read or name not in parts}
    return program if len(kept) == len(program.arrays) else replace(program, arrays=kept)


def _box_read(program: Program, array: str, accesses: Sequence[Access]) -> Box | None:
    """The box that the elements read are, wherever every size is at least 1; None if they are no box."""
    first, *others = (a.relation.range() for a in accesses if a.node.array == array)
    elements = reduce(lambda one, other: one.union(other), others, first)
    box = box_of(elements, program, (1,) * len(program.arrays[array].shape))
    exact = box is not None and box.region(array, program).intersect_params(telling_set(program)).is_subset(elements)
    return box if exact else None


def unread(program: Program, accesses: Sequence[Access]) -> list[Any]:
    """For each gathered array, the sizes (an isl set) at which some element of it is read by no loop."""
    sets = []
    for name in (n for n, a in program.arrays.items() if a.gathered is not None):
        read = (access.relation.range() for access in accesses if access.node.array == name)
        sets.append(reduce(lambda rest, elements: rest.subtract(elements), read, box_set(program, name)).params())
    return sets


def _cropped(program: Program, name: str, box: Box) -> Program:
    """The program with an array of the elements in a box, which begins at its low corner."""
    array = program.arrays[name]
    assert array.gathered is not None
    shape = tuple(high - low + 1 for low, high in zip(box.low, box.high, strict=True))
    array = replace(array, shape=shape, gathered=replace(array.gathered, low=box.low))

    def moved(node: Node) -> tuple[Node, ...]:
        if not isinstance(node, Load) or node.array != name:
            return (node,)
        return (replace(node, subscripts=tuple(s - low for s, low in zip(node.subscripts, box.low, strict=True))),)

    return replace(program, arrays={**program.arrays, name: array}, body=rewritten(program.body, moved))
