"""Cells: instances of statements whose values stand for themselves, under one name for both programs.

A value that depends on itself in a way that has no closed form is left as a leaf, the *cell* of its instance; other
values are sums of products over cells and inputs. `raising.validate.proof.induction.affine_matching` chooses the
cells; `raising.validate.proof.induction.induction` shows that equal ones are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raising.affine.ir.program import Compute, walk
from raising.affine.polyhedral.scop import Scop, dependences
from raising.support.record import dataclass
from raising.validate.normal_form.isl_spaces import anonymous
from raising.validate.normal_form.sum_of_products import Algebra, Product, leaf

CELL = "cell "
"""In front of a leaf's name: the value that a statement of the source stores; its indices are the iterators."""


@dataclass(frozen=True)
class Piece:
    """Instances of a statement that are an element of a leaf each: `relation` is {[z] → [index]}, single-valued."""

    leaf: str
    relation: Any


Cells = Mapping[str, tuple[Piece, ...]]
"""The disjoint pieces of each statement that has some, by its label."""


def split_by_cells(algebra: Algebra, instances: Any, pieces: tuple[Piece, ...]) -> tuple[list[Product], Any]:
    """What a statement stores in {[z] → [instance]}, as far as it is in cells; and the instances that are in none."""
    products: list[Product] = []
    for piece in pieces:
        cells = instances.apply_range(piece.relation)
        if not cells.is_empty():
            products += leaf(algebra, piece.leaf, cells)
            instances = instances.subtract_range(piece.relation.domain())
    return products, instances


def needed(scop: Scop, final: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    """For each statement the sets of instances, {[z]}, whose values something takes.

    `final` are the instances that are left in an output.
    """
    instances: dict[str, list[Any]] = {label: list(regions) for label, regions in final.items()}
    for load in scop.loads:
        for label, dependence in dependences(scop.flow[load]):
            instances.setdefault(label, []).append(anonymous(dependence.range()))
    used = {a for n in walk(scop.program.body) if isinstance(n, Compute) for a in n.args}
    for label, statement in scop.statements.items():
        if statement.value in used:
            instances.setdefault(label, []).append(anonymous(statement.write.domain))
    return {label: tuple(r.coalesce() for r in regions) for label, regions in instances.items()}
