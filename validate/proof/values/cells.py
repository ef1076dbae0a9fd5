"""Cells: instances of statements whose values stand for themselves, under one name for both programs.

A value that depends on itself in a way that has no closed form is left as a leaf, the *cell* of its instance; other
values are sums of products over cells and inputs. `raising.validate.proof.induction.affine_matching` chooses the
cells; `raising.validate.proof.induction.induction` shows that equal ones are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from raising.affine.ir.program import Compute, IndexValue, Load, Program, Store, walk
from raising.affine.polyhedral.scop import Scop, dependences
from raising.support.record import dataclass
from raising.validate.normal_form.isl_spaces import anonymous

CELL = "cell "
"""In front of a leaf's name: the value that a statement of the source stores; its indices are the iterators."""


@dataclass(frozen=True)
class Piece:
    """Instances of a statement that are an element of a leaf each: `relation` is {[z] → [index]}, single-valued."""

    leaf: str
    relation: Any


Cells = Mapping[str, tuple[Piece, ...]]
"""The disjoint pieces of each statement that has some, by its label."""


def _values(program: Program) -> dict[str, Load | Compute | IndexValue]:
    """The node that defines each name, in text order."""
    return {n.dst: n for n in walk(program.body) if isinstance(n, Load | Compute | IndexValue)}


def _stored(scop: Scop, label: str) -> str:
    node = scop.statements[label].write.node
    assert isinstance(node, Store)
    return node.value


def needed(scop: Scop, final: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Any, ...]]:
    """For each statement the sets of instances, {[z]}, whose values something takes.

    `final` are the instances that are left in an output.
    """
    found: dict[str, list[Any]] = {label: list(regions) for label, regions in final.items()}
    for load in scop.loads:
        for label, dependence in dependences(scop.flow[load]):
            found.setdefault(label, []).append(anonymous(dependence.range()))
    used = {a for n in _values(scop.program).values() if isinstance(n, Compute) for a in n.args}
    for label, statement in scop.statements.items():
        if _stored(scop, label) in used:
            found.setdefault(label, []).append(anonymous(statement.write.domain))
    return {label: tuple(r.coalesce() for r in regions) for label, regions in found.items()}
