"""Values under conditions: a sum that holds truth values is split into its value where they hold and where not.

`c·(x − y) + y`, which a selection is, becomes x under c and y under not c. A condition is a leaf of its own, a
*literal*: a truth value's leaf, or its opposite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from raising.support.record import dataclass
from raising.validate.normal_form.isl_spaces import OUT, SET, names
from raising.validate.normal_form.sum_of_products import (
    TRUTH,
    Algebra,
    Leaf,
    Product,
    Sum,
    Unprovable,
    access,
    merged,
    permuted,
    restricted,
)
from raising.validate.normal_form.truth_values import where_true

NOT = "not "
"""In front of a truth value's leaf: that it does not hold."""
_MOST = 4  # conditions on one value


@dataclass(frozen=True)
class Case:
    """A sum on a domain of points under literals; `conditions` is {[z] → [the indices of each]}."""

    value: Sum
    domain: Any
    literals: tuple[Leaf, ...]
    conditions: Any

    def on(self, value: Sum, domain: Any) -> Case:
        """The same literals at fewer points, with another value."""
        return Case(restricted(value, domain), domain, self.literals, self.conditions.intersect_domain(domain))

    def under(self, leaf: Leaf, index: Any) -> Case:
        """One more literal, which is read at `index`."""
        return Case(self.value, self.domain, (*self.literals, leaf), self.conditions.flat_range_product(index))


def cases(algebra: Algebra, sum_: Sum, domain: Any, guard: Sum | None = None) -> Iterator[Case]:
    """The cases of a sum, at the points and under the conditions where a truth value `guard` holds, if it is given."""
    nothing = algebra.sizes.map(f"{{ [{names(domain.dim(SET))}] -> [] }}")
    yield from _cases(algebra, Case(sum_, domain, (), nothing.intersect_domain(domain)), guard)


def conditional(algebra: Algebra, product: Product, case: Case) -> Product:
    """A value of one leaf as that under the literals of a case."""
    if not case.literals:
        return product
    relation = case.conditions.flat_range_product(product.relation)
    return literals_in_order(algebra, replace(product, leaves=(*case.literals, *product.leaves), relation=relation))


def literals_in_order(algebra: Algebra, product: Product) -> Product:
    """A value under literals with these in order of their names; the value stays the last leaf."""
    count = len(product.leaves) - 1
    order = [*sorted(range(count), key=lambda k: product.leaves[k]), count]
    places = [d for k in order for d in product.places(k)]
    leaves = tuple(product.leaves[k] for k in order)
    return replace(product, leaves=leaves, relation=permuted(algebra, product.relation, places))


def turned(algebra: Algebra, product: Product, k: int) -> Product:
    """A value under literals with one of them for its opposite."""
    name, arity = product.leaves[k]
    other = name.removeprefix(NOT) if name.startswith(NOT) else NOT + name
    leaves = (*product.leaves[:k], (other, arity), *product.leaves[k + 1 :])
    return literals_in_order(algebra, replace(product, leaves=leaves))


def _cases(algebra: Algebra, case: Case, guard: Sum | None) -> Iterator[Case]:
    if case.domain.is_empty():
        return
    found = _truth((*(guard or ()), *case.value), algebra) if len(case.literals) < _MOST else None
    if found is None:
        where = case.domain if guard is None else where_true(guard, case.domain)
        if where is None:
            raise Unprovable("a value depends on too many conditions")
        if not where.is_empty():
            yield case.on(case.value, where)
        return
    (name, arity), index = found
    inside = case.domain.intersect(index.domain())
    outside = case.domain.subtract(inside)
    yield from _cases(algebra, case.on(case.value, outside), None if guard is None else restricted(guard, outside))
    index = index.intersect_domain(inside)
    for held in (True, False):
        literal = (name if held else NOT + name, arity)
        value = _decided(algebra, restricted(case.value, inside), name, index, held)
        asked = None if guard is None else _decided(algebra, restricted(guard, inside), name, index, held)
        yield from _cases(algebra, case.on(value, inside).under(literal, index), asked)


def _truth(sum_: Sum, algebra: Algebra) -> tuple[Leaf, Any] | None:
    """The first truth value by name that a sum holds at one index per point, and that, {[z] → [index]}."""
    named = [(leaf, k, p) for p in sum_ for k, leaf in enumerate(p.leaves) if leaf[0].startswith(TRUTH)]
    for leaf, k, p in sorted(named, key=lambda found: found[0]):
        index = access(algebra, p, k)
        if index.is_single_valued():
            return leaf, index
    return None


def _decided(algebra: Algebra, sum_: Sum, name: str, index: Any, held: bool) -> Sum:
    """The sum where a truth value holds, or does not."""
    done: list[Product] = []
    pending = list(sum_)
    while pending:
        p = pending.pop()
        for k in (k for k, leaf in enumerate(p.leaves) if leaf[0] == name):
            at = algebra.sizes.pick(p.relation.dim(OUT), p.places(k))
            here = p.relation.intersect(index.apply_range(at.reverse()))
            if here.is_empty():
                continue
            rest = p.relation.subtract(here)
            if not rest.is_empty():
                pending.append(replace(p, relation=rest))
            if held:
                pending.append(replace(p, relation=here).without(k))
            break
        else:
            done.append(p)
    return merged(done)
