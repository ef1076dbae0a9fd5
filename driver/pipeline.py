"""The pipeline: read a module, raise each function, write the results back, check them natively.

`raise_module` takes MLIR text; `raise_function` takes a Python function and goes through the Python front end.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from mlir import ir

from raising.affine.ir.affine_expr import Lin
from raising.affine.ir.program import Program
from raising.api.options import PROVING, RaiseOptions
from raising.api.result import FunctionReport, RaiseResult, Remark, in_file, remark_in_file, report_in_file
from raising.emit.cleanup import asks_for_length, erase_unused_memory
from raising.emit.pure_function import printed
from raising.emit.shared_memory import Pair, shared_arguments, why_shared
from raising.emit.tensor_abi import called_functions, to_tensors, written_arguments
from raising.frontend.mlir.parse_module import with_known_layout
from raising.frontend.mlir.reader import Function, Source, parse, read_function
from raising.frontend.mlir.variables import argument_symbols, as_arguments, text_with_globals
from raising.function_driver import FunctionRun, Skip
from raising.grammar.dialects.target_dialect import check_installed
from raising.grammar.open_target import open_target
from raising.grammar.select.selector import Selector
from raising.grammar.terms.term import Term
from raising.report.source_names import SourceNames
from raising.segment.effort import SPENT, Effort
from raising.segment.part_search import LATE, PartSearch
from raising.segment.solve import Solver
from raising.support.errors import InputError
from raising.support.mlir.permission import keep_order
from raising.support.mlir.walk import symbol_name
from raising.support.record import dataclass
from raising.support.source import Loc
from raising.validate.base.verdict import FieldEvidence, Refuted, Tested, Unknown
from raising.verify.verify import Raised, alone, checked, untold

__all__ = ["FunctionReport", "RaiseOptions", "RaiseResult", "raise_module"]

SoFar = Callable[[Callable[[], RaiseResult]], None]
Expected = Callable[[str], None]
_FIRST = 0.125  # of the work that a function may take, until all others have had as much
GRACE = 0.1  # seconds beyond the timeout that a native run may take to say that it was cut short


def raise_module(
    text: str | bytes,
    *,
    file: str = "-",
    options: RaiseOptions | None = None,
    progress: Callable[[str], None] = lambda _: None,
    so_far: SoFar = lambda _: None,
    expected: Expected | None = None,
    **settings: Any,
) -> RaiseResult:
    """Raise every loop nest of a module that a tensor program of the target can replace.

    Functions are raised and checked one after the other; past the time limit none is begun.

    `settings` are fields of `RaiseOptions`, given by name instead of or on
    top of `options`; `file` is the name that remarks give to the text, and
    `progress` is told in a few words what is being done. `so_far` is called after each function with what makes the
    result if all others stay as they are. `expected` is told the text of the result while the last check is left, which
    hardly ever finds that it has to be another.

    Raises `raising.frontend.mlir.reader.InputError` if the text is not valid MLIR,
    `raising.grammar.dialects.load.UnknownTarget` for an unknown target, and
    `raising.grammar.dialects.target_dialect.UnusableTarget` if the files of one given by its path
    cannot be used, or if the package that knows its dialect is not installed.
    """
    options = replace(options or RaiseOptions(), **settings)

    def say(line: str) -> None:
        progress(in_file(line, file))

    solver, text = _solver(options, say), with_known_layout(text)
    source = parse(text, file)
    with source.context, ir.Location.unknown():
        run = _Run(source, text, file, solver, options, expected)
        run.all(say, so_far)
        return _rewritten(run.result(), file, options)


def _rewritten(result: RaiseResult, file: str, options: RaiseOptions) -> RaiseResult:
    """The result under rules that were given with it, which were checked by themselves."""
    if options.rules is None:
        return result
    from raising.optimise.optimise_module import optimise_module

    found = optimise_module(result.text, file=file, fp="strict" if options.strict_fp else "", own=options.rules)
    return replace(result, text=found.text, remarks=result.remarks + found.remarks)


def _solver(options: RaiseOptions, progress: Callable[[str], None]) -> Solver:
    given = options.target
    opened = open_target(given, options.cache) if isinstance(given, str) else given
    check_installed(opened.target)
    deadline = time.monotonic() + options.timeout
    selector = Selector(opened.grammar, opened.target, _verifies)
    solver = Solver(
        PartSearch(opened.grammar, selector, options.search, deadline, progress, options.threads, options.cache)
    )
    if options.check == "none":
        solver.check = _unchecked
    return solver


def _unchecked(
    program: Program, terms: Mapping[str, Term], values: Mapping[str, Lin], seed: int
) -> FieldEvidence | Refuted | Unknown:
    """In place of a check: no points, and no bound on the chance of an error."""
    return FieldEvidence(0, (), 1.0)


def _is_valid(op: Any) -> bool:
    try:
        return bool(op.operation.verify())
    except ir.MLIRError:
        return False


def _verifies(text: str) -> bool:
    try:
        ir.Module.parse(text)
    except ir.MLIRError:
        return False
    return True


def _named(module: Any, name: str) -> Any:
    return next(op for op in module.body.operations if symbol_name(op) == name)


@dataclass(frozen=True)
class _Way:
    """How a function is raised.

    It stays as it is with a reason to `skip` it, or why it is too `late`. Nests that are raised `apart` are raised one
    by one: together, what one nest writes and the next one reads would be a tensor of a length that nobody knows. Where
    it is `literal`, statements are operations of their own: what is searched is equal, but may round in another way.
    """

    skip: str = ""
    apart: bool = False
    late: str = ""
    literal: bool = False


@dataclass(frozen=True)
class _Turn:
    """A function's turn: the `share` of the work for one function that is done, and names of the source.

    If it takes more in its `first` turn, it stays as it is until the others had theirs. The `last` one is that of all.
    """

    share: float
    first: bool
    last: bool
    names: dict[str, str]


def shares(effort: float, count: int) -> list[float]:
    """What each function that takes much work may take; nothing for the last ones, if it were too little for all."""
    share = min(1.0, effort / max(1, count))
    if share > _FIRST:
        return [share] * count
    return [2 * _FIRST if (k + 1) * 2 * _FIRST <= effort else 0.0 for k in range(count)]


class _Run:
    """The raising of a module, function by function."""

    def __init__(
        self,
        source: Source,
        text: str | bytes,
        file: str,
        solver: Solver,
        options: RaiseOptions,
        expected: Expected | None,
    ) -> None:
        self.source, self.text, self.file, self.solver, self.options = source, text, file, solver, options
        self.expected = expected
        self.remarks = [Remark("kept", loc, why) for loc, why in source.remarks]
        self.said: dict[str, list[Remark]] = {}
        self.reports: dict[str, FunctionReport] = {}
        self.cut: dict[int, Any] = {}  # functions that need more, as they were

    def all(self, progress: Callable[[str], None], so_far: SoFar) -> None:
        """Raise every function and check it; one that comes out wrong is as it was.

        One that takes much work is raised after the others, so that what little time there is goes a long way.
        """
        names, count = SourceNames(self.text), len(self.source.functions)
        for number in range(count):
            self._raise(number, names, progress, _FIRST if count > 1 else 1.0, first=count > 1)
            if number + 1 < count or self.cut:  # else the result is near
                so_far(self.so_far)
        for (number, before), share in zip(
            list(self.cut.items()), shares(self.options.effort, len(self.cut)), strict=True
        ):
            if not self.solver.search.out_of_time:
                name = self.source.functions[number].name
                self.source.functions[number] = self._put_back(name, before)
                self._raise(number, names, progress, share)
                if self.cut:
                    so_far(self.so_far)
        if not self.source.functions and not self.remarks:
            self.remarks.append(Remark("note", Loc(), "the module has no function with a body, so no loops"))

    def _raise(
        self, number: int, names: SourceNames, progress: Callable[[str], None], share: float, first: bool = False
    ) -> None:
        """Raise a function in the first way that nothing is wrong with, the last of which is to leave it as it was."""
        function, search = self.source.functions[number], self.solver.search
        before, guard = function.op.operation.clone(), self.options.guard and self.options.abi == "memref"
        skip = "" if guard else why_shared(function, self._shared.get(function.name, set()))
        way: _Way | None = _Way(skip, late=LATE if search.out_of_time else "" if first or share > _FIRST else SPENT)
        self.cut.pop(number, None)
        last = not self.cut and (not first or number + 1 == len(self.source.functions))
        turn = _Turn(share, first, last, names.of(function))
        while way is not None:
            self.said[function.name], late = [], way.late
            way = self._one(function, way, turn, progress)
            if way is not None:
                function = self.source.functions[number] = self._put_back(function.name, before)
        if late == LATE or search.out_of_time:
            self.cut[number] = before

    def _one(self, function: Function, way: _Way, turn: _Turn, progress: Callable[[str], None]) -> _Way | None:
        """Raise a function and check it; another way to do so if something is wrong with it."""
        name, guard = function.name, self.options.guard and self.options.abi == "memref"
        self.solver.search.effort = Effort(share=turn.share)
        self.solver.search.options = replace(self.options.search, literal=way.literal)
        run = FunctionRun(function, self.solver, turn.names, way.skip, way.late, way.apart, guard, self.options.places)
        try:
            report = self.reports[name] = run.report()
        except Skip as error:
            return _Way(str(error))
        finally:
            self.said[name] += run.remarks
        if turn.first and self.solver.search.effort.spent:
            return _Way(late=LATE)
        if not report.changed:
            return None
        other = self._finish(function, way)
        if other is not None:
            return other
        if turn.last:
            self._tell_expected()
        why = self._check(report, progress)
        if why and self.options.strict_fp and not way.literal:
            return replace(way, literal=True)
        return _Way(why) if why else None

    def _put_back(self, name: str, before: Any) -> Function:
        """A function as it was in place of what became of it, read again."""
        now = _named(self.source.module, name)
        op = before.clone(ip=ir.InsertionPoint(now))
        now.operation.erase()
        return read_function(op)

    def so_far(self) -> RaiseResult:
        """The result if the functions that are not done stay as they are."""
        reports, remarks = dict(self.reports), self._remarks()
        for function in self.source.functions:
            if function.name not in reports:
                run = FunctionRun(function, self.solver, {}, late=LATE)
                reports[function.name] = run.report()
                remarks += run.remarks
        return replace(self._result(reports, remarks), in_time=False)

    def _tell_expected(self) -> None:
        """Tell what the result is if the check that is left finds nothing wrong, and nothing else is done to it."""
        options = self.options
        after = options.strict_fp or options.guard or options.rules
        if self.expected is not None and options.check in PROVING and not after:
            self.expected(self._result(self.reports, self._remarks()).text)

    def _finish(self, function: Function, way: _Way) -> _Way | None:
        """Erase memory that became useless, and change to tensors where that is asked for; another way if need be."""
        if not self.solver.selector.target.general:
            self._say_variables(function)
            return None
        erase_unused_memory(function.op)
        if name := asks_for_length(function.op):
            why = f"the raised form depends on how long '{name}' is, which C does not say"
            return _Way(why) if way.apart else replace(way, apart=True)
        if self.options.abi == "tensor":
            self._on_tensors(function, function.name in self._called)
            self._say_variables(function)
        wrong = "internal error: the raised form does not verify; please report this"
        return None if _is_valid(function.op) else _Way(wrong)

    @cached_property
    def _shared(self) -> dict[str, set[Pair]]:
        return shared_arguments(self.source.module)

    @cached_property
    def _called(self) -> set[str]:
        return called_functions(self.source.module)

    def _on_tensors(self, function: Function, called: bool) -> None:
        why = to_tensors(function.op, written_arguments(function), called)
        if why:
            text = f"function '{function.name}' keeps its memref arguments: {why}"
            self.said[function.name].append(Remark("note", function.loc, text))

    def _say_variables(self, function: Function) -> None:
        """Say which variables the callers of a function on tensors hold."""
        inputs = ir.FunctionType(ir.TypeAttr(function.op.attributes["function_type"]).value).inputs
        for number, symbol in argument_symbols(function.op).items():
            if isinstance(inputs[number], ir.RankedTensorType):
                text = (
                    f"function '{function.name}': variable '{symbol}' is argument {number} of the function on tensors"
                )
                self.said[function.name].append(Remark("note", function.loc, text))

    # ---- the checks of what was written ----------------------------------------------------------

    def _check(self, report: FunctionReport, progress: Callable[[str], None]) -> str:
        """The strongest verdict on a function; what is wrong with it, if anything is."""
        if not isinstance(report.verdict, Tested):
            return ""
        if self.options.check not in PROVING:
            return untold(report.verdict)
        name = report.name
        progress(f"function '{name}': running natively and proving")
        module, target = self.source.module, self.solver.selector.target
        original, raised = self._original, _named(module, name)
        after = alone(module, name) if target.general else module
        both = Raised(name, str(alone(original, name)), _named(original, name), raised, after, target)
        found = checked(both, report.verdict, self.solver.search.deadline + GRACE, self.options)
        if found.note:
            self.said[name].append(Remark("note", report.where, found.note))
        self.reports[name] = replace(report, verdict=found.verdict)
        return found.wrong

    @cached_property
    def _original(self) -> Any:
        """The module as it was; it must outlive the functions taken from it."""
        module = ir.Module.parse(self.text)
        as_arguments(module)
        return module

    def result(self) -> RaiseResult:
        """The module as text with what was said about it."""
        return self._result(self.reports, self._remarks())

    def _remarks(self) -> list[Remark]:
        return [*self.remarks, *(remark for said in self.said.values() for remark in said)]

    def _result(self, found: dict[str, FunctionReport], remarks: list[Remark]) -> RaiseResult:
        ordered = sorted(remarks, key=lambda r: (r.where.line, r.where.col))
        reports = tuple(report_in_file(r, self.file) for r in found.values())
        target = self.solver.selector.target
        pure = not target.general and all(r.changed for r in found.values())
        if self.options.strict_fp:
            keep_order(self.source.module)
        text = text_with_globals(self.source.module, pure, self.options.places)
        if pure:
            text = printed(text, target)
        result = RaiseResult(text, tuple(remark_in_file(r, self.file) for r in ordered), reports, not self.cut)
        if not self.options.guard:
            return result
        from raising.report.tested import with_guards

        return with_guards(result, self.text)


def raise_function(function: Callable[..., Any], **settings: Any) -> RaiseResult:
    """Raise a function that loops over NumPy arrays; what it was read from is its source text.

    Its parameters have annotations such as `float32[N, M]`; constants of its
    file are taken as they are written there. A function that Numba has wrapped
    is taken as it was before. `settings` are those of `raise_module`.

    Raises `raising.support.errors.InputError` with the place and the reason if the
    function is outside of the subset, or has no source text.
    """
    from raising.frontend.python import convert  # of use here only

    function = inspect.unwrap(getattr(function, "py_func", function))
    try:
        file, lines = inspect.getsourcefile(function) or "-", inspect.findsource(function)[0]
    except (OSError, TypeError):
        raise InputError(Loc("-"), f"{function!r} has no source text") from None
    if function.__qualname__ != function.__name__:
        raise InputError(Loc(file), f"'{function.__qualname__}' is not at the top level of its file")
    module = convert("".join(lines), file, function.__name__)
    for remark in module.refused:
        raise InputError(remark.place, remark.reason)
    return raise_module(module.mlir, file=file, **settings)
