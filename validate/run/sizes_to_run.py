"""Sizes at which two programs are run: small ones that tell much, one in each region in which loops behave alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from raising.grammar.evaluate.extents import Accesses
from raising.grammar.evaluate.position_values import unseen
from raising.grammar.evaluate.regions import divided, open_sizes, regions_text, scattered
from raising.grammar.evaluate.size_vectors import deciding, fits, showing, size_vectors
from raising.validate.reading.pair import Pair


def small_sizes(pair: Pair, count: int) -> tuple[dict[str, int], ...]:
    """Small size vectors, distinct per symbol, at which the source stays in bounds; `Unsizable` if there are none."""
    if not pair.source.sizes:
        return ({},)
    return tuple(size_vectors(pair.source, pair.values, count))


def sizes_in_regions(pair: Pair, count: int = 3) -> tuple[tuple[dict[str, int], ...], str]:
    """`small_sizes`, a point in each region in which the source's loops and the target's behave alike, and more.

    Among these are sizes at which each bound and condition of the target decides something, too.

    Also in how many of the source's regions, in words. Nothing is said where no size is open.
    """
    small = small_sizes(pair, count)
    if not open_sizes(pair.source, pair.values):
        return small, ""
    larger = showing(pair.target, pair.values, small)
    tried, others = divided(pair.source, pair.target, pair.values)
    more = [*larger, *deciding(pair.target, pair.values, [*small, *larger])]
    more += [*tried.points, *others, *scattered(pair.source, pair.values)]
    found = [*small, *(p for p in more if set(p) == set(pair.source.sizes))]
    kept = [*small, *larger]
    accesses = Accesses(pair.source)
    points = [p for k, p in enumerate(found) if p not in found[:k] and (p in kept or fits(accesses, p))]
    return tuple(points), regions_text(tried.seen, len(tried.found) if tried.complete else None)


def untold_at(pair: Pair, vectors: Sequence[Mapping[str, int]]) -> str:
    """Why runs at some sizes cannot tell what one of two programs computes of loop variables; empty if they can."""
    return next((why for p in (pair.source, pair.target) if (why := unseen(p, pair.values, vectors))), "")


def tiny_sizes(pair: Pair) -> Iterator[dict[str, int]]:
    """Sizes up to 3 that are allowed: all the same, and every second one larger by one."""
    names = pair.source.sizes
    for low in (1, 2):
        for vector in ({n: low for n in names}, {n: low + k % 2 for k, n in enumerate(names)}):
            if names and all(c.holds(vector) for c in pair.source.context):
                yield vector
