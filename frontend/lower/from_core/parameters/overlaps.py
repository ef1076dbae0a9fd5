"""Pointers that may share memory: that they do not is assumed where memory is written and nothing else says so."""

from __future__ import annotations

from raising.frontend.lower.from_core.parameters.record_parameters import (
    FILE,
    file_variable,
    is_whole,
    memory_of,
    read_at_start,
)
from raising.frontend.lower.ir.module import Refused
from raising.frontend.lower.ir.nodes import Array, Assumption, Parameter, Read, Write, walk
from raising.frontend.lower.known.state import State


def no_overlaps(state: State, parameters: tuple[Parameter, ...], whole: frozenset[str]) -> list[Assumption]:
    """That pointers do not overlap, for each pair of which one is written, if nothing guarantees it.

    Parameters in `whole` are known to be arrays of their own, and nothing writes what the file defines as constant.
    """
    nodes = list(walk(tuple(state.nodes)))
    written = {n.array for n in nodes if isinstance(n, Write)}
    touched = written | {n.array for n in nodes if isinstance(n, Read)}
    _one_type_written(parameters, written, state)
    arrays = [state.arrays[p.name] for p in parameters if p.name in touched]
    variables = [a for a in state.arrays.values() if a.kind == "global" and a.name in touched]
    memory = {a.name: f"{FILE}{a.name}" for a in variables} | {p.name: memory_of(p.path) for p in parameters}
    apart = whole | {a.name for a in variables}
    fixed = {name for name, place in memory.items() if _is_constant(state, place)}

    def separate(a: Array, b: Array) -> bool:
        one, other = memory[a.name], memory[b.name]
        told = a.restrict or b.restrict or {a.name, b.name} <= apart or bool({a.name, b.name} & fixed)
        return told or one == other or (is_whole(one) and is_whole(other))

    found = []
    for k, a in enumerate(arrays):
        others = [b for b in (*arrays[k + 1 :], *variables) if {a.name, b.name} & written and not separate(a, b)]
        if others:
            names = ", ".join(f"'{b.name}'" for b in others)
            hint = " (restrict would say so)" if state.unit.language == "C" else ""
            text = f"'{a.name}' does not overlap {names} in memory{hint}"
            found.append(Assumption(a.loc, text, apart=tuple((a.name, b.name) for b in others)))
    changed = [(p, state.arrays[p.name]) for p in parameters if p.name in written]
    changed += [(Parameter(a.name, a.element, a.loc), a) for a in variables if a.name in written]
    return [*found, *read_at_start(parameters, changed)]


def _is_constant(state: State, place: str) -> bool:
    """Whether memory is a variable that the file defines as constant: who writes it breaks the language."""
    node = state.unit.globals.get(file_variable(place)) if place.startswith(FILE) and "*" not in place else None
    return node is not None and node.defined and node.variable.constant


def _one_type_written(parameters: tuple[Parameter, ...], written: set[str], state: State) -> None:
    """`Refused` where numbers of several types are written in one array of structs.

    Each type has its own array over the whole memory, and writing one back may write what lies between its elements.
    """
    found: dict[str, Parameter] = {}
    for parameter in (p for p in parameters if p.name in written and state.arrays[p.name].row > 1):
        other = found.setdefault(parameter.path, parameter)
        if other is not parameter:
            raise Refused(parameter.loc, "fields of several types are written in an array of structs")
