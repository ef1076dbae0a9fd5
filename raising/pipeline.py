"""The whole of raising a module: read, solve each function's segments, write back, check natively."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from mlir import ir

from affine.mlir_reader import Function, Segment, Source, parse, segments
from affine.program import Loc
from grammar.load import load
from grammar.spell import Speller
from grammar.target import read_target
from grammar.term import Apply, nodes
from raising.emit import replace_segment
from raising.remarks import Remark
from raising.solve import Failure, PartReport, SegmentResult, Solver
from synth.search import Options
from validate.native import compare_native
from validate.verdict import FieldEvidence, Refuted, Tested, Unknown, Verdict

MAX_WORK = 2e10  # loads and stores of a native run; beyond it only the field is checked


@dataclass(frozen=True)
class RaiseOptions:
    """What `raise` can be told; see the command's help."""

    target: str = "linalg"
    abi: str = "memref"
    timeout: float = 60.0
    native: bool = True
    native_timeout: float = 60.0
    search: Options = field(default_factory=Options)


@dataclass(frozen=True)
class FunctionReport:
    """One function: how much was raised, what is known of it, and what the search did."""

    name: str
    raised: int
    kept: int
    verdict: Verdict | None
    parts: tuple[PartReport, ...]
    operations: int
    seconds: float


@dataclass(frozen=True)
class RaiseResult:
    """The module's text after raising, remarks in order of place, and a report per function."""

    text: str
    remarks: tuple[Remark, ...]
    functions: tuple[FunctionReport, ...]

    @property
    def complete(self) -> bool:
        """True if no loop is left that was there."""
        return all(f.kept == 0 for f in self.functions)


def raise_module(
    text: str | bytes,
    *,
    file: str = "-",
    options: RaiseOptions | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> RaiseResult:
    """Raise every loop nest of a module that a tensor program of the target can replace.

    Raises `affine.mlir_reader.InputError` if the text is not valid MLIR and
    `grammar.load.UnknownTarget` for an unknown target.
    """
    options = options or RaiseOptions()
    target = read_target(options.target)
    grammar = load(options.target)
    deadline = time.monotonic() + options.timeout
    speller = Speller(grammar, target, _verifies)
    solver = Solver(grammar, speller, options.search, deadline, progress)
    skipped: frozenset[str] = frozenset()
    while True:
        source = parse(text, file)
        with source.context, ir.Location.unknown():
            run = _Run(source, solver, options, skipped)
            run.all()
            wrong = run.check(text, progress)
            if not wrong:
                return run.result()
        skipped |= wrong


def _verifies(text: str) -> bool:
    try:
        ir.Module.parse(text)
    except ir.MLIRError:
        return False
    return True


class _Run:
    """One pass over a module; functions in `skipped` stay as they are."""

    def __init__(self, source: Source, solver: Solver, options: RaiseOptions, skipped: frozenset[str]) -> None:
        self.source, self.solver, self.options, self.skipped = source, solver, options, skipped
        self.remarks = [Remark("kept", loc, why) for loc, why in source.remarks]
        self.reports: dict[str, FunctionReport] = {}

    def all(self) -> None:
        """Raise every function of the module."""
        for function in self.source.functions:
            started = time.monotonic()
            raised, kept, results = self._function(function)
            reports = tuple(p for r in results for p in r.reports)
            operations = sum(1 for r in results for t in nodes(tuple(r.terms.values())) if isinstance(t, Apply))
            evidence = _evidence([r.evidence for r in results if r.evidence is not None])
            verdict = Tested(evidence, None) if evidence is not None else None
            seconds = time.monotonic() - started
            self.reports[function.name] = FunctionReport(
                function.name, raised, kept, verdict, reports, operations, seconds
            )
        if not self.source.functions and not self.remarks:
            self.remarks.append(Remark("note", Loc(), "the module has no function with a body"))

    def _function(self, function: Function) -> tuple[int, int, list[SegmentResult]]:
        refused = [i for i in function.items if i.kind == "refused"]
        for item in refused:
            self.remarks.append(Remark("kept", item.loc, f"loop kept: {item.reason}"))
        nests = [i for i in function.items if i.kind == "nest"]
        if function.name in self.skipped:
            why = "kept: the raised form did not pass its native check; please report this"
            self.remarks.append(Remark("kept", function.loc, why))
            return 0, len(nests) + len(refused), []
        if not nests and not refused:
            self.remarks.append(Remark("note", function.loc, f"function '{function.name}' has no loops"))
            return 0, 0, []
        solved, kept = self._solved(function)
        operations = function.operations()  # positions change as loops are replaced
        for segment, result in solved:
            nests = [operations[p] for p in segment.positions]
            said = replace_segment(function, segment, nests, result, self.solver.speller)
            self._raised_remark(function, segment, said)
        return len(nests) - len(kept), len(kept) + len(refused), [r for _, r in solved]

    def _solved(self, function: Function) -> tuple[list[tuple[Segment, SegmentResult]], frozenset[int]]:
        """Segments with their results, after taking out the nests that cannot be raised."""
        kept: frozenset[int] = frozenset()
        while True:
            pairs = [(s, self.solver.solve(s)) for s in segments(function, kept)]
            failures = [(s, f) for s, r in pairs for f in r.failures]
            if not failures:
                return pairs, kept
            new: dict[int, Failure] = {}
            for segment, failure in failures:
                for position in _positions(function, segment, failure):
                    new.setdefault(position, failure)
            for position, failure in sorted(new.items()):
                where = next(i.loc for i in function.items if i.position == position)
                at = "" if failure.where == where else f" (statement at {failure.where})"
                self.remarks.append(Remark("kept", where, f"loop kept: {failure.reason}{at}"))
            kept |= frozenset(new)

    def _raised_remark(self, function: Function, segment: Segment, said: list[str]) -> None:
        where = next(i.loc for i in function.items if i.position == segment.positions[0])
        used = Counter(said)
        text = ", ".join(f"{n} x {name}" if n > 1 else name for name, n in used.items()) or "a copy"
        count = len(segment.positions)
        self.remarks.append(Remark("raised", where, f"raised {count} loop nest{'s' if count > 1 else ''} to {text}"))

    # ---- after -----------------------------------------------------------------------------------

    def check(self, text: str | bytes, progress: Callable[[str], None]) -> frozenset[str]:
        """Verify the module and run raised functions natively; the names of those that came out wrong."""
        self.source.module.operation.verify()
        wrong = set()
        for name, report in self.reports.items():
            if not report.raised or not self.options.native or not isinstance(report.verdict, Tested):
                continue
            progress(f"{name}: running natively")
            before = text if isinstance(text, str) else text.decode(errors="replace")
            native = compare_native(
                before, str(self.source.module), name, timeout=self.options.native_timeout, max_work=MAX_WORK
            )
            if isinstance(native, Refuted):
                wrong.add(name)
            elif isinstance(native, Unknown):
                self.remarks.append(Remark("note", Loc(), f"'{name}' was not run natively: {native.reason}"))
            else:
                verdict = Tested(report.verdict.field, native)
                self.reports[name] = FunctionReport(**{**report.__dict__, "verdict": verdict})
        return frozenset(wrong)

    def result(self) -> RaiseResult:
        """The module as text with what was said about it."""
        ordered = sorted(self.remarks, key=lambda r: (r.where.line, r.where.col))
        return RaiseResult(str(self.source.module), tuple(ordered), tuple(self.reports.values()))


def _positions(function: Function, segment: Segment, failure: Failure) -> list[int]:
    """The nests that hold the failed statements; all of the segment if none does (a copy made for it)."""
    from affine.program import Store, walk

    found = []
    for item in function.items:
        if item.position in segment.positions:
            labels = {n.label for n in walk(item.nodes) if isinstance(n, Store)}
            if labels & set(failure.labels):
                found.append(item.position)
    return found or list(segment.positions)


def _evidence(found: list[FieldEvidence]) -> FieldEvidence | None:
    if not found:
        return None
    return FieldEvidence(
        sum(e.points for e in found),
        found[0].size_vectors,
        max(e.error_bound for e in found),
        next((e.note for e in found if e.note), ""),
    )
