"""Wavefronts: instances of statements that depend on each other over few steps, in layers.

An update in place reads some elements that the same loop has changed, and those in turn depend on few others. Where no
chain of such dependences is longer than a few steps, for all sizes, the instances fall into that many layers, each over
values of the layers before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import islpy as isl

from raising.affine.polyhedral.scop import Scop, dependences
from raising.validate.normal_form.isl_spaces import Sizes, anonymous
from raising.validate.proof.values.cells import Cells

MOST = 6


def wavefronts(scop: Scop, sizes: Sizes, group: frozenset[str], cells: Cells) -> list[dict[str, Any]] | None:
    """For each layer the instances of each statement, anonymous; None if there are more than `MOST`.

    Values in cells are there from the start.
    """
    left = {label: scop.statements[label].write.domain.intersect_params(sizes.context) for label in sorted(group)}
    found: list[dict[str, Any]] = []
    while any(not d.is_empty() for d in left.values()):
        if len(found) == MOST:
            return None
        waiting = isl.UnionSet.empty(next(iter(left.values())).get_space().params())
        for domain in left.values():
            waiting = waiting.union(isl.UnionSet.from_set(domain))
        layer = {label: left[label].subtract(_held(scop, label, left[label], waiting, cells)) for label in left}
        if all(d.is_empty() for d in layer.values()):
            return None
        found.append({label: anonymous(d) for label, d in layer.items() if not d.is_empty()})
        left = {label: left[label].subtract(layer[label]) for label in left}
    return found


def _held(scop: Scop, label: str, domain: Any, waiting: Any, cells: Cells) -> Any:
    """The instances of a statement that read what an instance still waiting writes."""
    held = domain.subtract(domain)
    for dependence in _dependences(scop, label, cells):
        target = waiting.extract_set(dependence.range().get_space().align_params(waiting.get_space()))
        readers = anonymous(dependence.intersect_range(target).domain())
        count, own = readers.dim(isl.dim_type.set), domain.dim(isl.dim_type.set)
        readers = readers.add_dims(isl.dim_type.set, own - count)  # a load may stand further out than its store
        held = held.union(readers.set_tuple_name(domain.get_tuple_name()).intersect(domain))
    return held


def _dependences(scop: Scop, label: str, cells: Cells) -> Iterator[Any]:
    for read in scop.statements[label].reads:
        for source, dependence in dependences(scop.flow[read]):
            for piece in cells.get(source, ()):
                dependence = dependence.subtract_range(piece.relation.domain().set_tuple_name(source))
            yield dependence
