"""Function values as leaves: two applications are one leaf where their arguments are equal.

An atom is `f(arguments)` at the points of a domain of as few dimensions as its arguments depend on. A new application
is compared with the atoms that there are, up to a permutation of those dimensions; where all arguments agree on the
common domain, it is the same atom, whose domain may grow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import islpy as isl

from raising.support.record import dataclass
from raising.validate.normal_form.cancel import times
from raising.validate.normal_form.is_zero import witness
from raising.validate.normal_form.isl_spaces import OUT, SET, names, union, unite
from raising.validate.normal_form.position_forms import folded
from raising.validate.normal_form.sum_of_products import (
    INVERSE,
    POSITION,
    TRUTH,
    Algebra,
    Atom,
    Leaf,
    Product,
    Sum,
    Unprovable,
    access,
    added,
    in_order,
    leaf,
    merged,
    minus,
    pulled,
    restricted,
    scaled,
)

MOST_DIMS = 4  # beyond it the permutations are too many
MOST_PIECES = 32  # of two relations, their product: isl takes minutes to say where larger ones are equal
SET_VALUED = "over "
"""In front of an operation that takes the set of its arguments' values: the largest or the least of them."""


def applied(algebra: Algebra, operation: str, arguments: list[Sum], domain: Any, commutes: bool = False) -> Sum:
    """`operation` of sums over a domain of points, as a leaf."""
    _no_own(operation, arguments)
    domain = domain.coalesce()
    arguments = [_in_few_pieces(folded(algebra, a, domain)) for a in arguments]
    kept = _needed(algebra, arguments, domain)
    places = _places(operation, arguments, domain)
    algebra.has_places |= places is not None
    by_place = places is not None and algebra.by_place
    projection = places if by_place else algebra.sizes.pick(domain.dim(SET), kept)
    section = projection.intersect_domain(domain).reverse().lexmin()
    moved = [pulled(a, section) for a in arguments]
    region = domain.apply(projection)
    projection = projection.intersect_domain(domain)
    fit = _best(_fits(algebra, operation, moved, region, commutes))
    if fit is not None:
        algebra.leave_out(fit.wrong)
        _grow(fit.atom, fit.arguments, region.apply(fit.turn))
        return leaf(algebra, fit.atom.name, projection.apply_range(fit.turn))
    name = f"{operation}#{len(algebra.atoms)}"
    algebra.atoms.append(Atom(name, operation, region.dim(SET), moved, region))
    return leaf(algebra, name, projection)


def _in_few_pieces(sum_: Sum) -> Sum:
    """The sum, its relations in as few pieces as they can be joined to: what follows multiplies them."""
    return tuple(replace(p, relation=p.relation.coalesce()) for p in sum_)


def _places(operation: str, arguments: list[Sum], domain: Any) -> Any:
    """The map from points to the places that the arguments read, if these tell the values; else None.

    The same byte of a window is read at many points, x[i + j] at each i + j, and the first one of a row is x[0].
    """
    products = [p for a in arguments for p in a]
    if operation.removeprefix(TRUTH).startswith(SET_VALUED):
        return None
    found: dict[str, Any] = {}
    for p in products:
        read = p.relation.intersect_domain(domain)
        if p.unindexed or not read.is_single_valued() or not domain.is_subset(read.domain()):
            return None
        found[str(read)] = read
    count = sum(read.dim(OUT) for read in found.values())
    if not 0 < count <= MOST_DIMS:
        return None
    first, *others = found.values()
    for other in others:
        first = first.flat_range_product(other)
    return first


def _no_own(operation: str, arguments: list[Sum]) -> None:
    if any(p.recurs() for a in arguments for p in a):
        raise Unprovable(f"a recurrence goes through {operation}")


def _needed(algebra: Algebra, arguments: list[Sum], domain: Any) -> list[int]:
    """The coordinates that the arguments depend on, together.

    A coordinate may go only if the values stay when every point moves to the
    one point that stands for all that differ in it and in those gone before.
    """
    count = domain.dim(SET)
    kept = list(range(count))
    relations = [p.relation.intersect_domain(domain) for a in arguments for p in a]
    for d in range(count):
        fewer = [k for k in kept if k != d]
        projection = algebra.sizes.pick(count, fewer).intersect_domain(domain)
        moved = projection.apply_range(projection.reverse().lexmin())
        if all(moved.apply_range(r).is_equal(r) for r in relations):
            kept = fewer
    return kept


@dataclass(frozen=True)
class _Fit:
    """An atom that an application is, but for some sizes.

    `turn` is {[own coordinates] → [the atom's]}, `arguments` are those of the application in the atom's coordinates,
    `wrong` are the sizes at which they differ (an isl parameter set) or None.
    """

    atom: Atom
    turn: Any
    arguments: list[Sum]
    wrong: Any


def _best(fits: Iterator[_Fit]) -> _Fit | None:
    """The first at all sizes, else the first."""
    first = None
    for fit in fits:
        if fit.wrong is None:
            return fit
        first = first or fit
    return first


def _fits(algebra: Algebra, operation: str, arguments: list[Sum], region: Any, commutes: bool) -> Iterator[_Fit]:
    """The atoms of an operation whose arguments agree with these at the sizes of the files."""
    dims = region.dim(SET)
    if dims > MOST_DIMS:
        raise Unprovable(f"{operation} depends on more than {MOST_DIMS} iterators")
    for atom in algebra.atoms:
        if atom.operation != operation or atom.dims != dims or len(atom.arguments) != len(arguments):
            continue
        for turn in _turns(algebra, atom, arguments, region):
            common = region.apply(turn).intersect(atom.domain)
            if dims and algebra.sizes.void(common):
                continue
            back = [pulled(a, turn.reverse()) for a in arguments]
            for chosen in _orders(back, commutes):
                wrong = _apart(algebra, atom, chosen, common)
                if algebra.allows(wrong):
                    yield _Fit(atom, turn, chosen, wrong)


def _turns(algebra: Algebra, atom: Atom, arguments: list[Sum], region: Any) -> Iterator[Any]:
    """Ways to lay the own coordinates over the atom's: each order, then first point on first point, then to fit."""
    for order in permutations(range(atom.dims)):
        turn = algebra.sizes.pick(atom.dims, order)
        yield turn
        steps = [_step(region.apply(turn), atom.domain, d) for d in range(atom.dims)]
        if any(steps):
            moved = ", ".join(f"x{d} + {step or 0}" for d, step in enumerate(steps))
            yield turn.apply_range(algebra.sizes.map(f"{{ [{names(atom.dims)}] -> [{moved}] }}"))
    fitted = _fitted(algebra, atom, arguments, region) if atom.dims else None
    if fitted is not None:
        yield fitted


def _fitted(algebra: Algebra, atom: Atom, arguments: list[Sum], region: Any) -> Any:
    """The affine map to the points of the atom at which products of its arguments take the same leaves; or None."""
    pairs = isl.Map.from_domain_and_range(region, atom.domain)
    for own, other in zip(arguments, atom.arguments, strict=True):
        first, second = _taken(own), _taken(other)
        common = first.keys() & second.keys()
        if first and second and not common:
            return None  # such as of numbers that differ
        for key in common:
            if first[key].n_basic_map() * second[key].n_basic_map() <= MOST_PIECES:
                pairs = _where_equal(pairs, first[key], second[key])
    pairs = pairs.intersect_params(algebra.sizes.context)
    if pairs.is_empty() or not pairs.is_single_valued():
        return None
    turn = isl.Map.from_basic_map(pairs.affine_hull())
    exact = turn.is_single_valued() and turn.is_injective() and region.is_subset(turn.domain())
    return turn.intersect_domain(region) if exact else None


def _taken(sum_: Sum) -> dict[tuple[tuple[Leaf, ...], Fraction], Any]:
    """For the leaves and the coefficient of products without ghosts, the indices taken at each point."""
    found: dict[tuple[tuple[Leaf, ...], Fraction], Any] = {}
    for p in (p for p in sum_ if not p.unindexed):
        unite(found, (p.leaves, p.coefficient), p.relation)
    return found


def _where_equal(pairs: Any, one: Any, other: Any) -> Any:
    """The pairs of points at which two relations have the same values, or none."""
    neither = pairs.subtract_domain(one.domain()).subtract_range(other.domain())
    pairs = pairs.intersect(one.apply_range(other.reverse()))
    if not one.is_single_valued() or not other.is_single_valued():
        every = one.range().union(other.range())
        more = one.apply_range(isl.Map.from_domain_and_range(every, pairs.range()).subtract(other.reverse()))
        less = other.apply_range(isl.Map.from_domain_and_range(every, pairs.domain()).subtract(one.reverse()))
        pairs = pairs.subtract(more).subtract(less.reverse())
    return pairs.union(neither)


_FORM = re.compile(r"\[\((.*?)\)\]")


def _step(region: Any, domain: Any, dim: int) -> str:
    """The distance between the least coordinates of a domain and a region, as isl text; empty if it is no form."""
    gap = domain.dim_min(dim).sub(region.dim_min(dim)).coalesce()
    found = _FORM.search(str(gap)) if gap.n_piece() == 1 else None
    return f"({found[1]})" if found and found[1] != "0" else ""


def _orders(arguments: list[Sum], commutes: bool) -> Iterator[list[Sum]]:
    if commutes:
        yield from (list(p) for p in permutations(arguments))
    else:
        yield arguments


def _apart(algebra: Algebra, atom: Atom, arguments: list[Sum], common: Any) -> Any:
    """The sizes at which an atom's arguments differ from these on a set of points; None if there are none."""
    wrong: list[Any] = []
    for one, other in zip(atom.arguments, arguments, strict=True):
        found = _different(algebra, atom.operation, restricted(one, common), restricted(other, common))
        wrong += [] if found is None else [found]
        if not algebra.allows(union(wrong)):
            break
    return union(wrong)


def _different(algebra: Algebra, operation: str, one: Sum, other: Sum) -> Any:
    """The sizes at which two sums differ, all if that cannot be told; sets of values if the operation takes sets."""
    context = algebra.sizes.context
    if not operation.removeprefix(TRUTH).startswith(SET_VALUED):
        try:
            found = witness(algebra, minus(one, other))
        except Unprovable:
            return context
        return None if found is None else found.sizes
    first, second = _values(one), _values(other)
    if first.keys() != second.keys():
        return context
    if all(first[k].is_equal(second[k]) for k in first):
        return None
    wrong = context.subtract(context)
    for k, relation in first.items():
        unlike = relation.subtract(second[k]).union(second[k].subtract(relation))
        wrong = wrong.union(unlike.params().intersect(context))
    return None if wrong.is_empty() else wrong


def _grow(atom: Atom, arguments: list[Sum], region: Any) -> None:
    more = region.subtract(atom.domain)
    if not more.is_empty():
        atom.arguments = [added(a, restricted(b, more)) for a, b in zip(atom.arguments, arguments, strict=True)]
        atom.domain = atom.domain.union(region).coalesce()


# ---- one over a sum ------------------------------------------------------------------------------


def inverse(algebra: Algebra, sum_: Sum, domain: Any) -> Sum:
    """One over a sum: leaf by leaf where it is one product, common leaves taken out, else an atom."""
    if not sum_:
        raise Unprovable("a division by zero")
    _no_own("a division", [sum_])
    if _is_single(sum_, domain):
        product = sum_[0]
        leaves = tuple((_inverse_name(name), arity) for name, arity in product.leaves)
        return (in_order(algebra, replace(product, coefficient=1 / product.coefficient, leaves=leaves)),)
    common = _common_leaves(algebra, sum_, domain) if all(not p.unindexed for p in sum_) else []
    if common:
        rest = merged(_without(p, [name for (name, _), _ in common]) for p in sum_)
        result = inverse(algebra, rest, domain)
        for (name, _), read in common:
            result = times(algebra, result, leaf(algebra, _inverse_name(name), read.intersect_domain(domain)))
        return result
    lead = max(sum_, key=lambda p: (p.leaves, p.unindexed)).coefficient  # of positions, the same wherever they begin
    (product,) = applied(algebra, "sum", [scaled(sum_, 1 / lead)], domain)
    name, arity = product.leaves[0]
    return (Product(Fraction(1) / lead, ((INVERSE + name, arity),), 0, product.relation),)


def _is_single(sum_: Sum, domain: Any) -> bool:
    """Whether a sum is one product at each point, of leaves that nobody writes in another way, as positions are."""
    if len(sum_) != 1 or sum_[0].unindexed or any(name == POSITION for name, _ in sum_[0].leaves):
        return False
    relation = sum_[0].relation
    return bool(relation.is_single_valued() and domain.is_subset(relation.domain()))


def _inverse_name(name: str) -> str:
    return name.removeprefix(INVERSE) if name.startswith(INVERSE) else INVERSE + name


def _common_leaves(algebra: Algebra, sum_: Sum, domain: Any) -> list[tuple[Leaf, Any]]:
    """Leaves that every product has, each at one index per point: (leaf, {[z] → [index]})."""
    found: list[tuple[Leaf, Any]] = []
    for leaf_ in dict.fromkeys(sum_[0].leaves):
        if leaf_[0] == POSITION or not all(leaf_ in p.leaves for p in sum_):
            continue
        read = union([access(algebra, p, p.leaves.index(leaf_)) for p in sum_])
        if read.is_single_valued() and domain.is_subset(read.domain()):
            found.append((leaf_, read.coalesce()))
    return found


def _without(product: Product, names: list[str]) -> Product:
    """The product without the first leaf of each of these names."""
    for name in names:
        product = product.without([n for n, _ in product.leaves].index(name))
    return product


def _values(sum_: Sum) -> dict[tuple[Leaf, ...], Any]:
    """For the leaves of products, the indices that they take at each point: one set, in however many pieces."""
    found: dict[tuple[Leaf, ...], Any] = {}
    for p in sum_:
        unite(found, p.leaves, p.relation)
    return found
