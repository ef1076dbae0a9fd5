"""Sums of products: the normal form of a program's values, over all iterations and sizes at once.

A value that depends on a point z of a statement's iteration domain is a sum of `Product`s. One product stands for

    Σ coefficient · Π leaf[index]     over all (ghosts, indices) in relation(z)

where leaves are elements of inputs and of hash-consed atoms (`raising.validate.normal_form.atoms`), and ghosts are
summed iterators that no index mentions: they only count. Names of iterators are gone, so two loop nests that compute
the same sum have the same form, whatever their order, tiling or temporaries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Any

from raising.affine.polyhedral.scop import holds
from raising.support.record import dataclass
from raising.validate.base.assumption import Assumption
from raising.validate.normal_form.isl_spaces import IN, OUT, SET, Sizes, names, points
from raising.validate.reading.pair import Assumptions

Leaf = tuple[str, int]
"""A name and its number of indices."""

INVERSE = "1/"
"""In front of a leaf's name: one over the leaf."""
TRUTH = "?"
"""In front of a leaf's name: it is 0 or 1."""
POSITION = "position"
"""The leaf whose element at v is the number v."""
OWN = "@"
"""In front of a leaf's name: the value of a statement that is still being worked out."""


class Unprovable(Exception):
    """A program outside of what the normal form covers; the message is the reason of an `Unknown`."""


@dataclass(frozen=True)
class Product:
    """One term; `relation` is {[z] → [ghosts, the indices of each leaf]}."""

    coefficient: Fraction
    leaves: tuple[Leaf, ...]
    unindexed: int
    relation: Any

    def leaf_index(self, k: int) -> int:
        """The position of the first index of leaf k in the relation's range."""
        return self.unindexed + sum(arity for _, arity in self.leaves[:k])

    def places(self, k: int) -> range:
        """The positions of the indices of leaf k in the relation's range."""
        first = self.leaf_index(k)
        return range(first, first + self.leaves[k][1])

    def without(self, k: int) -> Product:
        """The product without leaf k."""
        relation = self.relation.project_out(OUT, self.leaf_index(k), self.leaves[k][1])
        return replace(self, leaves=self.leaves[:k] + self.leaves[k + 1 :], relation=relation)

    @property
    def is_leaf(self) -> bool:
        """True if it is one leaf, once."""
        return self.coefficient == 1 and len(self.leaves) == 1 and not self.unindexed

    def recurs(self) -> bool:
        """True if it holds the value of a statement that is still being worked out."""
        return any(OWN in name for name, _ in self.leaves)


Sum = tuple[Product, ...]


@dataclass
class Atom:
    """A function value: `operation` applied to `arguments`, each a sum over [y] in `domain`."""

    name: str
    operation: str
    dims: int
    arguments: list[Sum]
    domain: Any


@dataclass
class Algebra:
    """The context that all sums of one comparison share: sizes, atoms, and the assumptions that were made.

    `fixed` are the sizes of the files. What holds there may be assumed; the sizes at which it does not are `left_out`.
    With `by_place`, atoms have the places that they read as coordinates; `has_places` says that some could have.
    `numbers` are leaves that are sizes, with their names.
    """

    sizes: Sizes
    known: Assumptions
    fixed: Mapping[str, int] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)
    atoms: list[Atom] = field(default_factory=list)
    assumed: dict[Assumption, None] = field(default_factory=dict)
    undefined: int = 0
    left_out: Any = None
    by_place: bool = False
    has_places: bool = False

    def anew(self, by_place: bool = False) -> Algebra:
        """The same with nothing worked out yet."""
        return Algebra(self.sizes, self.known, self.fixed, self.numbers, by_place=by_place)

    def allows(self, wrong: Any) -> bool:
        """True if a set of sizes (or None, the empty set) may be left out."""
        return wrong is None or bool(self.fixed and not holds(wrong, self.fixed))

    def leave_out(self, wrong: Any) -> None:
        """Leave out a set of sizes; None is empty."""
        if wrong is not None:
            self.left_out = wrong if self.left_out is None else self.left_out.union(wrong)

    def atom(self, name: str) -> Atom:
        """The atom of that name."""
        return next(a for a in self.atoms if a.name == name)


def constant(algebra: Algebra, value: Fraction, domain: Any) -> Sum:
    """A number, on a domain of points."""
    if not value:
        return ()
    empty = algebra.sizes.map(f"{{ [{names(domain.dim(SET))}] -> [] }}")
    return (Product(value, (), 0, empty.intersect_domain(domain)),)


def leaf(algebra: Algebra, name: str, access: Any) -> Sum:
    """An element of an input; `access` is {[z] → [indices]}."""
    known = algebra.known
    if name in known.symmetric:
        access = access.apply_range(algebra.sizes.map("{ [i, j] -> [i, j] : i >= j; [i, j] -> [j, i] : i < j }"))
    if name in known.lower:
        access = access.intersect_range(algebra.sizes.set("{ [i, j] : i >= j }"))
    if name in known.upper:
        access = access.intersect_range(algebra.sizes.set("{ [i, j] : i <= j }"))
    return (Product(Fraction(1), ((name, access.dim(OUT)),), 0, access),)


def scaled(sum_: Sum, factor: Fraction | int) -> Sum:
    """The sum times a number."""
    return tuple(replace(p, coefficient=p.coefficient * factor) for p in sum_) if factor else ()


def merged(products: Iterable[Product]) -> Sum:
    """Products of the same leaves over the same points as one."""
    groups: dict[tuple[tuple[Leaf, ...], int], list[Product]] = {}
    for p in products:
        group = groups.setdefault((p.leaves, p.unindexed), [])
        for k, other in enumerate(group):
            if other.relation.plain_is_equal(p.relation):
                group[k] = replace(other, coefficient=other.coefficient + p.coefficient)
                break
        else:
            group.append(p)
    return tuple(p for group in groups.values() for p in group if p.coefficient)


def added(one: Sum, other: Sum) -> Sum:
    """The sum of both."""
    return merged((*one, *other))


def minus(one: Sum, other: Sum) -> Sum:
    """The difference of two sums."""
    return added(one, scaled(other, -1))


def multiplied(algebra: Algebra, one: Sum, other: Sum) -> Sum:
    """The product, with leaves in order of their names; nothing is cancelled yet."""
    found = []
    for p in one:
        for q in other:
            relation = p.relation.flat_range_product(q.relation)
            if relation.is_empty():
                continue
            n, m = p.relation.dim(OUT), q.relation.dim(OUT)
            order = [
                *range(p.unindexed),
                *range(n, n + q.unindexed),
                *range(p.unindexed, n),
                *range(n + q.unindexed, n + m),
            ]
            relation = permuted(algebra, relation, order)
            both = Product(p.coefficient * q.coefficient, p.leaves + q.leaves, p.unindexed + q.unindexed, relation)
            found.append(in_order(algebra, both))
    return merged(found)


def permuted(algebra: Algebra, relation: Any, order: Sequence[int]) -> Any:
    """The relation with only the range coordinates in `order`, in that order."""
    count = relation.dim(OUT)
    return relation if list(order) == list(range(count)) else relation.apply_range(algebra.sizes.pick(count, order))


def access(algebra: Algebra, product: Product, k: int) -> Any:
    """{[z] → [the indices of leaf k]}."""
    return permuted(algebra, product.relation, product.places(k))


def support(sum_: Iterable[Product], domain: Any) -> Any:
    """The points at which a product has a value; they are of the space of `domain`."""
    points = domain.subtract(domain)
    for p in sum_:
        points = points.union(p.relation.domain())
    return points


def in_order(algebra: Algebra, product: Product) -> Product:
    """Leaves sorted by name."""
    order = sorted(range(len(product.leaves)), key=lambda k: product.leaves[k][0])
    indices = [d for k in order for d in product.places(k)]
    relation = permuted(algebra, product.relation, [*range(product.unindexed), *indices])
    return replace(product, leaves=tuple(product.leaves[k] for k in order), relation=relation)


def pulled(sum_: Sum, function: Any) -> Sum:
    """The sum at function(z), for a single-valued {[z] → [z']}."""
    moved = (replace(p, relation=function.apply_range(p.relation)) for p in sum_)
    return tuple(p for p in moved if not p.relation.is_empty())


def restricted(sum_: Sum, domain: Any) -> Sum:
    """The sum on the points of a domain."""
    cut = (replace(p, relation=p.relation.intersect_domain(domain)) for p in sum_)
    return tuple(p for p in cut if not p.relation.is_empty())


def summed(algebra: Algebra, sum_: Sum, over: Any) -> Sum:
    """Σ of the sum at z' over all z' in over(z)."""
    count = over.dim(OUT)
    found = []
    for p in sum_:
        relation = over.apply_range(algebra.sizes.pick(count, range(count)).flat_range_product(p.relation))
        if not relation.is_empty():
            grown = replace(p, unindexed=p.unindexed + count, relation=relation.coalesce())
            found.append(without_unindexed(algebra, grown))
    return merged(found)


def without_unindexed(algebra: Algebra, product: Product) -> Product:
    """Ghosts that the other coordinates determine are dropped: they do not count."""
    relation, unindexed, position = product.relation, product.unindexed, 0
    first = relation.dim(IN)
    while position < unindexed:
        count = first + relation.dim(OUT)
        others = [k for k in range(count) if k != first + position]
        found = algebra.sizes.pick(count, others).intersect_domain(points(relation)).reverse()
        if found.apply_range(algebra.sizes.pick(count, [first + position])).is_single_valued():
            relation, unindexed = relation.project_out(OUT, position, 1), unindexed - 1
        else:
            position += 1
    return replace(product, unindexed=unindexed, relation=relation)
