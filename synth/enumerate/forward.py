"""Bottom-up enumeration: all values of cost n from those of smaller cost, in batches.

Every production is applied to every fitting tuple of operands, thousands of candidates per call. A candidate is kept
if its fingerprint is new (observational equivalence); where fingerprints follow from those of the operands
(`fingerprints`), only what is kept is evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import prod

import numpy as np

from raising.affine.ir.affine_expr import Lin, var
from raising.grammar.evaluate.evaluator import structured
from raising.grammar.evaluate.number import Num
from raising.grammar.field.field import Residues
from raising.grammar.terms.structured_op import Map, dims_of
from raising.grammar.terms.term import Apply, TensorType, Term
from raising.support.record import dataclass
from raising.synth.enumerate.fingerprints import Form, Layout, Rows, form_of, outer, paired, unary
from raising.synth.enumerate.guides import Room
from raising.synth.enumerate.limits import Limits, Statistics
from raising.synth.enumerate.store import Bucket, Store
from raising.synth.spec.schemes import Scheme, pairings, reductions

CHUNK = 1 << 18  # elements, or fingerprints, computed per call, which bounds memory


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
            for application in applications(scheme, types, limits, stats):
                _apply_all(store, application, types, cost, limits, stats)
                if limits.exhausted(store, stats):
                    return
            if not limits.options.types:
                _turn_away(store, scheme, types, cost, limits, stats)
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


def applications(
    scheme: Scheme, types: tuple[TensorType, ...], limits: Limits, stats: Statistics
) -> Iterator[Application]:
    """Every way to lay a scheme over operands of these types."""
    element = scheme.result_element(types)
    if element is None:
        return
    alone: Iterator[tuple[Map, ...]] = iter([(tuple(range(types[0].rank)),)])
    for maps in alone if scheme.arity == 1 else pairings(types[0].dims, types[1].dims):
        for application in _outputs(scheme, types, maps, element):
            if len(application.type.dims) > limits.max_rank:
                continue
            if limits.room is not None and not _fits(application.extents, limits.room):
                stats.guide("maps", 1)
                continue
            yield application


def _fits(extents: tuple[Lin, ...], room: Room) -> bool:
    return all(n <= room.get(extent, 0) for extent, n in Counter(extents).items())


def _outputs(
    scheme: Scheme, types: tuple[TensorType, ...], maps: tuple[Map, ...], element: str
) -> Iterator[Application]:
    extents: dict[int, Lin] = {}
    for m, t in zip(maps, types, strict=True):
        extents.update(zip(dims_of(m), t.dims, strict=True))
    rank = len(extents)
    shared = [d for d in range(rank) if all(d in m for m in maps)]
    choices = reductions(shared) if scheme.combiner is not None else iter([()])
    for reduced in choices:
        out = tuple(d for d in range(rank) if d not in reduced)
        kind = TensorType(element, tuple(extents[d] for d in out))
        yield Application(scheme, (*maps, out), tuple(extents[d] for d in range(rank)), kind)


# ---- without types -------------------------------------------------------------------------------

_ANY = var("any")  # an extent that equals every other


def _turn_away(
    store: Store, scheme: Scheme, types: tuple[TensorType, ...], cost: int, limits: Limits, stats: Statistics
) -> None:
    """Enumerate the candidates that types rule out, and check each by itself, as without types one must."""
    buckets = [store.bucket(t) for t in types]
    ranks = [(_ANY,) * t.rank for t in types]
    if scheme.arity != 2:
        return
    for maps in pairings(ranks[0], ranks[1]):
        application = Application(scheme, (*maps, ()), (), types[0])
        for rows in _operand_rows(buckets, cost - 1, application):
            for _ in range(len(rows)):
                if _agrees(scheme, types, maps):
                    break  # typed candidates, which were enumerated before
                stats.enumerated += 1
                stats.static_filtered += 1
            if limits.exhausted(store, stats):
                return


def _agrees(scheme: Scheme, types: tuple[TensorType, ...], maps: tuple[Map, ...]) -> bool:
    """True if the element types and the extents that a candidate joins are equal."""
    extents: dict[object, Lin] = {}
    for m, t in zip(maps, types, strict=True):
        if any(extents.setdefault(d, e) != e for d, e in zip(m, t.dims, strict=True)):
            return False
    return scheme.result_element(types) is not None


# ---- candidates ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rows:
    """Operand tuples as positions in their buckets: each first with each second, or side by side."""

    first: Rows
    second: Rows | None = None
    crossed: bool = False
    ascending: bool = False  # of crossed ones, only those with first ≤ second

    def __len__(self) -> int:
        if not self.crossed or self.second is None:
            return len(self.first)
        return len(self.first) * len(self.second)

    def pieces(self, size: int) -> Iterator[_Rows]:
        """The same in pieces of about `size` tuples."""
        step = max(1, size // (len(self.second) if self.crossed and self.second is not None else 1))
        for start in range(0, len(self.first), step):
            first = self.first[start : start + step]
            second = self.second if self.crossed or self.second is None else self.second[start : start + step]
            yield replace(self, first=first, second=second)

    def tuples(self) -> tuple[Rows, ...]:
        """One array of positions for each operand."""
        if self.second is None:
            return (self.first,)
        if not self.crossed:
            return self.first, self.second
        left, right = np.repeat(self.first, len(self.second)), np.tile(self.second, len(self.first))
        if self.ascending:
            keep = left <= right
            left, right = left[keep], right[keep]
        return left, right


def _apply_all(
    store: Store, application: Application, types: tuple[TensorType, ...], cost: int, limits: Limits, stats: Statistics
) -> None:
    buckets = [store.bucket(t) for t in types]
    volumes = [max(1, prod(e.evaluate(s) for e in application.extents)) for s in store.sizes]
    form = form_of(application.scheme)
    size = CHUNK // (1 if form else max(volumes))
    for rows in _operand_rows(buckets, cost - 1, application):
        for piece in rows.pieces(size):
            chosen = piece.tuples()
            if not len(chosen[0]):
                continue
            stats.enumerated += len(chosen[0])
            elements = len(chosen[0]) * sum(volumes)
            stats.work += elements
            stats.computed += 0 if form else elements
            batch = _Batch(store, application, buckets, chosen)
            prints = batch.prints_of(form, piece) if form else None
            stats.equivalence_filtered += len(chosen[0]) - batch.add(prints, cost, not limits.options.equivalence)
            stats.evaluated += len(chosen[0])
            if limits.exhausted(store, stats):
                return


def _operand_rows(buckets: list[Bucket], cost: int, application: Application) -> Iterator[_Rows]:
    """Positions of operand tuples whose costs sum to `cost`."""
    if len(buckets) == 1:
        rows = buckets[0].of_cost(cost)
        if len(rows):
            yield _Rows(rows)
        return
    same = buckets[0] is buckets[1] and application.scheme.commutative and application.maps[0] == application.maps[1]
    for first in range(cost + 1):
        a, b = buckets[0].of_cost(first), buckets[1].of_cost(cost - first)
        if len(a) and len(b):
            yield _Rows(a, b, crossed=True, ascending=same)
    if buckets[0] is buckets[1] and cost:
        twice = buckets[0].of_cost(cost)  # a shared operand is paid once
        if len(twice):
            yield _Rows(twice, twice)


def _joined(values: Num) -> Num:
    """Values (n, samples, *shape) as candidates of their own: (n · samples, *shape)."""
    shape = (values.res.shape[0] * values.res.shape[1], *values.res.shape[2:])
    return Num(values.res.reshape(shape), values.flt.reshape(shape))


@dataclass(frozen=True)
class _Batch:
    """Candidates of one application."""

    store: Store
    application: Application
    buckets: list[Bucket]
    rows: tuple[Rows, ...]

    def prints_of(self, form: Form, piece: _Rows) -> Residues:
        """The candidates' fingerprints from those of their operands."""
        a = self.application
        layout = Layout(a.maps[:-1], a.maps[-1], len(a.extents), self.store.bucket(a.type).forms)
        if piece.second is None:
            return unary(form, layout, self.buckets[0], piece.first)
        if not piece.crossed:
            return paired(form, layout, self.buckets, piece.first, piece.second)
        table = outer(form, layout, self.buckets, piece.first, piece.second)
        if piece.ascending:
            return table[piece.first[:, None] <= piece.second[None, :]]
        return table.reshape(-1)

    def values(self, chosen: list[int] | slice) -> list[Num]:
        """The values of candidates by position, per run of samples."""
        found, first = [], 0
        rows = [r[chosen] for r in self.rows]
        for run, stacks in zip(self.store.runs, zip(*(b.stacks for b in self.buckets), strict=True), strict=True):
            args = [_joined(Num(x.res[r], x.flt[r])) for x, r in zip(stacks, rows, strict=True)]
            extents = [e.evaluate(self.store.sizes[first]) for e in self.application.extents]
            made = structured(self.application.scheme.body, self.application.maps, args, extents)
            shape = (len(rows[0]), run, *made.res.shape[1:])
            found.append(Num(made.res.reshape(shape), made.flt.reshape(shape)))
            first += run
        return found

    @cached_property
    def operands(self) -> list[tuple[Bucket, list[int]]]:
        """Each operand's bucket, and its position there for each candidate."""
        return [(b, r.tolist()) for b, r in zip(self.buckets, self.rows, strict=True)]

    def make(self, position: int) -> Term:
        """The term of a candidate."""
        a = self.application
        return Apply(a.type, a.scheme.body, a.maps, tuple([b.terms[r[position]] for b, r in self.operands]))

    def add(self, prints: Residues | None, cost: int, every: bool) -> int:
        """Put the new ones, or every one, into the store; how many they were."""
        a, target = self.application, self.store.bucket(self.application.type)
        own = prod(e.evaluate(self.store.source) for e in a.extents) * len(a.scheme.body.instrs)
        alone = a.scheme.combiner is None

        def rank(position: int) -> tuple[bool, int]:
            return alone, sum([b.ranks[r[position]][1] for b, r in self.operands], own)

        if prints is not None:
            return target.add(prints, self.values, self.make, cost, rank, every)
        whole = self.values(slice(None))
        prints = target.prints(whole)

        def chosen(fresh: list[int]) -> list[Num]:
            return [Num(v.res[fresh], v.flt[fresh]) for v in whole]

        return target.add(prints, chosen, self.make, cost, rank, every)
