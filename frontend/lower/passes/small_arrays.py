"""Small arrays back to variables: an array of the function that is only accessed at numbers is a cell for each element.

This is the scalar replacement of aggregates (Muchnick, *Advanced Compiler Design and Implementation*, 12.2).

    before  double t[2]; t[0] = x[i]; t[1] = y[i]; x[i] = t[0] + t[1];
    after   double t_0, t_1; t_0 = x[i]; t_1 = y[i]; x[i] = t_0 + t_1;
"""

from __future__ import annotations

from dataclasses import replace

from raising.frontend.lower.ir.nodes import Array, For, Function, Node, Read, Write, parts, walk, with_parts

MOST_ELEMENTS = 64  # of an array that becomes cells


def taken_apart(function: Function) -> Function:
    """The function with local arrays that are accessed at constant subscripts only, and in bounds, as cells.

    `s[1] = a; s[2] = s[1] + b;` is `s_1 = a; s_2 = s_1 + b;`.
    """
    used: dict[str, dict[tuple[int, ...], None]] = {}
    stay = {name for name, array in function.arrays.items() if array.kind != "local" or not array.shape}
    for node in walk(function.body):
        if isinstance(node, Read | Write) and node.array not in stay:
            element = _element(node, function.arrays[node.array])
            if element is None:
                stay.add(node.array)
            else:
                used.setdefault(node.array, {})[element] = None
    found = {name: elements for name, elements in used.items() if name not in stay and len(elements) <= MOST_ELEMENTS}
    if not found:
        return function
    arrays: dict[str, Array] = {n: a for n, a in function.arrays.items() if n not in found}
    cells: dict[tuple[str, tuple[int, ...]], str] = {}
    taken = {*function.arrays, *(p.name for p in function.parameters)}
    taken |= {node.iv for node in walk(function.body) if isinstance(node, For)}
    for name, elements in found.items():
        for element in sorted(elements):
            cell = "_".join((name, *map(str, element)))
            while cell in taken:
                cell += "_"
            taken.add(cell)
            cells[name, element] = cell
            arrays[cell] = replace(function.arrays[name], name=cell, shape=(), kind="cell", flat=False, row=0)
    return replace(function, arrays=arrays, body=_rewritten(function.body, cells))


def _element(node: Read | Write, array: Array) -> tuple[int, ...] | None:
    """The element that an access means in every iteration, if there is one and the array has it."""
    position = tuple(form.constant for form in node.subscripts)
    extents = tuple(extent.constant if extent is not None else None for extent in array.shape)
    if len(position) != len(extents):
        return None
    inside = (p is not None and e is not None and 0 <= p < e for p, e in zip(position, extents, strict=True))
    return tuple(p for p in position if p is not None) if all(inside) else None


def _rewritten(nodes: tuple[Node, ...], cells: dict[tuple[str, tuple[int, ...]], str]) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in nodes:
        if isinstance(node, Read | Write):
            constants = tuple(form.constant for form in node.subscripts)
            cell = cells.get((node.array, constants))  # type: ignore[arg-type]  # of one without, there is none
            out.append(node if cell is None else replace(node, array=cell, subscripts=()))
        else:
            out.append(with_parts(node, tuple(_rewritten(part, cells) for part in parts(node))))
    return tuple(out)
