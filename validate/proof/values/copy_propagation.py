"""Copy propagation in the flow: a read of a copied element becomes a read of the statement that computed it.

Programs on tensors copy whole arrays to change an element. A copy that stores what is there already changes nothing
and is taken out; a read of what another copy has stored becomes a read of the copy's source.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import islpy as isl

from raising.affine.ir.program import Store
from raising.affine.polyhedral.scop import Access, Scop, dependences, value_flow
from raising.support.graphs import on_cycles
from raising.validate.normal_form.isl_spaces import names, union


def past_copies(scop: Scop) -> Scop:
    """The same part with reads of copied values taken to be reads of what was copied.

    A copy stays where it has the value from an array as it was at the start, and in a cycle of copies.
    """
    for label in copies(scop):
        if label in _cyclic(scop, frozenset()):
            scop = _without_idle(scop, label)
    steps = _steps(scop, _cyclic(scop, frozenset()))
    return replace(scop, flow={read: _resolved(union, steps) for read, union in scop.flow.items()})


def copies(scop: Scop) -> dict[str, str]:
    """For each statement that only copies, the load whose value it stores."""
    found = {}
    for label, statement in scop.statements.items():
        node = statement.write.node
        if isinstance(node, Store) and node.value in scop.loads:
            found[label] = node.value
    return found


def _cyclic(scop: Scop, cut: frozenset[str]) -> set[str]:
    """Copies whose values go around a cycle of copies; those in `cut` count as none."""
    reads = {label: read for label, read in copies(scop).items() if label not in cut}
    edges: dict[str, set[str]] = {label: set() for label in reads}
    for label, read in reads.items():
        for source, _ in dependences(scop.flow[read]):
            if source in reads:
                edges[source].add(label)
    return on_cycles(edges)


def _steps(scop: Scop, without: set[str]) -> list[Any]:
    """For each copy {instance → instance whose value it copies}; one that reads another comes before that."""
    found = []
    for label, read in copies(scop).items():
        if label in without:
            continue
        found.append(_load_of(scop.statements[label].write, scop.loads[read]).apply_range(scop.flow[read]))
    return found


def _load_of(copy: Access, load: Access) -> Any:
    """{instance of a copy → the instance of its load, which may stand further out}."""
    at = isl.Map(f"{{ {copy.name}[{names(len(copy.ivs))}] -> {load.name}[{names(len(load.ivs))}] }}")
    at = at.align_params(copy.domain.get_space())
    return isl.UnionMap.from_map(at.intersect_domain(copy.domain))


def _resolved(flow: Any, steps: list[Any]) -> Any:
    """A flow past copies that are in no cycle."""
    if not steps:
        return flow
    step = union(steps)
    for _ in steps:
        moved = flow.apply_range(step)
        if moved.is_empty():
            break
        flow = flow.subtract_range(step.domain()).union(moved)
    return flow


# ---- stores that change nothing ------------------------------------------------------------------


def _without_idle(scop: Scop, label: str) -> Scop:
    """The part without the instances of a copy that store what the element holds already."""
    write, load = scop.statements[label].write, scop.loads[copies(scop)[label]]
    steps = _steps(scop, _cyclic(scop, frozenset([label])) | {label})
    before = write.named("before")  # a read, just before the store, of the element that it writes
    stores = [s.write for s in scop.statements.values()]
    (held,) = value_flow([before], stores).values()
    taken = _resolved(_load_of(before, load).apply_range(scop.flow[load.name]), steps)
    same = taken.intersect(_resolved(held, steps)).domain()
    same = same.union(_still_initial(scop, before, held, taken))
    idle = same.extract_set(before.domain.get_space()).set_tuple_name(label)
    return scop if idle.is_empty() else _shortened(scop, label, idle)


def _still_initial(scop: Scop, before: Access, held: Any, taken: Any) -> Any:
    """The instances that store the initial value of an element to the element itself, before anything else has."""
    found = isl.UnionMap.empty(before.domain.get_space().params())
    for label, read in copies(scop).items():
        load = scop.loads[read]
        first = isl.UnionMap.from_map(load.relation).subtract_domain(scop.flow[read].domain())
        copied = _load_of(scop.statements[label].write, load)
        found = found.union(taken.apply_range(copied).apply_range(first))
    own = isl.UnionMap.from_map(before.relation).subtract_domain(held.domain())
    return found.intersect(own).domain()


def _shortened(scop: Scop, label: str, idle: Any) -> Scop:
    """The part with fewer instances of a store."""
    statement = scop.statements[label]
    write = statement.write.on(statement.write.domain.subtract(idle).coalesce())
    statements = {**scop.statements, label: replace(statement, write=write)}
    loads = [a for a in scop.loads.values() if a.node.array == write.node.array]
    flow = scop.flow | value_flow(loads, [s.write for s in statements.values()])
    return replace(scop, statements=statements, flow=flow)
