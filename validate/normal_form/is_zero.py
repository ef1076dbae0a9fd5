"""Is a sum zero for all sizes and points? Cells of Presburger sets decide, with the iterators that only count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import islpy as isl

from raising.support.record import dataclass
from raising.validate.normal_form.cancel import cancelled
from raising.validate.normal_form.isl_spaces import OUT, PARAM, SET, names, points, union
from raising.validate.normal_form.position_forms import Weighted, weighted
from raising.validate.normal_form.sum_of_products import Algebra, Leaf, Product, Sum, Unprovable, permuted


@dataclass(frozen=True)
class Witness:
    """Leaves whose coefficient is not zero, and all sizes (an isl parameter set) at which the sum is not zero."""

    leaves: tuple[Leaf, ...]
    sizes: Any


def witness(algebra: Algebra, sum_: Sum) -> Witness | None:
    """Where a sum is not zero, or None if it is for all sizes; `Unprovable` if ghosts cannot be counted."""
    groups: dict[tuple[Leaf, ...], list[Weighted]] = {}
    for product in cancelled(algebra, sum_):
        for p in _sorted_repeats(algebra, product):
            new = weighted(algebra, p)
            groups.setdefault(new.product.leaves, []).append(new)
    found: dict[tuple[Leaf, ...], Any] = {}
    for leaves, group in groups.items():
        cells = [*map(Weighted, _collected([w.product for w in group if not w.factors]))]
        cells += [w for w in group if w.factors]
        counting = any(w.counts for w in cells)
        left = _count_left(algebra, cells) if counting else _cell_left(algebra, [w.product for w in cells])
        found |= {} if left is None else {leaves: left}
    return Witness(next(iter(found)), union(found.values())) if found else None


def _collected(group: list[Product]) -> list[Product]:
    """Products over equal relations as one."""
    cells: list[Product] = []
    for product in group:
        for k, other in enumerate(cells):
            if other.unindexed == product.unindexed and other.relation.is_equal(product.relation):
                cells[k] = replace(other, coefficient=other.coefficient + product.coefficient)
                break
        else:
            cells.append(product)
    return [p for p in cells if p.coefficient]


def _cell_left(algebra: Algebra, cells: list[Product]) -> Any:
    """The sizes of a cell on which coefficients do not add up to zero."""
    parts: list[tuple[Any, Fraction]] = []
    for product in cells:
        rest, new = product.relation, []
        for cell, coefficient in parts:
            both = cell.intersect(rest)
            if both.is_empty():
                new.append((cell, coefficient))
                continue
            alone = cell.subtract(both)
            if not alone.is_empty():
                new.append((alone, coefficient))
            if coefficient + product.coefficient:
                new.append((both, coefficient + product.coefficient))
            rest = rest.subtract(both)
        parts = [*new, (rest, product.coefficient)] if not rest.is_empty() else new
    return _where([cell.params().intersect(algebra.sizes.context) for cell, _ in parts])


def _where(found: list[Any]) -> Any:
    """The union of parameter sets; None if it is empty."""
    return union(sizes for sizes in found if not sizes.is_empty())


# ---- leaves that occur twice ---------------------------------------------------------------------


def _sorted_repeats(algebra: Algebra, product: Product) -> list[Product]:
    """The product with the indices of equal leaves in ascending order (multiplication commutes)."""
    found = [product]
    for repeats in _repeats(product):
        for _ in repeats:
            for one, other in pairwise(repeats):
                pairs = list(zip(one, other, strict=True))
                found = [q for p in found for q in _exchanged(algebra, p, pairs)]
    return found


def _repeats(product: Product) -> list[list[range]]:
    """The places of the indices of leaves that occur more than once."""
    groups: dict[Leaf, list[range]] = {}
    for k, leaf in enumerate(product.leaves):
        groups.setdefault(leaf, []).append(product.places(k))
    return [places for (_, arity), places in groups.items() if len(places) > 1 and arity]


def _exchanged(algebra: Algebra, product: Product, pairs: Sequence[tuple[int, int]]) -> list[Product]:
    """The product split into where the first of two indices is not greater than the other, and the rest exchanged."""
    count = product.relation.dim(OUT)
    greater = []
    for d, (a, b) in enumerate(pairs):
        equal = [f"x{p} = x{q}" for p, q in pairs[:d]]
        greater.append("(" + " and ".join([*equal, f"x{a} > x{b}"]) + ")")
    high = product.relation.intersect_range(algebra.sizes.set(f"{{ [{names(count)}] : {' or '.join(greater)} }}"))
    if high.is_empty():
        return [product]
    order = list(range(count))
    for a, b in pairs:
        order[a], order[b] = order[b], order[a]
    low = product.relation.subtract(high)
    turned = replace(product, relation=permuted(algebra, high, order))
    return [turned] if low.is_empty() else [replace(product, relation=low), turned]


# ---- counting ------------------------------------------------------------------------------------


def _count_left(algebra: Algebra, cells: list[Weighted]) -> Any:
    """The sizes where the coefficients times the numbers of ghosts do not add up to zero."""
    total = None
    for cell in cells:
        counted = _counted(algebra, cell.product)
        for factor in cell.factors:
            counted = counted.mul(factor)
        total = counted if total is None else total.add(counted)
    pieces: list[tuple[Any, Any]] = []
    total.foreach_piece(lambda where, value: pieces.append((where, value)))  # type: ignore[union-attr]
    regions = ((where.intersect_params(algebra.sizes.context), value) for where, value in pieces)
    return _where([where.params() for where, value in regions if not value.gist(where).is_zero()])


def _counted(algebra: Algebra, product: Product) -> Any:
    """{[z, indices] → coefficient · number of ghosts}, as a piecewise polynomial."""
    unindexed, count = product.unindexed, product.relation.dim(OUT)
    relation = permuted(algebra, product.relation, [*range(unindexed, count), *range(unindexed)])
    region = points(relation.intersect_params(algebra.sizes.context))
    factors = []
    for _ in range(unindexed):
        factors.append(_extent(algebra, region))
        region = region.project_out(SET, region.dim(SET) - 1, 1)
    value = isl.Val(f"{product.coefficient.numerator}/{product.coefficient.denominator}")
    total = isl.PwQPolynomial.alloc(region, isl.QPolynomial.val_on_domain(region.get_space(), value))
    for factor in factors:
        total = total.mul(_on_fewer(factor, region.dim(SET)))
    return total


def _on_fewer(factor: Any, count: int) -> Any:
    """A polynomial that does not depend on coordinates from `count` on, without them."""
    more = range(count, factor.dim(isl.dim_type.in_))
    if any(factor.involves_dims(isl.dim_type.in_, k, 1) for k in more):
        raise Unprovable("a count of iterations depends on another iterator")
    return factor.drop_dims(isl.dim_type.in_, count, len(more))


def _extent(algebra: Algebra, region: Any) -> Any:
    """The number of values of the last coordinate, which have to be an interval."""
    count = region.dim(SET) - 1
    last = algebra.sizes.pick(count + 1, range(count)).intersect_domain(region).reverse()
    last = last.apply_range(algebra.sizes.pick(count + 1, [count]))
    low, high = last.lexmin_pw_multi_aff().get_pw_aff(0), last.lexmax_pw_multi_aff().get_pw_aff(0)
    above = isl.Map.from_pw_aff(low).apply_range(algebra.sizes.map("{ [x] -> [y] : y >= x }"))
    below = isl.Map.from_pw_aff(high).apply_range(algebra.sizes.map("{ [x] -> [y] : y <= x }"))
    if not above.intersect(below).is_equal(last):
        raise Unprovable("the iterations of a sum are not an interval")
    return isl.PwQPolynomial.from_pw_aff(high.sub(low).add_constant_val(isl.Val(1)))


def smallest_sizes(
    sizes: Any, least: int = 0, limits: Sequence[int] = (2, 3, 4, 5, 6, 8, 12, 20)
) -> dict[str, int] | None:
    """Small numbers, none below `least`, in a set of sizes; None if there are none up to the last limit."""
    count = sizes.dim(PARAM)
    found = [sizes.get_dim_name(PARAM, k) for k in range(count)]
    region = isl.Set.from_params(sizes).move_dims(SET, 0, PARAM, 0, count)
    for k in range(count):
        region = region.lower_bound_val(SET, k, isl.Val(least))
    for limit in limits:
        box = region
        for k in range(count):
            box = box.upper_bound_val(SET, k, isl.Val(limit))
        if not box.is_empty():
            point = box.lexmin().sample_point()
            return {n: int(point.get_coordinate_val(SET, k).to_python()) for k, n in enumerate(found)}
    return None
