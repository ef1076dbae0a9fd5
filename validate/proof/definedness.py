"""Definedness: the target's operations are defined wherever the source is.

An operation is defined if its operands are in range by the types and constants that they are made of
(`raising.validate.run.preconditions`), or as positions, or if the source does the same to the same numbers: then the
operands of both sides are elements of one atom.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from raising.affine.ir.integer_functions import DIVISIONS, SHIFTS
from raising.affine.ir.integer_types import width
from raising.affine.ir.program import Array, Node, Program, Store
from raising.affine.ir.rewriting import rewritten
from raising.affine.polyhedral.scop import context_set
from raising.affine.polyhedral.select_reductions import accumulating
from raising.validate.normal_form.atoms import applied
from raising.validate.normal_form.isl_spaces import Sizes, anonymous
from raising.validate.normal_form.sum_of_products import Algebra, Sum, Unprovable, added, constant, minus
from raising.validate.normal_form.truth_values import where_ordered
from raising.validate.proof.values.flow import Flows, checked
from raising.validate.reading.pair import Assumptions, Pair
from raising.validate.run.preconditions import Precondition, preconditions
from raising.validate.run.run import elements_of

_Seen = Callable[[], tuple[list[Sum], Any]]
"""The operands of an operation over the points at which it runs, and these; `Unprovable` if they are not known."""

_BY_ZERO = {*DIVISIONS, "arith.divf"}


def unmet(pair: Pair, assumed: Assumptions) -> list[Precondition]:
    """The operations of the target that are not known to be defined wherever the source is."""
    source, target = accumulating(pair.source), accumulating(pair.target)
    needed = preconditions(target)
    if not needed:
        return []
    algebra = Algebra(Sizes(source.sizes, context_set(pair.source)), assumed)
    try:
        done = _Done(algebra)
        for one, seen in _witnessed(pair, source, preconditions(source), algebra, "source"):
            done.add(one, *seen())
        asked = _witnessed(pair, target, needed, algebra, "target")
    except Unprovable:
        return needed
    return [one for one, seen in asked if not _met(algebra, one, seen, done)]


def _met(algebra: Algebra, one: Precondition, seen: _Seen, done: _Done) -> bool:
    """Whether an operation of the target is known to be defined; one whose operands are not known is not."""
    try:
        values, domain = seen()
        return _in_range(algebra, one, values, domain) or done.covers(one, values, domain)
    except Unprovable:
        return False


class _Done:
    """The operations of the source: for each kind, the operands of all its instances, as elements of atoms."""

    def __init__(self, algebra: Algebra) -> None:
        self.algebra = algebra
        self.found: dict[str, Any] = {}

    def add(self, one: Precondition, values: list[Sum], domain: Any) -> None:
        """Note an operation of the source; one that has a quotient has a divisor that is not zero, too."""
        for kept in {len(values), 1}:
            for name, places in self._places(one, values[-kept:], domain):
                self.found[name] = places.union(self.found[name]) if name in self.found else places

    def covers(self, one: Precondition, values: list[Sum], domain: Any) -> bool:
        """True if the source has an operation of that kind on the same operands wherever the target has this one."""
        places = self._places(one, values, domain)
        return all(name in self.found and found.is_subset(self.found[name]) for name, found in places)

    def _places(self, one: Precondition, values: list[Sum], domain: Any) -> Iterator[tuple[str, Any]]:
        """The elements of an atom that stand for the operands."""
        for product in applied(self.algebra, f"operands of {_kind(one, len(values))}", values, domain):
            yield product.leaves[0][0], product.relation.range().intersect_params(self.algebra.sizes.context)


def _kind(one: Precondition, operands: int) -> str:
    """A key that operations share if they are defined on the same operands."""
    if one.node.op not in _BY_ZERO and one.node.op not in SHIFTS:
        return f"{one.node.op} {one.node.element}"
    if one.node.op in SHIFTS:
        return f"shift {one.node.element}"
    return f"{'quotient' if operands > 1 else 'divisor'} {one.node.element}"


def _in_range(algebra: Algebra, one: Precondition, values: list[Sum], domain: Any) -> bool:
    """True if operands that are positions and constants say so: of another integer than zero and -1, or a small one."""
    number = values[-1]
    if one.node.op not in _BY_ZERO and one.node.op not in SHIFTS:
        return False
    if one.node.op in _BY_ZERO:
        wrong = [("equal", number), ("equal", added(number, constant(algebra, Fraction(1), domain)))][: len(values)]
    else:
        wrong = [
            ("less", number),
            ("less", minus(constant(algebra, Fraction(width(one.node.element) - 1), domain), number)),
        ]
    outside = [where_ordered(order, difference, domain) for order, difference in wrong]
    return all(found is not None and algebra.sizes.void(found) for found in outside)


def _witnessed(
    pair: Pair, program: Program, found: list[Precondition], algebra: Algebra, side: str
) -> list[tuple[Precondition, _Seen]]:
    """Each operation with what tells its operands. The flow is found once for all of them."""
    if not found:
        return []
    elements = elements_of(program)
    stores = [_stores(one, k) for k, one in enumerate(found)]
    kept = {s.array: Array(s.array, elements[s.value], (), "scalar") for each in stores for s in each}
    behind: dict[int, list[Store]] = defaultdict(list)
    for one, each in zip(found, stores, strict=True):
        behind[id(one.asked)] += each
    told = replace(program, arrays={**program.arrays, **kept}, body=_with_stores(program.body, behind))
    flows = Flows(checked(told, algebra.sizes, pair.scopes), algebra, side)
    return [(one, partial(_operands, flows, each)) for one, each in zip(found, stores, strict=True)]


def _operands(flows: Flows, stores: list[Store]) -> tuple[list[Sum], Any]:
    algebra, access = flows.algebra, flows.scop.statements[stores[0].label].write
    domain = anonymous(access.domain).intersect_params(algebra.sizes.context)
    here = algebra.sizes.pick(len(access.ivs), range(len(access.ivs))).intersect_domain(domain)
    return [flows.stored(store.label, here) for store in stores], domain


def _stores(one: Precondition, number: int) -> list[Store]:
    """Stores that keep each operand of an operation in a memory of its own, so that flow analysis finds its values."""
    names = (f"{one.node.dst}_operand{k}_{number}" for k in range(len(one.values)))
    return [Store(name, name, (), value, one.node.loc) for name, value in zip(names, one.values, strict=True)]


def _with_stores(nodes: tuple[Node, ...], stores: dict[int, list[Store]]) -> tuple[Node, ...]:
    return rewritten(nodes, lambda node: (node, *stores.get(id(node), ())))
