"""Maxima and minima, and bitwise operations like them, as one leaf over the set of their operands.

Order and repetition of the operands do not matter. An operand that takes part under a condition only carries that
condition (`raising.validate.normal_form.guarded`). Which operations, and which selections, are such an extremum is
decided here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from raising.affine.ir.integer_types import limits
from raising.affine.ir.program import Compute, IndexValue, Load
from raising.grammar.terms.scalar_ops import SCALARS, neutral, predicate
from raising.support.record import dataclass
from raising.validate.normal_form.atoms import SET_VALUED, applied
from raising.validate.normal_form.guarded import NOT, cases, conditional, literals_in_order, turned
from raising.validate.normal_form.is_zero import witness
from raising.validate.normal_form.isl_spaces import OUT, unite
from raising.validate.normal_form.position_forms import folded
from raising.validate.normal_form.sum_of_products import (
    TRUTH,
    Algebra,
    Leaf,
    Product,
    Sum,
    Unprovable,
    constant,
    merged,
    minus,
    pulled,
    restricted,
    scaled,
    support,
)

VALUE = "value"
"""The operation of an atom that stands for a sum, where a leaf is needed."""
ANY = "any"
"""The kind whose values are truth values: true if one of them is."""


@dataclass(frozen=True)
class MinMax:
    """The extreme of a `kind` (see `chosen`, and `ANY`) of the values in `parts` at each instance of a statement, or
    its opposite.

    It is worked out where it is used: what a loop holds before its end depends on its order, the end does not.
    """

    kind: str
    parts: tuple[Product, ...]
    negated: bool = False

    def at(self, algebra: Algebra, function: Any) -> Sum:
        """The extreme at function(z), for a single-valued {[z] → [instance]}."""
        found = extreme(algebra, self.kind, list(pulled(self.parts, function)), function.domain())
        return minus(constant(algebra, Fraction(1), function.domain()), found) if self.negated else found


def extreme(algebra: Algebra, kind: str, parts: list[Product], domain: Any) -> Sum:
    """The extreme of all values that the relations of `parts` (see `items`) give a point."""
    values: dict[tuple[Leaf, ...], Any] = {}
    for p in (q for part in parts for q in _flat(algebra, kind, part)):
        if not p.relation.is_empty():
            unite(values, p.leaves, p.relation)
    _decide(algebra, values)
    values = {k: r for k in values if not (r := _unconditional(algebra, k, values)).is_empty()}
    found = [Product(Fraction(1), k, 0, r.coalesce()) for k, r in sorted(values.items(), key=lambda kv: kv[0])]
    result: list[Product] = []
    for p in (p for p in found if len(p.leaves) == 1):
        alone = _alone(p, found, domain)
        result += _itself(algebra, replace(p, relation=p.relation.intersect_domain(alone)))
        domain = domain.subtract(alone)
    if kind == ANY:
        domain = domain.intersect(support(found, domain))
    if not domain.is_empty():
        result += applied(algebra, _operation(kind), [restricted(tuple(found), domain)], domain)
    return merged(p for p in result if not p.relation.is_empty())


def _operation(kind: str) -> str:
    return (TRUTH if kind == ANY else "") + SET_VALUED + kind


def _decide(algebra: Algebra, values: dict[tuple[Leaf, ...], Any]) -> None:
    """Drop a condition from values that occur both where it holds and where it does not; changes `values`."""
    pending = sorted(k for k in values if _negative(k))
    while pending:
        key = pending.pop()
        for k in (k for k, (name, _) in enumerate(key[:-1]) if name.startswith(NOT)):
            held = turned(algebra, Product(Fraction(1), key, 0, values[key]), k)
            if held.leaves not in values:
                continue
            both = held.relation.intersect(values[held.leaves])
            if both.is_empty():
                continue
            place = held.leaves.index((key[k][0].removeprefix(NOT), key[k][1]))
            values[held.leaves] = values[held.leaves].subtract(both)
            values[key] = turned(algebra, replace(held, relation=held.relation.subtract(both)), place).relation
            more = replace(held, relation=both).without(place)
            unite(values, more.leaves, more.relation)
            pending += [more.leaves] if _negative(more.leaves) else []


def _negative(leaves: tuple[Leaf, ...]) -> bool:
    """True for a value under a condition that does not hold."""
    return any(name.startswith(NOT) for name, _ in leaves[:-1])


def _unconditional(algebra: Algebra, leaves: tuple[Leaf, ...], values: Mapping[tuple[Leaf, ...], Any]) -> Any:
    """Where a value under conditions is one that is not there without."""
    relation = values[leaves]
    if len(leaves) > 1 and leaves[-1:] in values:
        count = relation.dim(OUT)
        last = algebra.sizes.pick(count, range(count - leaves[-1][1], count))
        relation = relation.subtract(values[leaves[-1:]].apply_range(last.reverse()))
    return relation


def _alone(product: Product, others: list[Product], domain: Any) -> Any:
    """The points at which one value is the only one."""
    relation = product.relation
    single = relation.lexmin().intersect(relation.lexmax()).domain() if relation.dim(OUT) else relation.domain()
    for other in others:
        if other is not product:
            single = single.subtract(other.relation.domain())
    return single.intersect(domain)


def _itself(algebra: Algebra, product: Product) -> Sum:
    """A value of one leaf; the sum where the leaf stands for one."""
    ((name, _),) = product.leaves
    if not name.removeprefix(TRUTH).startswith(VALUE + "#") or product.relation.is_empty():
        return (product,)
    return pulled(algebra.atom(name).arguments[0], product.relation)


def items(algebra: Algebra, kind: str, sum_: Sum, domain: Any, guard: Sum | None = None) -> list[Product]:
    """A sum as values of leaves: piece by piece where it is one leaf there, else as a leaf of its own.

    With a `guard`, a truth value, it is one of the values only where that holds.
    """
    if kind == ANY:
        assert guard is None
        return _plain_items(algebra, kind, sum_, domain)
    found = []
    for case in cases(algebra, sum_, domain, guard):
        pieces = _plain_items(algebra, kind, case.value, case.domain)
        found += [conditional(algebra, p, case) for p in pieces]
    return found


def _plain_items(algebra: Algebra, kind: str, sum_: Sum, domain: Any) -> list[Product]:
    pieces, rest, sum_ = [], domain, folded(algebra, sum_, domain)
    for p in sum_:
        region = p.relation.domain().intersect(domain)
        plain = p.is_leaf and p.relation.is_single_valued()
        if not plain and p.leaves or not region.is_subset(rest):
            return _wrapped(algebra, kind, sum_, domain)
        rest = rest.subtract(region)
        here = replace(p, relation=p.relation.intersect_domain(domain))
        if _changes_nothing(kind, p):
            continue
        pieces += [here] if p.leaves else _wrapped(algebra, kind, (here,), region)
    if rest.is_empty() or _changes_nothing(kind, Product(Fraction(0), (), 0, None)):
        return pieces
    return [*pieces, *_wrapped(algebra, kind, (), rest)]


def _wrapped(algebra: Algebra, kind: str, sum_: Sum, domain: Any) -> list[Product]:
    return list(applied(algebra, (TRUTH if kind == ANY else "") + VALUE, [sum_], domain))


def _changes_nothing(kind: str, product: Product) -> bool:
    """True for a value that is no larger (smaller) than any other, or alike."""
    if kind in ("greater", "less"):
        return product.leaves == ((f"constant {'-' if kind == 'greater' else ''}inf", 0),)
    if product.leaves or product.unindexed:
        return False
    return product.coefficient == (0 if kind == ANY else _neutral(*kind.split()))


def changes_nothing(kind: str, sum_: Sum, domain: Any) -> bool:
    """True for a sum that is, on all of a domain, no larger (smaller) than any other, or alike."""
    return all(_changes_nothing(kind, p) for p in sum_) and bool(domain.is_subset(support(sum_, domain)))


def _neutral(operation: str, element: str) -> Fraction:
    """The integer of a type that changes nothing; a finite one for each type."""
    value = neutral(operation)
    if value in (float("inf"), float("-inf")):
        return Fraction(limits(element)[value > 0])
    return Fraction(value)


def _flat(algebra: Algebra, kind: str, product: Product) -> list[Product]:
    """A value that is itself the largest of several, as those."""
    name, arity = product.leaves[-1]
    if not name.startswith(_operation(kind) + "#"):
        return [product]
    count = product.relation.dim(OUT) - arity
    kept = algebra.sizes.pick(count, range(count))
    found = []
    for p in algebra.atom(name).arguments[0]:
        inner = kept.flat_product(p.relation) if count else p.relation
        leaves, relation = (*product.leaves[:-1], *p.leaves), product.relation.apply_range(inner)
        found.append(literals_in_order(algebra, replace(p, leaves=leaves, relation=relation)))
    return found


Nodes = Mapping[str, Load | Compute | IndexValue]
Chosen = tuple[str, tuple[str, str]]
_OF_BITS = ("arith.andi", "arith.ori")
_ORDERS = ("greater", "less", "unsigned_greater", "unsigned_less")


def chosen(algebra: Algebra, nodes: Nodes, name: str, value: Callable[[str], Sum]) -> Chosen | None:
    """The kind and the two operands if a name stands for an extreme; `value` gives what other names stand for.

    `greater` or `less` for floats, also by a selection in their order or by the sign of their difference; for integers
    the operation and the type, which has its own order, or bits.
    """
    node = nodes.get(name)
    if not isinstance(node, Compute) or node.op not in SCALARS:
        return None
    kind = SCALARS[node.op].residue
    if kind in _ORDERS or (node.op in _OF_BITS and node.element != "i1"):
        return (f"{node.op} {node.element}" if node.element.startswith("i") else kind), (node.args[0], node.args[1])
    test = nodes.get(node.args[0]) if kind == "select" else None
    if not isinstance(test, Compute) or test.op != "arith.cmpf":
        return None
    comparison = predicate(test.op, test.attrs)
    if comparison[0] not in "gl":
        return None
    sign = _sign(algebra, node.args[1:], test.args, value)
    if not sign:
        return None
    return ("greater" if (comparison[0] == "g") == (sign > 0) else "less"), (node.args[1], node.args[2])


def _sign(algebra: Algebra, chosen_: tuple[str, ...], tested: tuple[str, ...], value: Callable[[str], Sum]) -> int:
    """The sign of the number that one difference is of another; 0 if it is not known to be a multiple of it."""
    if set(chosen_) == set(tested):
        return 1 if chosen_ == tested else -1
    try:
        one, other = (minus(value(a), value(b)) for a, b in (chosen_, tested))
        if not one or sorted(p.leaves for p in one) != sorted(p.leaves for p in other):
            return 0
        first = one[0].leaves
        number, divisor = (sum((p.coefficient for p in s if p.leaves == first), Fraction(0)) for s in (one, other))
        ratio = number / divisor if divisor else Fraction(0)
        multiple = ratio and witness(algebra, minus(one, scaled(other, ratio))) is None
    except Unprovable:
        return 0
    return (1 if ratio > 0 else -1) if multiple else 0
