"""The solver of one segment: its program is rewritten, solved (`solve_body`), and the terms are checked.

Where loops stay, other ways to write the program are tried; the terms count at the sizes at which they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.degenerate_loops import simplify
from raising.affine.ir.program import Compute, Program, walk
from raising.affine.polyhedral.scop import accessed, accesses
from raising.affine.polyhedral.slice import without_idle
from raising.affine.sizes.quotient_sizes import unit_steps, with_quotients
from raising.affine.sizes.symbolic_sizes import generalise
from raising.affine.transforms.delays import undelayed
from raising.affine.transforms.kept_places import with_places_apart
from raising.affine.transforms.loop_shifting import shifted
from raising.affine.transforms.partial_sums import without_partial_sums
from raising.affine.transforms.scatter_to_gather import gathered
from raising.affine.transforms.store_forwarding import forwarded
from raising.affine.transforms.turns import between_turns
from raising.affine.transforms.untile import untiled
from raising.frontend.mlir.segments import Segment
from raising.grammar.select.legalise import legalised
from raising.grammar.select.selector import CannotSay, Selector
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.term import Term
from raising.segment.gathered_reads import with_extents_read, with_quotients_apart
from raising.segment.part_search import PartSearch
from raising.segment.procedures import Fitter
from raising.segment.recurrence import Body
from raising.segment.segment_result import Failure, SegmentResult, all_of
from raising.segment.solve_body import BodySolver, Outcome
from raising.segment.validity.boxes import leave_in_loops
from raising.segment.validity.standing import Form, NowhereKnown, Own, with_regions
from raising.segment.views import solved_with_views
from raising.support.record import dataclass
from raising.validate.base.verdict import FieldEvidence, Refuted, Unknown
from raising.validate.field.term_check import check_field

MAX_STATEMENTS = 200
NO_GATHER = "the target has no operation that reads at positions that are data"

FieldCheck = Callable[[Program, Mapping[str, Term], Mapping[str, Lin], int], FieldEvidence | Refuted | Unknown]


@dataclass
class Solver:
    """Solves segments by searching their parts."""

    search: PartSearch
    check: FieldCheck = check_field

    @cached_property
    def bodies(self) -> BodySolver:
        """The solver of programs, which remembers what it has solved."""
        return BodySolver(self.search)

    @property
    def fitter(self) -> Fitter:
        """The search for operations of the target that are recurrences."""
        return self.bodies.fitter

    @property
    def selector(self) -> Selector:
        """The instruction selection of the target."""
        return self.search.selector

    def solve(self, segment: Segment) -> SegmentResult:
        """A segment as terms over the contents of its arrays at entry."""
        return solved_with_views(segment, self._as_it_is)

    def _as_it_is(self, segment: Segment) -> SegmentResult:
        """Solve a segment over its own arrays."""
        plain = shifted(without_partial_sums(forwarded(without_idle(simplify(segment.program)))))
        general = with_quotients(generalise(unit_steps(untiled(plain))))
        body = Body(general.program, general.values, segment.undefined)
        if next(general.program.stores(), None) is None:
            return _failed(body)
        program = self._framed(general.program)
        if isinstance(program, str):
            return _failed(body, all_of(general.program, program))
        body = replace(body, program=program)
        if failures := _unsupported(program):
            return _failed(body, *failures)
        shapes = {name: array.shape for name, array in segment.program.arrays.items() if array.gathered is None}
        own = Own(shapes, segment.told)
        result = self._raised(body, own)
        if result.refuted and not self.search.late and not self.search.special:
            with self.search.at_special_points():
                again = self._raised(body, own)
            result = result if again.failures else again
        return result

    def _framed(self, program: Program) -> Program | str:
        """The program with the extents of what it reads at positions that are data; why there is none."""
        if all(a.gathered is None for a in program.arrays.values()):
            return program
        return with_extents_read(program) if self.selector.target.general else NO_GATHER

    # ---- ways to write a program -------------------------------------------------------------------

    def _raised(self, body: Body, own: Own) -> SegmentResult:
        """The terms of a program, written in the way that leaves the fewest loops, with their evidence."""
        body, outcome = self._inside_of_tensors(*self._with_fewest_loops(body))
        if outcome.terms is None:
            return replace(_failed(body, *outcome.failures), reports=tuple(outcome.reports))
        return self._checked(body, outcome, outcome.terms, own)

    def _with_fewest_loops(self, body: Body) -> tuple[Body, Outcome]:
        """A program with its outcome; where loops stay, rewritten in each way that leaves fewer."""
        outcome = self.bodies.solve(body, whole=False)
        quotients = (with_quotients_apart,) if self.selector.target.general else ()
        for rewrite in (gathered, between_turns, with_places_apart, undelayed, *quotients):
            if (outcome.terms is not None and not outcome.loops) or self.search.late:
                break
            program = rewrite(body.program)
            if program is body.program:
                continue
            new = {n for n in program.arrays.keys() - body.program.arrays.keys() if not program.arrays[n].gathered}
            other = replace(body, program=program, undefined=body.undefined | new)
            again = self.bodies.solve(other)
            if again.terms is not None and (outcome.terms is None or len(again.loops) < len(outcome.loops)):
                body, outcome = other, again
        return body, outcome

    def _inside_of_tensors(self, body: Body, outcome: Outcome) -> tuple[Body, Outcome]:
        """Solve a segment; loops that stay are split where conditions change, if one would leave a tensor."""
        if outcome.terms is None or not outcome.loops or self.search.late:
            return body, outcome
        program = body.program
        apart = between_turns(program, own=True)
        if apart is program or not leave_in_loops(program, outcome.terms, accesses(program)):
            return body, outcome
        other = replace(body, program=apart)
        again = self.bodies.solve(other)
        return (body, outcome) if again.terms is None else (other, again)

    # ---- terms and their evidence ------------------------------------------------------------------

    def _checked(self, body: Body, outcome: Outcome, terms: dict[str, Term], own: Own) -> SegmentResult:
        """The terms where they stand, with the evidence of the field; a failure if they cannot be said or are wrong."""
        program, values, general = body.program, dict(body.values), self.selector.target.general
        failed = replace(_failed(body), reports=tuple(outcome.reports))
        seed = self.search.options.seed
        try:
            if not general:  # the target may have no operations for it, however it is taken apart
                legalised(tuple(terms.values()), self.selector, values)
            verdict = self.check(program, terms, values, seed + 2)
            if not isinstance(verdict, FieldEvidence):
                found = verdict.counterexample if isinstance(verdict, Refuted) else verdict.reason
                late = self.search.late  # so that no other way to write the program was tried
                text = self.search.why_late if late else f"the raised form did not pass its check: {found}"
                return replace(failed, failures=(all_of(program, text),), refuted=isinstance(verdict, Refuted))
            form = Form(program, terms, values, own)
            stands = form.standing(outcome.invalid, seed + 3, general)
            terms = form.under(stands, general)
        except (CannotSay, NowhereKnown) as error:
            return replace(failed, failures=(all_of(program, str(error)),))
        evidence = with_regions(verdict, stands)
        return replace(failed, terms=terms, evidence=evidence, loops=tuple(outcome.loops), standing=stands)


def _failed(body: Body, *failures: Failure) -> SegmentResult:
    """A program without terms."""
    return SegmentResult(body.program, dict(body.values), {}, None, (), failures)


def _unsupported(program: Program) -> tuple[Failure, ...]:
    """Why a program is not searched for: its statements are too many, or need operations that cannot be evaluated."""
    count = sum(1 for _ in program.stores())
    if count > MAX_STATEMENTS:
        return (all_of(program, f"{count} statements in one run of loops, more than {MAX_STATEMENTS}"),)
    if all(n.op in SCALARS for n in walk(program.body) if isinstance(n, Compute)):
        return ()
    unknown = ((s, sorted(s.operations - SCALARS.keys())) for s in accessed(program).statements.values())
    return tuple(
        Failure((s.label,), s.write.node.loc, f"operation '{operations[0]}' is not supported")
        for s, operations in unknown
        if operations
    )
