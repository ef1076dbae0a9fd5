"""Products, and exclusive ors, of many values as one leaf: their order does not matter, only how often each occurs.

The numbers of occurrences are a sum whose leaves stand for the values, as `log` makes a sum of a product. A value that
occurs under a condition only has that condition as a factor.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from raising.support.record import dataclass
from raising.validate.normal_form.atoms import applied
from raising.validate.normal_form.cancel import times
from raising.validate.normal_form.guarded import NOT, Case, cases
from raising.validate.normal_form.min_max import VALUE
from raising.validate.normal_form.position_forms import folded
from raising.validate.normal_form.sum_of_products import (
    Algebra,
    Product,
    Sum,
    access,
    added,
    constant,
    leaf,
    merged,
    minus,
    permuted,
    pulled,
    restricted,
    support,
)

PRODUCT = "product"
"""The kind of multiplication; others are an operation on bits and its type."""
_OVER = "all "
"""In front of a kind: the operation of its atoms."""
_ONE_OF = "one "
"""In front of a leaf's name, among occurrences: the value of that leaf."""


@dataclass(frozen=True)
class Multiset:
    """The values of `occurrences` at each instance of a statement, by the operation of a kind."""

    kind: str
    occurrences: Sum

    def at(self, algebra: Algebra, function: Any) -> Sum:
        """All of them at function(z), for a single-valued {[z] → [instance]}."""
        return together(algebra, self.kind, pulled(self.occurrences, function), function.domain())


def together(algebra: Algebra, kind: str, occurrences: Sum, domain: Any) -> Sum:
    """All values that occur, on a domain; those that occur once at each point are factors of a product."""
    result = constant(algebra, Fraction(1), domain) if kind == PRODUCT else ()
    rest: list[Product] = []
    for p in occurrences:
        others = [q for q in occurrences if q is not p and q.leaves == p.leaves]
        single = p.is_leaf and p.relation.is_single_valued()
        if single and not others and (kind == PRODUCT or len(occurrences) == 1):
            one = minus(constant(algebra, Fraction(1), domain), constant(algebra, Fraction(1), p.relation.domain()))
            factor = added(_itself(algebra, p), one if kind == PRODUCT else ())
            result = times(algebra, result, factor) if kind == PRODUCT else factor
        else:
            rest.append(p)
    if not rest:
        return result
    where = support(rest, domain).intersect(domain)
    atom = applied(algebra, _OVER + kind, [restricted(tuple(rest), where)], where)
    if kind != PRODUCT:
        return added(result, atom)
    return times(algebra, result, added(atom, constant(algebra, Fraction(1), domain.subtract(where))))


def occurring(algebra: Algebra, kind: str, sum_: Sum, domain: Any, guard: Sum | None = None) -> Sum:
    """A sum as what occurs, where `guard` holds."""
    found: list[Product] = []
    for case in cases(algebra, sum_, domain, guard):
        found += times(algebra, _condition(algebra, case), _plain(algebra, kind, case.value, case.domain))
    return merged(found)


def _condition(algebra: Algebra, case: Case) -> Sum:
    """The literals of a case as a factor."""
    result = one = constant(algebra, Fraction(1), case.domain)
    place = 0
    for name, arity in case.literals:
        index = permuted(algebra, case.conditions, range(place, place + arity)).intersect_domain(case.domain)
        truth = leaf(algebra, name.removeprefix(NOT), index)
        result = times(algebra, result, minus(one, truth) if name.startswith(NOT) else truth)
        place += arity
    return result


def _plain(algebra: Algebra, kind: str, sum_: Sum, domain: Any) -> Sum:
    """A sum without conditions: the factors of each piece of it, or it as a leaf of its own."""
    pieces, rest, sum_ = list[Product](), domain, folded(algebra, sum_, domain)
    for p in sum_:
        region = p.relation.domain().intersect(domain)
        plain = not p.unindexed and p.relation.is_single_valued() and (kind == PRODUCT or p.leaves == p.leaves[:1])
        if not plain or not region.is_subset(rest):
            return _wrapped(algebra, sum_, domain)
        rest = rest.subtract(region)
        pieces += _factors(algebra, kind, p, region)
    if kind == PRODUCT:
        pieces += _wrapped(algebra, (), rest)
    return tuple(pieces)


def _factors(algebra: Algebra, kind: str, product: Product, region: Any) -> Sum:
    """The factors of one product."""
    number = product.coefficient if kind == PRODUCT or not product.leaves else Fraction(product.coefficient - 1)
    if kind != PRODUCT and product.leaves and number:
        return _wrapped(algebra, (product,), region)
    found: list[Product] = []
    for k, (name, _) in enumerate(product.leaves):
        index = access(algebra, product, k).intersect_domain(region)
        if name.startswith(f"{_OVER}{kind}#"):
            found += pulled(algebra.atom(name).arguments[0], index)
        else:
            found += leaf(algebra, _ONE_OF + name, index)
    if number != (1 if kind == PRODUCT else 0):
        found += _wrapped(algebra, constant(algebra, number, region), region)
    return tuple(found)


def _wrapped(algebra: Algebra, sum_: Sum, domain: Any) -> Sum:
    if domain.is_empty():
        return ()
    return tuple(
        replace(p, leaves=tuple((_ONE_OF + name, arity) for name, arity in p.leaves))
        for p in applied(algebra, VALUE, [sum_], domain)
    )


def _itself(algebra: Algebra, product: Product) -> Sum:
    """The value that a leaf among occurrences stands for."""
    ((name, arity),) = product.leaves
    name = name.removeprefix(_ONE_OF)
    if name.startswith(VALUE + "#"):
        return pulled(algebra.atom(name).arguments[0], product.relation)
    return (replace(product, leaves=((name, arity),)),)
