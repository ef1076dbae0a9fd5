"""Small arrays back to variables: an array of the function that is only accessed at numbers is a cell for each element.

This is the scalar replacement of aggregates (Muchnick, *Advanced Compiler Design and Implementation*, 12.2).

    before  double t[2]; t[0] = x[i]; t[1] = y[i]; x[i] = t[0] + t[1];
    after   double t_0, t_1; t_0 = x[i]; t_1 = y[i]; x[i] = t_0 + t_1;
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.ir import nodes as tp
from raising.frontend.lower.ir.nodes import map_nodes, walk
from raising.frontend.lower.ir.polynomial import Poly, const

MOST_ELEMENTS = 64  # of an array that becomes cells


def taken_apart(function: tp.Function) -> tp.Function:
    """The function with local arrays that are accessed at constant subscripts only, and in bounds, as cells.

    `s[1] = a; s[2] = s[1] + b;` is `s_1 = a; s_2 = s_1 + b;`.
    """
    used: dict[str, dict[tuple[int, ...], None]] = {}
    stay = {name for name, array in function.arrays.items() if array.kind != "local" or not array.shape}
    for node in walk(function.body):
        if isinstance(node, tp.Read | tp.Write) and node.array not in stay:
            element = _element(node, function.arrays[node.array])
            if element is None:
                stay.add(node.array)
            else:
                used.setdefault(node.array, {})[element] = None
    found = {name: elements for name, elements in used.items() if name not in stay and len(elements) <= MOST_ELEMENTS}
    if not found:
        return function
    arrays: dict[str, tp.Array] = {n: a for n, a in function.arrays.items() if n not in found}
    cells: dict[tuple[str, tuple[Poly, ...]], str] = {}
    fresh = tp.Fresh(function)
    for name, elements in found.items():
        for element in sorted(elements):
            cell = cells[name, tuple(map(const, element))] = fresh.name("_".join((name, *map(str, element))))
            arrays[cell] = replace(function.arrays[name], name=cell, shape=(), kind="cell", flat=False, row=0)
    return replace(function, arrays=arrays, body=map_nodes(function.body, lambda node: _in_cell(node, cells)))


def _element(node: tp.Read | tp.Write, array: tp.Array) -> tuple[int, ...] | None:
    """The element that an access means in every iteration, if there is one and the array has it."""
    position = tuple(form.constant for form in node.subscripts)
    extents = tuple(extent.constant if extent is not None else None for extent in array.shape)
    if len(position) != len(extents):
        return None
    inside = (p is not None and e is not None and 0 <= p < e for p, e in zip(position, extents, strict=True))
    return tuple(p for p in position if p is not None) if all(inside) else None


def _in_cell(node: tp.Node, cells: dict[tuple[str, tuple[Poly, ...]], str]) -> tuple[tp.Node]:
    """An access of an element that is a cell as one of the cell; any other node as it is."""
    if not isinstance(node, tp.Read | tp.Write):
        return (node,)
    cell = cells.get((node.array, node.subscripts))
    return (node if cell is None else replace(node, array=cell, subscripts=()),)
