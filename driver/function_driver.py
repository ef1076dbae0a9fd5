"""The driver of one function: its segments are solved, those that fail are taken out, the rest is written back."""

from __future__ import annotations

import re
import time
from collections import Counter

from mlir import ir

from raising.affine.ir.affine_expr import Cond
from raising.affine.ir.program import Store, walk
from raising.affine.polyhedral.sequential_loops import Carrier
from raising.api.result import Fate, FunctionReport, Remark
from raising.emit.in_place import replace_segment
from raising.emit.pure_function import check_accepted, function_text, replace_function
from raising.frontend.mlir.reader import Function, loop_body
from raising.frontend.mlir.segments import MAX_RUN, Segment, segments
from raising.grammar.evaluate.number import Unsupported
from raising.grammar.select.selector import CannotSay, OpenSize
from raising.grammar.terms.term import Apply, Call, within
from raising.segment.effort import begun
from raising.segment.part_search import PartReport
from raising.segment.procedures import assumptions
from raising.segment.segment_result import Failure, SegmentResult
from raising.segment.solve import Solver
from raising.support.mlir.permission import EXTREMA, NUMBERS, PERMISSION
from raising.support.mlir.walk import named
from raising.support.source import Loc
from raising.validate.base.assumption import REAL
from raising.validate.base.verdict import FieldEvidence, Tested, Unknown, Verdict
from raising.validate.run.run import uses_floats

_BEYOND = re.compile(r"slice along dimension (\d+) runs out-of-bounds: (\d+) >= (\d+)")
"""What MLIR says of a part of a tensor that ends behind it."""


class Skip(Exception):
    """A function broke the program, or cannot be raised as it was tried: it is put back as it was."""


class FunctionRun:
    """Raises one function in place and collects what there is to say about it.

    With a reason to `skip`, or where it is too `late`, the function stays as it is. Nests that are raised `apart` are
    segments of their own. With a `guard`, loops run where sizes do not keep them inside of their arrays. With `places`,
    what is raised gets the locations of the statements that it comes from.
    """

    def __init__(
        self,
        function: Function,
        solver: Solver,
        names: dict[str, str],
        skip: str = "",
        late: str = "",
        apart: bool = False,
        guard: bool = False,
        places: bool = False,
    ) -> None:
        self.function, self.solver, self.names, self.skip, self.late = function, solver, names, skip, late
        self.most, self.guard, self.places = 1 if apart else MAX_RUN, guard, places
        self.remarks: list[Remark] = []
        self.failed: dict[tuple[Loc, str], PartReport] = {}
        self.fates: list[Fate] = []

    def report(self) -> FunctionReport:
        """Raise the function; `Skip` if something unforeseen happened, so that no code is lost to a defect."""
        started, arguments = time.monotonic(), self._arguments()
        chosen = not named(self.function.op.operation, *EXTREMA)
        try:
            raised, kept, results = self._raised()
            if results:
                self._permit(kept, chosen)
                self.function.op.operation.verify()
        except Unsupported as error:
            raise Skip(str(error)) from error
        except Exception as error:
            text = " ".join(str(error).split())[:200]
            if beyond := _BEYOND.search(text):
                raise Skip(f"a loop goes to element {beyond[2]} of {beyond[3]} in dimension {beyond[1]}") from error
            raise Skip(f"internal error: {type(error).__name__}: {text}; please report this") from error
        found = [p for r in results for p in r.reports]
        terms = tuple(t for r in results for t in r.terms.values())
        return FunctionReport(
            name=self.function.name,
            where=self.function.loc,
            raised=raised,
            kept=kept,
            verdict=_verdict(results),
            parts=(*found, *self.failed.values()),
            operations=sum(isinstance(t, Apply | Call) for t in within(terms)),
            seconds=time.monotonic() - started,
            names=self.names,
            sequential=sum(len(r.loops) for r in results),
            arguments=arguments,
            fates=tuple(self.fates),
        )

    def _arguments(self) -> tuple[str, ...]:
        """The source's name of each argument, by position; empty if it is of a type that nothing reads."""
        reader = self.function.reader
        own = (
            reader.memory.get(v) or reader.data.get(v) or str(reader.index.get(v))
            for v in self.function.block.arguments
        )
        return tuple(self.names.get(name, "") for name in own)

    def _permit(self, kept: int, chosen: bool) -> None:
        """Say that sums of a function without loops may be reordered: raising it has done so already.

        Extrema where the source has none were choices (`chosen`): that floats are numbers is assumed of them.
        """
        if not kept:
            operation = self.function.op.operation
            operation.attributes[PERMISSION] = ir.StringAttr.get("reassoc", operation.context)
            if chosen and named(operation, *EXTREMA):
                operation.attributes[NUMBERS] = ir.StringAttr.get("choices", operation.context)

    def _raised(self) -> tuple[int, int, list[SegmentResult]]:
        """Raise the function; the numbers of raised and of kept nests, and the results."""
        function = self.function
        refused = [i for i in function.everything if i.kind == "refused"]
        nests = [i for i in function.everything if i.kind == "nest"]
        if self.skip:
            self.fates += [Fate(i.loc, "kept", self.skip) for i in (*nests, *refused)]
            self._remark("kept", function.loc, f"function '{function.name}' kept: {self.skip}")
            return 0, len(nests) + len(refused), []
        for item in refused:
            self._keep(item.loc, f"loop kept: {item.reason}")
        if not nests and not refused:
            self._remark("note", function.loc, f"function '{function.name}' has no loops")
            return 0, 0, []
        if self.late:
            for item in nests:
                self._keep(item.loc, f"loop kept: {self.late}")
            return 0, len(nests) + len(refused), []
        statements = sum(isinstance(n, Store) for i in nests for n in walk(i.nodes))
        self.solver.search.effort = begun(statements, self.solver.search.effort.share)
        kept, results = self._block(function)
        return len(nests) - kept, kept + len(refused), results

    def _block(self, function: Function) -> tuple[int, list[SegmentResult]]:
        """Raise what can be raised of a block, of the sides of branches in it, and of the bodies of loops that stay.

        The number of nests that stay, but for those in loops that do.
        """
        solved, kept = self._solved(function)
        if not self.solver.selector.target.general:
            return self._pure(solved, kept)
        operations = function.operations()  # positions change as loops are replaced
        stay = [i for i in function.items if i.kind == "refused" or i.position in kept]
        bodies = [loop_body(function, item) for item in stay]
        for segment, result in solved:
            loops = [operations[p] for p in segment.positions]
            tested = self._tested(segment)
            said = replace_segment(function, segment, loops, result, self.solver.selector, tested, self.places)
            self._raised_remark(function, segment, said)
            self._sequential(result)
        results, staying = [r for _, r in solved], len(kept)
        for side in (side for item in function.items for side in item.blocks):
            more, found = self._block(side)
            staying, results = staying + more, results + found
        for body in bodies:
            if body is not None:
                results += self._block(body)[1]
        return staying, results

    def _tested(self, segment: Segment) -> tuple[Cond, ...]:
        """The conditions on sizes that a guarded function tests before a segment."""
        if not self.guard or segment.cells:
            return ()
        from raising.emit.tested_sizes import inside

        return inside(segment.program) or ()

    def _pure(
        self, solved: list[tuple[Segment, SegmentResult]], kept: frozenset[int]
    ) -> tuple[int, list[SegmentResult]]:
        """All of the function as tensors, or nothing of it."""
        function, target = self.function, self.solver.selector.target
        nests = [i for i in function.everything if i.kind == "nest"]
        stays = kept or any(i.kind in ("refused", "branch") for i in function.items)
        why = "a loop of it stays" if stays else ""
        if not why:
            try:
                text, said = function_text(function, solved, self.solver.selector)
                check_accepted(text, target)
            except CannotSay as error:
                why = str(error.renamed(self.names) if isinstance(error, OpenSize) else error)
        if why:
            about = f"a program of target '{target.name}' is a whole function, and {why}"
            self._remark("kept", function.loc, f"function '{function.name}' kept: {about}")
            self.fates += [Fate(i.loc, "kept", about) for i in nests]
            return len(nests), []
        for segment, result in solved:
            self._raised_remark(function, segment, said)
            self._sequential(result)
        replace_function(function, text)
        return len(kept), [r for _, r in solved]

    def _solved(self, function: Function) -> tuple[list[tuple[Segment, SegmentResult]], frozenset[int]]:
        """Segments with their results, after taking out the nests that cannot be raised."""
        kept: frozenset[int] = frozenset()
        pure = not self.solver.selector.target.general
        while True:
            pairs = [(s, self.solver.solve(s)) for s in segments(function, kept, pure, self.most)]
            failures = [(s, f) for s, r in pairs for f in r.failures]
            if not failures:
                return pairs, kept
            for _, result in pairs:
                self.failed = {(p.where, p.output): p for p in result.reports if p.found is None} | self.failed
            kept |= self._taken_out(function, failures)

    def _taken_out(self, function: Function, failures: list[tuple[Segment, Failure]]) -> frozenset[int]:
        """The positions of nests with a failed statement, each with its remark."""
        new: dict[int, Failure] = {}
        for segment, failure in failures:
            for position in _positions(function, segment, failure):
                new.setdefault(position, failure)
        for position, failure in sorted(new.items()):
            where = next(i.loc for i in function.items if i.position == position)
            at = "" if failure.where == where else f" (statement at {failure.where})"
            if function.outer:  # what stays inside of a loop that stays needs no remark of its own
                self.fates.append(Fate(where, "kept", f"{failure.reason}{at}"))
            else:
                self._keep(where, f"loop kept: {failure.reason}{at}")
        return frozenset(new)

    def _raised_remark(self, function: Function, segment: Segment, said: list[str]) -> None:
        loops = [i.loc for i in function.items if i.position in segment.positions and i.kind == "nest"]
        where = loops[0] if loops else function.loc
        self.fates += [Fate(loop, "raised") for loop in loops]
        used = Counter(said)
        text = ", ".join(f"{n} x {name}" if n > 1 else name for name, n in used.items()) or "a copy"
        count = len(loops)
        inside = " inside of the kept loop" if function.outer else ""
        plural = "s" if count > 1 else ""
        self._remark("raised", where, f"raised {count} loop nest{plural}{inside} to {text}")

    def _sequential(self, result: SegmentResult) -> None:
        """A remark for each loop that stays around what was raised, and for what operations take for granted."""
        for text in assumptions(tuple(result.terms.values())):
            self._remark("note", self.function.loc, f"function '{self.function.name}': {text}")
        for kept in result.loops:
            named = [self.names[a] for a in kept.carried if a in self.names] or kept.carried
            arrays = ", ".join(dict.fromkeys(named))
            why = f"loop kept, over tensors: its body is no tensor program as a whole (in {arrays})"
            if kept.carrier is not None:
                needs = f"each iteration needs the one before it (in {arrays})"
                why = f"loop kept, over tensors: {needs}; {_carried(kept.carrier)}"
            why += f"; {self._offered()}"
            self._keep(kept.loop.loc, why, "sequential", kept.carrier)

    def _offered(self) -> str:
        """The target's operations for recurrences, none of which computes a loop that stays."""
        names = dict.fromkeys(p.operation for p in self.solver.fitter.procedures)
        target = f"target '{self.solver.selector.target.name}'"
        return f"no {' or '.join(names)} computes it" if names else f"{target} has no operation for recurrences"

    def _keep(self, where: Loc, why: str, kind: str = "kept", needs: Carrier | None = None) -> None:
        """A remark that a loop stays."""
        self._remark("kept", where, why)
        self.fates.append(Fate(where, kind, why.partition(": ")[2], needs))

    def _remark(self, kind: str, where: Loc, why: str) -> None:
        self.remarks.append(Remark(kind, where, why))


def _carried(by: Carrier) -> str:
    """The dependence that keeps a loop, for people."""
    if by.most == by.least:
        distance = f"{by.least} iteration{'s' if by.least > 1 else ''}"
    else:
        distance = f"{by.least} to {by.most} iterations" if by.most else f"{by.least} or more iterations"
    return f"what is read at {by.read} was stored at {by.written}, {distance} before"


def _positions(function: Function, segment: Segment, failure: Failure) -> list[int]:
    """The nests that hold the failed statements; all of the segment if none does (a copy made for it)."""
    found = []
    for item in function.items:
        if item.position in segment.positions:
            labels = {n.label for n in walk(item.nodes) if isinstance(n, Store)}
            if labels & set(failure.labels):
                found.append(item.position)
    return found or list(segment.positions)


def _verdict(results: list[SegmentResult]) -> Verdict | None:
    """The evidence in the field for all segments together."""
    found = [r.evidence for r in results if r.evidence is not None]
    if not found:
        return None
    if not all(e.points for e in found):
        return Unknown("not checked")
    return Tested(
        FieldEvidence(
            sum(e.points for e in found),
            found[0].size_vectors,
            max(e.error_bound for e in found),
            next((e.note for e in found if e.note), ""),
            "; ".join(dict.fromkeys(e.regions for e in found if e.regions)),
            next((e.unseen for e in found if e.unseen), ""),
        ),
        None,
        assumptions=(REAL,) if any(uses_floats(r.program) for r in results if r.evidence is not None) else (),
    )
