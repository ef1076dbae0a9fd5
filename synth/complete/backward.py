"""Goal-directed completion: the goal is split backwards until stored values meet it.

Where a scalar operation can be solved for one operand, every stored value is
tried as the other, and the exact residual is looked up by fingerprint. The
fingerprints of all residuals are linear forms of the stored values, so a
split costs one pass over the store, not one per value. A selection splits a
goal into two goals with complementary masks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain
from math import prod

import numpy as np

from raising.grammar.field import field as zp
from raising.grammar.field.field import Positions, Residues
from raising.grammar.terms.scalar_ops import INVERSES, SCALARS
from raising.grammar.terms.structured_op import COPY, Map, combiner, dims_of
from raising.grammar.terms.term import Apply, TensorType, Term
from raising.support.record import dataclass
from raising.synth.complete.goal import Goal, Mask, Ref, Views, in_a_row
from raising.synth.complete.solve_operand import factors
from raising.synth.enumerate.limits import Limits, Statistics
from raising.synth.enumerate.store import Store, shape_of
from raising.synth.spec.schemes import Scheme, starts

HITS = 12
KNOWN = 48
GOAL = 100_000  # elements that could be computed in the time that a goal takes beside them


@dataclass(frozen=True)
class Split:
    """A binary scheme with one operand known: `known` is its position; `kind` the field operation."""

    scheme: Scheme
    known: int
    kind: str

    @property
    def known_first(self) -> bool:
        """Whether the known operand is what the other is subtracted from, or divides."""
        return self.scheme.body.instrs[0].args[0] == self.known

    def fits(self, kind: TensorType) -> bool:
        """Whether it computes a value of that type from two of them."""
        return self.scheme.result_element((kind, kind)) == kind.element

    def residual(self, wanted: Residues, known: Residues) -> Residues:
        """The values that the other operand must have; of what is a factor, the inverse is `known`."""
        if self.kind == "add":
            return zp.sub(wanted, known)
        if self.kind == "sub":
            return zp.sub(known, wanted) if self.known_first else zp.add(wanted, known)
        return zp.mul(zp.reciprocal(wanted) if self.divides else wanted, known)

    @property
    def divides(self) -> bool:
        """Whether the other operand is what the known one is divided by."""
        return self.kind == "div" and self.known_first


@dataclass(frozen=True, eq=False)
class _Area:
    """Where values of a type are wanted, of all samples in a row; and its number among the areas of a search."""

    type: TensorType
    mask: Mask
    number: int


@dataclass(frozen=True, eq=False)
class _Wanted:
    """A goal whose values of all samples are one vector."""

    area: _Area
    values: Residues

    @cached_property
    def key(self) -> tuple[int, bytes]:
        """What tells goals apart: the area, and the values inside of it."""
        return self.area.number, np.where(self.area.mask, self.values, np.uint64(0)).tobytes()


@dataclass(frozen=True, eq=False)
class _Fingerprints:
    """Of an area: a random linear form, its value on every view, and views by such values.

    `weights` are those of the form, 0 outside of the mask; `find` gives numbers of views, -1 for none.
    """

    views: Views
    weights: Residues
    values: Residues
    find: Callable[[Residues], Positions]

    def of(self, values: Residues) -> Residues:
        """The form's value on what is wanted, as one element."""
        return np.asarray(zp.dot(self.weights, values)).reshape(1)

    def residuals(self, split: Split, values: Residues) -> Residues:
        """For every view as the known operand of a split, the form's value on the residual."""
        if split.kind in ("add", "sub"):
            return split.residual(self.of(values), self.values)
        weights = zp.mul(self.weights, zp.reciprocal(values) if split.divides else values)
        return self.views.forms(weights, inverse=split.kind == "mul")


def splits(available: tuple[Scheme, ...]) -> tuple[Split, ...]:
    """Every way to solve a pointwise scheme for one operand."""
    found = []
    for scheme in available:
        if scheme.arity != 2 or scheme.combiner is not None or len(scheme.body.instrs) != 1:
            continue
        instr = scheme.body.instrs[0]
        kind = SCALARS[instr.op].residue
        if kind in INVERSES and sorted(instr.args) == [0, 1]:
            positions = instr.args[:1] if scheme.commutative else instr.args
            found += [Split(scheme, p, kind) for p in positions]
    return tuple(found)


class Backward:
    """Solves goals over a store that does not change meanwhile; with `contracted`, also for operands of these."""

    def __init__(
        self,
        store: Store,
        available: tuple[Scheme, ...],
        limits: Limits,
        stats: Statistics,
        contracted: tuple[Scheme, ...] = (),
    ) -> None:
        self.store, self.limits, self.stats = store, limits, stats
        self.contracted = contracted
        self.splits = splits((*available, *starts(available)))
        self.selections = tuple(s for s in available if _is_selection(s))
        self._views: dict[TensorType, Views] = {}
        self._weights: dict[TensorType, Residues] = {}
        self._areas: dict[tuple[TensorType, bytes], _Area] = {}
        self._fingerprints: dict[int, _Fingerprints] = {}
        self._conditions: dict[TensorType, list[tuple[Ref, Mask]]] = {}
        self._parts: dict[int, list[tuple[Ref, _Area, _Area]]] = {}
        self._solved: dict[tuple[tuple[int, bytes], int], list[Ref]] = {}

    def solve(self, goal: Goal, depth: int) -> list[Ref]:
        """Terms that meet the goal with at most `depth` splits, in no particular order of cost."""
        return self._met(_Wanted(self._area(goal.type, in_a_row(goal.masks)), in_a_row(goal.values)), depth)

    def _met(self, goal: _Wanted, depth: int) -> list[Ref]:
        self.stats.goals += 1
        self.stats.completed += GOAL
        if self.limits.incomplete(self.stats):
            return []
        key = (goal.key, depth)
        if key not in self._solved:
            self._solved[key] = list(self._solve(goal, depth))
        return self._solved[key]

    def _solve(self, goal: _Wanted, depth: int) -> Iterator[Ref]:
        """A stored value, one operation on two of them, a selection or a contraction; if there is none, two splits."""
        fingerprints = self._fingerprints_of(goal.area)
        number = int(fingerprints.find(fingerprints.of(goal.values))[0])
        if number >= 0:
            yield fingerprints.views.ref(number)
            return
        if depth == 0:
            return
        found = False
        for ref in chain(self._paired(goal, fingerprints), self._selected(goal, depth)):
            found = True
            yield ref
        for ref in self._factored(goal, depth) if not found else ():
            found = True
            yield ref
        if not found and depth > 1:
            yield from self._deeper(goal, depth)

    def _area(self, kind: TensorType, mask: Mask) -> _Area:
        known = _Area(kind, mask, len(self._areas))
        return self._areas.setdefault((kind, np.packbits(mask).tobytes()), known)

    def _fingerprints_of(self, area: _Area) -> _Fingerprints:
        if area.number not in self._fingerprints:
            kind = area.type
            if kind not in self._views:
                self._views[kind] = Views(self.store, kind)
                self._weights[kind] = in_a_row(self.store.random_weights(kind))
            views, weights = self._views[kind], np.where(area.mask, self._weights[kind], np.uint64(0))
            self._count(views, area)
            values = views.forms(weights)
            self._fingerprints[area.number] = _Fingerprints(views, weights, values, views.table(values))
        return self._fingerprints[area.number]

    def _count(self, views: Views, area: _Area) -> None:
        """Note the work of a linear form on every view."""
        self.stats.completed += len(views) * area.mask.size

    # ---- two operands ----------------------------------------------------------------------------

    def _paired(self, goal: _Wanted, fingerprints: _Fingerprints) -> Iterator[Ref]:
        """An operation on two stored values, cheapest first for each split."""
        views, kind = fingerprints.views, goal.area.type
        for split in (s for s in self.splits if s.fits(kind)):
            if split.kind not in ("add", "sub"):
                self._count(views, goal.area)
            others = fingerprints.find(fingerprints.residuals(split, goal.values))
            hits = np.flatnonzero(others >= 0)
            cheapest = np.argsort(views.costs[hits] + views.costs[others[hits]], kind="stable")
            for known in hits[cheapest[:HITS]].tolist():
                yield from _joined(kind, split, views.ref(known), views.ref(int(others[known])))

    def _deeper(self, goal: _Wanted, depth: int) -> Iterator[Ref]:
        """An operation on a cheap stored value and what solves the residual."""
        views, kind = self._views[goal.area.type], goal.area.type
        cheap = list(views.cheapest(1 if depth == 2 else 0))[:KNOWN]
        for split in (s for s in self.splits if s.fits(kind)):
            for number in cheap:
                known = views.inverse(number) if split.kind == "mul" else views.vector(number)
                for other in self._met(_Wanted(goal.area, split.residual(goal.values, known)), depth - 1)[:4]:
                    yield from _joined(kind, split, views.ref(number), other)
                if self.limits.incomplete(self.stats):
                    return

    # ---- selections ------------------------------------------------------------------------------

    def _selected(self, goal: _Wanted, depth: int) -> Iterator[Ref]:
        """A selection by a stored condition, of what solves the goal where it holds and where it does not."""
        if not self.selections:
            return
        for condition, yes, no in self._parts_of(goal.area):
            for a in self._met(_Wanted(yes, goal.values), depth - 1)[:2]:
                for b in self._met(_Wanted(no, goal.values), depth - 1)[:2]:
                    yield from _combined(goal.area.type, self.selections[0], (condition, a, b))

    def _parts_of(self, area: _Area) -> list[tuple[Ref, _Area, _Area]]:
        """Stored conditions, each with the part of an area where it holds and the part where it does not."""
        if area.number not in self._parts:
            kind, mask = area.type, area.mask
            both = ((ref, mask & truth, mask & ~truth) for ref, truth in self._conditions_of(kind))
            self._parts[area.number] = [
                (ref, self._area(kind, yes), self._area(kind, no)) for ref, yes, no in both if yes.any() and no.any()
            ]
        return self._parts[area.number]

    def _conditions_of(self, kind: TensorType) -> list[tuple[Ref, Mask]]:
        """The cheapest stored conditions in the shape of a type, and where they hold."""
        if kind not in self._conditions:
            views = Views(self.store, kind, "i1")
            cheapest = list(views.cheapest(2))[:HITS]
            self._conditions[kind] = [(views.ref(number), views.vector(number) != 0) for number in cheapest]
        return self._conditions[kind]

    # ---- contractions ----------------------------------------------------------------------------

    def _factored(self, goal: _Wanted, depth: int) -> Iterator[Ref]:
        """A contraction with a stored operand, of what solves for the other."""
        if not self.contracted or not goal.area.mask.all():
            return
        kind = goal.area.type
        shapes = [shape_of(kind, sizes) for sizes in self.store.sizes]
        values = np.split(goal.values, np.cumsum([prod(shape) for shape in shapes])[:-1])
        wanted = [v.reshape(shape) for v, shape in zip(values, shapes, strict=True)]
        identity = tuple(range(kind.rank))
        for factor in factors(kind, wanted, self.store, self.contracted):
            for ref in self.solve(factor.wanted, depth - 1)[:4]:
                yield Ref(factor.times(materialised(ref, factor.wanted.type)), identity)


def _joined(kind: TensorType, split: Split, known: Ref, other: Ref) -> Iterator[Ref]:
    return _combined(kind, split.scheme, (known, other) if split.known == 0 else (other, known))


def _combined(kind: TensorType, scheme: Scheme, operands: tuple[Ref, ...]) -> Iterator[Ref]:
    """Terms of a type that apply a scheme, as they read in the goal's shape."""
    identity = tuple(range(kind.rank))
    return (Ref(term, identity) for term in applied(scheme, operands, kind))


def _is_selection(scheme: Scheme) -> bool:
    instrs = scheme.body.instrs
    return len(instrs) == 1 and SCALARS[instrs[0].op].residue == "select" and instrs[0].args == (0, 1, 2)


# ---- building ------------------------------------------------------------------------------------


def materialised(ref: Ref, kind: TensorType) -> Term:
    """A view as a term of the goal's own type: an output map permuted, or a copy by maps."""
    identity = tuple(range(kind.rank))
    term = ref.term
    if ref.map == identity and term.type.rank == kind.rank:
        return term
    if isinstance(term, Apply) and term.init is None and len(ref.map) == kind.rank:
        out = _inverse(ref.map, term.maps[-1])
        return Apply(kind, term.body, (*term.maps[:-1], out), term.inputs)
    return Apply(kind, COPY, (ref.map, identity), (term,))


def _inverse(view: Map, out: Map) -> Map:
    permuted = list(out)
    for k, d in enumerate(dims_of(view)):
        permuted[d] = out[k]
    return tuple(permuted)


def applied(scheme: Scheme, operands: tuple[Ref, ...], kind: TensorType) -> Iterator[Term]:
    """A pointwise scheme over views; also accumulated into its other operand, where that says the same."""
    identity = tuple(range(kind.rank))
    if not scheme.starts_only:
        yield Apply(kind, scheme.body, (*(r.map for r in operands), identity), tuple(r.term for r in operands))
    if len(operands) != 2 or not scheme.commutative:
        return
    for accumulated, other in (operands, operands[::-1]):
        term = accumulated.term
        if isinstance(term, Apply) and _accumulates(term, scheme) and len(accumulated.map) == kind.rank:
            whole = materialised(accumulated, kind)
            if isinstance(whole, Apply) and _accumulates(whole, scheme):
                yield started_from(whole, materialised(other, kind), scheme)


def _accumulates(term: Term | None, scheme: Scheme) -> bool:
    return isinstance(term, Apply) and combiner(term.body) == scheme.body.instrs[0].op


def started_from(term: Apply, start: Term, scheme: Scheme) -> Term:
    """An accumulation with `start` combined in: it becomes the initial value of the innermost accumulation."""
    if term.init is None:
        return Apply(term.type, term.body, term.maps, term.inputs, start)
    identity = tuple(range(term.type.rank))
    if isinstance(term.init, Apply) and _accumulates(term.init, scheme):
        inner = started_from(term.init, start, scheme)
    else:
        inner = Apply(term.type, scheme.body, (identity,) * 3, (term.init, start))
    return Apply(term.type, term.body, term.maps, term.inputs, inner)
