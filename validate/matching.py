"""Which instances of statements may have equal values: affine maps that the numbers of a few runs agree with.

A guess, made from `validate.trace`: a map that fits at some small sizes may be wrong at others. `validate.induction`
proves it or drops it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Any

import islpy as isl

from validate.cells import Piece
from validate.spaces import PARAM, SET, Sizes, names
from validate.trace import Instance

MOST_TERMS = 3
"""Names in one coordinate of a map."""
MOST_MAPS = 64


@dataclass(frozen=True)
class Candidates:
    """Where a value may be found: the leaf it would be, the set of its indices and, per run, where each value is."""

    leaf: str
    region: Any
    found: tuple[Mapping[Any, frozenset[Instance]], ...]


@dataclass(frozen=True)
class Runs:
    """Sizes of a few runs, what one statement stored in each, and the values that say nothing where they are equal."""

    sizes: Sequence[Mapping[str, int]]
    values: Sequence[Mapping[Instance, Any]]
    constants: Sequence[frozenset[Any]]


@dataclass(frozen=True)
class Point:
    """An instance at the k-th size vector, with its value."""

    vector: int
    instance: Instance
    value: Any


def points(region: Any, runs: Runs) -> list[Point]:
    """The instances in a set at the sizes of all runs, with their values."""
    found = []
    for vector, (numbers, values) in enumerate(zip(runs.sizes, runs.values, strict=True)):
        here: list[Instance] = []
        at_sizes(region, numbers).foreach_point(lambda p: here.append(_coordinates(p)))  # noqa: B023
        found += [Point(vector, z, values[z]) for z in sorted(here) if z in values]
    return found


def at_sizes(region: Any, numbers: Mapping[str, int]) -> Any:
    """A set at these sizes."""
    for name, number in numbers.items():
        k = region.find_dim_by_name(PARAM, name)
        region = region if k < 0 else region.fix_val(PARAM, k, isl.Val(number))
    return region.project_out(PARAM, 0, region.dim(PARAM))


def _coordinates(point: Any) -> Instance:
    count = point.get_space().dim(SET)
    return tuple(int(point.get_coordinate_val(SET, k).to_python()) for k in range(count))


def maps(found: Sequence[Point], place: Candidates, runs: Runs) -> Iterator[Affine]:
    """Affine maps that take every point with a match at a place to one of its matches."""
    sizes = runs.sizes
    telling = [p for p in found if p.value not in runs.constants[p.vector]]
    matched = [(p, place.found[p.vector].get(p.value, frozenset())) for p in telling]
    matched = [(p, zs) for p, zs in matched if zs]
    if not matched:
        return
    rows = [(*p.instance, *sizes[p.vector].values()) for p, _ in matched]
    rank = len(next(iter(matched[0][1])))
    sets = [zs for _, zs in matched]
    per_coordinate = [list(islice(_forms(rows, [{z[k] for z in zs} for zs in sets]), 4)) for k in range(rank)]
    names_ = tuple(sizes[0])
    for choice in islice(product(*per_coordinate), MOST_MAPS):
        if all(tuple(f.at(row) for f in choice) in zs for row, zs in zip(rows, sets, strict=True)):
            yield Affine(choice, len(found[0].instance), names_)


@dataclass(frozen=True)
class _Form:
    """Σ coefficient · name + constant, names by number: iterators, then sizes."""

    terms: tuple[tuple[int, int], ...]
    constant: int

    def at(self, row: Sequence[int]) -> int:
        return self.constant + sum(c * row[k] for k, c in self.terms)


@dataclass(frozen=True)
class Affine:
    """An affine map of instances; sizes may occur in it."""

    forms: tuple[_Form, ...]
    count: int
    sizes: tuple[str, ...]

    def relation(self, sizes: Sizes) -> Any:
        """The map in isl."""
        variables = [*(f"x{k}" for k in range(self.count)), *self.sizes]
        texts = [" + ".join([str(f.constant), *(f"{c}*{variables[k]}" for k, c in f.terms)]) for f in self.forms]
        return sizes.map(f"{{ [{names(self.count)}] -> [{', '.join(texts)}] }}")

    def at(self, instance: Instance, numbers: Mapping[str, int]) -> Instance:
        """The image of one instance."""
        row = (*instance, *numbers.values())
        return tuple(f.at(row) for f in self.forms)


def _forms(rows: Sequence[Sequence[int]], values: Sequence[set[int]]) -> Iterator[_Form]:
    """Forms, those of few names first, that give every row one of its values."""
    for terms in _terms(len(rows[0])):
        for value in sorted(values[0]):
            form = _Form(terms, value - _Form(terms, 0).at(rows[0]))
            if all(form.at(row) in allowed for row, allowed in zip(rows, values, strict=True)):
                yield form


def _terms(count: int) -> Iterable[tuple[tuple[int, int], ...]]:
    for size in range(min(count, MOST_TERMS) + 1):
        for chosen in combinations(range(count), size):
            for signs in product((1, -1), repeat=size):
                yield tuple(zip(chosen, signs, strict=True))


# ---- pieces --------------------------------------------------------------------------------------


def pieces(regions: Sequence[Any], runs: Runs, among: Sequence[Candidates], sizes: Sizes) -> tuple[list[Piece], Any]:
    """Pieces of the union of some sets of instances that may be found at places, and the rest of it."""
    rest = regions[0]
    for region in regions[1:]:
        rest = rest.union(region)
    found: list[Piece] = []
    for part in (rest.coalesce(), *regions):
        for place in among:
            piece = _piece(part.intersect(rest), runs, place, sizes)
            if piece is not None:
                found.append(piece)
                rest = rest.subtract(piece.relation.domain())
    return found, rest


def _piece(region: Any, runs: Runs, place: Candidates, sizes: Sizes) -> Piece | None:
    """The part of a set of instances that one map takes to a place, if all runs agree with it."""
    if sizes.void(region):
        return None
    for affine in maps(points(region, runs), place, runs):
        relation = affine.relation(sizes).intersect_domain(region).intersect_range(place.region)
        seen = points(relation.domain(), runs)
        telling = any(p.value not in runs.constants[p.vector] for p in seen)
        if telling and all(_agrees(p, affine, place, runs.sizes[p.vector]) for p in seen):
            return Piece(place.leaf, relation)
    return None


def _agrees(point: Point, affine: Affine, place: Candidates, numbers: Mapping[str, int]) -> bool:
    return affine.at(point.instance, numbers) in place.found[point.vector].get(point.value, ())
