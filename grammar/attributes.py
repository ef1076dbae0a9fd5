"""Values to try for attributes, by the attribute's kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product

from grammar.meaning import Map
from grammar.model import Attr


def values(attr: Attr, rank: int) -> tuple[str, ...] | None:
    """The values of a required attribute that fit operands up to `rank`; None if its kind is unknown."""
    if attr.values:
        return attr.values
    generator = _GENERATORS.get(attr.kind)
    return None if generator is None else generator(rank)


def _integer(rank: int) -> tuple[str, ...]:
    return tuple(f"{i} : i64" for i in range(rank))


def _integers(rank: int) -> tuple[str, ...]:
    """Every sequence of distinct dimensions but the empty one: permutations and subsets are among them."""
    return tuple(
        f"array<i64: {', '.join(map(str, dims))}>"
        for length in range(1, rank + 1)
        for dims in permutations(range(rank), length)
    )


_GENERATORS: dict[str, Callable[[int], tuple[str, ...]]] = {
    "DenseI64ArrayAttr": _integers,
    "IntegerAttr": _integer,
}


def map_samples(inputs: int, max_dims: int) -> Iterator[tuple[int, tuple[Map, ...]]]:
    """Lists of maps to try, each with its number of dimensions: small ones first, the output in order.

    Lists for three and more inputs stop at two dimensions; they would be many.
    """
    most = max_dims if inputs <= 2 else min(max_dims, 2)
    for dims in (*range(1, most + 1), 0):
        for rank in range(dims, -1, -1):
            out = tuple(range(rank))
            for maps in product(_projections(dims, dims), repeat=inputs):
                if len({d for m in maps for d in m} | set(out)) == dims:
                    yield dims, (*maps, out)


def map_variants(maps: tuple[Map, ...], dims: int) -> Iterator[tuple[Map, ...]]:
    """Other maps for the inputs over the same dimensions, none longer than the longest of `maps`."""
    longest = max(len(m) for m in maps)
    for inputs in product(_projections(dims, longest), repeat=len(maps) - 1):
        variant = (*inputs, maps[-1])
        if variant != maps and len({d for m in variant for d in m}) == dims:
            yield variant


def _projections(dims: int, longest: int) -> list[Map]:
    return [m for length in range(longest, -1, -1) for m in permutations(range(dims), length)]


def iterators(attr: Attr, dims: int, out: Map) -> str:
    """The iterator types that the output's map implies: a dimension it lacks is reduced."""
    parallel, reduction = attr.values[:2]
    return "[" + ", ".join(parallel if d in out else reduction for d in range(dims)) + "]"
