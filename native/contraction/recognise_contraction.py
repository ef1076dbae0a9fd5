"""Recognition: contractions among the nests of a block, with everything that can be fused to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import dim
from raising.native.contraction.aliasing import without_hazards
from raising.native.contraction.fuse import (
    Contraction,
    FusedContractions,
    chains,
    find_contraction,
    linear,
    reads_result,
)
from raising.native.contraction.gemm import Gemm, HalfPlane, Product
from raising.native.contraction.masks import guarded, holds, needs_sum, planes, region_of
from raising.native.contraction.product_terms import Term, ordered, terms
from raising.native.nest.dataflow import Flow, Leaf
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import combine, dims_of, is_zero, moved, moved_access, nonzero, tidy
from raising.native.nest.nest import Nest
from raising.support.record import dataclass

_BOTH_WAYS = ((True, True), (True, False), (False, True), (False, False))
"""Whether the code of the left and of the right operand is read together with what made them."""

_SMALL = 8
"""Fewer rows or columns than this, and packing costs more than it is worth."""


@dataclass(frozen=True)
class Match:
    """A contraction to be done at item `at` instead of the items `taken`."""

    gemm: Gemm
    at: int
    taken: frozenset[int]


def match(flow: Flow, at: int) -> Match | None:
    """The contraction at an item, with everything fused that can be; None if there is none."""
    nest = flow.items[at]
    found = find_contraction(nest) if isinstance(nest, Nest) else None
    if found is None:
        return None
    return next((m for m in _candidates(flow, at, found) if m is not None), None)


def readings(flow: Flow, at: int) -> Iterator[Match]:
    """The ways to read the contraction at an item, with more or less fused to it.

    Nothing is said of whether an element that it reads may be overwritten before.
    """
    nest = flow.items[at]
    found = find_contraction(nest) if isinstance(nest, Nest) else None
    if found is None:
        return
    for chain in reversed(list(chains(flow, at, found))):
        plain = linear(chain)
        forms = [chain] if plain is None or plain is chain else [plain, chain]
        for expanded in _BOTH_WAYS:
            read = [match for each in forms if (match := _read(flow, found, each, expanded)) is not None]
            yield from sorted(read, key=lambda match: not match.gemm.mirrored)


def _candidates(flow: Flow, at: int, found: Contraction) -> Iterator[Match | None]:
    """The readings of a contraction, from the one with most fused to it to the one with least; None: unsound."""
    options = list(chains(flow, at, found))
    for chain in reversed(options):
        match, plain = _assemble(flow, found, chain, expanded=True), linear(chain)
        if plain is None or plain.extra is None or (match is not None and match.gemm.mirrored):
            yield match  # half of a symmetric sum is less than what it saves to start from a summand
        else:
            yield _assemble(flow, found, plain, expanded=True)
    yield _assemble(flow, found, options[0], expanded=False)


def _assemble(flow: Flow, found: Contraction, chain: FusedContractions, *, expanded: bool) -> Match | None:
    """The contraction with an epilogue, an initial value and code for its operands, if that is sound."""
    read = _read(flow, found, chain, (expanded, expanded))
    checked = None if read is None else without_hazards(read.gemm)
    return None if read is None or checked is None else replace(read, gemm=checked)


def _read(flow: Flow, found: Contraction, chain: FusedContractions, expanded: tuple[bool, bool]) -> Match | None:
    """The contraction with a chain fused to it, if no memory that it reads is overwritten before it runs.

    `expanded` says of the left and of the right operand whether it is read together with what made it.
    """
    init, leaves, taken = _initial(flow, chain.sources[0], found)
    if init is not None and chain.scale is not None:
        init = combine(init, chain.scale, add=False)
    if chain.extra is not None:
        init = chain.extra if init is None else combine(init, chain.extra, add=True)
    products = []
    for operands, source in zip(chain.products, chain.sources, strict=True):
        sides = [flow.expand(side, source, found.nest.extents, _contractions(flow)) if with_makers
                 else (side, _leaves(side, source))
                 for side, with_makers in zip((operands.a, operands.b), expanded, strict=True)]  # fmt: skip
        products.append(Product(sides[0][0], sides[1][0]))
        leaves += [*sides[0][1], *sides[1][1]]
    taken = taken | chain.taken
    if not all(flow.stable(leaf, chain.at, taken) for leaf in [*leaves, *chain.leaves]):
        return None
    gemm = _oriented(found, chain, tuple(products), init)
    return None if gemm is None else Match(gemm, chain.at, taken)


def _leaves(fragment: Fragment, at: int) -> list[Leaf]:
    return [Leaf(access, at) for access in fragment.reads]


def _contractions(flow: Flow) -> Callable[[int], bool]:
    """The test whether an item is a contraction."""

    def test(at: int) -> bool:
        item = flow.items[at]
        return isinstance(item, Nest) and find_contraction(item) is not None

    return test


def _initial(flow: Flow, at: int, found: Contraction) -> tuple[Fragment | None, list[Leaf], frozenset[int]]:
    """The start of the sum, and the item that no longer has to compute it."""
    write = found.write
    made = flow.producer(write, at, found.nest.extents)
    readers = flow.readers(made[0]) if made else None
    if made is None or readers != [at] or reads_result(found):
        return Fragment((write,), (), "in0", write.array.element), [Leaf(write, at)], frozenset()
    source, code = made
    code, leaves = flow.expand(code, source, found.nest.extents, lambda o: o == source)
    return (None if is_zero(code, code.result) else code), leaves, frozenset({source})


def _oriented(
    found: Contraction, chain: FusedContractions, products: tuple[Product, ...], init: Fragment | None
) -> Gemm | None:
    """The contraction with rows and columns such that the result's columns are neighbours in memory."""
    nest, write = found.nest, chain.write
    k = frozenset(number for number, parallel in enumerate(nest.parallel) if not parallel)
    rows, columns = (dims_of(side) - k for side in (found.operands.a, found.operands.b))
    batch = rows & columns
    for turned in (False, True):
        if turned:
            rows, columns = columns, rows
            products = tuple(Product(each.b, each.a) for each in products)
        inner = [number for number in columns - batch if write.stride(number) == 1]
        if len(inner) == 1 and rows - batch:
            outer = tuple(sorted(batch | (columns - {inner[0]})))
            gemm = Gemm(nest.extents, tuple(sorted(rows - batch)), (inner[0],), tuple(sorted(k)), _merged(products),
                        found.write.array.element, write, outer, init)  # fmt: skip
            return _finished(gemm, chain)
    return None


def _merged(products: tuple[Product, ...]) -> tuple[Product, ...]:
    """Products with an operand in common as one, of the sum of the others."""
    merged: list[Product] = []
    for each in products:
        for place, other in enumerate(merged):
            if each.b == other.b:
                merged[place] = Product(combine(other.a, each.a, add=True), each.b)
                break
            if each.a == other.a:
                merged[place] = Product(each.a, combine(other.b, each.b, add=True))
                break
        else:
            merged.append(each)
    return tuple(merged)


def _finished(gemm: Gemm, chain: FusedContractions) -> Gemm | None:
    """The contraction with what is known of where there is something to compute; None if it is not worth packing."""
    sizes = [gemm.extent(group) for group in (gemm.m, gemm.n)]
    if any(size is not None and size <= _SMALL for size in sizes):
        return None
    if any(side.element != gemm.element for each in gemm.products for side in (each.a, each.b)):
        return None
    gemm = _banded(gemm)
    value, where = chain.epilogue, chain.where
    if value is not None:
        told = guarded(value, chain.write)
        value, where = None if told.value.result == "sum" else told.value, told.where
    gemm = replace(gemm, epilogue=value, where=where)
    if gemm.where is not None and len(gemm.m) == 1:
        region = region_of(gemm.where, gemm.m[0], gemm.n[0])
        if region is not None:
            return replace(gemm, where=None, region=region)
    return _symmetric(gemm)


def _banded(gemm: Gemm) -> Gemm:
    """The contraction with the half-planes outside of which an operand is 0."""
    if len(gemm.m) != 1 or len(gemm.k) != 1 or len(gemm.products) != 1:
        return gemm
    (operands,) = gemm.products
    a, b = (nonzero(side, side.result) for side in (operands.a, operands.b))
    return replace(gemm, a_band=tuple(planes(a, gemm.m[0], gemm.k[0])), b_band=tuple(planes(b, gemm.k[0], gemm.n[0])))


def _symmetric(gemm: Gemm) -> Gemm:
    """The contraction of the part below the diagonal only, if the sum is symmetric: `A A^T`, or `A B^T + B A^T`."""
    if gemm.init is not None or gemm.batch or len(gemm.m) != 1:
        return gemm
    if gemm.extents[gemm.m[0]] != gemm.extents[gemm.n[0]]:
        return gemm
    m, n = gemm.m[0], gemm.n[0]
    if not _turns_into_itself(gemm.products, m, n) or not _mirrors(gemm):
        return gemm
    strict = gemm.epilogue is not None and not needs_sum(gemm.epilogue, m, n)
    below = HalfPlane(1, -1, -1 if strict else 0)
    if gemm.where is not None and not holds(gemm.where, m, n, -below.constant):
        return gemm  # the sums go there before the condition is asked
    return replace(gemm, mirrored=True, region=(below,), a_band=(), b_band=())


def _turns_into_itself(products: tuple[Product, ...], m: int, n: int) -> bool:
    """Whether the sum of products is symmetric: each term is, or the two operands of it are exchanged in another."""
    swap = {m: dim(n), n: dim(m)}
    found = [terms(combine(each.a, each.b, add=False), lambda _: None) for each in products]
    every = [term for part in found for term in part or ()]
    turned = [Term(term.scale, ordered(tuple(moved_access(read, swap) for read in term.reads))) for term in every]
    if None not in found:
        return Counter(every) == Counter(turned)
    other = moved(products[0].b, {n: dim(m)})
    return len(products) == 1 and other is not None and tidy(other) == tidy(products[0].a)


def _mirrors(gemm: Gemm) -> bool:
    """Whether the address of the result has both dimensions alone, so that their roles can be changed."""
    rows = [index.coefficient(gemm.m[0]) for index in gemm.write.map]
    return sorted(rows) == [0] * (len(rows) - 1) + [1] and gemm.write.array.element == gemm.element
