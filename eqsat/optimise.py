"""Equality saturation on a module: every function encoded, saturated, extracted, written back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from raising.eqsat.egraph.encode import isolated
from raising.eqsat.egraph.held import held
from raising.eqsat.egraph.purity import Purity, walk
from raising.eqsat.gain import optimised_where_cheaper
from raising.eqsat.one_function import PROGRAM, Optimised, check, rewritten
from raising.eqsat.persist.read_egraph import read_graphs
from raising.eqsat.saturate import Job, Settings

_LEAST = 1.0  # second for any function


def optimise(module: Any, ir: Any, passes: Any, settings: Settings) -> list[Optimised]:
    """Optimise every function of a module in place; the result never costs more than what was there.

        before  %0 = linalg.add(%x, %zero); %1 = linalg.matmul(%0, %y)        after   %1 = linalg.matmul(%x, %y)

    The seconds of the limits are for all functions together, first for saturation and again for extraction; each gets
    at least one.

    A module may hold e-graphs that were written before; saturation goes on with them, and `NoOrder` is raised if one
    has no finite program.

    Raises `EngineError` if the rules are wrong, and `NoOrder` if they leave a value that no finite program computes.
    """
    check(settings)
    persisted = read_graphs(module, ir, passes, settings.declared)
    purity = Purity(module, ir, passes, settings.declared)
    pure = purity.values()
    reports: list[Optimised] = []
    with held(module, ir, pure, settings.emit != PROGRAM) as changed, module.context, ir.Location.unknown():
        pure = purity.values() if changed else pure
        functions = _functions(module.operation)
        known = [persisted.within(op) for op in functions]  # before any of it is rewritten, and erased
        left = settings.limits.seconds
        for number, (op, graphs) in enumerate(zip(functions, known, strict=True), start=1):
            seconds = left if number == len(functions) else left / 2  # half of what is left: later ones need some too
            job = Job(purity, settings, pure, graphs)
            job = job.but(limits=replace(settings.limits, seconds=max(_LEAST, seconds)))
            reports.append(optimised_where_cheaper(op, job) if _is_priced(job) else rewritten(op, job))
            left -= min(left, reports[-1].times.get("saturate", 0.0))
    return reports


def _is_priced(job: Job) -> bool:
    """Whether the program that is written is priced as the one that was there, operation by operation."""
    settings, pricing = job.settings, job.settings.pricing
    priced = pricing is not None and (settings.own is not None or bool(pricing.extents))
    return settings.emit == PROGRAM and priced and not job.persisted.nodes


def _functions(op: Any) -> list[Any]:
    """The innermost symbols with a body: functions, also those of nested modules."""
    symbols = [child for child, _ in walk(op) if isolated(child) and any(len(r.blocks) for r in child.regions)]
    holders = {parent for child in symbols for parent in _parents(child)}
    return [child for child in symbols if child not in holders]


def _parents(op: Any) -> Iterator[Any]:
    while op.parent is not None:
        op = op.parent.operation
        yield op
