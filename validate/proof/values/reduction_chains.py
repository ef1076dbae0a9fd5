"""Reduction chains that are no sums: maxima, minima, *and* and *or* along the chain of a recurrence's instances.

The value that a statement stores is walked down through its operations of one kind, and through selections, to the
value that it carries on and to those that it takes in, each under the conditions on the way. The statement is an
accumulation if the value carried on is always one of its operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from typing import Any

import islpy as isl

from raising.affine.ir.program import Compute
from raising.grammar.terms.scalar_ops import SCALARS
from raising.support.record import dataclass
from raising.validate.normal_form.cancel import times
from raising.validate.normal_form.is_zero import witness
from raising.validate.normal_form.isl_spaces import OUT, SET, between
from raising.validate.normal_form.min_max import ANY, Chosen, MinMax, changes_nothing, chosen, items
from raising.validate.normal_form.multisets import PRODUCT, Multiset, occurring
from raising.validate.normal_form.sum_of_products import (
    OWN,
    TRUTH,
    Algebra,
    Product,
    Sum,
    Unprovable,
    constant,
    merged,
    minus,
    restricted,
    summed,
)
from raising.validate.normal_form.truth_values import is_boolean, junction, where_true
from raising.validate.proof.values.closed_forms import Recurrence, closure, step, stored
from raising.validate.proof.values.value_expressions import ENDLESS, Scope

_DEEPEST = 16  # operations above one another
_LEAST = {f"arith.{name}": False for name in ("ori", "maxsi", "maxui")}
_LEAST |= {f"arith.{name}": True for name in ("andi", "minsi", "minui")}
_COUNTING = ("arith.mulf", "arith.muli", "arith.xori")


def along_chains(work: Recurrence, group: frozenset[str]) -> dict[str, MinMax | Multiset]:
    """The only statement of a group as a minimum, maximum, product or the like; empty for any other group."""
    if len(group) != 1:
        return {}
    (label,) = group
    found: MinMax | Multiset | None = None
    if work.expressions.element(stored(work.access(label))).startswith("i"):
        with suppress(Unprovable):
            found = _truth(work, label)
    found = found or _accumulated(work, label)
    return {} if found is None else {label: found}


def _accumulated(work: Recurrence, label: str) -> MinMax | Multiset | None:
    """The value of a statement as one reduction over everything that it accumulates; None if it is no reduction."""
    name, place = stored(work.access(label)), work.leaf_index(label)
    kind = _kind(work, name, place, label)
    if kind is None:
        return None
    found = _Operands(kind, label)
    _walk(work, found, name, place, constant(work.algebra, Fraction(1), place.domain))
    carried = _carried(work, found, place.domain)
    if carried is None:
        return None
    own = next(p for p in carried if p.recurs())
    first = place.domain.subtract(own.relation.domain())
    start = _Operand(None, restricted(tuple(p for p in carried if not p.recurs()), first), first)
    chain = _chain(work, label, isl.UnionMap.from_map(step(own, label)))
    truths = _of_truths(work, kind, [start, *found.taken_in])
    if truths is not None:
        return replace(_over_chain(ANY, truths, chain), negated=_LEAST[kind.split()[0]])
    turn = occurring if _counts(kind) else items
    values: list[Product] = []
    for taken in (start, *found.taken_in):
        guard, here = taken.guard, taken.domain
        if guard is not None:
            here = here.intersect(_support(guard, here))
            guard = restricted(guard, here)
        values += turn(work.algebra, kind, restricted(taken.value, here), here, guard)
    if _counts(kind):
        return Multiset(kind, summed(work.algebra, merged(values), chain))
    return _over_chain(kind, values, chain)


def _of_truths(work: Recurrence, kind: str, operands: list[_Operand]) -> list[Product] | None:
    """Integers that are all 0 or 1, as what is true if any of them is (or not, for the least); None if they are not."""
    if kind.split()[0] not in _LEAST:
        return None
    found: list[Product] = []
    for operand in operands:
        one = constant(work.algebra, Fraction(1), operand.domain)
        if operand.domain.is_empty() or (
            operand.guard is None and changes_nothing(kind, operand.value, operand.domain)
        ):
            continue
        always = operand.guard is None or witness(work.algebra, minus(operand.guard, one)) is None
        if not always or not is_boolean(work.algebra, operand.value):
            return None
        value = minus(one, operand.value) if _LEAST[kind.split()[0]] else operand.value
        found += items(work.algebra, ANY, value, operand.domain)
    return found


def _counts(kind: str) -> bool:
    """True if it matters how often a value is taken in."""
    return kind == PRODUCT or kind.startswith("arith.xori")


@dataclass(frozen=True)
class _Operand:
    """A value on a domain of points, where a condition holds (a truth value), if there is one."""

    guard: Sum | None
    value: Sum
    domain: Any


@dataclass
class _Operands:
    """The operands of an accumulating statement: the value that it carries on, and those that it takes in."""

    kind: str
    label: str
    carried: list[_Operand] = field(default_factory=list)
    taken_in: list[_Operand] = field(default_factory=list)


def _kind(work: Recurrence, name: str, place: Scope, label: str, deepest: int = _DEEPEST) -> str | None:
    """The kind of extreme that is nearest to a name."""
    found, arms = _chosen(work, name, place, label), _arms(work, name)
    if found is not None or not deepest:
        return found[0] if found is not None else None
    return next((k for arm in arms[1:] if (k := _kind(work, arm, place, label, deepest - 1)) is not None), None)


def _chosen(work: Recurrence, name: str, place: Scope, label: str) -> Chosen | None:
    node = work.expressions.nodes.get(name)
    if isinstance(node, Compute) and node.op in _COUNTING and node.element != "i1":
        kind = PRODUCT if SCALARS[node.op].residue == "mul" else f"{node.op} {node.element}"
        return kind, (node.args[0], node.args[1])
    own = {label: OWN + label}
    return chosen(work.algebra, work.expressions.nodes, name, lambda other: work.value(other, place, own))


def _arms(work: Recurrence, name: str) -> tuple[str, ...]:
    """Condition and operands of a selection; none if a name stands for something else."""
    node = work.expressions.nodes.get(name)
    selects = isinstance(node, Compute) and node.op in SCALARS and SCALARS[node.op].residue == "select"
    return node.args if isinstance(node, Compute) and selects else ()


def _walk(work: Recurrence, found: _Operands, name: str, place: Scope, guard: Sum) -> None:
    """Collect the operands of a name."""
    operands, arms = _chosen(work, name, place, found.label), _arms(work, name)
    if operands is not None and operands[0] == found.kind:
        for operand in operands[1]:
            _walk(work, found, operand, place, guard)
    elif arms and not _stands_alone(work, found, name, place):
        for operand, at, condition in _branches(work, found, arms, place, guard):
            _walk(work, found, operand, at, condition)
    else:
        sum_ = restricted(work.value(name, place, {found.label: OWN + found.label}), place.domain)
        side = found.carried if any(p.recurs() for p in sum_) else found.taken_in
        side.append(_Operand(guard, sum_, place.domain))


def _stands_alone(work: Recurrence, found: _Operands, name: str, place: Scope) -> bool:
    """True if a selection is one of numbers, and nothing that is carried on is in it."""
    try:
        sum_ = work.value(name, place, {found.label: OWN + found.label})
    except Unprovable:
        return False
    return not any(p.recurs() or any(leaf.startswith(ENDLESS) for leaf, _ in p.leaves) for p in sum_)


def _branches(
    work: Recurrence, found: _Operands, arms: tuple[str, ...], place: Scope, guard: Sum
) -> Iterator[tuple[str, Scope, Sum]]:
    """The operands of a selection, each with the points and the condition that it is chosen at."""
    test, yes, no = arms
    condition = work.value(test, place, {found.label: OWN + found.label})
    if any(p.recurs() for p in condition):
        raise Unprovable("what a recurrence selects depends on its value")
    where = where_true(condition, place.domain)
    if where is None:
        yield yes, place, times(work.algebra, guard, condition)
        yield no, place, minus(guard, times(work.algebra, guard, condition))
        return
    for name, domain in ((yes, where), (no, place.domain.subtract(where))):
        if not domain.is_empty():
            yield name, place.on(domain), restricted(guard, domain)


def _support(guard: Sum, domain: Any) -> Any:
    """The points at which a condition may hold."""
    points = domain.subtract(domain)
    for p in guard:
        points = points.union(p.relation.domain())
    return points


def _carried(work: Recurrence, found: _Operands, domain: Any) -> Sum | None:
    """The value that is carried on, if it is one value and the operands' conditions cover the domain; else None."""
    covered, pieces = domain.subtract(domain), list[Product]()
    for operand in found.carried:
        pieces += restricted(operand.value, operand.domain.subtract(covered))
        covered = covered.union(operand.domain)
    carried = _joined(pieces)
    own = [p for p in carried if p.recurs()]
    if len(own) != 1 or not domain.is_subset(covered):
        return None
    if any(not p.relation.intersect_domain(own[0].relation.domain()).is_empty() for p in carried if p is not own[0]):
        return None  # something is done to what is carried on
    one = constant(work.algebra, Fraction(1), domain)
    for operand in found.carried:
        if witness(work.algebra, minus(operand.value, restricted(carried, operand.domain))) is not None:
            return None
    guards = [operand.guard or () for operand in found.carried]
    total = merged(p for guard in guards for p in guard)
    always = (total,) if _counts(found.kind) else (*guards, total)
    return carried if any(witness(work.algebra, minus(guard, one)) is None for guard in always) else None


def _joined(pieces: list[Product]) -> Sum:
    """Products of one leaf and coefficient, over disjoint points, as one each."""
    found: dict[Any, Product] = {}
    for p in pieces:
        key = p.coefficient, p.leaves, p.unindexed
        found[key] = replace(p, relation=p.relation.union(found[key].relation).coalesce()) if key in found else p
    return tuple(found.values())


# ---- truth values ----------------------------------------------------------------------------------


def _truth(work: Recurrence, label: str) -> MinMax | None:
    """The value of a statement as an any or an all over truth values; None if it is neither.

    What is carried on is taken to be 0 or 1. So it is, by induction, if it is at the start and stays so.
    """
    algebra, place, own = work.algebra, work.leaf_index(label), TRUTH + OWN + label
    sum_ = work.value(stored(work.access(label)), place, {label: own})
    carried = [p for p in sum_ if p.recurs()]
    if not carried or not is_boolean(algebra, sum_):
        return None
    steps = [_taken(algebra, p, own) for p in carried]
    taken = steps[0]
    for one in steps[1:]:
        taken = taken.union(one)
    inside, start = taken.domain(), place.domain.subtract(taken.domain())
    if not taken.is_single_valued():
        return None
    factor = tuple(_without(p, own) for p in carried)
    rest = tuple(p for p in sum_ if not p.recurs())
    found = junction(algebra, rest, factor, inside)
    if found is None:
        return None
    value, negated = found
    first = restricted(rest, start)
    if negated:
        first = minus(constant(algebra, Fraction(1), start), first)
    parts = items(algebra, ANY, merged((*value, *first)), place.domain)
    named = taken.set_tuple_name(isl.dim_type.in_, label).set_tuple_name(isl.dim_type.out, label)
    return replace(_over_chain(ANY, parts, _chain(work, label, isl.UnionMap.from_map(named))), negated=negated)


def _taken(algebra: Algebra, product: Product, own: str) -> Any:
    """{[z] → [the instance whose value is a factor]}."""
    k = [name for name, _ in product.leaves].index(own)
    first, arity = product.leaf_index(k), product.leaves[k][1]
    return product.relation.apply_range(algebra.sizes.pick(product.relation.dim(OUT), range(first, first + arity)))


def _without(product: Product, own: str) -> Product:
    """The product without the value that is carried on."""
    k = [name for name, _ in product.leaves].index(own)
    relation = product.relation.project_out(OUT, product.leaf_index(k), product.leaves[k][1])
    return replace(product, leaves=product.leaves[:k] + product.leaves[k + 1 :], relation=relation)


def _chain(work: Recurrence, label: str, taken: Any) -> Any:
    """{instance → it, and all before it that it takes the value of, one after the other}."""
    found = closure(work, frozenset([label]), taken)
    domain = work.domain(label)
    chain = between(found, work.access(label).domain, work.access(label).domain)
    count = domain.dim(SET)
    itself = work.algebra.sizes.pick(count, range(count))
    return chain.union(itself).intersect_domain(domain).intersect_range(domain).coalesce()


def _over_chain(kind: str, values: list[Product], chain: Any) -> MinMax:
    """The extreme of the values at an instance and at all before it in its chain."""
    return MinMax(kind, tuple(replace(p, relation=chain.apply_range(p.relation)) for p in values))
