"""The largest and the least of values, as an atom over the set of them: order and repetition do not matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from affine.program import Compute, IndexValue, Load
from affine.record import dataclass
from grammar.scalar import SCALARS, predicate
from validate.atoms import SET_VALUED, applied
from validate.products import Algebra, Leaf, Product, Sum, merged, pulled, restricted
from validate.spaces import OUT

VALUE = "value"
"""The operation of an atom that stands for a sum, where a leaf is needed."""


@dataclass(frozen=True)
class Extreme:
    """The `greater` or `less` of the values in `parts` at each instance of a statement.

    It is worked out where it is used: what a loop holds before its end depends on its order, the end does not.
    """

    kind: str
    parts: tuple[Product, ...]

    def at(self, algebra: Algebra, function: Any) -> Sum:
        """The extreme at function(z), for a single-valued {[z] → [instance]}."""
        return extreme(algebra, self.kind, list(pulled(self.parts, function)), function.domain())


def extreme(algebra: Algebra, kind: str, parts: list[Product], domain: Any) -> Sum:
    """The `greater` or `less` of all values that the relations of `parts` (see `items`) give a point."""
    values: dict[tuple[Leaf, ...], Any] = {}
    for p in (q for part in parts for q in _flat(algebra, kind, part)):
        if not p.relation.is_empty():
            values[p.leaves] = p.relation.union(values[p.leaves]) if p.leaves in values else p.relation
    found = [Product(Fraction(1), k, 0, r.coalesce()) for k, r in sorted(values.items(), key=lambda kv: kv[0])]
    result: list[Product] = []
    for p in found:
        alone = _alone(p, found, domain)
        result.append(replace(p, relation=p.relation.intersect_domain(alone)))
        domain = domain.subtract(alone)
    if not domain.is_empty():
        result += applied(algebra, SET_VALUED + kind, [restricted(tuple(found), domain)], domain)
    return merged(p for p in result if not p.relation.is_empty())


def _alone(product: Product, others: list[Product], domain: Any) -> Any:
    """The points at which one value is the only one."""
    relation = product.relation
    single = relation.lexmin().intersect(relation.lexmax()).domain() if relation.dim(OUT) else relation.domain()
    for other in others:
        if other is not product:
            single = single.subtract(other.relation.domain())
    return single.intersect(domain)


def items(algebra: Algebra, kind: str, sum_: Sum, domain: Any) -> list[Product]:
    """A sum as values of leaves: piece by piece where it is one leaf there, else as a leaf of its own."""
    pieces, rest = [], domain
    for p in sum_:
        region = p.relation.domain().intersect(domain)
        plain = p.coefficient == 1 and len(p.leaves) == 1 and not p.ghosts and p.relation.is_single_valued()
        if not plain or not region.is_subset(rest):
            return _wrapped(algebra, sum_, domain)
        rest = rest.subtract(region)
        if p.leaves != ((_unbounded(kind), 0),):
            pieces.append(replace(p, relation=p.relation.intersect_domain(domain)))
    return pieces if rest.is_empty() else [*pieces, *_wrapped(algebra, (), rest)]


def _wrapped(algebra: Algebra, sum_: Sum, domain: Any) -> list[Product]:
    return list(applied(algebra, VALUE, [sum_], domain))


def _unbounded(kind: str) -> str:
    """The leaf that is no larger (smaller) than any other."""
    return "constant -inf" if kind == "greater" else "constant inf"


def _flat(algebra: Algebra, kind: str, product: Product) -> list[Product]:
    """A value that is itself the largest of several, as those."""
    ((name, _),) = product.leaves
    if not name.startswith(SET_VALUED + kind + "#"):
        return [product]
    inner = algebra.atom(name).arguments[0]
    return [replace(p, relation=product.relation.apply_range(p.relation)) for p in inner]


def chosen(nodes: Mapping[str, Load | Compute | IndexValue], value: str) -> tuple[str, tuple[str, str]] | None:
    """("greater" or "less", the two operands) if a name stands for one of two floats by their order."""
    node = nodes.get(value)
    if not isinstance(node, Compute) or node.op not in SCALARS:
        return None
    kind = SCALARS[node.op].residue
    if kind in ("greater", "less") and not node.element.startswith("i"):
        return kind, (node.args[0], node.args[1])
    test = nodes.get(node.args[0]) if kind == "select" else None
    if not isinstance(test, Compute) or test.op != "arith.cmpf" or set(test.args) != set(node.args[1:]):
        return None
    comparison = predicate(test.op, test.attrs)
    if comparison[0] not in "gl":
        return None
    keeps_first = test.args == node.args[1:]
    return ("greater" if (comparison[0] == "g") == keeps_first else "less"), (node.args[1], node.args[2])
