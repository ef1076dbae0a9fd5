"""Truth values in the normal form: numbers that are their own square, and their accumulation by *and* and *or*.

An integer that is a position is treated here as well: which integer types hold it, and where conditions on it are true.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import islpy as isl

from raising.affine.ir.integer_types import limits
from raising.affine.ir.program import Compute
from raising.affine.polyhedral.scop import at_sizes
from raising.support.mlir.predicates import FIRST_UNSIGNED, number_of
from raising.validate.normal_form.cancel import times
from raising.validate.normal_form.is_zero import witness
from raising.validate.normal_form.sum_of_products import TRUTH, Algebra, Product, Sum, constant, minus, restricted
from raising.validate.reading.index_arithmetic import is_wide, may_overflow, overflow

_MOST_PRODUCTS = 12


def is_boolean(algebra: Algebra, sum_: Sum) -> bool:
    """True if a sum is 0 or 1 at every point and size: made of truth values, and equal to its square."""
    plain = all(name.startswith(TRUTH) for p in sum_ for name, _ in p.leaves)
    if not plain or len(sum_) > _MOST_PRODUCTS or any(p.unindexed or p.coefficient.denominator != 1 for p in sum_):
        return False
    return witness(algebra, minus(times(algebra, sum_, sum_), sum_)) is None


def junction(algebra: Algebra, rest: Sum, factor: Sum, domain: Any) -> tuple[Sum, bool] | None:
    """For truth values v = rest + factor · v': (x, False) if v is v' or x, (x, True) if it is v' and not x.

    None if it is neither.
    """
    one = constant(algebra, Fraction(1), domain)
    rest, factor = restricted(rest, domain), restricted(factor, domain)
    if witness(algebra, minus((*rest, *factor), one)) is None:
        return rest, False
    if witness(algebra, rest) is None:
        return minus(one, factor), True
    return None


POSITION = "position"
"""The leaf whose element at v is the number v."""


def fits(algebra: Algebra, value: Sum, element: str, domain: Any) -> bool:
    """True if a value is made of positions and constants, and no number of it wraps in an integer type.

    Of positions that is so at the sizes of the files, and assumed of others where that may make a difference.
    """
    plain = all(name == POSITION for p in value for name, _ in p.leaves)
    if not plain or any(p.coefficient.denominator != 1 for p in value):
        return False
    if not element.startswith("i"):
        return True
    if any(p.leaves or p.unindexed for p in value):
        return is_wide(element) and _stays(algebra, value, element, domain)
    (least, most), numbers = limits(element), [int(p.coefficient) for p in value]
    return least <= sum(n for n in numbers if n < 0) and sum(n for n in numbers if n > 0) <= most


def _stays(algebra: Algebra, value: Sum, element: str, domain: Any) -> bool:
    """False if positions leave an integer type at the sizes of the files."""
    domain = at_sizes(domain, algebra.fixed)
    total, (least, most) = _total(value, domain), limits(element)
    if total is not None and not domain.is_empty():
        low, high = total.min_val(), total.max_val()
        if any(end.is_int() and not least <= end.to_python() <= most for end in (low, high)):
            return False
    if may_overflow(sum(abs(int(p.coefficient)) for p in value), element):
        algebra.assumed[overflow(element)] = None
    return True


def is_unsigned(node: Compute) -> bool:
    """True if a comparison takes its operands to have no sign."""
    return number_of(node.attrs) >= FIRST_UNSIGNED


def where_ordered(basic: str, difference: Sum, domain: Any) -> Any:
    """The points where a difference of positions and constants is zero, or is less; None if it has other leaves."""
    total = _total(difference, domain)
    if total is None:
        return None
    return total.eq_set(_zero(domain)) if basic == "equal" else total.lt_set(_zero(domain))


def _zero(domain: Any) -> Any:
    """The form that is zero at the points of a domain."""
    return isl.PwAff.zero_on_domain(isl.LocalSpace.from_space(domain.get_space())).intersect_domain(domain)


def _total(value: Sum, domain: Any) -> Any:
    """A sum of positions and constants as an isl form, times its denominator; None for any other sum."""
    whole = math.lcm(*(p.coefficient.denominator for p in value))
    total = _zero(domain)
    for p in value:
        if p.unindexed or any(name != POSITION for name, _ in p.leaves) or len(p.leaves) > 1:
            return None
        if not p.relation.is_single_valued():
            return None
        form = isl.PwAff.val_on_domain(p.relation.domain(), isl.Val(1))
        if p.leaves:
            form = isl.PwMultiAff.from_map(p.relation).get_pw_aff(0)
        total = total.union_add(form.scale_val(isl.Val(str(p.coefficient * whole))))
    return total.intersect_domain(domain)


def where_true(condition: Sum, domain: Any) -> Any:
    """The points where a truth value holds, if it is one of positions alone; else None."""
    if any(p.leaves or p.unindexed for p in condition):
        return None
    where = domain.subtract(domain)
    parts: list[tuple[Any, Fraction]] = []
    for p in condition:
        parts = _overlaid(parts, p)
    for region, number in parts:
        if number not in (0, 1):
            return None
        where = where.union(region) if number else where
    return where.intersect(domain)


def _overlaid(parts: list[tuple[Any, Fraction]], product: Product) -> list[tuple[Any, Fraction]]:
    """Disjoint cells with their numbers, after one more constant on a domain."""
    rest, found = product.relation.domain(), []
    for region, number in parts:
        both = region.intersect(rest)
        found.append((region.subtract(both), number))
        found.append((both, number + product.coefficient))
        rest = rest.subtract(both)
    return [(r, n) for r, n in [*found, (rest, product.coefficient)] if not r.is_empty()]
