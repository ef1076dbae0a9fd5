"""Raising of a loop program: it is distributed into parts, each is raised, and the terms are put together again.

A part is raised by search, or becomes a sequential loop over tensors (`recurrence`), whose body is a loop program that
is raised in the same way. Two parts are joined into one where that leaves fewer loops or operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

from raising.affine.ir.program import Store, walk
from raising.affine.polyhedral.distribution import Part, Version, distribute
from raising.affine.polyhedral.expansion import expand
from raising.affine.polyhedral.index_set_splitting import split
from raising.affine.polyhedral.scop import build
from raising.affine.polyhedral.select_reductions import accumulating
from raising.grammar.evaluate.size_vectors import Unsizable
from raising.grammar.terms.structured_op import COPY
from raising.grammar.terms.term import Apply, Call, Term, within
from raising.segment.compose_parts import Composer, Solved, merged
from raising.segment.effort import SPENT
from raising.segment.merge_parts import joinable
from raising.segment.part_search import LATE, PartReport, PartSearch
from raising.segment.procedures import Fitter, procedures
from raising.segment.recurrence import Body, Recurrence, is_needed, recurrences
from raising.segment.segment_result import Failure, all_of
from raising.segment.validity.region_trials import Idle
from raising.segment.views import seen_through
from raising.support.errors import OutOfTime, Stopped
from raising.support.record import dataclass
from raising.synth.enumerate.limits import Statistics

SLACK = 0.3  # seconds after the time limit in which programs are still distributed: parts may be in the cache

Groups = frozenset[frozenset[str]]
"""Groups of statements, by their labels; those of one group are not distributed over several parts."""


@dataclass
class Outcome:
    """The results for the parts of a program; no `terms` if there is a failure."""

    reports: list[PartReport] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    loops: list[Recurrence] = field(default_factory=list)
    sequential: list[Part] = field(default_factory=list)  # the program's own parts that became loops
    invalid: list[Any] = field(default_factory=list)  # sizes at which the terms are not valid
    terms: dict[str, Term] | None = None

    @property
    def size(self) -> tuple[int, int]:
        """The number of sequential loops, and that of operations."""
        terms = tuple((self.terms or {}).values())
        return len(self.loops), sum(isinstance(t, Apply | Call) for t in within(terms))

    def include(self, other: Outcome) -> None:
        """Add the reports and loops of a program that is the body of a loop in this one."""
        self.reports += other.reports
        self.loops += other.loops
        self.invalid += other.invalid


@dataclass
class BodySolver:
    """Raises loop programs; the outcomes are cached, so that none is raised twice."""

    search: PartSearch
    _outcomes: dict[str, Outcome] = field(default_factory=dict)

    @cached_property
    def fitter(self) -> Fitter:
        """The search for operations of the target that are recurrences."""
        return Fitter(procedures(self.search.selector.target), self.search.select, self.search.options.seed)

    @property
    def deadline(self) -> float:
        """The time after which no program is distributed any more."""
        return self.search.deadline + SLACK

    def solve(self, body: Body, whole: bool = True) -> Outcome:
        """The contents after a program of the arrays that are live then, as terms over the contents before it.

        Where it is of use as a `whole` only, its first failure ends it; else that of each nest does.
        """
        program, how = body.program, self.search.how
        what = (program, sorted(program.live_out), sorted(body.values.items()), sorted(body.undefined), how, whole)
        key = repr(what)
        if key in self._outcomes:
            return self._outcomes[key]
        outcome = self._with_parts_joined(body, whole)
        if not self.search.late:  # a failure for lack of time is not cached: another function may have more time
            self._outcomes[key] = outcome
        return outcome

    def _with_parts_joined(self, body: Body, whole: bool) -> Outcome:
        """The best outcome of joining parts, two by two: that with the fewest loops, then the fewest operations."""
        try:
            with self.search.effort.analysing():
                best = self._attempted(body, frozenset(), whole)
        except Stopped as bound:
            why = LATE if isinstance(bound, OutOfTime) else SPENT
            return Outcome(failures=[all_of(body.program, why)])
        pending = best.joinable()
        with suppress(Stopped), self.search.effort.analysing():
            while best.outcome.terms is not None and not self.search.late and (labels := next(pending, None)):
                joined = self._attempted(body, best.together | {labels}, whole=True)
                if joined.outcome.terms is not None and joined.outcome.size < best.outcome.size:
                    best, pending = joined, joined.joinable()
        return best.outcome

    def _attempted(self, body: Body, together: Groups, whole: bool) -> _Attempt:
        """An attempt that expands no memory by the variable of a loop that turns out to be sequential.

        Which loops are sequential is known only after parts were raised, so the attempt is repeated for each of them.
        """
        stay: frozenset[str] = frozenset()
        while True:
            attempt = _Attempt(self, body, stay, together, whole)
            expanded = attempt.run()
            if expanded is None:
                return attempt
            stay |= {expanded.iv}


@dataclass(frozen=True)
class _Expanded:
    """The variable of a sequential loop by which an attempt expanded a memory, in vain."""

    iv: str


class _Attempt:
    """One distribution of a program, and its outcome.

    No memory is expanded by the variables in `stay`; the statements of each group in `together` are in one part. What a
    failure loses anyway is not searched for: all, if the program is of use as a `whole` only, else the nest.
    """

    def __init__(self, solver: BodySolver, body: Body, stay: frozenset[str], together: Groups, whole: bool) -> None:
        self.solver, self.search, self.body, self.stay, self.together = solver, solver.search, body, stay, together
        self.whole = whole
        self.scop = build(body.program)
        self.dynamic = frozenset(n for n, form in body.values.items() if not form.is_const)
        expanded = expand(self.scop, self.dynamic, stay)
        self.distribution = distribute(expanded, together, solver.deadline)
        self.outcome = Outcome()

    def joinable(self) -> Iterator[frozenset[str]]:
        """Unions of the statements of two parts that may have a better outcome as one part."""
        return joinable(self.distribution, self.outcome.sequential, self.together, self.solver.deadline)

    def run(self) -> _Expanded | None:
        """Raise all parts and compose their terms in `outcome`; returns early if a memory was expanded in vain."""
        solved: dict[Version, Solved] = {}
        self.search.find_together(self.distribution.needed, self.body.values)
        for part in self.distribution.needed:
            if self._lost(part):
                continue
            outputs = self._part(part)
            if isinstance(outputs, _Expanded):
                return outputs
            solved |= {part.outputs[array]: one for array, one in outputs.items()}
        if not self.outcome.failures:
            self._compose(solved)
        return None

    def _lost(self, part: Part) -> bool:
        """Whether a failure before this part takes the part with it."""
        failed = {label for failure in self.outcome.failures for label in failure.labels}
        return bool(failed) and (self.whole or not failed.isdisjoint(self._beside(part)))

    def _beside(self, part: Part) -> set[str]:
        """The statements of the nests of a part."""
        own = {s.label for s in part.statements}
        nests = ({n.label for n in walk((node,)) if isinstance(n, Store)} for node in self.scop.program.body)
        return {label for nest in nests if not own.isdisjoint(nest) for label in nest}

    def _compose(self, solved: Mapping[Version, Solved]) -> None:
        """Make the terms of the outcome from those of the parts."""
        body, distribution, seed = self.body, self.distribution, self.search.options.seed
        outputs = sorted(a for a in distribution.final if a in body.program.live_out)
        try:
            expanded = distribution.scop.program.arrays.keys() - body.program.arrays.keys()
            idle = Idle(distribution.scop.program, body.values, seed)
            composer = Composer(distribution, solved, body.undefined | expanded, self.search.select or COPY, idle)
            roots = seen_through(tuple(composer.final(a) for a in outputs), body.program)
            roots = merged(roots, distribution, body.values, seed)
            self.outcome.invalid.append(composer.invalid)
        except Unsizable as error:
            self.outcome.failures.append(all_of(body.program, str(error)))
            return
        self.outcome.terms = dict(zip(outputs, roots, strict=True))

    # ---- one part ----------------------------------------------------------------------------------

    def _part(self, part: Part) -> dict[str, Solved] | _Expanded:
        """The terms of a part's outputs: one per output, or all from one sequential loop; empty after a failure."""
        tangled = len(part.statements) > 1 and (len(part.outputs) > 1 or not part.accumulates)
        if part.carried and tangled and (in_sequence := self._in_sequence(part)):
            return in_sequence
        solved: dict[str, Solved] = {}
        for output in part.outputs:
            one, report = self._searched(part, output)
            if one is None:
                break
            solved[output] = one
            self.outcome.reports.append(report)
        else:
            return solved
        if part.carried and not tangled and (in_sequence := self._in_sequence(part)):
            return in_sequence
        self.outcome.reports.append(report)
        labels = tuple(s.label for s in part.statements)
        self.outcome.failures.append(Failure(labels, report.where, report.reason))
        return {}

    def _searched(self, part: Part, output: str) -> tuple[Solved | None, PartReport]:
        """The term of one output; conditional updates are first tried as accumulations with a neutral element."""
        program = accumulating(part.program) if part.accumulates else part.program
        if program is not part.program:
            statements = build(program).statements
            other = replace(part, program=program, statements=tuple(statements[s.label] for s in part.statements))
            solved, report = self.search.find(other, output, self.body.values)
            if solved is not None:
                return replace(solved, part=part), report
        return self.search.find(part, output, self.body.values)

    def _in_sequence(self, part: Part) -> dict[str, Solved] | _Expanded:
        """The outputs of a part with a loop-carried dependence; empty if it cannot be raised."""
        in_pieces = {} if part.accumulates or self.search.late else self._in_pieces(part)
        return in_pieces or self._called(part) or self._looped(part)

    def _in_pieces(self, part: Part) -> dict[str, Solved]:
        """The outputs of a part that has no cycle of dependences once index sets are split; empty for other parts."""
        program = split(part.program) if not part.problem else None
        if program is None or any(
            p.carried and not p.accumulates for p in distribute(build(program), deadline=self.solver.deadline).parts
        ):
            return {}
        terms = self._inner(Body(program, self.body.values, frozenset()))
        return {a: Solved(part, a, terms[a], None, whole=True) for a in part.outputs} if terms is not None else {}

    def _called(self, part: Part) -> dict[str, Solved]:
        """The outputs of a part that other parts need, each as one recurrence operation of the target."""
        if part.problem or self.search.late:
            return {}
        needed = [a for a in part.outputs if is_needed(a, part, self.distribution)]
        calls = self.solver.fitter.solved(part, needed, self.body.values)
        where = part.statements[0].write.node.loc
        for output, solved in calls.items():
            operations = sum(isinstance(t, Apply | Call) for t in solved.term.nodes())
            self.outcome.reports.append(PartReport(where, output, solved.term, operations, "", Statistics()))
        return calls

    def _looped(self, part: Part) -> dict[str, Solved] | _Expanded:
        """The outputs as results of a sequential loop over tensors: of the first one whose body can be raised."""
        ways = recurrences(part, self.distribution, self.solver.deadline)
        for recurrence in takewhile(lambda _: not self.search.late, ways):
            if recurrence.in_place and self._expands(recurrence.loop.iv):
                return _Expanded(recurrence.loop.iv)
            terms = self._inner(recurrence.body(self.body.values))
            if terms is not None and (solved := recurrence.solved(terms)):
                self.outcome.loops.append(recurrence)
                self.outcome.sequential.append(part)
                return solved
        return {}

    def _expands(self, iv: str) -> bool:
        """True if fewer memories are expanded once the loop over `iv` is known to be sequential."""
        return expand(self.scop, self.dynamic, self.stay | {iv}).program != self.distribution.scop.program

    def _inner(self, body: Body) -> dict[str, Term] | None:
        """The terms of the body of a loop, whose reports are added to this outcome; None if it cannot be raised."""
        inner = self.solver.solve(body)
        if inner.terms is not None:
            self.outcome.include(inner)
        return inner.terms
