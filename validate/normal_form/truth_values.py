"""Truth values in the normal form: numbers that are their own square, and their accumulation by *and* and *or*.

An integer that is a position is treated here as well: which integer types hold it, and where conditions on it are true.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import islpy as isl

from raising.affine.ir.integer_types import limits
from raising.affine.ir.program import Compute
from raising.affine.polyhedral.scop import at_sizes
from raising.support.mlir.predicates import FIRST_UNSIGNED, number_of
from raising.validate.normal_form.cancel import times
from raising.validate.normal_form.is_zero import witness
from raising.validate.normal_form.position_forms import total, zero
from raising.validate.normal_form.sum_of_products import (
    POSITION,
    TRUTH,
    Algebra,
    Product,
    Sum,
    constant,
    minus,
    restricted,
)
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
    found, (least, most) = total(value, domain), limits(element)
    if found is not None and not domain.is_empty():
        numbers = isl.Map.from_pw_aff(found).range()
        low, high = numbers.dim_min_val(0), numbers.dim_max_val(0)
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
    found = total(difference, domain)
    if found is None:
        return None
    return found.eq_set(zero(domain)) if basic == "equal" else found.lt_set(zero(domain))


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
