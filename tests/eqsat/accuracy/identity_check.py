"""Whether both sides of an identity have the same value, by balls at random points."""

from __future__ import annotations

import random

from raising.eqsat.accuracy.enclose import enclosed
from raising.eqsat.accuracy.identities import Identity, WrongIdentity
from raising.eqsat.ruleset.expression import variables

_BITS = 400
_TRIED, _ENOUGH = 4000, 60  # points, and those at which both sides have values


def check_identity(row: Identity, seed: int = 0) -> None:
    """Compare both sides by balls at random points; `WrongIdentity` if they differ, or hardly ever have values.

    Where the left side has a value and `needs` is not zero (or negative), the right side must have one.
    """
    from flint import arb, ctx

    rng, before, good = random.Random(seed), ctx.prec, 0
    ctx.prec = _BITS
    names = variables(row.left)
    try:
        for n in range(_TRIED):
            point = {name: arb(_number(rng, n)) for name in names}
            left = enclosed(row.left, point)
            if not left.is_finite():
                continue
            right = enclosed(row.right, point)
            if not right.is_finite():
                _excused(row, point)
                continue
            if not left.overlaps(right):
                raise WrongIdentity(f"{row.name}: {row.left} = {left}, {row.right} = {right} at {point}")
            good += 1
            if good >= _ENOUGH:
                return
    finally:
        ctx.prec = before
    raise WrongIdentity(f"{row.name}: both sides have values at {good} points only")


def _excused(row: Identity, point: dict[str, object]) -> None:
    """A right side without a value needs a reason."""
    if row.needs is None or enclosed(row.needs, point) > 0:
        raise WrongIdentity(f"{row.name}: {row.right} has no value at {point}, where {row.left} has one")


def _number(rng: random.Random, n: int) -> float:
    """Numbers of all sizes and both signs, with small integers among them."""
    if rng.random() < 0.3:
        return float(rng.choice((0, 1, -1, 2, -2, 3, 0.5, -0.5)))
    return rng.choice((1, 1, -1)) * rng.uniform(0.1, 4.0) * 2.0 ** rng.choice((0, 0, 0, -4, 3))
