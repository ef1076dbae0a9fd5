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
from raising.validate.normal_form.isl_spaces import SET, between, union
from raising.validate.normal_form.min_max import ANY, Chosen, MinMax, changes_nothing, chosen, items
from raising.validate.normal_form.multisets import PRODUCT, Multiset, occurring
from raising.validate.normal_form.sum_of_products import (
    OWN,
    TRUTH,
    Product,
    Sum,
    Unprovable,
    access,
    constant,
    merged,
    minus,
    restricted,
    summed,
    support,
)
from raising.validate.normal_form.truth_values import is_boolean, junction, where_true
from raising.validate.proof.values.closed_forms import Statements, closure, step
from raising.validate.proof.values.value_expressions import ENDLESS, Scope

_DEEPEST = 16  # operations above one another
_LEAST = {f"arith.{name}": False for name in ("ori", "maxsi", "maxui")}
_LEAST |= {f"arith.{name}": True for name in ("andi", "minsi", "minui")}
_COUNTING = ("arith.mulf", "arith.muli", "arith.xori")


def along_chains(statements: Statements, group: frozenset[str]) -> dict[str, MinMax | Multiset]:
    """The only statement of a group as a minimum, maximum, product or the like; empty for any other group."""
    if len(group) != 1:
        return {}
    (label,) = group
    found: MinMax | Multiset | None = None
    if statements.expressions.element(statements.value(label)).startswith("i"):
        with suppress(Unprovable):
            found = _truth(statements, label)
    found = found or _accumulated(statements, label)
    return {} if found is None else {label: found}


def _accumulated(statements: Statements, label: str) -> MinMax | Multiset | None:
    """The value of a statement as one reduction over everything that it accumulates; None if it is no reduction."""
    name, scope = statements.value(label), statements.scope(label, {label: OWN + label})
    kind = _kind(statements, name, scope)
    if kind is None:
        return None
    operands = _Operands(statements, kind)
    operands.collect(name, scope, constant(statements.algebra, Fraction(1), scope.domain))
    carried = operands.carried_value(scope.domain)
    if carried is None:
        return None
    own = next(p for p in carried if p.recurs())
    first = scope.domain.subtract(own.relation.domain())
    start = _Operand(None, restricted(tuple(p for p in carried if not p.recurs()), first), first)
    chain = _chain(statements, label, isl.UnionMap.from_map(step(own, label)))
    truths = _of_truths(statements, kind, [start, *operands.taken_in])
    if truths is not None:
        return replace(_over_chain(ANY, truths, chain), negated=_LEAST[kind.split()[0]])
    turn = occurring if _counts(kind) else items
    values: list[Product] = []
    for taken in (start, *operands.taken_in):
        guard, here = taken.guard, taken.domain
        if guard is not None:
            here = here.intersect(support(guard, here))
            guard = restricted(guard, here)
        values += turn(statements.algebra, kind, restricted(taken.value, here), here, guard)
    if _counts(kind):
        return Multiset(kind, summed(statements.algebra, merged(values), chain))
    return _over_chain(kind, values, chain)


def _of_truths(statements: Statements, kind: str, operands: list[_Operand]) -> list[Product] | None:
    """Integers that are all 0 or 1, as what is true if any of them is (or not, for the least); None if they are not."""
    if kind.split()[0] not in _LEAST:
        return None
    found: list[Product] = []
    for operand in operands:
        one = constant(statements.algebra, Fraction(1), operand.domain)
        if operand.domain.is_empty() or (
            operand.guard is None and changes_nothing(kind, operand.value, operand.domain)
        ):
            continue
        always = operand.guard is None or witness(statements.algebra, minus(operand.guard, one)) is None
        if not always or not is_boolean(statements.algebra, operand.value):
            return None
        value = minus(one, operand.value) if _LEAST[kind.split()[0]] else operand.value
        found += items(statements.algebra, ANY, value, operand.domain)
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
    """The operands of an accumulation of one kind: the value that it carries on, and those that it takes in."""

    statements: Statements
    kind: str
    carried: list[_Operand] = field(default_factory=list)
    taken_in: list[_Operand] = field(default_factory=list)

    def collect(self, name: str, scope: Scope, guard: Sum) -> None:
        """The operands of a name, down through operations of the kind and through selections."""
        operands, arms = _operation(self.statements, name, scope), _arms(self.statements, name)
        if operands is not None and operands[0] == self.kind:
            for operand in operands[1]:
                self.collect(operand, scope, guard)
        elif arms and not self._selects_numbers(name, scope):
            for operand, branch, condition in self._branches(arms, scope, guard):
                self.collect(operand, branch, condition)
        else:
            sum_ = restricted(self.statements.definition(name, scope), scope.domain)
            side = self.carried if any(p.recurs() for p in sum_) else self.taken_in
            side.append(_Operand(guard, sum_, scope.domain))

    def _selects_numbers(self, name: str, scope: Scope) -> bool:
        """True if a selection has a value of its own: of finite numbers, and without what is carried on."""
        try:
            sum_ = self.statements.definition(name, scope)
        except Unprovable:
            return False
        return not any(p.recurs() or any(leaf.startswith(ENDLESS) for leaf, _ in p.leaves) for p in sum_)

    def _branches(self, arms: tuple[str, ...], scope: Scope, guard: Sum) -> Iterator[tuple[str, Scope, Sum]]:
        """The operands of a selection, each with the points and the condition that it is chosen at."""
        test, yes, no = arms
        condition = self.statements.definition(test, scope)
        if any(p.recurs() for p in condition):
            raise Unprovable("what a recurrence selects depends on its value")
        where = where_true(condition, scope.domain)
        if where is None:
            both = times(self.statements.algebra, guard, condition)
            yield from ((yes, scope, both), (no, scope, minus(guard, both)))
            return
        for name, domain in ((yes, where), (no, scope.domain.subtract(where))):
            if not domain.is_empty():
                yield name, scope.on(domain), restricted(guard, domain)

    def carried_value(self, domain: Any) -> Sum | None:
        """What is carried on, if it is one value and the operands' conditions cover the domain; else None."""
        algebra = self.statements.algebra
        covered, pieces = domain.subtract(domain), list[Product]()
        for operand in self.carried:
            pieces += restricted(operand.value, operand.domain.subtract(covered))
            covered = covered.union(operand.domain)
        value = _joined(pieces)
        own = [p for p in value if p.recurs()]
        if len(own) != 1 or not domain.is_subset(covered):
            return None
        if any(not p.relation.intersect_domain(own[0].relation.domain()).is_empty() for p in value if p is not own[0]):
            return None  # something is done to what is carried on
        if any(witness(algebra, minus(o.value, restricted(value, o.domain))) is not None for o in self.carried):
            return None
        one = constant(algebra, Fraction(1), domain)
        guards = [operand.guard or () for operand in self.carried]
        total = merged(p for guard in guards for p in guard)
        always = (total,) if _counts(self.kind) else (*guards, total)
        return value if any(witness(algebra, minus(guard, one)) is None for guard in always) else None


def _kind(statements: Statements, name: str, scope: Scope, deepest: int = _DEEPEST) -> str | None:
    """The kind of the operation that is nearest to a name, through selections."""
    operation, arms = _operation(statements, name, scope), _arms(statements, name)
    if operation is not None or not deepest:
        return operation[0] if operation is not None else None
    return next((k for arm in arms[1:] if (k := _kind(statements, arm, scope, deepest - 1)) is not None), None)


def _operation(statements: Statements, name: str, scope: Scope) -> Chosen | None:
    """The reduction that defines a name, by its kind, and its two operands; None if nothing of that sort does."""
    nodes = statements.expressions.nodes
    node = nodes.get(name)
    if isinstance(node, Compute) and node.op in _COUNTING and node.element != "i1":
        kind = PRODUCT if SCALARS[node.op].residue == "mul" else f"{node.op} {node.element}"
        return kind, (node.args[0], node.args[1])
    return chosen(statements.algebra, nodes, name, lambda other: statements.definition(other, scope))


def _arms(statements: Statements, name: str) -> tuple[str, ...]:
    """Condition and operands of a selection; none if a name stands for something else."""
    node = statements.expressions.nodes.get(name)
    selects = isinstance(node, Compute) and node.op in SCALARS and SCALARS[node.op].residue == "select"
    return node.args if isinstance(node, Compute) and selects else ()


def _joined(pieces: list[Product]) -> Sum:
    """Products of one leaf and coefficient, over disjoint points, as one each."""
    found: dict[Any, Product] = {}
    for p in pieces:
        key = p.coefficient, p.leaves, p.unindexed
        found[key] = replace(p, relation=p.relation.union(found[key].relation).coalesce()) if key in found else p
    return tuple(found.values())


# ---- truth values ----------------------------------------------------------------------------------


def _truth(statements: Statements, label: str) -> MinMax | None:
    """The value of a statement as an any or an all over truth values; None if it is neither.

    What is carried on is taken to be 0 or 1. So it is, by induction, if it is at the start and stays so.
    """
    algebra, own = statements.algebra, TRUTH + OWN + label
    scope = statements.scope(label, {label: own})
    sum_ = statements.definition(statements.value(label), scope)
    carried = [p for p in sum_ if p.recurs()]
    if not carried or not is_boolean(algebra, sum_):
        return None
    places = [[name for name, _ in p.leaves].index(own) for p in carried]
    taken = union(access(algebra, p, k) for p, k in zip(carried, places, strict=True))
    inside, start = taken.domain(), scope.domain.subtract(taken.domain())
    if not taken.is_single_valued():
        return None
    factor = tuple(p.without(k) for p, k in zip(carried, places, strict=True))
    rest = tuple(p for p in sum_ if not p.recurs())
    found = junction(algebra, rest, factor, inside)
    if found is None:
        return None
    value, negated = found
    first = restricted(rest, start)
    if negated:
        first = minus(constant(algebra, Fraction(1), start), first)
    parts = items(algebra, ANY, merged((*value, *first)), scope.domain)
    named = taken.set_tuple_name(isl.dim_type.in_, label).set_tuple_name(isl.dim_type.out, label)
    return replace(_over_chain(ANY, parts, _chain(statements, label, isl.UnionMap.from_map(named))), negated=negated)


def _chain(statements: Statements, label: str, taken: Any) -> Any:
    """{instance → it, and all before it that it takes the value of, one after the other}."""
    domain = statements.domain(label)
    chain = between(
        closure(statements, frozenset([label]), taken), statements.access(label).domain, statements.access(label).domain
    )
    count = domain.dim(SET)
    itself = statements.algebra.sizes.pick(count, range(count))
    return chain.union(itself).intersect_domain(domain).intersect_range(domain).coalesce()


def _over_chain(kind: str, values: list[Product], chain: Any) -> MinMax:
    """The extreme of the values at an instance and at all before it in its chain."""
    return MinMax(kind, tuple(replace(p, relation=chain.apply_range(p.relation)) for p in values))
