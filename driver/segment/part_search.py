"""The search for one part: its specifications are tried in turn, and equal parts are searched for once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from functools import cached_property, partial

import numpy as np

from raising.affine.ir.affine_expr import Lin
from raising.affine.polyhedral.distribution import Part
from raising.grammar.dialects.committed import known
from raising.grammar.dialects.load import Grammar
from raising.grammar.evaluate.sample import Replayed, Sample, runs
from raising.grammar.evaluate.size_vectors import Unsizable, places, size_vectors
from raising.grammar.select.selector import Selector
from raising.grammar.terms.scalar_ops import SCALARS
from raising.grammar.terms.structured_op import Body
from raising.grammar.terms.term import Term
from raising.segment.compose_parts import Solved
from raising.segment.effort import SPENT, Effort
from raising.segment.search_cache import Found, holds, keep, placeless, recalled
from raising.support.cache import entry
from raising.support.isolate import Finished, Tell, run_telling
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.support.versions import stamp
from raising.synth.enumerate.limits import Statistics
from raising.synth.search import NotRaised, Raised, first_wrong, meets, search
from raising.synth.search_options import Options
from raising.synth.spec.schemes import Scheme, schemes
from raising.synth.spec.spec import Crop, Spec
from raising.synth.spec.specify import NeverWritten, specify, telling

_LANE_BYTES = 8 << 30  # address space that a searching process may take beyond what there is
LATE = "the time limit was reached"
ROUNDS = 4  # searches for one part, each with a sample more that showed the term of the one before to be wrong
FRESH_ELEMENTS = 600  # compared at samples that the search does not see, where comparisons decide


@dataclass(frozen=True)
class PartReport:
    """A report on the search for one output of one part."""

    where: Loc
    output: str
    found: Term | None
    operations: int
    reason: str
    stats: Statistics


@dataclass
class PartSearch:
    """Searches parts with one grammar."""

    grammar: Grammar
    selector: Selector
    options: Options
    deadline: float
    progress: Callable[[str], None] = lambda _: None
    threads: int = 1
    cache: bool = False
    effort: Effort = field(default_factory=Effort)
    special: bool = False
    _known: dict[str, tuple[Solved | None, PartReport]] = field(default_factory=dict)
    _plain: dict[str, Found] = field(default_factory=dict)
    """What was found at plain samples: at special points, it is only looked at again."""

    @contextmanager
    def at_special_points(self) -> Iterator[None]:
        """Search with samples also at points such as 0, where divisors are: a form was wrong at one."""
        self.special = True
        try:
            yield
        finally:
            self.special = False

    @property
    def how(self) -> tuple[bool, bool]:
        """What else than the program and the bounds decides what is found."""
        return self.special, self.options.literal

    @property
    def late(self) -> bool:
        """Whether the time, or the work, is over: what is known by then is still of use, and nothing new is begun."""
        return self.effort.spent or self.out_of_time

    @property
    def out_of_time(self) -> bool:
        """Whether the time that the user gave is over."""
        return time.monotonic() > self.deadline

    @property
    def why_late(self) -> str:
        """The bound that was reached."""
        return LATE if self.out_of_time else SPENT

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
        return schemes(self.grammar)

    def find(self, part: Part, output: str, values: Mapping[str, Lin]) -> tuple[Solved | None, PartReport]:
        """A term for one output of a part, and what was done for it."""
        where = part.statements[0].write.node.loc
        if part.problem is not None:
            return None, PartReport(where, output, None, 0, part.problem.reason, Statistics())
        key = self._key(part, output, values)
        if key not in self._known and self.late:
            return None, PartReport(where, output, None, 0, self.why_late, Statistics())
        if key not in self._known:
            self.progress(f"{where}: searching")
            self._known[key] = self._found(part, output, values, where)
            self.effort.charge(self._known[key][1].stats)
        found, report = self._known[key]
        if found is None and self.late:  # with more time, it may be found
            del self._known[key]
        return (None if found is None else Solved(part, output, found.term, found.crop)), report

    def find_together(self, parts: tuple[Part, ...], values: Mapping[str, Lin]) -> None:
        """With several processes, search parts ahead in them; one that fails there is searched again in its turn."""
        wanted = {
            self._key(part, output, values): (part, output)
            for part in parts
            for output in part.outputs
            if not part.problem and self._key(part, output, values) not in self._known
        }
        lanes = [list(wanted.items())[k :: self.threads] for k in range(min(self.threads, len(wanted)))]
        if len(lanes) < 2:
            return
        self.progress(f"searching {len(wanted)} parts in {len(lanes)} processes")
        works = [partial(self._lane, lane, values) for lane in lanes]
        for done in run_telling(works, timeout=self.deadline - time.monotonic(), extra_bytes=_LANE_BYTES):
            for key, term, crop, report in (done.value if isinstance(done, Finished) else done.told) or ():
                part, output = wanted[key]
                self._known[key] = (None if term is None else Solved(part, output, term, crop)), report
                self.effort.charge(report.stats)

    def _lane(
        self, lane: list[tuple[str, tuple[Part, str]]], values: Mapping[str, Lin], tell: Tell
    ) -> list[tuple[str, Term | None, Crop | None, PartReport]]:
        """The results of one child, sent back after each search; the parts themselves stay in the parent."""
        sent = []
        for key, (part, output) in lane:
            found, report = self._found(part, output, values, part.statements[0].write.node.loc)
            sent.append((key, found.term if found else None, found.crop if found else None, report))
            tell(sent)
        return sent

    def _found(
        self, part: Part, output: str, values: Mapping[str, Lin], where: Loc
    ) -> tuple[Solved | None, PartReport]:
        """The result of an earlier process, if it meets the specification, else that of a search."""
        try:
            masks = self.select if "masks" in self.options.guides else None
            how = {"constant": not self.selector.target.general, "special": self.special}
            specs = specify(part, output, dict(values), masks, self.options.seed, **how)
        except (Unsizable, NeverWritten) as error:
            return None, PartReport(where, output, None, 0, str(error), Statistics())
        file = entry("parts", self._identity(part, output, values)) if self.cache else None
        # What is kept has met the fresh samples: they hang on nothing but its identity.
        fresh = self._fresh(part, output, values)
        result = recalled(file, lambda k, t: _is_met(t, specs[k]), len(specs)) if file else None
        if result is None:
            result = self._searched_once(specs, part, fresh, self._key(part, output, values, plain=True))
            if file:
                keep(file, result)
        term, stats = result.term, result.stats
        if term is None:
            return None, PartReport(where, output, None, 0, self._why(part, result.reason), stats)
        report = PartReport(where, output, term, result.operations, "", stats)
        return Solved(part, output, term, specs[result.framing].crop), report

    def _identity(self, part: Part, output: str, values: Mapping[str, Lin]) -> list[bytes]:
        """All that the search for a part depends on, but for where it stands in its file."""
        program, options = part.program, replace(self.options, guides=frozenset(), timeout=math.inf)
        what = (placeless(program.body), sorted(program.arrays.items()), sorted(program.scalars.items()), program.sizes)
        kind = (part.carried, part.accumulates, self.special)
        around = (program.context, placeless(program.outer), part.inputs, kind, output)
        how = (sorted(values.items()), options, sorted(self.options.guides), self.selector.target)
        return [repr(what).encode(), repr(around).encode(), repr(how).encode(), self._version.encode()]

    def _key(self, part: Part, output: str, values: Mapping[str, Lin], plain: bool = False) -> str:
        """The key under which an output of a part is searched; outputs with equal keys have equal programs."""
        arrays, how = sorted(part.program.arrays.items()), (False, self.options.literal) if plain else self.how
        return repr((part.program.body, arrays, output, sorted(values.items()), how))

    @cached_property
    def _version(self) -> str:
        return stamp() + ("" if self.grammar.target in known() else repr(self.grammar))

    def _fresh(self, part: Part, output: str, values: Mapping[str, Lin]) -> Iterable[Sample]:
        """Samples at sizes that the search does not see, drawn when a term has to meet them."""
        return Replayed(telling(self._fresh_runs(part, values), output))

    def _fresh_runs(self, part: Part, values: Mapping[str, Lin]) -> Iterator[Sample]:
        sizes = size_vectors(part.program, values, 2, skip=2)
        sizes += places(part.program, values, 3) if part.program.outer else []
        rng = np.random.default_rng(self.options.seed + 1)
        yield from runs(part.program, sizes, rng, FRESH_ELEMENTS, self.special)

    def _searched_once(self, specs: list[Spec], part: Part, fresh: Iterable[Sample], key: str) -> Found:
        """What was found at plain samples if it holds at special points, too, else the result of a search."""
        plain = self._plain.get(key)
        if plain is not None and holds(plain, lambda k, t: _is_met(t, specs[k], fresh), len(specs)):
            return replace(plain, stats=Statistics())
        found = self._searched(specs, part, fresh)
        if not self.special and not self.late:
            self._plain[key] = found
        return found

    def _searched(self, specs: list[Spec], part: Part, fresh: Iterable[Sample]) -> Found:
        stats = Statistics()
        reason = ""
        for framing, spec in enumerate(specs):
            result = self._search(spec, part, fresh)
            stats.add(result.stats)
            if isinstance(result, Raised):
                return Found(result.term, framing, result.cost.operations, "", stats)
            reason = reason or result.reason
        return Found(None, 0, 0, reason, stats)

    def _search(self, spec: Spec, part: Part, fresh: Iterable[Sample]) -> Raised | NotRaised:
        """Search; what shows a found term to be wrong is a sample of the next search, a few times."""
        stats = Statistics()
        for _ in range(ROUNDS):
            witnesses: list[Sample] = []
            result = self._round(spec, part, fresh, witnesses)
            stats.add(result.stats)
            if not witnesses or not spec.stands_at(witnesses[0]):
                break
            spec = replace(spec, samples=(*spec.samples, *witnesses[:1]))
        return replace(result, stats=stats)

    def _round(self, spec: Spec, part: Part, fresh: Iterable[Sample], witnesses: list[Sample]) -> Raised | NotRaised:
        recurrence = part.carried and not part.accumulates  # a tensor form would be an accident: a short look only
        options = replace(
            self.options,
            timeout=max(0.0, min(self.options.timeout, self.deadline - time.monotonic())),
            max_forward=1 if recurrence else self.options.max_forward,
            max_backward=1 if recurrence else self.options.max_backward,
        )

        def holds(term: Term) -> bool:
            wrong = first_wrong(term, spec, fresh)
            if wrong is not None:
                witnesses.append(wrong)
            return wrong is None

        general = self.selector.target.general
        return search(
            spec,
            self.schemes,
            holds,
            self.selector.generality,
            options,
            general,
        )

    def _why(self, part: Part, reason: str) -> str:
        carried = "each iteration needs the one before it, and " if part.carried else ""
        return f"{carried}no tensor program was found: {reason}"


def _is_met(term: Term, spec: Spec, fresh: Iterable[Sample] = ()) -> bool:
    return term.type == spec.type and meets(term, spec, spec.samples) and first_wrong(term, spec, fresh) is None
