"""Which operations, and which selections, take the larger or the smaller of two values, or their bits together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from affine.program import Compute, IndexValue, Load
from grammar.scalar import SCALARS, predicate
from validate.products import Algebra, Sum, Unprovable, minus, scaled
from validate.vanish import witness

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
