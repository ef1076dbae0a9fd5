"""Recurrences in closed form: v = v' + e is a sum along the chain of its instances.

(For recurrences that are no sums see `raising.validate.proof.values.reduction_chains`.) The values of a group of
statements that depend on each other are written with leaves for each other's values (`OWN`). Where each such leaf
stands alone with coefficient one, the value is the sum of what the statements add along the transitive closure of
"takes the value of". isl's closure is not trusted: sources come before sinks in the schedule, so the closure T of R is
the only relation with T = R ∪ R∘T, and a T is accepted only if that holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import islpy as isl

from raising.affine.polyhedral.scop import Access, Scop, value_flow
from raising.support.record import dataclass
from raising.validate.normal_form.isl_spaces import IN, OUT, anonymous, between
from raising.validate.normal_form.sum_of_products import OWN, Algebra, Product, Sum, Unprovable, merged, summed
from raising.validate.proof.values.value_expressions import NO_LEAVES, Expressions, Scope


@dataclass(frozen=True)
class Statements:
    """The statements of a program, and the scalar expressions that they store."""

    scop: Scop
    algebra: Algebra
    expressions: Expressions

    def access(self, label: str) -> Access:
        """The store of a statement."""
        return self.scop.statements[label].write

    def value(self, label: str) -> str:
        """The name of the scalar that a statement stores."""
        return self.scop.statements[label].value

    def definition(self, name: str, scope: Scope) -> Sum:
        """The value of a scalar over a scope, by its definition."""
        return self.expressions.definition(name, scope)

    def domain(self, label: str) -> Any:
        """The iterations of a statement, anonymous, at the sizes of the comparison."""
        return self.valid(anonymous(self.access(label).domain))

    def scope(self, label: str, leaves: Mapping[str, str] = NO_LEAVES) -> Scope:
        """All iterations of a statement; the values of some statements stay leaves there."""
        return Scope(self.access(label).ivs, self.domain(label), leaves=leaves)

    def valid(self, sets: Any) -> Any:
        """A set, map or union at the sizes of the comparison."""
        return sets.intersect_params(self.algebra.sizes.context)


def closed(statements: Statements, group: frozenset[str]) -> dict[str, Sum]:
    """The value of each statement of a group, without the values of the others in it."""
    rest: dict[str, Sum] = {}
    taken = isl.UnionMap.empty(statements.access(next(iter(group))).domain.get_space().params())
    for label in sorted(group):
        scope = statements.scope(label, {x: OWN + x for x in group})
        sum_ = statements.definition(statements.value(label), scope)
        rest[label] = tuple(p for p in sum_ if not p.recurs())
        for p in (p for p in sum_ if p.recurs()):
            taken = taken.union(isl.UnionMap.from_map(step(p, label)))
    found = closure(statements, group, taken)
    return {label: _along(statements, label, rest, found) for label in rest}


def step(product: Product, label: str) -> Any:
    """{label's instance → the instance whose value it takes unchanged}."""
    if not product.is_leaf:
        raise Unprovable("a recurrence that is not a sum")
    source = product.leaves[0][0].removeprefix(OWN)
    return product.relation.set_tuple_name(IN, label).set_tuple_name(OUT, source)


def _along(statements: Statements, label: str, rest: dict[str, Sum], closure: Any) -> Sum:
    """The term that a statement adds, and the sum of the terms that all before it in its chain add."""
    products = list(rest[label])
    for other, sum_ in rest.items():
        chain = between(closure, statements.access(label).domain, statements.access(other).domain)
        if chain.is_empty():
            continue
        chain = chain.intersect_domain(statements.domain(label)).intersect_range(statements.domain(other))
        products += summed(statements.algebra, sum_, chain.coalesce())
    return merged(products)


# ---- the transitive closure ----------------------------------------------------------------------


def closure(statements: Statements, group: frozenset[str], taken: Any) -> Any:
    """The transitive closure of what statements take, a union map; `Unprovable` if it cannot be told."""
    for candidate in (_in_place, _by_isl):
        found = candidate(statements, group, taken)
        if found is not None and _is_closure(statements, taken, found):
            return found
    raise Unprovable("the order in which a sum runs has no closed form")


def _is_closure(statements: Statements, taken: Any, found: Any) -> bool:
    step = taken.union(taken.apply_range(found))
    return bool(statements.valid(step).is_equal(statements.valid(found)))


def _by_isl(statements: Statements, group: frozenset[str], taken: Any) -> Any:
    found = taken.transitive_closure()
    return found[0] if isinstance(found, tuple) else found


def _in_place(statements: Statements, group: frozenset[str], taken: Any) -> Any:
    """The closure of an accumulation at one place: all earlier writes of it with no foreign write in between."""
    arrays = {statements.access(label).node.array for label in group}
    if len(arrays) != 1:
        return None
    writes = [s.write for s in statements.scop.writers[arrays.pop()]]
    foreign = [w for w in writes if w.name not in group]
    if not _takes_last(statements, group, taken, writes):
        return None
    closure = isl.UnionMap.empty(taken.get_space())
    for label in group:
        for other in group:
            chain = _before(statements.access(label), statements.access(other))
            for write in foreign:
                between_ = _before(statements.access(label), write).apply_range(
                    _before(write, statements.access(other))
                )
                chain = chain.subtract(between_)
            closure = closure.union(isl.UnionMap.from_map(chain.coalesce()))
    return closure


def _takes_last(statements: Statements, group: frozenset[str], taken: Any, writes: list[Access]) -> bool:
    """True if the accumulated value is the last one that the group wrote to the same place."""
    last = isl.UnionMap.empty(taken.get_space())
    for label in group:
        store = statements.access(label)
        reading = store.named("reading")
        (flow,) = value_flow([reading], writes).values()
        for write in (w for w in writes if w.name in group):
            one = between(flow, reading.domain, write.domain)
            one = one.set_tuple_name(IN, label).set_tuple_name(OUT, write.name)
            last = last.union(isl.UnionMap.from_map(one))
    return bool(statements.valid(last).is_equal(statements.valid(taken)))


def _before(one: Access, other: Access) -> Any:
    """{instance of one → earlier instance of other that writes the same element}."""
    same = one.relation.apply_range(other.relation.reverse())
    return same.intersect(one.schedule.lex_gt_map(other.schedule))
