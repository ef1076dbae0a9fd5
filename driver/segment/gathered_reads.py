"""Reads at positions that are data or quotients, before a segment is solved.

A gathered array gets the extents of what is read of it, so that the operation which gathers reads what the loops read
and nothing else: a position that no loop reads may be none of the array. Where there is such a position at some sizes,
as another loop around runs zero times, the loops stay for these.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from raising.affine.ir.affine_expr import Floor, Lin, var
from raising.affine.ir.program import Array, Gathered, Guard, Load, Loop, Node, Program
from raising.affine.polyhedral.bounding_box import Box, box_of
from raising.affine.polyhedral.scop import Access, box_set, build, telling_set


def with_quotients_apart(program: Program) -> Program:
    """`y[i] = x[i / 2]` with what is read at quotients of loop variables as arrays of their own; itself if none is."""
    apart = _Apart(program)
    body = tuple(apart.node(node, ()) for node in program.body)
    if not apart.found:
        return program
    new = {array.name: array for array in apart.found.values()}
    found = framed(replace(program, arrays={**program.arrays, **new}, body=body), new)
    return program if isinstance(found, str) else found


class _Apart:
    """What a program reads at quotients of its loop variables, as gathered arrays over those variables."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.found: dict[tuple[str, tuple[str, ...], tuple[Lin, ...]], Array] = {}

    def node(self, node: Node, ivs: tuple[str, ...]) -> Node:
        """A node inside of loops over `ivs`."""
        if isinstance(node, Loop | Guard):
            inner = (*ivs, node.iv) if isinstance(node, Loop) else ivs
            return replace(node, body=tuple(self.node(n, inner) for n in node.body))
        if not isinstance(node, Load) or not any(isinstance(a, Floor) for s in node.subscripts for a, _ in s.terms):
            return node
        used = frozenset().union(*(s.names() for s in node.subscripts))
        if not used <= set(ivs) or self.program.arrays[node.array].gathered is not None:
            return node
        dims = tuple(iv for iv in ivs if iv in used)
        return replace(node, array=self._array(node, dims).name, subscripts=tuple(map(var, dims)))

    def _array(self, load: Load, dims: tuple[str, ...]) -> Array:
        key = load.array, dims, load.subscripts
        if key not in self.found:
            places = {iv: var(f"d{k}") for k, iv in enumerate(dims)}
            forms = tuple(s.substitute(places.get) for s in load.subscripts)
            what = Gathered(load.array, (), forms, frozenset({load.array}), (Lin(0),) * len(dims))
            element = self.program.arrays[load.array].element
            name = f"{load.array}_quotients{len(self.program.arrays) + len(self.found)}"
            self.found[key] = Array(name, element, (Lin(1),) * len(dims), "gathered", gathered=what)
        return self.found[key]


def framed(program: Program, only: Collection[str] = ()) -> Program | str:
    """The program with such extents, of some arrays `only` or of all; why there is none."""
    gathers = {n: a for n, a in program.arrays.items() if a.gathered is not None and (not only or n in only)}
    written = {s.array for s in program.stores()}
    for array in gathers.values():
        changed = sorted(array.gathered.bases & written) if array.gathered is not None else []
        if changed:
            return "what is read at positions that are data changes in the same loops"
    loads = build(program).loads.values()
    for name, array in gathers.items():
        regions = [a.relation.range() for a in loads if a.node.array == name]
        box = _exact(regions, name, program)
        if box is None:
            return "positions that are data are read in a region that is no box"
        program = _placed(program, array, box)
    return program


def _exact(regions: list[object], name: str, program: Program) -> Box | None:
    """The box that all of these elements are, wherever every size is at least 1."""
    whole = regions[0]
    for region in regions[1:]:
        whole = whole.union(region)  # type: ignore[attr-defined]
    box = box_of(whole, program, (1,) * len(program.arrays[name].shape))
    if box is None:
        return None
    return box if box.region(name, program).intersect_params(telling_set(program)).is_subset(whole) else None


def unread(program: Program, found: Sequence[Access]) -> list[Any]:
    """For each gathered array, the sizes at which some element of it is read by no loop."""
    sets = []
    for name in (n for n, a in program.arrays.items() if a.gathered is not None):
        rest = box_set(program, name)
        for access in found:
            if access.node.array == name:
                rest = rest.subtract(access.relation.range())
        sets.append(rest.params())
    return sets


def _placed(program: Program, array: Array, box: Box) -> Program:
    assert array.gathered is not None
    shape = tuple(high - low + 1 for low, high in zip(box.low, box.high, strict=True))
    new = replace(array, shape=shape, gathered=replace(array.gathered, low=box.low))
    body = tuple(_shifted(n, array.name, box.low) for n in program.body)
    return replace(program, arrays={**program.arrays, array.name: new}, body=body)


def _shifted(node: Node, array: str, low: tuple[Lin, ...]) -> Node:
    if isinstance(node, Loop | Guard):
        return replace(node, body=tuple(_shifted(n, array, low) for n in node.body))
    if isinstance(node, Load) and node.array == array:
        return replace(node, subscripts=tuple(s - at for s, at in zip(node.subscripts, low, strict=True)))
    return node
