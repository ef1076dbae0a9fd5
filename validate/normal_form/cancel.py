"""Cancellation in a product: x · 1/x, the square of a truth value, the square of a root."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.validate.base.assumption import NONZERO, NOT_NEGATIVE
from raising.validate.normal_form.isl_spaces import OUT
from raising.validate.normal_form.sum_of_products import (
    INVERSE,
    TRUTH,
    Algebra,
    Product,
    Sum,
    in_order,
    merged,
    multiplied,
    permuted,
    without_unindexed,
)

ROOT = "root#"


def times(algebra: Algebra, one: Sum, other: Sum) -> Sum:
    """The product of two sums, with everything cancelled."""
    return cancelled(algebra, multiplied(algebra, one, other))


def cancelled(algebra: Algebra, sum_: Sum) -> Sum:
    """The sum with pairs of leaves that cancel taken out, where their indices agree."""
    done: list[Product] = []
    pending = list(sum_)
    while pending:
        product = pending.pop()
        for one, other in _pairs(product):
            pairs = zip(product.places(one), product.places(other), strict=True)
            agree = algebra.sizes.same(product.relation.dim(OUT), list(pairs))
            same = product.relation.intersect_range(agree)
            if same.is_empty():
                continue
            pending += _taken_out(algebra, replace(product, relation=same), one, other)
            rest = product.relation.subtract(same)
            if not rest.is_empty():
                pending.append(replace(product, relation=rest))
            break
        else:
            done.append(product)
    return merged(done)


def _pairs(product: Product) -> Iterator[tuple[int, int]]:
    """Positions of leaves that cancel if their indices agree."""
    names = [name for name, _ in product.leaves]
    for k, name in enumerate(names):
        for j in range(len(names)):
            if names[j] == INVERSE + name or (j > k and names[j] == name and name.startswith((TRUTH, ROOT))):
                yield k, j


def _taken_out(algebra: Algebra, product: Product, one: int, other: int) -> Sum:
    """The product, in which both leaves have the same indices, without them or with what they amount to."""
    name, arity = product.leaves[one]
    if name.startswith(TRUTH):
        return (product.without(other),)
    rest = _without(algebra, product, (one, other), product.places(one))
    if not name.startswith(ROOT):
        algebra.assumed[NONZERO] = None
        return (without_unindexed(algebra, rest),)
    algebra.assumed[NOT_NEGATIVE] = None
    return tuple(_with_argument(algebra, rest, p, arity) for p in algebra.atom(name).arguments[0])


def _without(algebra: Algebra, product: Product, dropped: tuple[int, ...], kept: range) -> Product:
    """The product without some leaves; the indices at `kept` become its last ghosts, so that they still count."""
    stay = [k for k in range(len(product.leaves)) if k not in dropped]
    indices = [d for k in stay for d in product.places(k)]
    relation = permuted(algebra, product.relation, [*range(product.unindexed), *kept, *indices])
    leaves = tuple(product.leaves[k] for k in stay)
    return replace(product, leaves=leaves, unindexed=product.unindexed + len(kept), relation=relation)


def _with_argument(algebra: Algebra, rest: Product, argument: Product, arity: int) -> Product:
    """`rest` times a product over the point that the last `arity` ghosts of `rest` are."""
    count, unindexed = rest.relation.dim(OUT), rest.unindexed
    point = algebra.sizes.pick(count, range(unindexed - arity, unindexed))
    both = algebra.sizes.pick(count, range(count)).flat_range_product(point.apply_range(argument.relation))
    new = argument.relation.dim(OUT)
    order = [*range(unindexed), *range(count, count + argument.unindexed), *range(unindexed, count)]
    order += range(count + argument.unindexed, count + new)
    relation = permuted(algebra, rest.relation.apply_range(both), order)
    coefficient, leaves = rest.coefficient * argument.coefficient, rest.leaves + argument.leaves
    product = Product(coefficient, leaves, unindexed + argument.unindexed, relation)
    return without_unindexed(algebra, in_order(algebra, product))
