"""Reads at positions that are data, before a segment is solved.

A gathered array gets the extents of what is read of it, so that the operation which gathers reads what the loops read
and nothing else: a position that no loop reads may be none of the array.
"""

from __future__ import annotations

from dataclasses import replace

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Array, Guard, Load, Loop, Node, Program
from raising.affine.polyhedral.bounding_box import Box, box_of
from raising.affine.polyhedral.scop import build


def framed(program: Program) -> Program | str:
    """The program with such extents; why there is none."""
    gathers = {name: a for name, a in program.arrays.items() if a.gathered is not None}
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
    """The box that all of these elements are, at every size."""
    whole = regions[0]
    for region in regions[1:]:
        whole = whole.union(region)  # type: ignore[attr-defined]
    box = box_of(whole, program, (1,) * len(program.arrays[name].shape))
    if box is None:
        return None
    return box if box.region(name, program).is_subset(whole) else None


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
