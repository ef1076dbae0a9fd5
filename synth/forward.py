"""Bottom-up enumeration: all values of cost n from those of smaller cost, in batches.

Every production is applied to every fitting tuple of operands with one NumPy
call per chunk of candidates; a value is kept if its fingerprint is new
(observational equivalence).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from affine.expr import Lin
from grammar.evaluate import structured
from grammar.meaning import Map, dims_of
from grammar.number import Num
from grammar.term import Apply, TensorType, Term
from synth.limits import Limits, Statistics
from synth.schemes import Scheme, pairings, reductions
from synth.store import Bucket, Store

CHUNK = 1 << 18  # elements computed per call and sample, which bounds memory


@dataclass(frozen=True)
class Application:
    """A scheme at operand types and maps: all that a batch of candidates has in common."""

    scheme: Scheme
    maps: tuple[Map, ...]
    extents: tuple[Lin, ...]
    type: TensorType


def expand(store: Store, available: tuple[Scheme, ...], cost: int, limits: Limits, stats: Statistics) -> None:
    """Add every value of exactly `cost` operations."""
    kinds = [k for k, b in store.buckets.items() if len(b)]
    for scheme in available:
        for types in _operand_types(kinds, scheme):
            if scheme.result_element(types) is None:
                stats.type_filtered += prod(len(store.bucket(t)) for t in types)
                continue
            for application in applications(scheme, types, limits.max_rank):
                _apply_all(store, application, types, cost, limits, stats)
                if limits.exhausted(store, stats):
                    return


def _operand_types(kinds: list[TensorType], scheme: Scheme) -> Iterator[tuple[TensorType, ...]]:
    if scheme.arity == 1:
        yield from ((k,) for k in kinds)
    elif scheme.arity == 2:
        for i, a in enumerate(kinds):
            for j, b in enumerate(kinds):
                if not scheme.commutative or i <= j:
                    yield a, b


def applications(scheme: Scheme, types: tuple[TensorType, ...], max_rank: int) -> Iterator[Application]:
    """Every way to lay a scheme over operands of these types."""
    element = scheme.result_element(types)
    if element is None:
        return
    alone: Iterator[tuple[Map, ...]] = iter([(tuple(range(types[0].rank)),)])
    for maps in alone if scheme.arity == 1 else pairings(types[0].dims, types[1].dims):
        yield from _outputs(scheme, types, maps, element, max_rank)


def _outputs(
    scheme: Scheme, types: tuple[TensorType, ...], maps: tuple[Map, ...], element: str, max_rank: int
) -> Iterator[Application]:
    extents: dict[int, Lin] = {}
    for m, t in zip(maps, types, strict=True):
        extents.update(zip(dims_of(m), t.dims, strict=True))
    rank = len(extents)
    shared = [d for d in range(rank) if all(d in m for m in maps)]
    choices = reductions(shared) if scheme.combiner is not None else iter([()])
    for reduced in choices:
        out = tuple(d for d in range(rank) if d not in reduced)
        if len(out) <= max_rank:
            kind = TensorType(element, tuple(extents[d] for d in out))
            yield Application(scheme, (*maps, out), tuple(extents[d] for d in range(rank)), kind)


def _apply_all(
    store: Store,
    application: Application,
    types: tuple[TensorType, ...],
    cost: int,
    limits: Limits,
    stats: Statistics,
) -> None:
    buckets = [store.bucket(t) for t in types]
    for rows in _operand_rows(buckets, cost - 1, application):
        total = len(rows[0])
        stats.enumerated += total
        volumes = [max(1, prod(e.evaluate(s) for e in application.extents)) for s in store.sizes]
        step = max(1, CHUNK // max(volumes))
        for start in range(0, total, step):
            chosen = tuple(r[start : start + step] for r in rows)
            stats.work += len(chosen[0]) * sum(volumes)
            _apply_chunk(store, application, buckets, chosen, cost, stats)
            if limits.exhausted(store, stats):
                return


def _operand_rows(
    buckets: list[Bucket], cost: int, application: Application
) -> Iterator[tuple[npt.NDArray[np.int64], ...]]:
    """Positions of operand tuples whose costs sum to `cost`."""
    if len(buckets) == 1:
        rows = buckets[0].of_cost(cost)
        if len(rows):
            yield (rows,)
        return
    same = buckets[0] is buckets[1] and application.scheme.commutative and application.maps[0] == application.maps[1]
    for first in range(cost + 1):
        a, b = buckets[0].of_cost(first), buckets[1].of_cost(cost - first)
        left, right = np.repeat(a, len(b)), np.tile(b, len(a))
        if same:
            keep = left <= right
            left, right = left[keep], right[keep]
        if len(left):
            yield left, right
    if buckets[0] is buckets[1] and cost:
        twice = buckets[0].of_cost(cost)  # a shared operand is paid once
        if len(twice):
            yield twice, twice


def _apply_chunk(
    store: Store,
    application: Application,
    buckets: list[Bucket],
    rows: tuple[npt.NDArray[np.int64], ...],
    cost: int,
    stats: Statistics,
) -> None:
    body = application.scheme.body
    results = []
    for sample, sizes in enumerate(store.sizes):
        args = [Num(b.arrays[sample].res[r], b.arrays[sample].flt[r]) for b, r in zip(buckets, rows, strict=True)]
        results.append(structured(body, application.maps, args, [e.evaluate(sizes) for e in application.extents]))
    stats.evaluated += len(rows[0])

    def make(position: int) -> Term:
        inputs = tuple(b.terms[r[position]] for b, r in zip(buckets, rows, strict=True))
        return Apply(application.type, body, application.maps, inputs)

    own = prod(e.evaluate(store.source) for e in application.extents) * len(body.instrs)
    alone = application.scheme.combiner is None
    operand_steps = zip(*([b.ranks[i][1] for i in r] for b, r in zip(buckets, rows, strict=True)), strict=True)
    ranks = [(alone, own + sum(steps)) for steps in operand_steps]
    kept = store.bucket(application.type).add(results, make, cost, ranks)
    stats.filtered += len(rows[0]) - kept
