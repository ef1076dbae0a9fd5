"""The plots of a report, from its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from raising.polybench.records.records import Row
from raising.polybench.report.published import COVERAGE, PUBLISHED
from raising.polybench.report.summary import (
    baseline,
    groups,
    leader,
    levels,
    measured,
    side_by_side,
    speedups,
    speedups_of,
    timed,
)
from raising.polybench.report.svg import bars, dots


def plots(rows: Sequence[Row]) -> list[str]:
    """All plots as SVG, those of times once for each group of rows that can be compared."""
    return [*_times(rows), *_raising(rows)]


def _times(rows: Sequence[Row]) -> Iterator[str]:
    for common, members in groups(measured(rows)).items():
        found = speedups(members)
        ours = frozenset(s.program for s in found if s.ours)
        base = baseline(members[0])
        if not found:
            continue
        yield beside(common, members)
        each = {str(row["key"]["name"]): speedups_of(row) for row in members}
        yield dots(f"Speed-up over {base} of each kernel: {common}", each, "x", [s.program for s in found], ours)
        parts = {str(row["key"]["name"]): _fractions(row) for row in members}
        parts = {name: found for name, found in parts.items() if found}
        if parts:
            most = {name: max(found.values()) for name, found in parts.items()}
            yield bars(f"Part of the roofline, the best of ours: {common}", most, " %")


def beside(common: str, rows: Sequence[Row]) -> str:
    """Bars of how many times as fast as each program ours is, over the kernels that both have."""
    title = f"{leader(rows)} against each, on the kernels that both have: {common}"
    values = {f"{s.program} ({s.kernels} kernels)": s.ratio for s in side_by_side(rows)}
    return bars(title, values, "x")


def _fractions(row: Row) -> dict[str, float]:
    return {name: 100 * p["fraction"] for name, p in timed(row).items() if p["ours"] and p.get("fraction")}


def _raising(rows: Sequence[Row]) -> Iterator[str]:
    found: dict[str, Any] = {}
    for row in rows:
        for target, raised in row.get("targets", {}).items():
            if not raised.get("failed"):
                found.setdefault(str(row["key"]["name"]), {}).setdefault(target, raised)
    targets = sorted({target for by_target in found.values() for target in by_target})
    if not targets:
        return
    systems = [s for s in PUBLISHED if any(kernel in found for kernel in s.raised)]
    names = [f"ours: {t}" for t in targets]
    strong = frozenset(names)
    seconds = {
        kernel: {f"ours: {t}": r["seconds"] for t, r in by_target.items() if r.get("seconds")}
        | {s.name: float(s.seconds[kernel]) for s in systems if kernel in s.raised}
        for kernel, by_target in sorted(found.items())
    }
    yield dots(
        "Seconds to raise (other systems as published, elsewhere)",
        seconds,
        " s",
        [*names, *(s.name for s in systems)],
        strong,
    )
    counts = {
        kernel: {f"ours: {t}": float(r.get("enumerated", 0)) for t, r in by_target.items()}
        | {s.name: float(s.enumerated[kernel]) for s in systems if kernel in s.enumerated}
        for kernel, by_target in sorted(found.items())
    }
    told = [s.name for s in systems if s.enumerated]
    yield dots("Candidates enumerated", counts, "", [*names, *told], strong)
    whole = {f"ours: {t}": float(sum(t in r and r[t]["level"] != "kept" for r in found.values())) for t in targets}
    yield bars("PolyBench kernels raised", {**whole, **{k: float(v) for k, v in COVERAGE.items()}}, "", strong)
    for target, by_level in levels(rows).items():
        yield bars(f"Verdicts: {target}", {level: float(n) for level, n in by_level.items()}, "")
