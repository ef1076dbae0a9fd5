"""Integers as sums of products of other values, modulo a power of two, for the comparison of trees.

Additions of integers may be done in any order, and a count of what holds, `k = c ? k + 1 : k`, is `k` plus the truth
value `c` taken for 0 or 1. Equal sums get equal numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from raising.affine.ir.integer_types import wrapped

Terms = Mapping[tuple[int, ...], int]
"""Coefficients of products of trees; of the empty product, the constant."""

_MOST = 256
"""Terms in a sum; of more than these, the order is compared."""


class Sums:
    """Which trees are sums, and of what. Trees of truth values occur once in a product: they are their own square."""

    def __init__(self) -> None:
        self._sums: dict[int, Terms] = {}
        self._truths: set[int] = set()

    def truth(self, tree: int, opposite: int | None, known: int | None) -> Terms:
        """A truth value as 0 or 1: by its opposite, if that is given."""
        if known is not None:
            return {(): known & 1}
        if opposite is not None:
            return _added({(): 1}, self.truth(opposite, None, None), -1)
        self._truths.add(tree)
        return {(tree,): 1}

    def terms(self, tree: int, known: int | None) -> Terms:
        """What an integer is the sum of: itself, if it is no sum."""
        return {(): known} if known is not None else self._sums.get(tree, {(tree,): 1})

    def only_truth(self, tree: int) -> int | None:
        """The truth value that a number is, taken for 0 or 1."""
        terms = self._sums.get(tree, {})
        ((product, factor),) = terms.items() if len(terms) == 1 else (((), 0),)
        return product[0] if factor == 1 and len(product) == 1 and product[0] in self._truths else None

    def computed(self, operation: str, terms: Sequence[Terms], element: str) -> Terms | None:
        """The result of an operation on integers of a type; None of one that makes no sum, or too long a one."""
        found: Mapping[tuple[int, ...], int] | None
        match operation:
            case "arith.addi":
                found = _added(terms[0], terms[1])
            case "arith.subi":
                found = _added(terms[0], terms[1], -1)
            case "arith.muli":
                found = self._product(terms[0], terms[1])
            case "arith.select":
                chosen = self._product(terms[0], _added(terms[1], terms[2], -1))
                found = None if chosen is None else _added(terms[2], chosen)
            case "arith.extui":
                found = terms[0]
            case _:
                return None
        exact = {k: n for k, c in (found or {}).items() if (n := wrapped(c, element))}
        return None if found is None or len(exact) > _MOST else exact

    def _product(self, one: Terms, other: Terms) -> dict[tuple[int, ...], int] | None:
        """A product, multiplied out; None of one that is too long."""
        found: dict[tuple[int, ...], int] = {}
        if len(one) * len(other) > _MOST:
            return None
        for a, x in one.items():
            for b, y in other.items():
                factors = sorted(a + b)
                kept = tuple(t for k, t in enumerate(factors) if t not in self._truths or factors[k - 1 : k] != [t])
                found[kept] = found.get(kept, 0) + x * y
        return found

    def tree(self, terms: Terms, element: str, tree: Callable[..., int]) -> int:
        """The tree of a sum of a type; `tree` numbers what is new."""
        if len(terms) == 1:
            ((product, factor),) = terms.items()
            if factor == 1 and len(product) == 1 and product[0] not in self._truths:
                return product[0]
        found = tree("sum", element, tuple(sorted(terms.items())))
        self._sums[found] = terms
        return found


def _added(one: Terms, other: Terms, factor: int = 1) -> dict[tuple[int, ...], int]:
    found = dict(one)
    for k, c in other.items():
        found[k] = found.get(k, 0) + factor * c
    return found
