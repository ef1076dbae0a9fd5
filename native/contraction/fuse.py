"""Epilogue fusion: from a contraction along the single use of each result, to further products and elementwise code.

before  linalg.generic ins(%a, %b) outs(%c)         # a sum of products
        linalg.generic ins(%bias) outs(%c) { arith.addf; arith.maximumf }
after   call @contraction0(%c, %a, %b, %bias)        # a tile adds, and takes the maximum, before it is stored
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from raising.affine.ir.affine_expr import dim
from raising.native.contraction.gemm import Product
from raising.native.contraction.masks import guarded, uses_sum
from raising.native.nest.dataflow import Flow, Leaf, aligned, elementwise, fragment_of, writes, written_box
from raising.native.nest.fragment import Fragment
from raising.native.nest.fragment_algebra import (
    after_sum,
    combine,
    dims_of,
    factors,
    moved,
    moved_access,
    operation,
    part,
    product,
    with_sum,
)
from raising.native.nest.nest import Access, Nest
from raising.support.record import dataclass

_ELEMENTS = ("f32", "f64", "i8", "i16", "i32", "i64")


@dataclass(frozen=True)
class Contraction:
    """A nest that adds the sum of a * b, over the dimensions that are not parallel, to what `write` holds."""

    nest: Nest
    operands: Product
    write: Access


@dataclass(frozen=True)
class FusedContractions:
    """Products whose sum, with `extra` added, `epilogue` turns into what goes to `write`, at item `at`.

    All of it is over the dimensions of the first contraction, and stands for the items `taken`. `sources` has the item
    that each product comes from; `leaves` are the elements that `extra` and `epilogue` read. What the first contraction
    adds to counts `scale` times (None: once). With `where`, only the elements for which it holds are written.
    """

    products: tuple[Product, ...]
    sources: tuple[int, ...]
    write: Access
    at: int
    taken: frozenset[int]
    extra: Fragment | None = None
    scale: Fragment | None = None
    epilogue: Fragment | None = None
    where: Fragment | None = None
    leaves: tuple[Leaf, ...] = ()


def find_contraction(nest: Nest) -> Contraction | None:
    """The contraction that a nest is, if it is one."""
    if len(nest.writes) != 1 or all(nest.parallel) or nest.writes[0].array.element not in _ELEMENTS:
        return None
    fragment, write = fragment_of(nest), nest.writes[0]
    if write.dims != {number for number, parallel in enumerate(nest.parallel) if parallel}:
        return None
    scalar = operation(fragment, fragment.result)
    if scalar is None or scalar.name not in ("arith.addf", "arith.addi"):
        return None
    others = [arg for arg in scalar.args if part(fragment, arg).plain != write]
    if len(others) != 1:
        return None
    operands = _operands(fragment, factors(fragment, others[0]), write.dims)
    return None if operands is None else Contraction(nest, operands, write)


def _operands(fragment: Fragment, names: list[str], kept: frozenset[int]) -> Product | None:
    """The two sides of a product: factors that depend on the same dimensions of the result belong together."""
    groups: dict[frozenset[int], list[str]] = {}
    alone: list[str] = []
    for name in names:
        of_result = dims_of(part(fragment, name)) & kept
        (groups.setdefault(of_result, []) if of_result else alone).append(name)
    if len(groups) != 2:
        return None
    (one, first), (two, second) = groups.items()
    if one <= two or two <= one or one | two != kept:
        return None
    return Product(product(fragment, [*first, *alone]), product(fragment, second))


def reads_result(found: Contraction) -> bool:
    """Whether an operand may be where the result is."""
    sides = (found.operands.a, found.operands.b)
    return any(access.array.may_overlap(found.write.array) for side in sides for access in side.reads)


def chains(flow: Flow, at: int, found: Contraction) -> Iterator[FusedContractions]:
    """The contraction alone, then with each further item."""
    chain: FusedContractions | None = FusedContractions((found.operands,), (at,), found.write, at, frozenset({at}))
    while chain is not None:
        yield chain
        chain = _longer(flow, chain)


def _longer(flow: Flow, chain: FusedContractions) -> FusedContractions | None:
    """The chain with the next item, if that is the only one to use the result so far; else None."""
    readers, source = flow.readers(chain.at), flow.items[chain.at]
    if not readers or not isinstance(source, Nest) or written_box(source) is None:
        return None
    target = max(readers)
    nest = flow.items[target]
    if not isinstance(nest, Nest):
        return None
    if not all(r == target or (elementwise(flow.items[r]) and flow.feeds(r, lambda o: o == target)) for r in readers):
        return None
    other = find_contraction(nest)
    if other is not None:
        return _with_product(flow, chain, target, other) if readers == [target] else None
    return _with_code(flow, chain, target, nest, set(readers) - {target}) if elementwise(nest) else None


def _with_product(flow: Flow, chain: FusedContractions, target: int, other: Contraction) -> FusedContractions | None:
    """The chain with a second contraction, which adds to the result of the first; None if that cannot be."""
    plain, first = linear(chain), flow.items[chain.sources[0]]
    if plain is None or plain.where or other.write.array != chain.write.array or not isinstance(first, Nest):
        return None
    dims = aligned(other.write, other.nest.extents, plain.write, first.extents)
    if dims is None or reads_result(other):
        return None
    summed, also_summed = _sums(first), _sums(other.nest)
    if [first.extents[d] for d in summed] != [other.nest.extents[d] for d in also_summed]:
        return None
    dims |= {theirs: dim(own) for theirs, own in zip(also_summed, summed, strict=True)}
    sides = [moved(side, dims) for side in (other.operands.a, other.operands.b)]
    rows = dims_of(chain.products[0].a) - set(summed)
    sides.sort(key=lambda side: side is not None and dims_of(side) - set(summed) != rows)
    if sides[0] is None or sides[1] is None or dims_of(sides[0]) - set(summed) != rows:
        return None
    products = (*plain.products, Product(sides[0], sides[1]))
    return replace(plain, products=products, sources=(*plain.sources, target), at=target, taken=chain.taken | {target})


def _sums(nest: Nest) -> list[int]:
    """The dimensions that a nest sums over."""
    return [number for number, parallel in enumerate(nest.parallel) if not parallel]


def linear(chain: FusedContractions) -> FusedContractions | None:
    """The chain without its epilogue: a factor goes to the products, a summand to `extra`.

    None if the epilogue is more than factors and summands.
    """
    if chain.epilogue is None:
        return chain
    told = guarded(chain.epilogue, chain.write)
    code = told.value
    parts = _linear_parts(code, code.result)
    if parts is None:
        return None
    scales, summands = parts
    products, extra, total = chain.products, chain.extra, chain.scale
    if scales:
        scale = product(code, scales)
        products = tuple(Product(combine(each.a, scale, add=False), each.b) for each in products)
        extra = extra and combine(extra, scale, add=False)
        total = scale if total is None else combine(total, scale, add=False)
    for name in summands:
        more = part(code, name)
        extra = more if extra is None else combine(extra, more, add=True)
    return replace(chain, products=products, extra=extra, scale=total, epilogue=None, where=told.where)


def _linear_parts(code: Fragment, name: str) -> tuple[list[str], list[str]] | None:
    """The factors and the summands with which a value is factors * sum + summands."""
    if name == "sum":
        return [], []
    scalar = operation(code, name)
    if scalar is None or scalar.name not in ("arith.mulf", "arith.muli", "arith.addf", "arith.addi"):
        return None
    with_it = [arg for arg in scalar.args if uses_sum(part(code, arg))]
    rest = [arg for arg in scalar.args if arg not in with_it]
    inner = _linear_parts(code, with_it[0]) if len(with_it) == len(rest) == 1 else None
    if inner is None:
        return None
    if scalar.name in ("arith.addf", "arith.addi"):
        return inner[0], [*inner[1], *rest]
    if inner[1] or part(code, rest[0]).reads or dims_of(part(code, rest[0])):
        return None
    return [*inner[0], *rest], []


def _with_code(
    flow: Flow, chain: FusedContractions, target: int, nest: Nest, between: set[int]
) -> FusedContractions | None:
    """The chain with an elementwise nest in its epilogue, and the items `between` the two; None if that cannot be."""
    source, first = flow.items[chain.at], flow.items[chain.sources[0]]
    assert isinstance(source, Nest) and isinstance(first, Nest)
    local = source.writes[0]
    code, leaves = flow.expand(fragment_of(nest), target, nest.extents, lambda o: o == target, chain.taken)
    if any(writes(flow.items[item], leaf.access.array) for item in between for leaf in leaves):
        return None
    used = [access for access in code.reads if access.array == local.array]
    dims = aligned(used[0], nest.extents, chain.write, first.extents) if len(used) == 1 else None
    over = None if dims is None else moved(with_sum(code, used[0]), dims)
    if over is None or dims is None or len(dims) != len(nest.extents):
        return None
    others = [Leaf(moved_access(leaf.access, dims), leaf.at) for leaf in leaves if leaf.access.array != local.array]
    return replace(
        chain,
        write=moved_access(nest.writes[0], dims),
        epilogue=over if chain.epilogue is None else after_sum(over, chain.epilogue),
        leaves=(*chain.leaves, *others),
        at=target,
        taken=chain.taken | {target},
    )
