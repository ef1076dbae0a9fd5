"""Live ranges: a local memory that is used for one purpose after another is taken for several memories.

A web is a set of stores and loads that share values (Chaitin et al. 1981). C code uses
one scalar in nest after nest; each web in a memory of its own can be expanded by itself.
"""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from affine.program import Guard, Load, Loop, Node, Store
from affine.scop import Access, Scop, build, dependences


def split_webs(scop: Scop) -> Scop:
    """The program with a memory for each web of its local arrays, or the same one if each has one web."""
    program = scop.program
    renamed: dict[str, str] = {}
    for name, array in program.arrays.items():
        if array.kind == "local" and name not in program.live_out:
            renamed |= _new_names(scop, name)
    if not renamed:
        return scop
    arrays = dict(program.arrays)
    body = _rename(program.body, renamed)
    for label, statement in scop.statements.items():
        if label in renamed:
            arrays[renamed[label]] = replace(arrays[statement.write.node.array], name=renamed[label])
    return build(replace(program, arrays=arrays, body=body))


def _new_names(scop: Scop, array: str) -> dict[str, str]:
    """The memory of each store and load, by label and name, that is not of the first web; none if a read is open."""
    stores = [s.label for s in scop.writers.get(array, ())]
    loads = [a for a in scop.loads.values() if a.node.array == array]
    web = {label: number for number, label in enumerate(stores)}
    sources: dict[str, list[str]] = {}
    for load in loads:
        sources[load.name] = _sources(scop, load)
        if not sources[load.name]:
            return {}
        joined = {web[label] for label in sources[load.name]}
        web = {label: min(joined) if number in joined else number for label, number in web.items()}
    webs = {**web, **{load: web[labels[0]] for load, labels in sources.items()}}
    return {name: f"{array}_web{number}" for name, number in webs.items() if number != 0}


def _sources(scop: Scop, load: Access) -> list[str]:
    """The stores that a load reads from; none if it may read what was there before."""
    flow = scop.flow[load.name]
    if not isl.UnionSet.from_set(load.domain.intersect_params(scop.context)).is_subset(flow.domain()):
        return []
    return [label for label, _ in dependences(flow)]


def _rename(nodes: tuple[Node, ...], renamed: dict[str, str]) -> tuple[Node, ...]:
    out: list[Node] = []
    for node in nodes:
        match node:
            case Loop() | Guard():
                out.append(replace(node, body=_rename(node.body, renamed)))
            case Load():
                out.append(replace(node, array=renamed.get(node.dst, node.array)))
            case Store():
                out.append(replace(node, array=renamed.get(node.label, node.array)))
            case _:
                out.append(node)
    return tuple(out)
