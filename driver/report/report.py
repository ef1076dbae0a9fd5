"""Reports on a raised module: lines for people, numbers for programs."""

from __future__ import annotations

import platform
from typing import Any

from raising.api.result import Fate, FunctionReport, RaiseResult, Remark
from raising.grammar.terms.pretty import statement
from raising.report.source_names import in_names, shown
from raising.segment.part_search import PartReport
from raising.support import versions as installed
from raising.synth.enumerate.limits import Statistics
from raising.validate.base.verdict import assumptions, describe

_LONGEST = 400  # characters of an expression; longer ones are cut


def verdicts(result: RaiseResult) -> list[Remark]:
    """One remark for each function that was changed: how it is known to be right."""
    return [
        Remark("verdict", f.where, f"function '{f.name}': {in_names(describe(f.verdict), f.arguments)}")
        for f in result.functions
        if f.verdict is not None
    ]


def counts(result: RaiseResult) -> list[Remark]:
    """One remark for each function that had loops: what was done, in numbers."""
    return [_counted(f) for f in result.functions if f.raised or f.kept]


def _counted(report: FunctionReport) -> Remark:
    total = _total(report)
    text = (
        f"function '{report.name}': raised {report.raised} of {report.raised + report.kept} loop nests to"
        f" {_many(report.operations, 'operation')}; {_many(total.enumerated, 'candidate')},"
        f" {total.evaluated} evaluated, {report.seconds:.2f} s"
    )
    return Remark("count", report.where, text)


def explanations(result: RaiseResult) -> list[Remark]:
    """One remark for each part: what it computes and what finding that took, or why it was not found."""
    return [_explained(part, f) for f in result.functions for part in f.parts]


def _explained(part: PartReport, report: FunctionReport) -> Remark:
    effort = f"{_many(part.stats.enumerated, 'candidate')}, {part.stats.seconds:.2f} s"
    if part.found is None:
        return Remark("part", part.where, f"part not raised: {part.reason} [{effort}]")
    return Remark(
        "part", part.where, f"part: {computes(part, report)} [{_many(part.operations, 'operation')}, {effort}]"
    )


def computes(part: PartReport, report: FunctionReport) -> str:
    """The algebra that a part computes, over the names of the source."""
    if part.found is None:
        return ""
    text = statement(part.output, part.found, lambda name: shown(name, report.names))
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


# ---- numbers -------------------------------------------------------------------------------------


def statistics(result: RaiseResult, file: str, target: str, seconds: float) -> dict[str, Any]:
    """The content of the file that `--stats` writes."""
    return {
        "file": file,
        "target": target,
        "functions": [_function_numbers(f) for f in result.functions],
        "seconds": round(seconds, 4),
        "versions": versions(),
    }


def _function_numbers(report: FunctionReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "arguments": list(report.arguments),
        "raised": report.raised,
        "kept": report.kept,
        "sequential": report.sequential,
        "verdict": in_names(describe(report.verdict), report.arguments) if report.verdict is not None else None,
        "assumptions": [
            {**a.record(), "condition": in_names(a.condition, report.arguments)} for a in assumptions(report.verdict)
        ],
        "loops": [_loop_numbers(f, report) for f in report.fates],
        "operations": report.operations,
        "largest_part": max((p.operations for p in report.parts), default=0),
        **_search_numbers(_total(report)),
        "seconds": round(report.seconds, 4),
        "parts": [_part_numbers(p, report) for p in report.parts],
    }


def _loop_numbers(fate: Fate, report: FunctionReport) -> dict[str, Any]:
    found: dict[str, Any] = {"where": str(fate.where), "fate": fate.kind}
    if fate.why:
        found["reason"] = fate.why
    if fate.needs is not None:
        found["needs"] = {
            "array": shown(fate.needs.array, report.names),
            "read": str(fate.needs.read),
            "stored": str(fate.needs.written),
            "least": fate.needs.least,
            "most": fate.needs.most,
        }
    return found


def _part_numbers(part: PartReport, report: FunctionReport) -> dict[str, Any]:
    return {
        "where": str(part.where),
        "output": shown(part.output, report.names),
        "computes": computes(part, report) or None,
        "reason": part.reason or None,
        "operations": part.operations,
        **_search_numbers(part.stats),
        "seconds": round(part.stats.seconds, 4),
    }


def _search_numbers(stats: Statistics) -> dict[str, Any]:
    return {
        "enumerated": stats.enumerated,
        "static_filtered": stats.static_filtered,
        "evaluated": stats.evaluated,
        "equivalence_filtered": stats.equivalence_filtered,
        "recalled": stats.recalled,
        "guides": dict(sorted(stats.guides.items())),
    }


def _total(report: FunctionReport) -> Statistics:
    total = Statistics()
    for part in report.parts:
        total.add(part.stats)
    return total


def versions() -> dict[str, str]:
    """The versions of what computed a result."""
    ours = ("raise-tensor", "xtc-mlir-python-bindings", "islpy", "numpy")
    return {"python": platform.python_version()} | dict.fromkeys(ours, "not installed") | installed.versions(ours)
