"""Truth values as numbers that are their own square, and recurrences of them: true if any, or if all, of some are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from validate.cancel import times
from validate.products import TRUTH, Algebra, Sum, constant, minus, restricted
from validate.vanish import witness

_MOST_PRODUCTS = 12


def is_truth(algebra: Algebra, sum_: Sum) -> bool:
    """True if a sum is 0 or 1 at every point and size: made of truth values, and equal to its square."""
    plain = all(name.startswith(TRUTH) for p in sum_ for name, _ in p.leaves)
    if not plain or len(sum_) > _MOST_PRODUCTS or any(p.ghosts or p.coefficient.denominator != 1 for p in sum_):
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
