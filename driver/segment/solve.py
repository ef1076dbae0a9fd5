"""The solver of one segment: it is analysed, split into parts, each part searched for, and put together again.

A part that is a recurrence becomes a sequential loop over tensors (`recurrence`), whose body is solved in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.degenerate_loops import simplify
from raising.affine.ir.program import Compute, Program, walk
from raising.affine.polyhedral.distribution import Distribution, Part, Version, distribute
from raising.affine.polyhedral.expansion import expand
from raising.affine.polyhedral.index_set_splitting import split
from raising.affine.polyhedral.scop import accessed, accesses, build
from raising.affine.polyhedral.select_reductions import accumulating
from raising.affine.polyhedral.slice import without_idle
from raising.affine.transforms.delays import undelayed
from raising.affine.transforms.kept_places import with_places_apart
from raising.affine.transforms.packed_copies import without_copies
from raising.affine.transforms.partial_sums import without_partial_sums
from raising.affine.transforms.quotient_sizes import unit_steps, with_quotients
from raising.affine.transforms.scatter_to_gather import gathered
from raising.affine.transforms.symbolic_sizes import generalise
from raising.affine.transforms.turns import between_turns
from raising.affine.transforms.untile import untiled
from raising.frontend.mlir.segments import Segment
from raising.grammar.evaluate.size_vectors import Unsizable
from raising.grammar.select.legalise import legalised
from raising.grammar.select.selector import CannotSay, Selector
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import COPY
from raising.grammar.terms.term import Apply, Call, Term, within
from raising.segment.boxes import leave_in_loops
from raising.segment.compose_parts import CannotCompose, Composer, Solved, merged
from raising.segment.effort import SPENT
from raising.segment.gathered_reads import framed, with_quotients_apart
from raising.segment.merge_parts import joinable
from raising.segment.part_search import LATE, PartReport, PartSearch
from raising.segment.procedures import Fitter, procedures
from raising.segment.recurrence import Body, Recurrence, is_needed, recurrences
from raising.segment.segment_result import Failure, SegmentResult, all_of
from raising.segment.standing import Form, Idle, NowhereKnown, with_regions
from raising.segment.views import seen_through, solved_with_views
from raising.support.errors import OutOfTime, Stopped
from raising.support.record import dataclass
from raising.synth.enumerate.limits import Statistics
from raising.validate.base.verdict import FieldEvidence, Refuted, Unknown
from raising.validate.field.term_check import check_field

MAX_STATEMENTS = 200
NO_GATHER = "the target has no operation that reads at positions that are data"
SLACK = 0.3  # seconds after the time limit in which programs are still taken apart, for parts that are known by then

FieldCheck = Callable[[Program, Mapping[str, Term], Mapping[str, Lin], int], FieldEvidence | Refuted | Unknown]


@dataclass
class _Outcome:
    """The results for the parts of a program; no `terms` if there is a failure."""

    reports: list[PartReport] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    loops: list[Recurrence] = field(default_factory=list)
    sequential: list[Part] = field(default_factory=list)  # the program's own parts that became loops
    invalid: list[Any] = field(default_factory=list)  # the sizes at which terms are known not to stand
    terms: dict[str, Term] | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Loops that stay, and operations."""
        terms = tuple((self.terms or {}).values())
        return len(self.loops), sum(isinstance(t, Apply | Call) for t in within(terms))

    def include(self, other: _Outcome) -> None:
        """Take over what was done for a program inside of this one."""
        self.reports += other.reports
        self.loops += other.loops
        self.invalid += other.invalid


def _without_meaning(program: Program) -> tuple[Failure, ...]:
    """The statements that need an operation that the search cannot evaluate."""
    if all(n.op in SCALARS for n in walk(program.body) if isinstance(n, Compute)):
        return ()
    found = ((s, sorted(s.operations - SCALARS.keys())) for s in accessed(program).statements.values())
    return tuple(
        Failure((s.label,), s.write.node.loc, f"operation '{lost[0]}' is not supported") for s, lost in found if lost
    )


class _Restart(Exception):
    """A loop has to stay by whose variable a memory was expanded."""

    def __init__(self, iv: str) -> None:
        super().__init__(iv)
        self.iv = iv


@dataclass
class Solver:
    """Solves segments by searching their parts."""

    search: PartSearch
    check: FieldCheck = check_field
    _known: dict[str, _Outcome] = field(default_factory=dict)

    @cached_property
    def fitter(self) -> Fitter:
        """The search for operations of the target that are recurrences."""
        return Fitter(procedures(self.selector.target), self.search.select, self.search.options.seed)

    @property
    def _ends(self) -> float:
        """When programs are no longer taken apart."""
        return self.search.deadline + SLACK

    @property
    def selector(self) -> Selector:
        """The instruction selection of the target."""
        return self.search.selector

    def solve(self, segment: Segment) -> SegmentResult:
        """A segment as terms over the contents of its arrays at entry."""
        return solved_with_views(segment, self._plain)

    def _plain(self, segment: Segment) -> SegmentResult:
        own = {name: array.shape for name, array in segment.program.arrays.items() if array.gathered is None}
        plain = without_partial_sums(without_copies(without_idle(simplify(segment.program))))
        general = with_quotients(generalise(unit_steps(untiled(plain))))
        program, values, statements = general.program, general.values, list(general.program.stores())
        if not statements:
            return SegmentResult(program, values, {}, None, ())
        if any(a.gathered is not None for a in program.arrays.values()):
            found = framed(program) if self.selector.target.general else NO_GATHER
            if isinstance(found, str):
                return SegmentResult(program, values, {}, None, (), (all_of(program, found),))
            program = found
        if len(statements) > MAX_STATEMENTS:
            why = f"{len(statements)} statements in one run of loops, more than {MAX_STATEMENTS}"
            return SegmentResult(program, values, {}, None, (), (all_of(program, why),))
        if unknown := _without_meaning(program):
            return SegmentResult(program, values, {}, None, (), unknown)
        wanted = Body(program, values, segment.undefined)
        result, refuted = self._raised(wanted, own)
        if refuted and not self.search.late and not self.search.special:
            with self.search.at_special_points():
                again, _ = self._raised(wanted, own)
            result = result if again.failures else again
        return result

    def _raised(self, wanted: Body, own: Mapping[str, tuple[Lin, ...]]) -> tuple[SegmentResult, bool]:
        """The terms with their evidence, or the failures, and whether a point showed the terms to be wrong."""
        body, outcome = self._rewritten(wanted)
        if outcome.terms is not None:
            return self._checked(body, outcome, own)
        failures, reports = tuple(outcome.failures), tuple(outcome.reports)
        return SegmentResult(body.program, dict(body.values), {}, None, reports, failures), False

    def _rewritten(self, body: Body) -> tuple[Body, _Outcome]:
        """The outcome for a program; where loops stay, of it rewritten in the ways that leave fewer loops."""
        outcome = self._solved(body)
        quotients = (with_quotients_apart,) if self.selector.target.general else ()
        for change in (gathered, between_turns, with_places_apart, undelayed, *quotients):
            if (outcome.terms is not None and not outcome.loops) or self.search.late:
                break
            program = change(body.program)
            if program is body.program:
                continue
            own = {n for n in program.arrays.keys() - body.program.arrays.keys() if not program.arrays[n].gathered}
            other = replace(body, program=program, undefined=body.undefined | own)
            again = self._solved(other)
            if again.terms is not None and (outcome.terms is None or len(again.loops) < len(outcome.loops)):
                body, outcome = other, again
        return self._inside(body, outcome)

    def _inside(self, body: Body, outcome: _Outcome) -> tuple[Body, _Outcome]:
        """The same; of a program whose loops stay apart where conditions turn, if else tensors would be left."""
        program = body.program
        if outcome.terms is None or not outcome.loops or self.search.late:
            return body, outcome
        apart = between_turns(program, own=True)
        if apart is program or not leave_in_loops(program, outcome.terms, accesses(program)):
            return body, outcome
        other = replace(body, program=apart)
        again = self._solved(other)
        return (body, outcome) if again.terms is None else (other, again)

    def _checked(self, body: Body, outcome: _Outcome, own: Mapping[str, tuple[Lin, ...]]) -> tuple[SegmentResult, bool]:
        """The same for an outcome with terms."""
        program, values, terms = body.program, dict(body.values), outcome.terms or {}
        reports, loops = tuple(outcome.reports), tuple(outcome.loops)
        try:
            self._sayable(tuple(terms.values()), values)
        except CannotSay as error:
            return SegmentResult(program, values, {}, None, reports, (all_of(program, str(error)),)), False
        verdict = self.check(program, terms, values, self.search.options.seed + 2)
        if not isinstance(verdict, FieldEvidence):
            text = verdict.counterexample if isinstance(verdict, Refuted) else verdict.reason
            failure = all_of(program, f"the raised form did not pass its check: {text}")
            return SegmentResult(program, values, {}, None, reports, (failure,)), isinstance(verdict, Refuted)
        form = Form(program, terms, values, own)
        try:
            stands = form.standing(outcome.invalid, self.search.options.seed + 3, self.selector.target.general)
            terms = form.under(stands, self.selector.target.general)
        except NowhereKnown as error:
            return SegmentResult(program, values, {}, None, reports, (all_of(program, str(error)),)), False
        return SegmentResult(program, values, terms, with_regions(verdict, stands), reports, (), loops, stands), False

    def _sayable(self, roots: tuple[Term, ...], values: dict[str, Lin]) -> None:
        """`CannotSay` if the target has no operations for a program, however it is taken apart."""
        if not self.selector.target.general:
            legalised(roots, self.selector, values)

    # ---- a program, perhaps inside of loops that stay ----------------------------------------------

    def _solved(self, body: Body) -> _Outcome:
        """The final contents of what lives on after a program, over the contents before it."""
        program, special = body.program, self.search.special
        key = repr((program, sorted(program.live_out), sorted(body.values.items()), sorted(body.undefined), special))
        if key in self._known:
            return self._known[key]
        outcome = self._joined(body)
        if not self.search.late:  # else another function may have more time for it
            self._known[key] = outcome
        return outcome

    def _joined(self, body: Body) -> _Outcome:
        """The same with parts joined, as long as fewer loops stay, or as many with fewer operations."""
        deadline, together = self._ends, frozenset[frozenset[str]]()
        try:
            with self.search.effort.analysing():
                best, distribution = self._settled(body, together)
        except Stopped as bound:
            why = LATE if isinstance(bound, OutOfTime) else SPENT
            return _Outcome(failures=[all_of(body.program, why)])
        pending = joinable(distribution, best.sequential, together, deadline)
        with suppress(Stopped), self.search.effort.analysing():
            while best.terms is not None and not self.search.late and (labels := next(pending, None)):
                outcome, joined = self._settled(body, together | {labels})
                if outcome.terms is not None and outcome.size < best.size:
                    best, distribution, together = outcome, joined, together | {labels}
                    pending = joinable(distribution, best.sequential, together, deadline)
        return best

    def _settled(self, body: Body, together: frozenset[frozenset[str]]) -> tuple[_Outcome, Distribution]:
        """An attempt with no more memories expanded than the loops that stay allow."""
        stay: frozenset[str] = frozenset()
        while True:
            try:
                return self._attempt(body, stay, together)
            except _Restart as restart:
                stay |= {restart.iv}

    def _attempt(
        self, body: Body, stay: frozenset[str], together: frozenset[frozenset[str]]
    ) -> tuple[_Outcome, Distribution]:
        scop = build(body.program)
        dynamic = frozenset(n for n, form in body.values.items() if not form.is_const)
        distribution = distribute(expand(scop, dynamic, stay), together, self._ends)

        def expands(iv: str) -> bool:
            return expand(scop, dynamic, stay | {iv}).program != distribution.scop.program

        outcome = _Outcome()
        solved: dict[Version, Solved] = {}
        self.search.find_together(distribution.needed, body.values)
        for part in distribution.needed:
            for output, found in self._part(part, distribution, body, outcome, expands).items():
                solved[part.outputs[output]] = found
        if not outcome.failures:
            self._compose(body, distribution, solved, outcome)
        return outcome, distribution

    def _compose(
        self, body: Body, distribution: Distribution, solved: Mapping[Version, Solved], outcome: _Outcome
    ) -> None:
        outputs = sorted(a for a in distribution.final if a in body.program.live_out)
        try:
            expanded = distribution.scop.program.arrays.keys() - body.program.arrays.keys()
            idle = Idle(distribution.scop.program, body.values, self.search.options.seed)
            composer = Composer(distribution, solved, body.undefined | expanded, self.search.select or COPY, idle)
            roots = seen_through(tuple(composer.final(a) for a in outputs), body.program)
            roots = merged(roots, distribution, body.values, self.search.options.seed)
            outcome.invalid.append(composer.invalid)
        except (CannotCompose, Unsizable) as error:
            outcome.failures.append(all_of(body.program, str(error)))
            return
        outcome.terms = dict(zip(outputs, roots, strict=True))

    # ---- one part ----------------------------------------------------------------------------------

    def _part(
        self, part: Part, distribution: Distribution, body: Body, outcome: _Outcome, expands: Callable[[str], bool]
    ) -> dict[str, Solved]:
        """A part's outputs: by a tensor program each, or together by a loop that stays."""
        tangled = len(part.statements) > 1 and (len(part.outputs) > 1 or not part.accumulates)
        first = self._sequence(part, distribution, body, outcome, expands) if part.carried and tangled else {}
        if first:
            return first
        solved: dict[str, Solved] = {}
        for output in part.outputs:
            found, report = self._found(part, output, body)
            if found is None:
                break
            solved[output] = found
            outcome.reports.append(report)
        else:
            return solved
        again = self._sequence(part, distribution, body, outcome, expands) if part.carried and not tangled else {}
        if not again:
            outcome.reports.append(report)
            labels = tuple(s.label for s in part.statements)
            outcome.failures.append(Failure(labels, report.where, report.reason))
        return again

    def _sequence(
        self, part: Part, distribution: Distribution, body: Body, outcome: _Outcome, expands: Callable[[str], bool]
    ) -> dict[str, Solved]:
        """The outputs of a part that carries values from one iteration to the next: in pieces, or by a loop."""
        again = {} if part.accumulates or self.search.late else self._in_pieces(part, body, outcome)
        again = again or self._called(part, distribution, body, outcome)
        if again:
            return again
        for kept in takewhile(lambda _: not self.search.late, recurrences(part, distribution, self._ends)):
            if kept.in_place and expands(kept.loop.iv):
                raise _Restart(kept.loop.iv)
            again = self._recur(kept, body, outcome)
            if again:
                outcome.sequential.append(part)
                break
        return again

    def _called(self, part: Part, distribution: Distribution, body: Body, outcome: _Outcome) -> dict[str, Solved]:
        """The outputs of a part that others need, each as one operation of the target."""
        needed = [a for a in part.outputs if is_needed(a, part, distribution)]
        found = {} if part.problem or self.search.late else self.fitter.solved(part, needed, body.values)
        where = part.statements[0].write.node.loc
        for output, solved in found.items():
            operations = sum(isinstance(t, Apply | Call) for t in solved.term.nodes())
            outcome.reports.append(PartReport(where, output, solved.term, operations, "", Statistics()))
        return found

    def _found(self, part: Part, output: str, body: Body) -> tuple[Solved | None, PartReport]:
        """A tensor program for one output, with choices that are accumulations as such first."""
        program = accumulating(part.program) if part.accumulates else part.program
        if program is not part.program:
            statements = build(program).statements
            again = replace(part, program=program, statements=tuple(statements[s.label] for s in part.statements))
            found, report = self.search.find(again, output, body.values)
            if found is not None:
                return replace(found, part=part), report
        return self.search.find(part, output, body.values)

    def _in_pieces(self, part: Part, body: Body, outcome: _Outcome) -> dict[str, Solved]:
        """A part's outputs, if its statements fall into pieces without cycles."""
        program = split(part.program) if not part.problem else None
        if program is None or any(
            p.carried and not p.accumulates for p in distribute(build(program), deadline=self._ends).parts
        ):
            return {}
        inner = self._solved(Body(program, body.values, frozenset()))
        if inner.terms is None:
            return {}
        outcome.include(inner)
        return {a: Solved(part, a, inner.terms[a], None, whole=True) for a in part.outputs}

    def _recur(self, kept: Recurrence, body: Body, outcome: _Outcome) -> dict[str, Solved]:
        inner = self._solved(kept.body(body.values))
        if inner.terms is None:
            return {}
        outcome.include(inner)
        outcome.loops.append(kept)
        return kept.solved(inner.terms)
