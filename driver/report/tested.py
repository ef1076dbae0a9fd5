"""A result with its guards: what is tested at run time need no longer be assumed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mlir import ir

from raising.api.result import FunctionReport, RaiseResult, Remark
from raising.emit.overlap_guards import Guard, guards_text, overlap_guard
from raising.emit.versioning import guarded
from raising.support.mlir.walk import symbol_name
from raising.validate.base.assumption import NO_OVERLAP
from raising.validate.base.verdict import mapped
from raising.validate.native.argument_types import quiet_context


def with_guards(result: RaiseResult, original: str | bytes) -> RaiseResult:
    """What was raised from a module's text, with a guard in each function of which something can be tested.

    Of these, the verdicts no longer assume that arguments do not overlap, where all of it is tested.
    """
    with quiet_context(), ir.Location.unknown():
        before, after = ir.Module.parse(original), ir.Module.parse(result.text)
        functions = [_functions(module) for module in (before, after)]
        found: dict[str, Guard] = {}
        for name in (f.name for f in result.functions if f.changed):
            one, other = (list(each[name].regions[0].blocks[0].arguments) for each in functions)
            if [a.type for a in one] == [a.type for a in other]:
                found[name] = overlap_guard(functions[0][name], name)
        guards = {name: guard for name, guard in found.items() if guard.tested}
        text = guarded(result.text, guards_text(before, guards)) if guards else result.text
    reports = tuple(_tested(f, found[f.name]) if f.name in found else f for f in result.functions)
    remarks = [r for f in result.functions if f.changed for r in _remarks(f, found.get(f.name))]
    return replace(result, text=text, functions=reports, remarks=(*result.remarks, *remarks))


def _functions(module: Any) -> dict[str, Any]:
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    return {symbol_name(op): op for op in functions}


def _tested(report: FunctionReport, guard: Guard) -> FunctionReport:
    """A report without the assumption that arguments do not overlap, if nothing is left of it."""
    if not guard.complete or report.verdict is None:
        return report
    return replace(report, verdict=mapped(report.verdict, lambda a: None if a == NO_OVERLAP else a))


def _remarks(report: FunctionReport, guard: Guard | None) -> Iterator[Remark]:
    if guard is None:
        yield Remark("note", report.where, f"function '{report.name}' tests nothing: its arguments are not in memory")
        return
    for i, j in guard.tested:
        one, other = (
            f"'{report.arguments[k]}'" if k < len(report.arguments) and report.arguments[k] else f"argument {k}"
            for k in (i, j)
        )
        yield Remark("note", report.where, f"tested at run time in '{report.name}': {one} does not overlap {other}")
