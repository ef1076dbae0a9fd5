"""Positions as polynomials: the same position told from other points is the same value.

The value that a loop from 1 stores at i is `position[i]`; where a loop from 0 stores at i + 1, it is, at the element i,
`position[i - 1] + 1`. As leaves they differ. But a position that the point and the other indices of a product determine
is no unknown: it is an affine form of them, so that both are the number i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import islpy as isl

from raising.support.record import dataclass
from raising.validate.normal_form.isl_spaces import IN, OUT, names, points
from raising.validate.normal_form.sum_of_products import POSITION, Algebra, Product, Sum, leaf, permuted


@dataclass(frozen=True)
class Weighted:
    """A product, and the polynomials over [z, its indices] that its coefficient is to be multiplied by."""

    product: Product
    factors: tuple[Any, ...] = ()

    @property
    def counts(self) -> bool:
        """True if the coefficient is not the same everywhere."""
        return bool(self.factors or self.product.unindexed)


def weighted(algebra: Algebra, whole: Product) -> Weighted:
    """The product with its positions as factors, if all are determined by what else it has; else as it is."""
    product = _of_positions(algebra, whole)
    places = [k for k, (name, _) in enumerate(product.leaves) if name == POSITION]
    if not places:
        return Weighted(product)
    first = product.relation.dim(IN)
    count = first + product.relation.dim(OUT)
    positions = [first + product.leaf_index(k) for k in places]
    others = [*range(first), *range(first + product.unindexed, count)]
    others = [d for d in others if d not in positions]
    told = algebra.sizes.pick(count, others).intersect_domain(points(product.relation)).reverse()
    factors = []
    for d in positions:
        form = told.apply_range(algebra.sizes.pick(count, [d]))
        if not form.is_single_valued():
            return Weighted(whole)
        factors.append(isl.PwQPolynomial.from_pw_aff(form.lexmin_pw_multi_aff().get_pw_aff(0)))
    for k in reversed(places):
        product = product.without(k)
    return Weighted(product, tuple(factors))


def _of_positions(algebra: Algebra, product: Product) -> Product:
    """The product with its arguments that are sizes as positions."""
    for k in [k for k, (name, _) in enumerate(product.leaves) if name in algebra.numbers]:
        size = algebra.numbers[product.leaves[k][0]]
        position = algebra.sizes.map(f"{{ [{names(product.relation.dim(IN))}] -> [{size}] }}")
        relation = product.relation.flat_range_product(position)
        count = relation.dim(OUT)
        at = product.leaf_index(k)
        leaves = (*product.leaves[:k], (POSITION, 1), *product.leaves[k + 1 :])
        product = replace(
            product, leaves=leaves, relation=permuted(algebra, relation, [*range(at), count - 1, *range(at, count - 1)])
        )
    return product


def folded(algebra: Algebra, sum_: Sum, domain: Any) -> Sum:
    """A sum of positions and whole numbers as the one position that it is; any other sum as it is."""
    if not any(p.leaves for p in sum_) or any(p.coefficient.denominator != 1 for p in sum_):
        return sum_
    found = total([_of_positions(algebra, p) for p in sum_], domain)
    return sum_ if found is None else leaf(algebra, POSITION, isl.Map.from_pw_aff(found))


def zero(domain: Any) -> Any:
    """The form that is zero at the points of a domain."""
    return isl.PwAff.zero_on_domain(isl.LocalSpace.from_space(domain.get_space())).intersect_domain(domain)


def total(value: Sequence[Product], domain: Any) -> Any:
    """A sum of positions and constants as an isl form, times its denominator; None for any other sum."""
    whole = math.lcm(*(p.coefficient.denominator for p in value))
    found = zero(domain)
    for p in value:
        if p.unindexed or any(name != POSITION for name, _ in p.leaves) or len(p.leaves) > 1:
            return None
        if not p.relation.is_single_valued():
            return None
        form = isl.PwAff.val_on_domain(p.relation.domain(), isl.Val(1))
        if p.leaves:
            form = isl.PwMultiAff.from_map(p.relation).get_pw_aff(0)
        found = found.union_add(form.scale_val(isl.Val(str(p.coefficient * whole))))
    return found.intersect_domain(domain)
