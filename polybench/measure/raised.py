"""A function raised to a target, with the figures of the raising."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from raising.api.options import RaiseOptions
from raising.api.result import RaiseResult
from raising.eqsat.egraph.engine import EngineError
from raising.optimise.optimise_module import optimise_module
from raising.pipeline import raise_module
from raising.polybench.peers import Subject
from raising.polybench.records.task import Task
from raising.validate.base.verdict import describe, level

WARM_UP_TO = 60.0
"""Seconds of raising beyond which it is not done twice more to see what the cache saves."""

_LONG = ("text", "optimised", "remarks", "assembly")


def raised(subject: Subject, target: str, task: Task) -> dict[str, Any]:
    """The text, its verdict and counts, the seconds that raising took, and the text after optimisation."""
    options = RaiseOptions(target=target, check=task.check, timeout=task.timeout, cache=False)
    seconds, result = _timed(lambda: raise_module(subject.mlir, file=subject.source.name, options=options))
    (report,) = (f for f in result.functions if f.name == subject.function)
    stats = [part.stats for part in report.parts]
    started = time.perf_counter()
    optimised, why_not = _optimised(result.text)
    found = {
        "text": result.text,
        "optimised": optimised,
        **({"not_optimised": why_not} if why_not else {}),
        "verdict": describe(report.verdict) if report.verdict else "kept: no loop was raised",
        "level": level(report.verdict) if report.verdict else "kept",
        "remarks": [str(remark) for remark in result.remarks],
        "seconds": round(seconds, 4),
        "seconds_optimising": round(time.perf_counter() - started, 4),
        "loops_left": report.kept + report.sequential,
        "operations": _operations(result.text, target),
        "enumerated": sum(s.enumerated for s in stats),
        "static_filtered": sum(s.static_filtered for s in stats),
        "evaluated": sum(s.evaluated for s in stats),
        "equivalence_filtered": sum(s.equivalence_filtered for s in stats),
    }
    if task.repeat and seconds < WARM_UP_TO:
        found["seconds_warm"] = round(_warm(subject, target, task), 4)
    return found


def _optimised(text: str) -> tuple[str, str]:
    """The text after optimisation; or as it was, and why."""
    try:
        return optimise_module(text).text, ""
    except EngineError as error:  # of a machine that is too busy, for one: the program is right as it is
        return text, str(error)


def in_short(found: dict[str, Any]) -> dict[str, Any]:
    """What `raised` found, without the texts: they stand in an earlier row."""
    return {name: value for name, value in found.items() if name not in _LONG}


def _warm(subject: Subject, target: str, task: Task) -> float:
    """Seconds to raise what the cache knows."""
    options = RaiseOptions(target=target, check=task.check, timeout=task.timeout)

    def again() -> RaiseResult:
        return raise_module(subject.mlir, file=subject.source.name, options=options)

    again()
    return _timed(again)[0]


def _timed(work: Callable[[], RaiseResult]) -> tuple[float, RaiseResult]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def _operations(text: str, target: str) -> dict[str, int]:
    """How often each operation of the target occurs."""
    found = Counter(re.findall(rf"\b{re.escape(target)}\.[a-z_]\w*", text))
    return {name: n for name, n in sorted(found.items()) if not name.endswith((".yield", ".index", ".return"))}
