"""Integers that a caller passes by their address (`const int *n`, as Fortran passes all), read as integers.

A pointer through which one integer is read, and nothing else is done, is a parameter of that integer's type: it is
read once, where the function starts. That is the same as long as nothing that the function writes overlaps it, which
the lowering assumes in words where the types leave it open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from raising.frontend.core import expression_nodes as ex
from raising.frontend.core import statement_nodes as st
from raising.frontend.core.traverse import nodes_of, with_expressions
from raising.frontend.core.types import Int, Pointer


def read_at_start(function: st.Function) -> st.Function | None:
    """The function with such parameters as integers; None if it has none."""
    chosen = _only_read(function)
    if not chosen or function.body is None:
        return None

    def change(node: Any) -> Any:
        name = _read_through(node)
        if name is None or name not in chosen:
            return node
        return ex.Load(ex.Name(name, node.type, node.loc), node.type, node.loc)

    body = tuple(with_expressions(stmt, change) for stmt in function.body)
    parameters = tuple(
        replace(p, type=chosen[p.name], constant=True, by_address=True) if p.name in chosen else p
        for p in function.parameters
    )
    variables = function.variables | {p.name: p for p in parameters}
    return replace(function, body=body, parameters=parameters, variables=variables)


def _only_read(function: st.Function) -> dict[str, Int]:
    """The pointers to one integer that are only read through, with the integer's type."""
    found = {
        p.name: p.type.to
        for p in function.parameters
        if isinstance(p.type, Pointer) and isinstance(p.type.to, Int) and p.length is None
    }
    if not found:
        return {}
    mentions, reads = dict.fromkeys(found, 0), dict.fromkeys(found, 0)
    for node in nodes_of(function.body or ()):
        if isinstance(node, ex.Name) and node.name in mentions:
            mentions[node.name] += 1
        name = _read_through(node)
        if name in reads:
            reads[name] += 1
    return {name: t for name, t in found.items() if 0 < mentions[name] == reads[name]}


def _read_through(node: Any) -> str | None:
    """The pointer variable of a read `*n` or `n[0]`."""
    if not isinstance(node, ex.Load) or not isinstance(node.source, ex.Deref):
        return None
    pointer = node.source.pointer
    if isinstance(pointer, ex.Offset) and isinstance(pointer.index, ex.Literal) and pointer.index.value == 0:
        pointer = pointer.pointer
    return pointer.source.name if isinstance(pointer, ex.Load) and isinstance(pointer.source, ex.Name) else None
