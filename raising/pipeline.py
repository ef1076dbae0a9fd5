"""The whole of raising a module: read, raise each function, write back, check natively."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mlir import ir

from affine.expr import Lin
from affine.mlir_reader import Function, Source, parse
from affine.program import Loc, Program
from grammar.opened import open_target
from grammar.spell import Speller
from grammar.term import Term
from raising.abi import called_functions, to_tensors, written_arguments
from raising.function import FunctionRun, Skip
from raising.names import SourceNames
from raising.options import PROVING, RaiseOptions
from raising.parts import PartSearch
from raising.pure import printed
from raising.remarks import Remark
from raising.result import FunctionReport, RaiseResult, in_file, remark_in_file, report_in_file
from raising.solve import Solver
from raising.tidy import erase_unused_memory
from raising.verify import Raised, checked
from validate.verdict import FieldEvidence, Refuted, Tested, Unknown

__all__ = ["FunctionReport", "RaiseOptions", "RaiseResult", "raise_module"]

GRACE = 0.1  # seconds beyond the timeout that a native run may take to say that it was cut short


def raise_module(
    text: str | bytes,
    *,
    file: str = "-",
    options: RaiseOptions | None = None,
    progress: Callable[[str], None] = lambda _: None,
    **settings: Any,
) -> RaiseResult:
    """Raise every loop nest of a module that a tensor program of the target can replace.

    `settings` are fields of `RaiseOptions`, given by name instead of or on
    top of `options`; `file` is the name that remarks give to the text, and
    `progress` is told in a few words what is being done.

    Raises `affine.mlir_reader.InputError` if the text is not valid MLIR,
    `grammar.load.UnknownTarget` for an unknown target, and
    `grammar.target.UnusableTarget` if the files of one given by its path
    cannot be used.
    """
    options = replace(options or RaiseOptions(), **settings)

    def say(line: str) -> None:
        progress(in_file(line, file))

    solver = _solver(options, say)
    skipped: dict[str, str] = {}
    while True:
        source = parse(text, file)
        with source.context, ir.Location.unknown():
            run = _Run(source, text, solver, options, skipped)
            wrong = run.all(say)
            if not wrong:
                return run.result(file)
        skipped |= wrong


def _solver(options: RaiseOptions, progress: Callable[[str], None]) -> Solver:
    given = options.target
    opened = open_target(given, options.cache) if isinstance(given, str) else given
    deadline = time.monotonic() + options.timeout
    speller = Speller(opened.grammar, opened.target, _verifies)
    solver = Solver(
        PartSearch(opened.grammar, speller, options.search, deadline, progress, options.threads, options.cache)
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
    return next(op for op in module.body.operations if _symbol(op) == name)


def _symbol(op: Any) -> str:
    return str(ir.StringAttr(op.attributes["sym_name"]).value) if "sym_name" in op.attributes else ""


class _Run:
    """One pass over a module; functions in `skipped` stay as they are, each with its reason."""

    def __init__(
        self, source: Source, text: str | bytes, solver: Solver, options: RaiseOptions, skipped: dict[str, str]
    ) -> None:
        self.source, self.text, self.solver, self.options = source, text, solver, options
        self.skipped = skipped
        self.remarks = [Remark("kept", loc, why) for loc, why in source.remarks]
        self.reports: dict[str, FunctionReport] = {}

    def all(self, progress: Callable[[str], None]) -> dict[str, str]:
        """Raise every function and check it; the functions that came out wrong, and how."""
        wrong: dict[str, str] = {}
        names = SourceNames(self.text)
        for function in self.source.functions:
            run = FunctionRun(function, self.solver, self.skipped.get(function.name, ""), names.of(function))
            try:
                self.reports[function.name] = run.report()
            except Skip as error:
                wrong[function.name] = str(error)
            self.remarks += run.remarks
        if not self.source.functions and not self.remarks:
            self.remarks.append(Remark("note", Loc(), "the module has no function with a body, so no loops"))
        return wrong or self._finish() or self._check(progress)

    def _finish(self) -> dict[str, str]:
        """Erase memory that became useless, and change to tensors where that is asked for."""
        wrong: dict[str, str] = {}
        if not self.solver.speller.target.general:
            return wrong
        called = called_functions(self.source.module) if self.options.abi == "tensor" else set()
        for function in self.source.functions:
            if not self.reports[function.name].changed:
                continue
            erase_unused_memory(function.op)
            if self.options.abi == "tensor":
                self._on_tensors(function, function.name in called)
            if not _is_valid(function.op):
                wrong[function.name] = "internal error: the raised form does not verify; please report this"
        return wrong

    def _on_tensors(self, function: Function, called: bool) -> None:
        why = to_tensors(function.op, written_arguments(function), called)
        if why:
            text = f"function '{function.name}' keeps its memref arguments: {why}"
            self.remarks.append(Remark("note", function.loc, text))

    # ---- the checks of what was written ----------------------------------------------------------

    def _check(self, progress: Callable[[str], None]) -> dict[str, str]:
        wrong: dict[str, str] = {}
        if self.options.check not in PROVING:
            return wrong
        original = ir.Module.parse(self.text)  # must outlive the functions taken from it
        before = str(original)
        for name, report in self.reports.items():
            if not isinstance(report.verdict, Tested):
                continue
            progress(f"function '{name}': running natively and proving")
            module, target = self.source.module, self.solver.speller.target
            raised = Raised(name, before, _named(original, name), _named(module, name), module, target)
            deadline = self.solver.search.deadline + GRACE
            found = checked(raised, report.verdict, deadline, self.options)
            if found.wrong:
                wrong[name] = found.wrong
            if found.note:
                self.remarks.append(Remark("note", report.where, found.note))
            self.reports[name] = replace(report, verdict=found.verdict)
        return wrong

    def result(self, file: str) -> RaiseResult:
        """The module as text with what was said about it."""
        ordered = sorted(self.remarks, key=lambda r: (r.where.line, r.where.col))
        reports = tuple(report_in_file(r, file) for r in self.reports.values())
        text = str(self.source.module)
        target = self.solver.speller.target
        if not target.general and all(r.changed for r in self.reports.values()):
            text = printed(text, target)
        return RaiseResult(text, tuple(remark_in_file(r, file) for r in ordered), reports)
