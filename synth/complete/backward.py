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

import numpy as np

from raising.grammar.evaluate.number import Num
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

Find = Callable[[Residues], Positions]  # from fingerprints to numbers of views, -1 for none

HITS = 12
KNOWN = 48
GOAL = 100_000  # elements that could be computed in the time that a goal takes beside them


@dataclass(frozen=True)
class Split:
    """A binary scheme with one operand known: `known` is its position; `kind` the field operation."""

    scheme: Scheme
    known: int
    kind: str


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
        self._tables: dict[tuple[TensorType, bytes], tuple[list[Residues], Residues, Find]] = {}
        self._known: dict[tuple[bytes, int], list[Ref]] = {}

    def solve(self, goal: Goal, depth: int) -> list[Ref]:
        """Terms that meet the goal with at most `depth` splits, in no particular order of cost."""
        self.stats.goals += 1
        self.stats.completed += GOAL
        if self.limits.incomplete(self.stats):
            return []
        key = (self._fingerprint(goal), depth)
        if key not in self._known:
            self._known[key] = list(self._solve(goal, depth))
        return self._known[key]

    def _solve(self, goal: Goal, depth: int) -> Iterator[Ref]:
        weights, forms, table = self._table(goal)
        views = self._view(goal.type)
        number = int(table(np.asarray([self._value_form(goal, weights)], dtype=np.uint64))[0])
        if number >= 0:
            yield views.ref(number)
            return
        if depth == 0:
            return
        found = False
        for ref in self._pairs(goal, weights, forms, table):
            found = True
            yield ref
        for ref in self._selected(goal, depth):
            found = True
            yield ref
        for ref in self._factored(goal, depth) if not found else ():
            found = True
            yield ref
        if not found and depth > 1:
            yield from self._deeper(goal, depth)

    # ---- lookups ---------------------------------------------------------------------------------

    def _view(self, kind: TensorType) -> Views:
        if kind not in self._views:
            self._views[kind] = Views(self.store, kind)
        return self._views[kind]

    def _weight(self, kind: TensorType) -> list[Residues]:
        if kind not in self._weights:
            self._weights[kind] = self.store.random_weights(kind)
        return self._weights[kind]

    def _table(self, goal: Goal) -> tuple[list[Residues], Residues, Find]:
        key = (goal.type, b"".join(np.packbits(m).tobytes() for m in goal.masks))
        if key not in self._tables:
            weights = goal.weighted(self._weight(goal.type))
            views = self._view(goal.type)
            self._count(views, goal)
            forms = views.forms(weights)
            self._tables[key] = (weights, forms, views.table(forms))
        return self._tables[key]

    def _count(self, views: Views, goal: Goal) -> None:
        self.stats.completed += len(views) * sum(v.size for v in goal.values)

    def _value_form(self, goal: Goal, weights: list[Residues]) -> int:
        total = sum(int(zp.dot(w.reshape(-1), v.reshape(-1))) for w, v in zip(weights, goal.values, strict=True))
        return total % zp.P

    def _fingerprint(self, goal: Goal) -> bytes:
        parts = [
            np.where(m, v, np.uint64(0)).tobytes() + m.tobytes() for v, m in zip(goal.values, goal.masks, strict=True)
        ]
        return repr(goal.type).encode() + b"".join(parts)

    # ---- two operands ----------------------------------------------------------------------------

    def _pairs(self, goal: Goal, weights: list[Residues], forms: Residues, table: Find) -> Iterator[Ref]:
        views = self._view(goal.type)
        for split in self.splits:
            if split.scheme.result_element((goal.type, goal.type)) != goal.type.element:
                continue
            wanted = self._residual_forms(split, goal, weights, forms, views)
            holes = table(wanted)
            hits = np.flatnonzero(holes >= 0)
            cheapest = np.argsort(views.costs[hits] + views.costs[holes[hits]], kind="stable")
            for known in hits[cheapest[:HITS]].tolist():
                yield from self._verified(goal, split, views.ref(known), views.ref(int(holes[known])))

    def _residual_forms(
        self, split: Split, goal: Goal, weights: list[Residues], forms: Residues, views: Views
    ) -> Residues:
        """For every view as the known operand, the fingerprint of the residual."""
        first = split.scheme.body.instrs[0].args[0] == split.known
        g = np.full(len(forms), self._value_form(goal, weights), dtype=np.uint64)
        if split.kind == "add":
            return zp.sub(g, forms)
        if split.kind == "sub":
            return zp.sub(forms, g) if first else zp.add(g, forms)
        self._count(views, goal)
        scaled = [zp.mul(w, v) for w, v in zip(weights, goal.values, strict=True)]
        if split.kind == "mul":
            return views.forms(scaled, inverse=True)
        if not first:
            return views.forms(scaled)
        return views.forms([zp.mul(w, zp.reciprocal(v)) for w, v in zip(weights, goal.values, strict=True)])

    def _verified(self, goal: Goal, split: Split, known: Ref, hole: Ref) -> Iterator[Ref]:
        operands = (known, hole) if split.known == 0 else (hole, known)
        yield from self._combined(goal, split.scheme, operands)

    def _combined(self, goal: Goal, scheme: Scheme, operands: tuple[Ref, ...]) -> Iterator[Ref]:
        identity = tuple(range(goal.type.rank))
        for term in applied(scheme, operands, goal.type):
            yield Ref(term, identity)

    # ---- selections ------------------------------------------------------------------------------

    def _selected(self, goal: Goal, depth: int) -> Iterator[Ref]:
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
                    yield from self._combined(goal, self.selections[0], (conditions.ref(number), a, b))

    # ---- contractions ----------------------------------------------------------------------------

    def _factored(self, goal: Goal, depth: int) -> Iterator[Ref]:
        identity = tuple(range(goal.type.rank))
        for factor in factors(goal, self.store, self.contracted):
            for ref in self.solve(factor.wanted, depth - 1)[:4]:
                yield Ref(factor.times(materialised(ref, factor.wanted.type)), identity)

    # ---- deeper ----------------------------------------------------------------------------------

    def _deeper(self, goal: Goal, depth: int) -> Iterator[Ref]:
        views = self._view(goal.type)
        cheap = list(views.cheapest(1 if depth == 2 else 0))[:KNOWN]
        for split in self.splits:
            if split.scheme.result_element((goal.type, goal.type)) != goal.type.element:
                continue
            for number in cheap:
                residual = self._residual(split, goal, views.values(number))
                for hole in self.solve(residual, depth - 1)[:4]:
                    yield from self._verified(goal, split, views.ref(number), hole)
                if self.limits.incomplete(self.stats):
                    return

    def _residual(self, split: Split, goal: Goal, known: list[Num]) -> Goal:
        first = split.scheme.body.instrs[0].args[0] == split.known
        values = []
        for g, x in zip(goal.values, known, strict=True):
            if split.kind == "add":
                r = zp.sub(g, x.res)
            elif split.kind == "sub":
                r = zp.sub(x.res, g) if first else zp.add(g, x.res)
            elif split.kind == "mul":
                r = zp.mul(g, zp.inverse(x.res))
            else:
                r = zp.mul(x.res, zp.reciprocal(g)) if first else zp.mul(g, x.res)
            values.append(r)
        return replace(goal, values=tuple(values))


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
