"""Guesses which instances of statements have equal values: affine maps that the numbers of a few runs agree with.

A map that fits the trace (`raising.validate.proof.induction.value_trace`) at some small sizes may be wrong at others;
`raising.validate.proof.induction.induction` proves it or drops it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import combinations, product
from typing import Any

import numpy as np

from raising.affine.ir.program import Program, forms, walk
from raising.affine.polyhedral.scop import at_sizes
from raising.support.record import dataclass
from raising.validate.normal_form.isl_spaces import PARAM, SET, Sizes, names, union
from raising.validate.proof.induction.value_trace import Instance
from raising.validate.proof.values.cells import Piece

MOST_TERMS = 3
"""Names in one coordinate of a map."""

_FORMS, _MAPS, _SAME = 5, 24, 4
"""Forms that are tried for a coordinate, maps that are tried, and instances of one value that are looked at."""

_LARGEST_FACTOR, _FACTORS = 8, 2

Index = Mapping[Any, frozenset[Instance]]
"""The instances that have each value."""


@dataclass(frozen=True)
class Candidates:
    """The elements of one leaf as images of a map: the set of their indices and, per run, which hold each value."""

    leaf: str
    region: Any
    by_value: tuple[Index, ...]

    @cached_property
    def instances(self) -> tuple[frozenset[Instance], ...]:
        """All instances, per run."""
        return tuple(frozenset().union(*at.values()) for at in self.by_value)


@dataclass(frozen=True)
class Words:
    """The constants of affine maps: names of sizes, and coefficients other than one."""

    sizes: tuple[str, ...]
    factors: tuple[int, ...]


@dataclass(frozen=True)
class Runs:
    """Sizes of a few runs, what one statement stored in each, and the values that say nothing where they are equal."""

    words: Words
    sizes: Sequence[Mapping[str, int]]
    values: Sequence[Mapping[Instance, Any]]
    constants: Sequence[frozenset[Any]]


def words_of(source: Program, target: Program) -> Words:
    """The sizes and the factors that stand in the loops of either program.

    Skewed and strided loops differ by such factors. A size that stands in none is only an extent of memory.
    """
    nodes = (n for p in (source, target) for n in walk(p.body))
    found = [f for n in nodes for f in forms(n)]
    names = {n for f in found for n in f.names()}
    factors = {abs(c) for f in found for _, c in f.terms}
    sizes = tuple(n for n in source.sizes if n in names)
    return Words(sizes, tuple(sorted(c for c in factors if 1 < c <= _LARGEST_FACTOR))[:_FACTORS])


def spread(vectors: Sequence[Mapping[str, int]], names: tuple[str, ...], count: int) -> list[Mapping[str, int]]:
    """Size vectors, chosen so that few different affine forms of the sizes have equal values at all of them."""

    def rank(chosen: Sequence[Mapping[str, int]]) -> int:
        return int(np.linalg.matrix_rank(np.array([[1, *(v[n] for n in names)] for v in chosen])))

    left, found = list(vectors), list[Mapping[str, int]]()
    while left and len(found) < count:
        found.append(max(left, key=lambda v: rank([*found, v])))
        left.remove(found[-1])
    return found


@dataclass(frozen=True)
class Point:
    """A statement instance in one of the runs, with its value and whether the value is distinctive."""

    run: int
    instance: Instance
    value: Any
    telling: bool


def points(region: Any, runs: Runs) -> list[Point]:
    """The instances in a set at the sizes of all runs, with their values."""
    found = []
    for run, (numbers, values) in enumerate(zip(runs.sizes, runs.values, strict=True)):
        here: list[Instance] = []
        fixed = at_sizes(region, numbers)
        fixed.project_out(PARAM, 0, region.dim(PARAM)).foreach_point(lambda p: here.append(_coordinates(p)))  # noqa: B023
        constants = runs.constants[run]
        found += [Point(run, z, values[z], values[z] not in constants) for z in sorted(here) if z in values]
    return found


def index(region: Any, runs: Runs) -> tuple[Index, ...]:
    """The instances in a set that have each value, per run."""
    instances: list[dict[Any, frozenset[Instance]]] = [{} for _ in runs.sizes]
    for p in points(region, runs):
        instances[p.run][p.value] = instances[p.run].get(p.value, frozenset()) | {p.instance}
    return tuple(instances)


def _coordinates(point: Any) -> Instance:
    count = point.get_space().dim(SET)
    return tuple(int(point.get_coordinate_val(SET, k).to_python()) for k in range(count))


# ---- pieces --------------------------------------------------------------------------------------


def pieces(regions: Sequence[Any], runs: Runs, among: Sequence[Candidates], sizes: Sizes) -> tuple[list[Piece], Any]:
    """Pieces of the union of some sets of instances that may be found among candidates, and the rest of it."""
    rest = union(regions)
    found: list[Piece] = []
    for part in (rest.coalesce(), *regions):
        for candidates in among:
            while (piece := _piece(part.intersect(rest), runs, candidates, sizes)) is not None:
                found.append(piece)
                rest = rest.subtract(piece.relation.domain())
    return found, rest


def _piece(region: Any, runs: Runs, candidates: Candidates, sizes: Sizes) -> Piece | None:
    """The part of a set of instances that one map takes to candidates, if all runs agree with it."""
    if sizes.void(region):
        return None
    seen = points(region, runs)
    for affine in _maps(seen, candidates, runs):
        if _agrees(affine, seen, candidates, runs.sizes):
            relation = affine.relation(sizes).intersect_domain(region).intersect_range(candidates.region)
            return Piece(candidates.leaf, relation.coalesce())
    return None


def _agrees(affine: _Affine, seen: Sequence[Point], candidates: Candidates, sizes: Sequence[Mapping[str, int]]) -> bool:
    """True if every point that a map takes to an instance has the value of that, and some of these say something."""
    telling = False
    for p in seen:
        image = affine.at(p.instance, sizes[p.run])
        if image in candidates.instances[p.run]:
            if image not in candidates.by_value[p.run].get(p.value, ()):
                return False
            telling = telling or p.telling
    return telling


# ---- maps ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Form:
    """Σ coefficient · name + constant, names by number: iterators, then sizes."""

    terms: tuple[tuple[int, int], ...]
    constant: int

    def at(self, row: Sequence[int]) -> int:
        return self.constant + sum(c * row[k] for k, c in self.terms)


@dataclass(frozen=True)
class _Affine:
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
        row = (*instance, *(numbers[n] for n in self.sizes))
        return tuple(f.at(row) for f in self.forms)


def _maps(seen: Sequence[Point], candidates: Candidates, runs: Runs) -> Iterator[_Affine]:
    """Affine maps that take points to instances of the same value, those that do so for most points first."""
    sizes = runs.words.sizes
    rows, images = [], []
    for p in (p for p in seen if p.telling):
        for z in _some(candidates.by_value[p.run].get(p.value, ()), p.instance):
            rows.append((*p.instance, *(runs.sizes[p.run][n] for n in sizes)))
            images.append(z)
    if not rows:
        return
    given, wanted = np.array(rows).reshape(len(rows), -1), np.array(images).reshape(len(rows), -1)
    choices = [_forms(given, wanted[:, k], runs.words.factors) for k in range(wanted.shape[1])]
    found = []
    for chosen in product(*choices):
        right = np.ones(len(rows), dtype=bool)
        for k, form in enumerate(chosen):
            right &= _values(form, given) == wanted[:, k]
        found.append((-int(right.sum()), sum(len(f.terms) for f in chosen), chosen))
    for _, _, chosen in sorted(found, key=lambda f: f[:2])[:_MAPS]:
        yield _Affine(chosen, len(seen[0].instance), sizes)


def _some(instances: Collection[Instance], own: Instance) -> list[Instance]:
    """The first of instances with one value, and the nearest to the own: many have the same largest value so far."""
    first = sorted(instances)
    if len(first) <= _SAME or len(first[0]) != len(own):
        return first[:_SAME]
    nearest = sorted(first[_SAME // 2 :], key=lambda z: sum(abs(a - b) for a, b in zip(z, own, strict=True)))
    return [*first[: _SAME // 2], *nearest[: _SAME // 2]]


def _values(form: _Form, given: Any) -> Any:
    return form.constant + sum((c * given[:, k] for k, c in form.terms), np.zeros(len(given), dtype=int))


def _forms(given: Any, wanted: Any, factors: tuple[int, ...]) -> list[_Form]:
    """Forms that give most rows what is wanted, those of few names first."""
    terms = _terms(given.shape[1], factors)
    weights = np.zeros((given.shape[1], len(terms)), dtype=int)
    for column, chosen in enumerate(terms):
        for k, c in chosen:
            weights[k, column] = c
    gaps = wanted[:, None] - given @ weights
    found = []
    for column, chosen in enumerate(terms):
        constants, counts = np.unique(gaps[:, column], return_counts=True)
        for at in np.argsort(-counts, kind="stable")[:2]:
            found.append((-int(counts[at]), len(chosen), _Form(chosen, int(constants[at]))))
    return [form for _, _, form in sorted(found, key=lambda f: f[:2])[:_FORMS]]


@cache
def _terms(count: int, factors: tuple[int, ...]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Names with their factors: 1 or -1, but for one name that may have another."""
    signed = (1, -1, *factors, *(-f for f in factors))
    return tuple(
        tuple(zip(chosen, weights, strict=True))
        for size in range(min(count, MOST_TERMS) + 1)
        for chosen in combinations(range(count), size)
        for weights in product(signed, repeat=size)
        if sum(abs(w) != 1 for w in weights) <= 1
    )
