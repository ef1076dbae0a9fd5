"""What `raise-opt` says of each function: the gain, why saturation ended early, and what extents it takes for equal."""

from __future__ import annotations

import math
from collections.abc import Iterator

from raising.api.result import Remark, remark_in_file
from raising.eqsat.extents.numbering import Fixed
from raising.eqsat.one_function import Optimised
from raising.frontend.mlir.attributes import location


def remarks(report: Optimised, file: str) -> list[Remark]:
    """The gain, the reason for an early end, and the nodes that could not be written."""
    texts = (
        _written(report) if report.after == report.before == 0.0 and "export" in report.times else _extracted(report)
    )
    about = f"function '{report.name}'"
    found = (Remark(kind, location(report.op), f"{about}: {text}") for kind, text in texts)
    return [remark_in_file(remark, file) for remark in found]


def _extracted(report: Optimised) -> Iterator[tuple[str, str]]:
    """The kinds and texts of remarks on a function in its cheapest form."""
    gained = f"cost {report.before:.6g} -> {report.after:.6g}" if report.after < report.before else "nothing is cheaper"
    how = f"{report.iterations} iterations, {report.nodes} nodes in {report.classes} classes"
    gap = "" if math.isnan(report.gap) else f", at most {report.gap:.1%} from the best"
    yield "optimised", f"{gained} [{how}{gap}]"
    if report.chains:
        lengths = ", ".join(map(str, sorted(report.chains, reverse=True)))
        yield "note", f"products associated by the macro rule, factors: {lengths}"
    yield from _early_end(report)
    yield from (("note", text) for text in report.assumed)
    yield from (("note", f"something was left as it was: {note}") for note in report.notes)


def _written(report: Optimised) -> Iterator[tuple[str, str]]:
    """The same of an e-graph that was not extracted."""
    yield "e-graph", f"{report.nodes} nodes in {report.classes} classes [{report.iterations} iterations]"
    yield from _early_end(report)
    yield from (("note", note) for note in report.notes)


def _early_end(report: Optimised) -> Iterator[tuple[str, str]]:
    if report.stopped != "saturated":
        yield "note", f"the limit on {report.stopped} was reached before saturation"


def left_fixed(report: Optimised, file: str, why: str) -> Remark:
    """Why a function stays although something is cheaper at known extents."""
    said = f"function '{report.name}': left as it was, its cheaper form is for known extents only: {why}"
    return remark_in_file(Remark("note", location(report.op), said), file)


def taken_for_equal(report: Optimised, file: str, fixed: Fixed) -> list[Remark]:
    """Which extents of arguments a cheaper form takes for equal: the operations that were there demand it."""
    said = fixed.equal.get(report.name, ()) if report.after < report.before else ()
    texts = (f"function '{report.name}': equal, as its operations demand: {places}" for places in said)
    return [remark_in_file(Remark("note", location(report.op), text), file) for text in texts]
