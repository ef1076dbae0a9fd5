"""The search: forward enumeration and backward completion, deepened in turn, simplest result first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby, islice

import numpy as np

from raising.grammar.evaluate.evaluator import DoesNotFit, Evaluator, stacked
from raising.grammar.evaluate.number import any_apart, apart
from raising.grammar.evaluate.sample import Sample
from raising.grammar.field import field
from raising.grammar.select.selector import UNSAYABLE
from raising.grammar.terms.term import Apply, Term
from raising.support.record import dataclass
from raising.synth.complete.backward import Backward, materialised
from raising.synth.complete.composite import composite
from raising.synth.complete.goal import Goal
from raising.synth.complete.solve_operand import contractions
from raising.synth.enumerate.cancellation import adds_scalars, cancels, joins_scalars, multiplies_differences
from raising.synth.enumerate.forward import expand
from raising.synth.enumerate.guides import guided
from raising.synth.enumerate.limits import Limits, Statistics
from raising.synth.enumerate.store import Store, shape_of
from raising.synth.enumerate.term_cost import Cost, measure, quotients, quotients_of
from raising.synth.search_options import Options
from raising.synth.spec.schemes import Scheme
from raising.synth.spec.seeds import seeds
from raising.synth.spec.spec import Spec

ENOUGH = 10_000_000  # elements to compute in the hope of a simpler program than the one in hand


@dataclass(frozen=True)
class Raised:
    """A term that meets the specification, and what it cost to find."""

    term: Term
    cost: Cost
    stats: Statistics


@dataclass(frozen=True)
class NotRaised:
    """No term within the bounds; `reason` names the bound that stopped the search."""

    reason: str
    stats: Statistics


def search(
    spec: Spec,
    every: tuple[Scheme, ...],
    check: Callable[[Term], bool],
    generality: Callable[[Apply], int],
    options: Options,
    general: bool = False,
) -> Raised | NotRaised:
    """Find the simplest term over the schemes `every` that meets `spec` and passes `check`.

    `general` says that the target has an operation for any scalar body.
    """
    started = time.monotonic()
    field.accelerate()
    finder = _Finder(spec, every, check, generality, options)
    best = finder.last_resort() if general and options.literal else None
    best = best or finder.run(started + options.timeout)
    if best is None and general and "composites" in options.guides:
        best = finder.last_resort()
    finder.stats.seconds = time.monotonic() - started
    if best is None:
        return NotRaised(finder.reason, finder.stats)
    return Raised(best[1], best[0], finder.stats)


def _goal(spec: Spec) -> Goal:
    wanted = [spec.wanted(s) for s in spec.samples]
    return Goal(spec.type, tuple(v.res for v, _ in wanted), tuple(m for _, m in wanted))


class _Finder:
    def __init__(
        self,
        spec: Spec,
        every: tuple[Scheme, ...],
        check: Callable[[Term], bool],
        generality: Callable[[Apply], int],
        options: Options,
    ) -> None:
        self.spec, self.check, self.generality, self.options = spec, check, generality, options
        self.stats = Statistics()
        self.goal = _goal(spec)
        self.quotients = quotients_of(spec.source.program)
        self.small_terms = multiplies_differences(spec.source.program)
        self.scalars = () if adds_scalars(spec.source.program) else spec.source.program.scalars
        self.reason = ""
        self.guided = guided(spec, every, options.guides)
        self.stats.guides |= self.guided.left_out
        self.stats.guide("masks", sum(isinstance(t, Apply) for t in spec.inputs))
        self.rejected: set[bytes] = set()

    def run(self, deadline: float) -> tuple[Cost, Term] | None:
        limits, (forward, splits) = self._limits(deadline), self.options.levels
        store = self._store()
        if "seeds" in self.options.guides:
            self._sow(store, limits.max_rank)
        best: tuple[Cost, Term] | None = None
        for level in range(forward + 1):
            if level:
                expand(store, self.guided.schemes, level, limits, self.stats)
            for depth in range(splits + 1):
                backward = Backward(store, self.guided.schemes, limits, self.stats)
                better = self._better(best, backward, depth)
                if better is not best:
                    best = better
                    break
                if best is not None and depth + level > best[0].operations:
                    break
            if best is not None:
                limits = replace(limits, options=replace(self.options, max_work=ENOUGH))
                if best[0].operations <= level:
                    break
            if limits.exhausted(store, self.stats):
                self.reason = self._stopped(limits, level)
                break
        else:
            self.reason = f"no program of up to {forward} operations forward, {splits} backward"
        return best or self._factored(store, limits)

    def _factored(self, store: Store, limits: Limits) -> tuple[Cost, Term] | None:
        """With goals also split at contractions, once nothing else is left to try."""
        schemes = contractions(self.guided.schemes) if "factors" in self.options.guides else ()
        splits = self.options.levels[1]
        if not schemes or not splits:
            return None
        backward = Backward(store, self.guided.schemes, limits, self.stats, schemes)
        found = self._better(None, backward, splits)
        self.stats.guide("factors", found is not None)
        return found

    def _limits(self, deadline: float) -> Limits:
        rank = max([self.spec.type.rank, *(t.type.rank for t in self.spec.inputs)])
        return Limits(self.options, deadline, rank, self.guided.room)

    def _stopped(self, limits: Limits, level: int) -> str:
        bound = "the time limit" if limits.late else "the bound on candidates"
        return f"{bound} was reached with {self.stats.enumerated} candidates of up to {level} operations"

    def _store(self) -> Store:
        store = Store([s.sizes for s in self.spec.samples], self.spec.values, self.options.seed)
        for term in filter(self._has_extents, self.spec.inputs):
            try:
                values = [Evaluator(s.inputs, s.sizes)(term) for s in self.spec.samples]
            except DoesNotFit:
                continue
            store.bucket(term.type).add_one(values, term, 0, (True, 0))
        return store

    def _has_extents(self, term: Term) -> bool:
        """Whether a type has extents at all sizes of the samples: windows may end in front of where they begin."""
        return all(extent >= 0 for s in self.spec.samples for extent in shape_of(term.type, s.sizes))

    def _sow(self, store: Store, max_rank: int) -> None:
        """Add the source's own subexpressions at their cost."""
        evaluators = [Evaluator(s.inputs, s.sizes) for s in self.spec.samples]
        found = seeds(self.spec.source, self.guided.schemes, max_rank, lambda t: self.generality(t) < UNSAYABLE)
        for term in filter(self._has_extents, found):
            try:
                values = [run(term) for run in evaluators]
            except DoesNotFit:
                continue
            self.stats.guide("seeds", 1)
            cost = measure(term, self.spec.values, self.generality)
            rank = (not (isinstance(term, Apply) and term.body.reads_output), cost.steps)
            store.bucket(term.type).add_one(values, term, cost.operations, rank)

    def last_resort(self) -> tuple[Cost, Term] | None:
        """The statement's own scalar body as one operation, accumulated into its array where it reduces."""
        term = composite(self.spec.source, self.spec.type)
        if not isinstance(term, Apply):
            return None
        starts: list[Term | None] = [None]
        if term.body.reads_output:
            starts += [t for t in self.spec.inputs if t.type == term.type]
        for start in starts:
            whole = Apply(term.type, term.body, term.maps, term.inputs, start)
            if self._holds(whole) and self.check(whole):
                return measure(whole, self.spec.values, self.generality), whole
        return None

    def _better(self, best: tuple[Cost, Term] | None, backward: Backward, depth: int) -> tuple[Cost, Term] | None:
        """A term that is better than the best so far, if one of those that solve the goal is.

        One that divides more often than the loops do is none: it may have no value where they have one
        (`a / (w + 1 / w)` for `a * w / (w * w + 1)`), and costs more time. Neither is a difference of sums, where the
        loops multiply differences: its digits may cancel. Nor one that adds scalars to each other as no loop does.
        """
        refs = backward.solve(self.goal, depth)
        terms = dict.fromkeys(materialised(r, self.goal.type) for r in refs)
        ranked = sorted(
            (measure(t, self.spec.values, self.generality), t) for t in terms if t.digest not in self.rejected
        )
        for cost, term in ranked:
            if best is not None and best[0] <= cost:
                break
            if self.options.max_ops is not None and cost.operations > self.options.max_ops:
                break
            if self._as_stable(term) and self._holds(term) and self.check(term):
                return cost, term
            self.rejected.add(term.digest)
        return best

    def _as_stable(self, term: Term) -> bool:
        """Whether no operation of a term has a result that the loops' own operations would not lose."""
        if quotients(term) > self.quotients or (self.small_terms and cancels(term)):
            return False
        return not joins_scalars(term, self.scalars)

    def _holds(self, term: Term) -> bool:
        """The term has the goal's values at every sample: fingerprints are not trusted."""
        return meets(term, self.spec, self.spec.samples)


def first_wrong(term: Term, spec: Spec, samples: Iterable[Sample]) -> Sample | None:
    """The first sample at which a term does not meet a specification; None if there is none.

    Ever more samples of one size vector are looked at together: most terms that are wrong are so at the first ones.
    """
    for _, alike in groupby(samples, lambda sample: sample.sizes):
        most = 1
        while some := list(islice(alike, most)):
            if most == 1 or not _meets_together(term, spec, some):
                wrong = next((sample for sample in some if not meets(term, spec, [sample])), None)
                if wrong is not None:
                    return wrong
            most *= 2
    return None


def _meets_together(term: Term, spec: Spec, samples: Sequence[Sample]) -> bool:
    """True only if a term meets a specification at each of some samples of one size vector."""
    first = samples[0]
    goals, masks = zip(*map(spec.wanted, samples), strict=True)
    wanted, mask = stacked(goals), np.stack(masks)
    try:
        value = Evaluator.of_many([sample.inputs for sample in samples], first.sizes)(term)
    except DoesNotFit:
        return False
    if not spec.stands_at(first) or value.res.shape[1:] != wanted.res.shape[1:]:
        return False
    same = bool(np.all((value.res == wanted.res) | ~mask))
    return same and (spec.type.element.startswith("i") or not any_apart(value, wanted, mask))


def meets(term: Term, spec: Spec, samples: Iterable[Sample]) -> bool:
    """True if a term equals the specified output wherever it is written, at every sample."""
    for sample in samples:
        if not spec.stands_at(sample):
            return False
        try:
            value = Evaluator(sample.inputs, sample.sizes)(term)
        except DoesNotFit:
            return False
        wanted, mask = spec.wanted(sample)
        if value.res.shape != wanted.res.shape or not bool(np.all((value.res == wanted.res) | ~mask)):
            return False
        if not spec.type.element.startswith("i") and apart(value, wanted, mask):
            return False
    return True
