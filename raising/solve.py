"""One segment solved: analysed, split into parts, each part searched for, and put together again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from affine.expand import expand
from affine.expr import Lin
from affine.mlir_segments import Segment
from affine.parts import Distribution, Part, Version, distribute
from affine.program import Loc, Program
from affine.scop import build
from affine.simplify import simplify
from affine.sizes import generalise
from grammar.legalise import legalised
from grammar.load import Grammar
from grammar.meaning import COPY, Body
from grammar.sample import Unsizable, runs, size_vectors
from grammar.scalar import SCALARS
from grammar.spell import CannotSay, Speller
from grammar.term import Term
from raising.compose import CannotCompose, Composer, Solved, merged
from synth.limits import Statistics
from synth.schemes import Scheme, schemes
from synth.search import NotRaised, Options, Raised, meets, search
from synth.spec import Spec
from synth.specify import NeverWritten, specify
from validate.field_check import check_field
from validate.verdict import FieldEvidence, Refuted, Unknown

MAX_STATEMENTS = 200

FieldCheck = Callable[[Program, Mapping[str, Term], Mapping[str, Lin], int], FieldEvidence | Refuted | Unknown]


@dataclass(frozen=True)
class PartReport:
    """What the search did for one output of one part."""

    where: Loc
    output: str
    found: Term | None
    operations: int
    reason: str
    stats: Statistics


@dataclass(frozen=True)
class Failure:
    """Why a segment cannot be raised as a whole, and the statements that are to stay loops."""

    labels: tuple[str, ...]
    where: Loc
    reason: str


@dataclass(frozen=True)
class SegmentResult:
    """A segment as terms: final contents of each array that lives on, or failures."""

    program: Program
    values: dict[str, Lin]
    terms: dict[str, Term]
    evidence: FieldEvidence | None
    reports: tuple[PartReport, ...]
    failures: tuple[Failure, ...] = ()


@dataclass
class Solver:
    """Solves segments with one grammar; equal parts are searched once."""

    grammar: Grammar
    speller: Speller
    options: Options
    deadline: float
    progress: Callable[[str], None] = lambda _: None
    check: FieldCheck = check_field
    _known: dict[str, tuple[Solved | None, PartReport]] = field(default_factory=dict)

    @property
    def select(self) -> Body | None:
        """The grammar's selection body, by which masks act."""
        for p in self.grammar.productions:
            instrs = p.meaning.body.instrs
            if len(instrs) == 1 and instrs[0].op in SCALARS and SCALARS[instrs[0].op].residue == "select":
                return p.meaning.body
        return None

    @cached_property
    def schemes(self) -> tuple[Scheme, ...]:
        """The ways in which the grammar combines values."""
        return schemes(self.grammar.productions)

    def solve(self, segment: Segment) -> SegmentResult:
        """A segment as terms over the contents of its arrays at entry."""
        general = generalise(simplify(segment.program))
        program, values = general.program, general.values
        statements = list(program.stores())
        if not statements:
            return SegmentResult(program, values, {}, None, ())
        if len(statements) > MAX_STATEMENTS:
            why = f"{len(statements)} statements in one run of loops, more than {MAX_STATEMENTS}"
            return self._failed(program, values, Failure(tuple(s.label for s in statements), statements[0].loc, why))
        dynamic = frozenset(n for n, form in values.items() if not form.is_const)
        distribution = distribute(expand(build(program), dynamic))
        solved, reports, failures = self._parts(distribution, values)
        if failures:
            return SegmentResult(program, values, {}, None, tuple(reports), tuple(failures))
        return self._composed(segment, program, distribution, solved, reports, values)

    def _failed(self, program: Program, values: dict[str, Lin], failure: Failure) -> SegmentResult:
        return SegmentResult(program, values, {}, None, (), (failure,))

    def _parts(
        self, distribution: Distribution, values: dict[str, Lin]
    ) -> tuple[dict[Version, Solved], list[PartReport], list[Failure]]:
        solved: dict[Version, Solved] = {}
        reports: list[PartReport] = []
        failures: list[Failure] = []
        for part in distribution.parts:
            for output, version in part.outputs.items():
                found, report = self._part(part, output, values)
                reports.append(report)
                if found is None:
                    labels = tuple(s.label for s in part.statements)
                    failures.append(Failure(labels, report.where, report.reason))
                    break
                solved[version] = found
        return solved, reports, failures

    # ---- one part --------------------------------------------------------------------------------

    def _part(self, part: Part, output: str, values: dict[str, Lin]) -> tuple[Solved | None, PartReport]:
        where = part.statements[0].write.node.loc
        if part.problem:
            return None, PartReport(where, output, None, 0, part.problem, Statistics())
        key = repr((part.program.body, sorted(part.program.arrays.items()), output, sorted(values.items())))
        if key not in self._known:
            self.progress(f"{where}: searching")
            self._known[key] = self._searched(part, output, values, where)
        found, report = self._known[key]
        return (None if found is None else Solved(part, output, found.term, found.crop)), report

    def _searched(
        self, part: Part, output: str, values: dict[str, Lin], where: Loc
    ) -> tuple[Solved | None, PartReport]:
        stats = Statistics()
        reason = ""
        try:
            masks = self.select if "masks" in self.options.guides else None
            specs = specify(part, output, values, masks, self.options.seed)
        except (Unsizable, NeverWritten) as error:
            return None, PartReport(where, output, None, 0, str(error), stats)
        for spec in specs:
            result = self._search(spec, part)
            stats.add(result.stats)
            if isinstance(result, Raised):
                report = PartReport(where, output, result.term, result.cost.operations, "", stats)
                return Solved(part, output, result.term, spec.crop), report
            reason = reason or result.reason
        return None, PartReport(where, output, None, 0, self._why(part, reason), stats)

    def _search(self, spec: Spec, part: Part) -> Raised | NotRaised:
        sizes = size_vectors(part.program, spec.values, 2, skip=2)
        fresh = list(runs(part.program, sizes, np.random.default_rng(self.options.seed + 1)))
        recurrence = part.carried and not part.accumulates  # a tensor form would be an accident: a short look only
        options = replace(
            self.options,
            timeout=max(0.0, min(self.options.timeout, self.deadline - time.monotonic())),
            max_forward=1 if recurrence else self.options.max_forward,
            max_backward=1 if recurrence else self.options.max_backward,
        )
        general = self.speller.target.general
        return search(
            spec,
            self.schemes,
            lambda t: meets(t, spec, fresh),
            self.speller.generality,
            options,
            general,
        )

    def _why(self, part: Part, reason: str) -> str:
        carried = "each iteration needs the one before it, and " if part.carried else ""
        return f"{carried}no tensor program was found: {reason}"

    # ---- together --------------------------------------------------------------------------------

    def _composed(
        self,
        segment: Segment,
        program: Program,
        distribution: Distribution,
        solved: dict[Version, Solved],
        reports: list[PartReport],
        values: dict[str, Lin],
    ) -> SegmentResult:
        outputs = sorted(a for a in distribution.final if a in segment.program.live_out)
        labels = tuple(s.label for s in segment.program.stores())
        where = next(segment.program.stores()).loc
        try:
            composer = Composer(distribution, solved, segment.undefined, self.select or COPY)
            roots = merged(tuple(composer.final(a) for a in outputs), distribution, values, self.options.seed)
            self._sayable(roots, values)
        except (CannotCompose, CannotSay) as error:
            failure = Failure(labels, where, str(error))
            return SegmentResult(program, values, {}, None, tuple(reports), (failure,))
        terms = dict(zip(outputs, roots, strict=True))
        verdict = self.check(program, terms, values, self.options.seed + 2)
        if not isinstance(verdict, FieldEvidence):
            text = verdict.counterexample if isinstance(verdict, Refuted) else verdict.reason
            failure = Failure(labels, where, f"the raised form did not pass its check: {text}")
            return SegmentResult(program, values, {}, None, tuple(reports), (failure,))
        return SegmentResult(program, values, terms, verdict, tuple(reports))

    def _sayable(self, roots: tuple[Term, ...], values: dict[str, Lin]) -> None:
        """`CannotSay` if the target has no operations for a program, however it is taken apart."""
        if not self.speller.target.general:
            legalised(roots, self.speller, values)
