"""Goal-directed completion: the goal is split backwards until stored values meet it.

Where a scalar operation can be solved for one operand, every stored value is
tried as the other, and the exact residual is looked up by fingerprint. The
fingerprints of all residuals are linear forms of the stored values, so a
split costs one pass over the store, not one per value. A selection splits a
goal into two goals with complementary masks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from raising.grammar.field import field as zp
from raising.grammar.field.field import Positions, Residues
from raising.grammar.terms.scalar_ops import INVERSES, SCALARS
from raising.grammar.terms.structured_op import COPY, Map, combiner, dims_of
from raising.grammar.terms.term import Apply, TensorType, Term
from raising.support.record import dataclass
from raising.synth.complete.goal import Goal, Ref, Views
from raising.synth.complete.solve_operand import factors
from raising.synth.enumerate.limits import Limits, Statistics
from raising.synth.enumerate.store import Store
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
        """The values that the other operand must have."""
        if self.kind == "add":
            return zp.sub(wanted, known)
        if self.kind == "sub":
            return zp.sub(known, wanted) if self.known_first else zp.add(wanted, known)
        if self.kind == "mul":
            return zp.mul(wanted, zp.inverse(known))
        return zp.mul(known, zp.reciprocal(wanted)) if self.known_first else zp.mul(wanted, known)


@dataclass(frozen=True)
class _Fingerprints:
    """Of a goal's shape and mask: a random linear form, its value on every view, and views by such values.

    `weights` are those of the form, 0 outside of the mask; `find` gives numbers of views, -1 for none.
    """

    views: Views
    weights: list[Residues]
    values: Residues
    find: Callable[[Residues], Positions]

    def of(self, goal: Goal) -> int:
        """The form's value on what is wanted."""
        pairs = zip(self.weights, goal.values, strict=True)
        return sum(int(zp.dot(w.reshape(-1), v.reshape(-1))) for w, v in pairs) % zp.P

    def residuals(self, split: Split, goal: Goal) -> Residues:
        """For every view as the known operand of a split, the form's value on the residual."""
        if split.kind in ("add", "sub"):
            return split.residual(np.full(len(self.values), self.of(goal), dtype=np.uint64), self.values)
        divided = split.kind == "div" and split.known_first
        wanted = map(zp.reciprocal, goal.values) if divided else goal.values
        weights = [zp.mul(w, v) for w, v in zip(self.weights, wanted, strict=True)]
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
        self._weights: dict[TensorType, list[Residues]] = {}
        self._fingerprints: dict[tuple[TensorType, bytes], _Fingerprints] = {}
        self._solved: dict[tuple[bytes, int], list[Ref]] = {}

    def solve(self, goal: Goal, depth: int) -> list[Ref]:
        """Terms that meet the goal with at most `depth` splits, in no particular order of cost."""
        self.stats.goals += 1
        self.stats.completed += GOAL
        if self.limits.incomplete(self.stats):
            return []
        key = (_key(goal), depth)
        if key not in self._solved:
            self._solved[key] = list(self._solve(goal, depth))
        return self._solved[key]

    def _solve(self, goal: Goal, depth: int) -> Iterator[Ref]:
        """A stored value, one operation on two of them, a selection or a contraction; if there is none, two splits."""
        fingerprints = self._fingerprints_of(goal)
        number = int(fingerprints.find(np.asarray([fingerprints.of(goal)], dtype=np.uint64))[0])
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

    def _fingerprints_of(self, goal: Goal) -> _Fingerprints:
        kind = goal.type
        key = (kind, b"".join(np.packbits(m).tobytes() for m in goal.masks))
        if key not in self._fingerprints:
            if kind not in self._views:
                self._views[kind] = Views(self.store, kind)
                self._weights[kind] = self.store.random_weights(kind)
            views, weights = self._views[kind], goal.weighted(self._weights[kind])
            self._count(views, goal)
            values = views.forms(weights)
            self._fingerprints[key] = _Fingerprints(views, weights, values, views.table(values))
        return self._fingerprints[key]

    def _count(self, views: Views, goal: Goal) -> None:
        """Note the work of a linear form on every view."""
        self.stats.completed += len(views) * sum(v.size for v in goal.values)

    # ---- two operands ----------------------------------------------------------------------------

    def _paired(self, goal: Goal, fingerprints: _Fingerprints) -> Iterator[Ref]:
        """An operation on two stored values, cheapest first for each split."""
        views = fingerprints.views
        for split in (s for s in self.splits if s.fits(goal.type)):
            if split.kind not in ("add", "sub"):
                self._count(views, goal)
            others = fingerprints.find(fingerprints.residuals(split, goal))
            hits = np.flatnonzero(others >= 0)
            cheapest = np.argsort(views.costs[hits] + views.costs[others[hits]], kind="stable")
            for known in hits[cheapest[:HITS]].tolist():
                yield from _joined(goal, split, views.ref(known), views.ref(int(others[known])))

    def _deeper(self, goal: Goal, depth: int) -> Iterator[Ref]:
        """An operation on a cheap stored value and what solves the residual."""
        views = self._views[goal.type]
        cheap = list(views.cheapest(1 if depth == 2 else 0))[:KNOWN]
        for split in (s for s in self.splits if s.fits(goal.type)):
            for number in cheap:
                operands = zip(goal.values, views.values(number), strict=True)
                residual = replace(goal, values=tuple(split.residual(v, known.res) for v, known in operands))
                for other in self.solve(residual, depth - 1)[:4]:
                    yield from _joined(goal, split, views.ref(number), other)
                if self.limits.incomplete(self.stats):
                    return

    # ---- selections ------------------------------------------------------------------------------

    def _selected(self, goal: Goal, depth: int) -> Iterator[Ref]:
        """A selection by a stored condition, of what solves the goal where it holds and where it does not."""
        if not self.selections:
            return
        conditions = Views(self.store, goal.type, "i1")
        for number in list(conditions.cheapest(2))[:HITS]:
            truth = [
                np.broadcast_to(v.res != 0, g.shape)
                for v, g in zip(conditions.values(number), goal.values, strict=True)
            ]
            yes = replace(goal, masks=tuple(m & t for m, t in zip(goal.masks, truth, strict=True)))
            no = replace(goal, masks=tuple(m & ~t for m, t in zip(goal.masks, truth, strict=True)))
            if not all(any(bool(m.any()) for m in g.masks) for g in (yes, no)):
                continue
            for a in self.solve(yes, depth - 1)[:2]:
                for b in self.solve(no, depth - 1)[:2]:
                    yield from _combined(goal, self.selections[0], (conditions.ref(number), a, b))

    # ---- contractions ----------------------------------------------------------------------------

    def _factored(self, goal: Goal, depth: int) -> Iterator[Ref]:
        """A contraction with a stored operand, of what solves for the other."""
        identity = tuple(range(goal.type.rank))
        for factor in factors(goal, self.store, self.contracted):
            for ref in self.solve(factor.wanted, depth - 1)[:4]:
                yield Ref(factor.times(materialised(ref, factor.wanted.type)), identity)


def _key(goal: Goal) -> bytes:
    """The type, the mask, and the values inside of it."""
    pairs = zip(goal.values, goal.masks, strict=True)
    return repr(goal.type).encode() + b"".join(np.where(m, v, np.uint64(0)).tobytes() + m.tobytes() for v, m in pairs)


def _joined(goal: Goal, split: Split, known: Ref, other: Ref) -> Iterator[Ref]:
    return _combined(goal, split.scheme, (known, other) if split.known == 0 else (other, known))


def _combined(goal: Goal, scheme: Scheme, operands: tuple[Ref, ...]) -> Iterator[Ref]:
    """Terms that apply a scheme, as they read in the goal's shape."""
    identity = tuple(range(goal.type.rank))
    return (Ref(term, identity) for term in applied(scheme, operands, goal.type))


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
